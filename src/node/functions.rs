//! Makes the plain functions of an environment.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use napi::bindgen_prelude::{
    FromNapiValue, FunctionCallContext, JsObjectValue, Object, ToNapiValue,
};
use napi::{Env, Error, Result, Status};

use super::environment::Environment;
use crate::faults;

/// An object that fills with functions over one shared environment.
pub struct Functions<'env> {
    env: &'env Env,
    object: Object<'env>,
    environment: Rc<RefCell<Environment>>,
}

impl<'env> Functions<'env> {
    pub fn new(env: &'env Env) -> Result<Self> {
        let environment = Rc::new(RefCell::new(Environment::new()));
        // Permits of a worker that ends go to the next waiters at once, not when its memory is freed.
        env.add_env_cleanup_hook(Rc::clone(&environment), |environment| {
            // Nothing catches a panic further out, and the process would end with it; the message
            // of the panic is out by then.
            let _ = catch_unwind(AssertUnwindSafe(|| {
                faults::pass("close");
                environment.borrow_mut().close();
            }));
        })?;
        Ok(Self { env, object: Object::new(env)?, environment })
    }

    /// Adds the function `name`.
    pub fn define<R, F>(&mut self, name: &'static str, function: F) -> Result<()>
    where
        R: ToNapiValue + 'static,
        F: Fn(&mut Environment, &Arguments<'_>) -> Result<R> + 'static,
    {
        let environment = Rc::clone(&self.environment);
        let function = self.env.create_function_from_closure::<(), R, _>(name, move |context| {
            faults::pass(name);
            function(&mut environment.borrow_mut(), &Arguments(context))
        })?;
        self.object.set_named_property(name, function)
    }

    pub fn into_object(self) -> Object<'env> {
        self.object
    }
}

/// The arguments of one call.
pub struct Arguments<'a>(FunctionCallContext<'a>);

impl Arguments<'_> {
    pub fn get<T: FromNapiValue>(&self, index: usize) -> Result<T> {
        self.0.get(index)
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
