//! What S3 jobs tell JavaScript: objects whose `kind` says which. `lib/native/core.d.ts` has their types.
//!
//! Many keys cross as one array per field, because an array of strings costs a fraction of what as many objects do.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use napi::bindgen_prelude::{
    Float64Array, JsObjectValue, JsValue, Null, Object as JsObject, ToNapiValue, Utf16String,
};
use napi::{Env, Result, sys};

use crate::exec::s3::delete::{Failed, Settled};
use crate::exec::s3::fault::Fault;
use crate::exec::s3::object::Object;
use crate::exec::s3::progress::Progress;
use crate::node::jobs::IntoJs;

/// Something a job tells.
pub enum Chunk {
    /// A page of keys.
    Keys(Vec<Object>),
    /// A page of keys with sizes, times and tags.
    Objects(Vec<Object>),
    /// A page of versions and delete markers.
    Versions(Vec<Object>),
    /// Keys that failed.
    Failed(Vec<Failed>),
    /// How a call of an executor ended, and why nothing more was tried, if something made all of it pointless.
    Settled(u32, Settled, Option<Fault>),
    /// A permit of this prefix is wanted.
    Ask(u32, Vec<u16>),
    /// A permit is given back.
    Release(u32),
    /// Credentials are wanted.
    Credentials(u32),
    /// What keeps the job from going on.
    Fault(Fault),
    /// The last chunk of a job without calls: JavaScript closes the job then.
    Over(Arc<Progress>),
}

impl IntoJs for Chunk {
    fn into_js(self: Box<Self>, env: &Env) -> Result<sys::napi_value> {
        let chunk = match *self {
            Self::Keys(objects) => {
                let keys: Vec<_> = objects.into_iter().map(|object| object.key).collect();
                Fields::of(env, "keys")?.with("keys", keys)?
            }
            Self::Objects(objects) => {
                let sizes: Vec<f64> = objects.iter().map(|object| object.size as f64).collect();
                let (mut keys, mut times, mut tags) = (Vec::new(), Vec::new(), Vec::new());
                for Object { key, modified, etag, .. } in objects {
                    keys.push(key);
                    times.push(modified);
                    tags.push(etag);
                }
                Fields::of(env, "objects")?
                    .with("keys", keys)?
                    .with("sizes", Float64Array::new(sizes))?
                    .with("times", times)?
                    .with("tags", tags)?
            }
            Self::Versions(objects) => {
                let markers: Vec<bool> = objects.iter().map(|object| object.is_marker).collect();
                let (keys, versions): (Vec<_>, Vec<_>) =
                    objects.into_iter().map(|object| (object.key, object.version)).unzip();
                Fields::of(env, "versions")?
                    .with("keys", keys)?
                    .with("versions", versions)?
                    .with("areMarkers", markers)?
            }
            Self::Failed(failed) => {
                Fields::of(env, "failed")?.with("failed", failed_keys(env, failed)?)?
            }
            Self::Settled(call, Settled { deleted, failed, untried }, fault) => {
                let settled = Fields::of(env, "settled")?
                    .with("call", call)?
                    .with("deleted", deleted as f64)?
                    .with("untried", untried as f64)?
                    .with("failed", failed_keys(env, failed)?)?;
                match fault {
                    Some(fault) => settled.with("fault", fault_chunk(env, fault)?.0)?,
                    None => settled.with("fault", Null)?,
                }
            }
            Self::Ask(permit, prefix) => Fields::of(env, "ask")?
                .with("permit", permit)?
                .with("prefix", Utf16String::from(prefix))?,
            Self::Release(permit) => Fields::of(env, "release")?.with("permit", permit)?,
            Self::Credentials(request) => {
                Fields::of(env, "credentials")?.with("request", request)?
            }
            Self::Fault(fault) => fault_chunk(env, fault)?,
            Self::Over(progress) => {
                Fields::of(env, "over")?.with("counters", Counters::of(&progress))?
            }
        };
        Ok(chunk.0.raw())
    }
}

/// An object that is being filled.
struct Fields<'env>(JsObject<'env>);

impl<'env> Fields<'env> {
    /// A chunk of this kind.
    fn of(env: &'env Env, kind: &str) -> Result<Self> {
        Self(JsObject::new(env)?).with("kind", kind)
    }

    fn with<T: ToNapiValue>(mut self, name: &str, value: T) -> Result<Self> {
        self.0.set_named_property(name, value)?;
        Ok(self)
    }
}

fn fault_chunk(env: &Env, fault: Fault) -> Result<Fields<'_>> {
    let Fault { code, message, status, .. } = fault;
    Fields::of(env, "fault")?.with("code", code)?.with("message", message)?.with("status", status)
}

fn failed_keys(env: &Env, failed: Vec<Failed>) -> Result<JsObject<'_>> {
    let (mut keys, mut versions) = (Vec::new(), Vec::new());
    let (mut codes, mut messages) = (Vec::new(), Vec::new());
    for Failed { key, version, code, message } in failed {
        keys.push(key);
        versions.push(version);
        codes.push(code);
        messages.push(message);
    }
    let columns = Fields(JsObject::new(env)?)
        .with("keys", keys)?
        .with("versions", versions)?
        .with("codes", codes)?
        .with("messages", messages)?;
    Ok(columns.0)
}

/// What a job has done so far, by name.
pub struct Counters(Vec<(&'static str, f64)>);

impl Counters {
    pub fn of(progress: &Progress) -> Self {
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
        let counters = [
            ("listed", listed),
            ("bytes", bytes),
            ("deleted", deleted),
            ("failed", failed),
            ("markersCreated", markers),
            ("requests", requests),
            ("retries", retries),
            ("throttled", throttled),
            ("inFlight", in_flight),
        ];
        Self(
            counters
                .into_iter()
                .map(|(name, counter)| (name, counter.load(Ordering::Relaxed) as f64))
                .collect(),
        )
    }
}

impl ToNapiValue for Counters {
    unsafe fn to_napi_value(env: sys::napi_env, counters: Self) -> Result<sys::napi_value> {
        let mut object = JsObject::new(&Env::from_raw(env))?;
        for (name, count) in counters.0 {
            object.set_named_property(name, count)?;
        }
        Ok(object.raw())
    }
}
