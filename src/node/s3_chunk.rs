//! What S3 jobs tell JavaScript, as arrays: the first element says what it is.
//!
//! Many objects cross as one array per field, because an array of strings costs a fraction of what as many
//! objects do.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use napi::bindgen_prelude::{Array, Float64Array, JsValue, ToNapiValue, Utf16String};
use napi::{Env, Result, sys};

use super::jobs::IntoJs;
use crate::exec::s3::delete::{Failed, Settled};
use crate::exec::s3::fault::Fault;
use crate::exec::s3::object::Object;
use crate::exec::s3::progress::Progress;

/// Something a job tells.
pub enum Chunk {
    /// `['keys', keys]`
    Keys(Vec<Object>),
    /// `['objects', keys, sizes, times, tags]`
    Objects(Vec<Object>),
    /// `['versions', keys, versions, areMarkers]`
    Versions(Vec<Object>),
    /// `['failed', keys, versions, codes, messages]`
    Failed(Vec<Failed>),
    /// `['settled', call, deleted, untried, keys, versions, codes, messages, fault]`, where `fault` is the chunk that tells
    /// why nothing more was tried, or `null`
    Settled(u32, Settled, Option<Fault>),
    /// `['ask', permit, prefix]`
    Ask(u32, Vec<u16>),
    /// `['release', permit]`
    Release(u32),
    /// `['credentials', request]`
    Credentials(u32),
    /// `['fault', code, message, status]`
    Fault(Fault),
    /// `['over', counters]`, the last chunk of what is not called: JavaScript closes the job then
    Over(Arc<Progress>),
}

impl IntoJs for Chunk {
    fn into_js(self: Box<Self>, env: &Env) -> Result<sys::napi_value> {
        let mut out = Row::new(env)?;
        match *self {
            Self::Keys(objects) => {
                out.add("keys")?;
                out.add(objects.into_iter().map(|object| object.key).collect::<Vec<_>>())?;
            }
            Self::Objects(objects) => {
                let sizes: Vec<f64> = objects.iter().map(|object| object.size as f64).collect();
                let (mut keys, mut times, mut tags) = (Vec::new(), Vec::new(), Vec::new());
                for Object { key, modified, etag, .. } in objects {
                    keys.push(key);
                    times.push(modified);
                    tags.push(etag);
                }
                out.add("objects")?;
                out.add(keys)?;
                out.add(Float64Array::new(sizes))?;
                out.add(times)?;
                out.add(tags)?;
            }
            Self::Versions(objects) => {
                let markers: Vec<bool> = objects.iter().map(|object| object.is_marker).collect();
                let (keys, versions): (Vec<_>, Vec<_>) =
                    objects.into_iter().map(|object| (object.key, object.version)).unzip();
                out.add("versions")?;
                out.add(keys)?;
                out.add(versions)?;
                out.add(markers)?;
            }
            Self::Failed(failed) => {
                out.add("failed")?;
                out.add_failed(failed)?;
            }
            Self::Settled(call, Settled { deleted, failed, untried }, fault) => {
                out.add("settled")?;
                out.add(call)?;
                out.add(deleted as f64)?;
                out.add(untried as f64)?;
                out.add_failed(failed)?;
                let fault = fault.map(|fault| fault_row(env, fault)).transpose()?;
                out.add(fault.map(|row| row.array))?;
            }
            Self::Ask(permit, prefix) => {
                out.add("ask")?;
                out.add(permit)?;
                out.add(Utf16String::from(prefix))?;
            }
            Self::Release(permit) => {
                out.add("release")?;
                out.add(permit)?;
            }
            Self::Credentials(request) => {
                out.add("credentials")?;
                out.add(request)?;
            }
            Self::Fault(fault) => out = fault_row(env, fault)?,
            Self::Over(progress) => {
                out.add("over")?;
                out.add(counters(&progress))?;
            }
        }
        Ok(out.array.raw())
    }
}

struct Row<'env> {
    array: Array<'env>,
    length: u32,
}

fn fault_row(env: &Env, fault: Fault) -> Result<Row<'_>> {
    let Fault { code, message, status, .. } = fault;
    let mut out = Row::new(env)?;
    out.add("fault")?;
    out.add(code)?;
    out.add(message)?;
    out.add(status)?;
    Ok(out)
}

/// The counters, in the order of the fields.
pub fn counters(progress: &Progress) -> Vec<f64> {
    let Progress {
        listed,
        bytes,
        deleted,
        failed,
        markers,
        requests,
        retries,
        throttled,
        in_flight,
    } = progress;
    let counters =
        [listed, bytes, deleted, failed, markers, requests, retries, throttled, in_flight];
    counters.iter().map(|counter| counter.load(Ordering::Relaxed) as f64).collect()
}

impl<'env> Row<'env> {
    fn new(env: &'env Env) -> Result<Self> {
        Ok(Self { array: env.create_array(0)?, length: 0 })
    }

    fn add<T: ToNapiValue>(&mut self, value: T) -> Result<()> {
        self.array.set(self.length, value)?;
        self.length += 1;
        Ok(())
    }

    fn add_failed(&mut self, failed: Vec<Failed>) -> Result<()> {
        let (mut keys, mut versions, mut codes, mut messages) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for Failed { key, version, code, message } in failed {
            keys.push(key);
            versions.push(version);
            codes.push(code);
            messages.push(message);
        }
        self.add(keys)?;
        self.add(versions)?;
        self.add(codes)?;
        self.add(messages)
    }
}
