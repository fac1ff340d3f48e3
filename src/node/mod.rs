//! The core for JavaScript: integers in, integers out, and no decisions.
//!
//! [`open`] is called once in each environment (the main thread, a worker) and makes a handful of
//! plain functions over one [`Environment`](environment::Environment). Semaphores, tables of keys,
//! waiters and pipelines cross as small integers, so that a crossing costs tens of nanoseconds.
//! None of the functions calls JavaScript, so none can be entered twice.

mod bell;
mod environment;
#[cfg(feature = "fs")]
mod files;
mod functions;
mod jobs;
mod pipelines;
#[cfg(feature = "s3")]
mod s3;
#[cfg(feature = "s3")]
mod s3_chunk;
#[cfg(feature = "s3")]
mod s3_options;
#[cfg(feature = "s3")]
mod s3_outlet;
mod semaphores;
mod uv;

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use functions::Functions;

/// The functions of this environment.
///
/// # Errors
///
/// When the environment can't make any more objects, because it is about to end.
#[napi(ts_return_type = "Record<string, (...args: any[]) => any>")]
pub fn open(env: &Env) -> napi::Result<Object<'_>> {
    let mut functions = Functions::new(env)?;
    semaphores::define(&mut functions)?;
    pipelines::define(&mut functions)?;
    jobs::define(&mut functions)?;
    #[cfg(feature = "fs")]
    files::define(&mut functions)?;
    #[cfg(feature = "s3")]
    s3::define(&mut functions)?;
    Ok(functions.into_object())
}
