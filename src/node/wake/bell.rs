//! Wakes an environment: any thread rings, and a function of JavaScript is called on the environment's own.
//!
//! It is a bare handle of the event loop. A threadsafe function is one too, with a queue, two locks and conversions around it
//! that took longer than all the rest of a hand-over between threads but the system's part. What there is to tell is
//! taken here, before JavaScript is called, so that nothing need cross back for it.
//!
//! A bell never holds the event loop. It is taken down with its environment, and silent after that.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use napi::bindgen_prelude::ToNapiValue;
use napi::{Result, check_status, sys};

use super::uv::{Handle, Uv};
use crate::core::sync::Mutex;
use crate::panics;
use crate::test_hooks;

/// What there is to tell JavaScript: integers that stand for something there.
type Take = Box<dyn Fn() -> Vec<u32>>;

/// Rings from any thread.
#[derive(Clone)]
pub struct Bell(Arc<Mutex<Clapper>>);

/// The handle, until it is closed.
struct Clapper(Option<Handle>);

// SAFETY: other threads only send to the handle, which libuv allows, and under the lock by which it is closed.
unsafe impl Send for Clapper {}

/// What the handle belongs to, on the environment's thread.
struct Ringing {
    env: sys::napi_env,
    place: &'static str,
    take: Take,
    callback: sys::napi_ref,
    bell: Bell,
    layout: Layout,
    hook: sys::napi_async_cleanup_hook_handle,
}

impl Bell {
    /// A bell that calls `callback` with what `take` gives: one integer, or an array of them. `place` is its name
    /// among the [`test_hooks`].
    pub fn new(
        env: sys::napi_env,
        callback: sys::napi_value,
        place: &'static str,
        take: impl Fn() -> Vec<u32> + 'static,
    ) -> Result<Self> {
        let uv = Uv::of_process()?;
        let bell = Self(Arc::new(Mutex::new(Clapper(None))));
        let layout = Layout::from_size_align(uv.async_size(), align_of::<u128>())
            .expect("the size of a handle");
        let mut event_loop = ptr::null_mut();
        let mut reference = ptr::null_mut();
        // SAFETY: `env` and `callback` are those of the call that is going on.
        unsafe {
            check_status!(sys::napi_get_uv_event_loop(env, &mut event_loop))?;
            check_status!(sys::napi_create_reference(env, callback, 1, &mut reference))?;
        }
        // SAFETY: the handle is as large as libuv wants it, and is freed when libuv has closed it. Its data is `ringing`, which
        // lives as long.
        unsafe {
            let handle: Handle = alloc_zeroed(layout).cast();
            if handle.is_null() {
                handle_alloc_error(layout);
            }
            let status = (uv.async_init)(event_loop.cast(), handle, ring_here);
            assert_eq!(status, 0, "a handle of the event loop");
            (uv.unref)(handle);
            let ringing = Box::into_raw(Box::new(Ringing {
                env,
                place,
                take: Box::new(take),
                callback: reference,
                bell: bell.clone(),
                layout,
                hook: ptr::null_mut(),
            }));
            (uv.set_data)(handle, ringing.cast());
            let hook = &raw mut (*ringing).hook;
            let status = sys::napi_add_async_cleanup_hook(env, Some(take_down), handle, hook);
            if status != sys::Status::napi_ok {
                (uv.close)(handle, closed);
            }
            check_status!(status)?;
            bell.0.lock().0 = Some(handle);
        }
        Ok(bell)
    }

    /// Calls JavaScript soon, once for all who ring until then.
    pub fn ring(&self) {
        let clapper = self.0.lock();
        if let (Some(handle), Ok(uv)) = (clapper.0, Uv::of_process()) {
            // SAFETY: it is closed only under the lock that is held here.
            unsafe { (uv.async_send)(handle) };
        }
    }
}

/// The event loop has heard the bell.
unsafe extern "C" fn ring_here(handle: Handle) {
    let Ok(uv) = Uv::of_process() else { return };
    // SAFETY: `Bell::new` gave it to the handle, and it lives until the handle is closed.
    let ringing = unsafe { &*(uv.data)(handle).cast::<Ringing>() };
    // What was taken must be told, also after a panic.
    let taken = catch_unwind(AssertUnwindSafe(|| {
        test_hooks::pass(ringing.place);
        (ringing.take)()
    }));
    let taken = taken.or_else(|_| catch_unwind(AssertUnwindSafe(|| (ringing.take)())));
    if let Ok(taken) = taken
        && !taken.is_empty()
    {
        ringing.tell(&taken);
    }
}

impl Ringing {
    /// Calls JavaScript. Nothing can be done about failures: they mean that the environment ends.
    fn tell(&self, taken: &[u32]) {
        let env = self.env;
        let mut scope = ptr::null_mut();
        // SAFETY: this is the thread of the environment, which lasts until the handle was closed; all values
        // live in the scope that is opened first.
        unsafe {
            if sys::napi_open_handle_scope(env, &mut scope) != sys::Status::napi_ok {
                return;
            }
            let mut function = ptr::null_mut();
            let mut receiver = ptr::null_mut();
            sys::napi_get_reference_value(env, self.callback, &mut function);
            sys::napi_get_global(env, &mut receiver);
            let argument = match taken {
                [one] => u32::to_napi_value(env, *one),
                many => <Vec<u32>>::to_napi_value(env, many.to_vec()),
            };
            if let Ok(argument) = argument {
                // Nobody wants it, but Deno writes it without asking whether there is a place for it.
                let mut result = ptr::null_mut();
                let status = sys::napi_make_callback(
                    env,
                    ptr::null_mut(),
                    receiver,
                    function,
                    1,
                    &argument,
                    &mut result,
                );
                if status == sys::Status::napi_pending_exception {
                    let mut exception = ptr::null_mut();
                    sys::napi_get_and_clear_last_exception(env, &mut exception);
                    sys::napi_fatal_exception(env, exception);
                }
            }
            sys::napi_close_handle_scope(env, scope);
        }
    }
}

/// The environment ends.
unsafe extern "C" fn take_down(_: sys::napi_async_cleanup_hook_handle, handle: *mut c_void) {
    let Ok(uv) = Uv::of_process() else { return };
    // SAFETY: as in `ring_here`. After this nobody else sends to the handle.
    unsafe {
        let ringing = &*(uv.data)(handle).cast::<Ringing>();
        ringing.bell.0.lock().0 = None;
        sys::napi_delete_reference(ringing.env, ringing.callback);
        (uv.close)(handle, closed);
    }
}

/// The event loop knows the handle no more.
unsafe extern "C" fn closed(handle: Handle) {
    let Ok(uv) = Uv::of_process() else { return };
    // SAFETY: nobody else has what `Bell::new` made.
    unsafe {
        let ringing = Box::from_raw((uv.data)(handle).cast::<Ringing>());
        dealloc(handle.cast(), ringing.layout);
        sys::napi_remove_async_cleanup_hook(ringing.hook);
        // What the bell takes from may be freed with it.
        panics::contain("dropBell", || drop(ringing));
    }
}
