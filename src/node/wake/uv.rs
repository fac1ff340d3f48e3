//! The few functions of libuv that [`bell`](super::bell) needs, found in the program that loaded the addon.
//!
//! Node.js exports them for addons, but nobody else does: tests of this crate link without them.

use std::ffi::{c_int, c_void};

#[cfg(unix)]
use libloading::os::unix::Library;
#[cfg(windows)]
use libloading::os::windows::Library;
use napi::{Error, Result};
use once_cell::sync::OnceCell;

/// `uv_async_t`, whose size only libuv knows.
pub type Handle = *mut c_void;
pub type Callback = unsafe extern "C" fn(Handle);

/// `UV_ASYNC` of `uv_handle_type`.
const ASYNC: c_int = 1;

pub struct Uv {
    handle_size: unsafe extern "C" fn(c_int) -> usize,
    pub async_init: unsafe extern "C" fn(*mut c_void, Handle, Callback) -> c_int,
    /// The only one that any thread may call.
    pub async_send: unsafe extern "C" fn(Handle) -> c_int,
    pub unref: unsafe extern "C" fn(Handle),
    pub close: unsafe extern "C" fn(Handle, Callback),
    pub set_data: unsafe extern "C" fn(Handle, *mut c_void),
    pub data: unsafe extern "C" fn(Handle) -> *mut c_void,
}

impl Uv {
    /// That of the process.
    pub fn of_process() -> Result<&'static Self> {
        static UV: OnceCell<Uv> = OnceCell::new();
        UV.get_or_try_init(Self::find).map_err(|error| {
            Error::from_reason(format!("this program has no libuv for addons: {error}"))
        })
    }

    fn find() -> std::result::Result<Self, libloading::Error> {
        #[cfg(unix)]
        let program = Library::this();
        #[cfg(windows)]
        let program = Library::this()?;
        // SAFETY: these are the signatures of libuv 1, and the program stays loaded.
        unsafe {
            Ok(Self {
                handle_size: *program.get(b"uv_handle_size\0")?,
                async_init: *program.get(b"uv_async_init\0")?,
                async_send: *program.get(b"uv_async_send\0")?,
                unref: *program.get(b"uv_unref\0")?,
                close: *program.get(b"uv_close\0")?,
                set_data: *program.get(b"uv_handle_set_data\0")?,
                data: *program.get(b"uv_handle_get_data\0")?,
            })
        }
    }

    /// Bytes of an `uv_async_t`.
    pub fn async_size(&self) -> usize {
        // SAFETY: it only looks the type up.
        unsafe { (self.handle_size)(ASYNC) }
    }
}
