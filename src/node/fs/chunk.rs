//! What file jobs tell JavaScript.
//!
//! A chunk of outcomes is an object of a few values, whatever the number of files: `facts`, three numbers for each file (its
//! index, what became of it, and a number that tells more), `slabs` with the bytes of small files one after the other,
//! and `buffers` with one for each larger file.

use std::path::Path;

use napi::bindgen_prelude::{BufferSlice, JsObjectValue, JsValue, Object};
use napi::{Env, Result, sys};

use super::paths::append_path;
use crate::exec::fs::buffers::Buffers;
use crate::exec::fs::failure::{Failure, SystemCall};
use crate::exec::fs::known::Special;
use crate::exec::fs::window::Outcome;
use crate::node::jobs::IntoJs;
use crate::node::wire;
use crate::panics;

/// Files up to this size share a slab.
const SMALL: usize = 16 * 1024;
/// A slab is closed when it has this many bytes: whoever keeps one file keeps its slab.
const SLAB: usize = 64 * 1024;
/// Files from this size on are handed over instead of copied.
const LARGE: usize = 128 * 1024;

/// A chunk on its way to JavaScript.
#[derive(Default)]
pub struct Chunk {
    facts: Vec<u8>,
    slabs: Vec<Vec<u8>>,
    buffers: Vec<Vec<u8>>,
    paths: Option<Vec<u8>>,
    panics: Vec<String>,
    /// It is the failure of the source, and what it failed at is the only path.
    is_end: bool,
}

impl Chunk {
    /// The outcomes of files; `tells_paths` where JavaScript does not know their paths.
    pub fn of(outcomes: Vec<Outcome>, tells_paths: bool) -> Self {
        let mut chunk = Self { paths: tells_paths.then(Vec::new), ..Self::default() };
        chunk.facts.reserve(outcomes.len() * 24);
        for Outcome { index, path, result } in outcomes {
            let (fact, number) = match result {
                Ok(data) => chunk.keep(data),
                Err(failure) => chunk.keep_failure(failure),
            };
            for fact in [index as f64, f64::from(fact), number] {
                chunk.facts.extend_from_slice(&fact.to_ne_bytes());
            }
            if let Some(paths) = &mut chunk.paths {
                append_path(paths, &path);
            }
        }
        chunk
    }

    /// The failure that ends the source, at this path.
    pub fn of_failure(path: &Path, failure: Failure) -> Self {
        let outcome = Outcome { index: 0, path: path.into(), result: Err(failure) };
        Self { is_end: true, ..Self::of(vec![outcome], true) }
    }

    /// Paths that were found.
    pub fn of_paths<'a>(found: impl IntoIterator<Item = &'a Path>) -> Self {
        let mut paths = Vec::new();
        found.into_iter().for_each(|path| append_path(&mut paths, path));
        Self { paths: Some(paths), ..Self::default() }
    }

    fn keep(&mut self, data: Vec<u8>) -> (u32, f64) {
        if data.len() > SMALL {
            self.buffers.push(data);
            return (wire::IN_BUFFER, 0.0);
        }
        let length = data.len();
        match self.slabs.last_mut() {
            Some(slab) if slab.len() + length <= SLAB => slab.extend_from_slice(&data),
            _ => self.slabs.push(data),
        }
        (wire::IN_SLAB, length as f64)
    }

    fn keep_failure(&mut self, failure: Failure) -> (u32, f64) {
        match failure {
            Failure::System { errno, call } => {
                let fact = match call {
                    SystemCall::Open => wire::OPEN_FAILED,
                    SystemCall::Read => wire::READ_FAILED,
                    SystemCall::Scandir => wire::SCANDIR_FAILED,
                };
                (fact, f64::from(errno))
            }
            Failure::Special(special) => {
                let kind = match special {
                    Special::Pipe => wire::PIPE,
                    Special::Socket => wire::SOCKET,
                    Special::CharacterDevice => wire::CHARACTER_DEVICE,
                    Special::BlockDevice => wire::BLOCK_DEVICE,
                };
                (wire::SPECIAL_FILE, f64::from(kind))
            }
            Failure::Timeout => (wire::TIMED_OUT, 0.0),
            Failure::TooLarge(size) => (wire::TOO_LARGE, size as f64),
            Failure::Panic(text) => {
                self.panics.push(text);
                (wire::PANICKED, 0.0)
            }
        }
    }
}

/// A buffer over `data`, whose memory comes back when JavaScript has dropped it. Where JavaScript can't
/// see memory of others it is a copy, and the memory comes back at once.
fn lend(env: &Env, mut data: Vec<u8>) -> Result<BufferSlice<'_>> {
    let (start, length) = (data.as_mut_ptr(), data.len());
    let give_back = |_: Env, data: Vec<u8>| {
        panics::contain("giveBuffer", || Buffers::of_process().give(data));
    };
    // SAFETY: `start` points at the `length` initialized bytes of `data`, which is alive and used by nobody
    // else until `give_back` gets it, and by then JavaScript has dropped the buffer.
    unsafe { BufferSlice::from_external(env, start, length, data, give_back) }
}

impl IntoJs for Chunk {
    fn into_js(self: Box<Self>, env: &Env) -> Result<sys::napi_value> {
        let mut chunk = Object::new(env)?;
        chunk.set_named_property("facts", &BufferSlice::copy_from(env, &self.facts)?)?;
        let mut slabs = env.create_array(self.slabs.len() as u32)?;
        for (index, slab) in self.slabs.iter().enumerate() {
            slabs.set(index as u32, &BufferSlice::copy_from(env, slab)?)?;
        }
        chunk.set_named_property("slabs", slabs)?;
        let mut buffers = env.create_array(self.buffers.len() as u32)?;
        for (index, data) in self.buffers.into_iter().enumerate() {
            let buffer = if data.len() < LARGE {
                BufferSlice::copy_from(env, &data)?
            } else {
                lend(env, data)?
            };
            buffers.set(index as u32, &buffer)?;
        }
        chunk.set_named_property("buffers", buffers)?;
        if let Some(paths) = &self.paths {
            chunk.set_named_property("paths", &BufferSlice::copy_from(env, paths)?)?;
        }
        if !self.panics.is_empty() {
            chunk.set_named_property("panics", self.panics)?;
        }
        chunk.set_named_property("isEnd", self.is_end)?;
        Ok(chunk.raw())
    }
}
