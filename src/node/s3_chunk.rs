//! What S3 jobs tell JavaScript, as arrays: the first element says what it is.
//!
//! Many objects cross as one array per field, because an array of strings costs a fraction of what as many
//! objects do.

use napi::bindgen_prelude::{Array, Float64Array, JsValue, ToNapiValue, Utf16String};
use napi::{Env, Result, sys};

use super::jobs::IntoJs;
use crate::exec::s3::delete::{Settled, Stayed};
use crate::exec::s3::fault::Fault;
use crate::exec::s3::object::Object;

/// Something a job tells.
pub enum Chunk {
    /// `['keys', keys]`
    Keys(Vec<Object>),
    /// `['objects', keys, sizes, times, tags]`
    Objects(Vec<Object>),
    /// `['versions', keys, versions, areMarkers]`
    Versions(Vec<Object>),
    /// `['stayed', keys, versions, codes, messages]`
    Stayed(Vec<Stayed>),
    /// `['settled', call, gone, untried, keys, versions, codes, messages]`
    Settled(u32, Settled),
    /// `['ask', permit, prefix]`
    Ask(u32, Vec<u16>),
    /// `['release', permit]`
    Release(u32),
    /// `['credentials', request]`
    Credentials(u32),
    /// `['fault', code, message, status]`
    Fault(Fault),
}

impl IntoJs for Chunk {
    fn into_js(self: Box<Self>, env: &Env) -> Result<sys::napi_value> {
        let mut out = Row { array: env.create_array(0)?, length: 0 };
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
            Self::Stayed(stayed) => {
                out.add("stayed")?;
                out.add_stayed(stayed)?;
            }
            Self::Settled(call, Settled { gone, stayed, untried }) => {
                out.add("settled")?;
                out.add(call)?;
                out.add(gone as f64)?;
                out.add(untried as f64)?;
                out.add_stayed(stayed)?;
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
            Self::Fault(Fault { code, message, status, .. }) => {
                out.add("fault")?;
                out.add(code)?;
                out.add(message)?;
                out.add(status)?;
            }
        }
        Ok(out.array.raw())
    }
}

struct Row<'env> {
    array: Array<'env>,
    length: u32,
}

impl Row<'_> {
    fn add<T: ToNapiValue>(&mut self, value: T) -> Result<()> {
        self.array.set(self.length, value)?;
        self.length += 1;
        Ok(())
    }

    fn add_stayed(&mut self, stayed: Vec<Stayed>) -> Result<()> {
        let (mut keys, mut versions, mut codes, mut messages) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for Stayed { key, version, code, message } in stayed {
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
