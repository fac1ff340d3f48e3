//! Wakes an environment: a callback of JavaScript that any thread can ask for.
//!
//! It tells nothing but that there is something; JavaScript comes and takes it. It never holds the event loop.

use napi::Result;
use napi::Status;
use napi::bindgen_prelude::Function;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};

pub struct Bell(ThreadsafeFunction<(), (), (), Status, false, true>);

impl Bell {
    /// A bell that calls `callback` on the thread of this environment.
    pub fn new(callback: &Function<'_, (), ()>) -> Result<Self> {
        callback
            .build_threadsafe_function::<()>()
            .weak::<true>()
            .callee_handled::<false>()
            .build()
            .map(Self)
    }

    /// Calls back soon. It may be called when the environment is gone.
    pub fn ring(&self) {
        self.0.call((), ThreadsafeFunctionCallMode::NonBlocking);
    }
}
