//! The core for JavaScript: integers in, integers out, and no decisions.
//!
//! [`open`] is called once in each environment (the main thread, a worker) and makes a handful of
//! plain functions. Each area ([`locks`], [`pipelines`], [`jobs`], `fs`, `s3`) owns the tables that its functions work
//! on. Semaphores, tables of keys, waiters and pipelines cross as small integers, so that a crossing costs tens of
//! nanoseconds. None of the functions calls JavaScript, so none can be entered twice.

#[cfg(feature = "fs")]
mod fs;
mod functions;
mod jobs;
mod locks;
#[cfg(feature = "s3")]
mod outlet;
mod pipelines;
#[cfg(feature = "s3")]
mod s3;
mod wake;
mod wire;

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
    wire::define(&mut functions)?;
    // Jobs are told to end first: they may hold permits.
    let jobs = jobs::define(&mut functions)?;
    locks::define(&mut functions)?;
    pipelines::define(&mut functions)?;
    #[cfg(feature = "fs")]
    fs::define(&mut functions, &jobs)?;
    #[cfg(feature = "s3")]
    s3::define(&mut functions, &jobs)?;
    Ok(functions.into_object())
}
