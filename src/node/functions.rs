//! Makes the plain functions of an environment.
//!
//! They are called three times a section, so how they are called counts: the closures of napi-rs
//! collect the arguments in a vector for each call, which costs a third of the whole crossing. So
//! the few calls to Node-API are made here, with the arguments on the stack.
//!
//! A panic becomes an Error that is thrown at the caller. Functions that give something back, so that others would wait for
//! ever if they came to nothing, are [sure](Functions::define_sure): they take effect all the same, and the Error
//! tells in `answer` what they would have returned, or `null` when they failed again.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::rc::Rc;

use napi::bindgen_prelude::{FromNapiValue, JsObjectValue, Object, ToNapiValue, Unknown};
use napi::{Env, Error, JsError, Result, Status, check_status, sys};

use crate::panics;
use crate::test_hooks;

/// On the Error of a sure function: what it would have returned.
const ANSWER: &CStr = c"answer";

/// No function takes more arguments.
const MAX_ARGUMENTS: usize = 12;

/// What an area of functions shares in one environment.
pub type Shared<S> = Rc<RefCell<S>>;

/// What is done when the environment ends, in this order.
type Endings = Rc<RefCell<Vec<Box<dyn FnOnce()>>>>;

/// An object that fills with functions. Each area brings the state that its own functions share, so that nothing here
/// knows any of them.
pub struct Functions<'env> {
    env: &'env Env,
    object: Object<'env>,
    endings: Endings,
}

impl<'env> Functions<'env> {
    pub fn new(env: &'env Env) -> Result<Self> {
        let endings = Endings::default();
        // Permits of a worker that ends go to the next waiters at once, not when its memory is freed.
        env.add_env_cleanup_hook(Rc::clone(&endings), |endings| {
            for end in endings.take() {
                panics::contain("close", end);
            }
        })?;
        Ok(Self { env, object: Object::new(env)?, endings })
    }

    /// Shares `state` among the functions of an area. `end` is called when the environment ends, in the order in which the
    /// areas were shared.
    pub fn share<S: 'static>(&self, state: S, end: impl FnOnce(&mut S) + 'static) -> Shared<S> {
        let shared = Rc::new(RefCell::new(state));
        let ending = Rc::clone(&shared);
        self.endings.borrow_mut().push(Box::new(move || end(&mut ending.borrow_mut())));
        shared
    }

    /// Adds the function `name` over the state of its area.
    pub fn define<S, R, F>(&mut self, state: &Shared<S>, name: &'static str, body: F) -> Result<()>
    where
        S: 'static,
        R: ToNapiValue + 'static,
        F: Fn(&mut S, &Arguments) -> Result<R> + 'static,
    {
        self.add(state, name, false, body)
    }

    /// Adds the function `name`, which must come to something: when it panics, it is called again.
    pub fn define_sure<S, R, F>(
        &mut self,
        state: &Shared<S>,
        name: &'static str,
        body: F,
    ) -> Result<()>
    where
        S: 'static,
        R: ToNapiValue + 'static,
        F: Fn(&mut S, &Arguments) -> Result<R> + 'static,
    {
        self.add(state, name, true, body)
    }

    fn add<S, R, F>(
        &mut self,
        state: &Shared<S>,
        name: &'static str,
        sure: bool,
        body: F,
    ) -> Result<()>
    where
        S: 'static,
        R: ToNapiValue + 'static,
        F: Fn(&mut S, &Arguments) -> Result<R> + 'static,
    {
        let function = Function { name, sure, body, state: Rc::clone(state) };
        let data: *mut c_void = Box::into_raw(Box::new(function)).cast();
        let env = self.env.raw();
        let mut value = ptr::null_mut();
        // SAFETY: `call` and `drop_function` are those of the type that `data` points to, which lives
        // until the function of JavaScript is gone.
        let value = unsafe {
            check_status!(sys::napi_create_function(
                env,
                name.as_ptr().cast(),
                name.len() as isize,
                Some(call::<S, R, F>),
                data,
                &mut value,
            ))?;
            check_status!(sys::napi_add_finalizer(
                env,
                value,
                data,
                Some(drop_function::<S, F>),
                ptr::null_mut(),
                ptr::null_mut(),
            ))?;
            Unknown::from_napi_value(env, value)?
        };
        self.object.set_named_property(name, value)
    }

    pub fn into_object(self) -> Object<'env> {
        self.object
    }
}

struct Function<S, F> {
    name: &'static str,
    sure: bool,
    body: F,
    state: Shared<S>,
}

impl<S, F> Function<S, F> {
    fn run<R>(&self, arguments: &Arguments) -> Result<sys::napi_value>
    where
        R: ToNapiValue,
        F: Fn(&mut S, &Arguments) -> Result<R>,
    {
        let answer = (self.body)(&mut self.state.borrow_mut(), arguments)?;
        // SAFETY: the arguments are those of the call that is going on.
        unsafe { R::to_napi_value(arguments.env, answer) }
    }
}

unsafe extern "C" fn drop_function<S, F>(_: sys::napi_env, data: *mut c_void, _: *mut c_void) {
    // SAFETY: the box was given to the function of JavaScript, which is gone.
    let function = unsafe { Box::from_raw(data.cast::<Function<S, F>>()) };
    // The last function of an area takes the state of the area along.
    panics::contain("dropFunction", || drop(function));
}

unsafe extern "C" fn call<S, R, F>(
    env: sys::napi_env,
    info: sys::napi_callback_info,
) -> sys::napi_value
where
    R: ToNapiValue,
    F: Fn(&mut S, &Arguments) -> Result<R>,
{
    let mut arguments = Arguments { env, values: [ptr::null_mut(); MAX_ARGUMENTS] };
    let mut count = MAX_ARGUMENTS;
    let mut data = ptr::null_mut();
    // SAFETY: `count` is the room in `values`, which is filled up with `undefined`.
    let status = unsafe {
        sys::napi_get_cb_info(
            env,
            info,
            &mut count,
            arguments.values.as_mut_ptr(),
            ptr::null_mut(),
            &mut data,
        )
    };
    if status != sys::Status::napi_ok {
        return ptr::null_mut();
    }
    // SAFETY: `add` gave this type to the function of JavaScript, which is being called.
    let function = unsafe { &*data.cast::<Function<S, F>>() };
    let answer = catch_unwind(AssertUnwindSafe(|| {
        test_hooks::pass(function.name);
        function.run(&arguments)
    }));
    match answer {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => throw(env, error, None),
        Err(panic) => {
            let again = function.sure.then(|| {
                let again = catch_unwind(AssertUnwindSafe(|| function.run(&arguments)));
                again.ok().and_then(Result::ok).unwrap_or_else(|| null(env))
            });
            throw(env, error_of(&*panic), again)
        }
    }
}

#[cold]
fn throw(env: sys::napi_env, error: Error, answer: Option<sys::napi_value>) -> sys::napi_value {
    let error = JsError::from(error);
    // SAFETY: `env` is that of the call that is going on, and so is the answer.
    unsafe {
        let Some(answer) = answer else {
            error.throw_into(env);
            return ptr::null_mut();
        };
        // No value can be made while an environment ends, and nobody is there to catch it.
        let error = error.into_value(env);
        if !error.is_null() {
            sys::napi_set_named_property(env, error, ANSWER.as_ptr(), answer);
            sys::napi_throw(env, error);
        }
    }
    ptr::null_mut()
}

fn null(env: sys::napi_env) -> sys::napi_value {
    let mut null = ptr::null_mut();
    // SAFETY: `env` is that of the call that is going on; without one, what is returned is no value.
    unsafe { sys::napi_get_null(env, &mut null) };
    null
}

fn error_of(panic: &(dyn Any + Send)) -> Error {
    let text = panics::text_of(panic);
    Error::new(Status::GenericFailure, text)
}

/// The arguments of one call.
pub struct Arguments {
    env: sys::napi_env,
    values: [sys::napi_value; MAX_ARGUMENTS],
}

impl Arguments {
    pub fn get<T: FromNapiValue>(&self, index: usize) -> Result<T> {
        // SAFETY: the values are those of the call that is going on.
        unsafe { T::from_napi_value(self.env, self.values[index]) }
    }

    /// What N-API knows this call by.
    pub fn raw_env(&self) -> sys::napi_env {
        self.env
    }

    /// An argument as N-API knows it.
    pub fn raw(&self, index: usize) -> sys::napi_value {
        self.values[index]
    }

    /// An integer that stands for something open; they start at 1, so that 0 can mean none.
    pub fn id(&self, index: usize) -> Result<u32> {
        Ok(self.get::<u32>(index)?.wrapping_sub(1))
    }
}

/// The integer for JavaScript of what has `id` in its table.
pub fn to_js(id: u32) -> u32 {
    id + 1
}

/// What is said of an integer that stands for nothing: `lib` never sends one.
pub fn closed(what: &str) -> Error {
    Error::new(Status::InvalidArg, format!("this {what} is not open"))
}
