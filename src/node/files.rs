//! Reading and listing files for JavaScript: see [`super::jobs`] for how chunks cross.
//!
//! Paths cross in one piece, each ended by a NUL. A chunk of outcomes is an object of a few values, whatever
//! the number of files: `facts`, three numbers for each file (its index, what became of it, and a number
//! that tells more), `slabs` with the bytes of small files one after the other, and `buffers` with one for each larger file.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use napi::bindgen_prelude::{BufferSlice, Either, JsObjectValue, JsValue, Object, ToNapiValue};
use napi::{Env, Error, Result, sys};

use super::functions::{Arguments, Functions, closed, to_js};
use super::jobs::{IntoJs, Job, Notifier, Taken};
use crate::core::limit::Limit;
use crate::core::pipeline::Order;
use crate::exec::fs::base::Base;
use crate::exec::fs::buffers::Buffers;
use crate::exec::fs::failure::{Failure, Special, SystemCall};
use crate::exec::fs::job::{Next, Options, ReadJob};
use crate::exec::fs::list::{self, Listing};
use crate::exec::fs::list_job::{self, ListJob};
use crate::exec::fs::window::{Bounds, Outcome};
use crate::faults;

/// Files up to this size share a slab.
const SMALL: usize = 16 * 1024;
/// A slab is closed when it has this many bytes: whoever keeps one file keeps its slab.
const SLAB: usize = 64 * 1024;
/// Files from this size on are handed over instead of copied.
const LARGE: usize = 128 * 1024;

// What became of a file; the number beside it.
/// Small data: its length.
const IN_SLAB: f64 = 0.0;
/// Data of its own: unused.
const IN_BUFFER: f64 = 1.0;
/// A system call failed: libuv's error number.
const OPEN_FAILED: f64 = 2.0;
const READ_FAILED: f64 = 3.0;
const SCANDIR_FAILED: f64 = 4.0;
/// A special file: 0 pipe, 1 socket, 2 character device, 3 block device.
const SPECIAL: f64 = 5.0;
const TIMEOUT: f64 = 6.0;
/// Too large: its size.
const TOO_LARGE: f64 = 7.0;
/// Our own fault; the text is in `panics`.
const PANIC: f64 = 8.0;

type Bytes<'a> = Either<String, BufferSlice<'a>>;

pub fn define(functions: &mut Functions<'_>) -> Result<()> {
    // () -> the working folder of now, as paths cross
    functions.define("workingFolder", |_, _| {
        let mut folder = Vec::new();
        append_path(&mut folder, Base::current().folder());
        Ok(Folder(folder))
    })?;
    // (ordered, max files, max bytes, timeout or 0, special, where relative paths start) -> job
    functions.define("openRead", |env, args| {
        let options = read_options(args)?;
        env.jobs.open(|notifier| Ok(Arc::new(Read::new(options, notifier, false)))).map(to_js)
    })?;
    // (job, paths)
    functions.define("givePaths", |env, args| {
        let paths: Bytes<'_> = args.get(1)?;
        let job: &dyn Any = env.jobs.get(args.id(0)?)?.as_ref();
        let read = job.downcast_ref::<Read>().ok_or_else(|| closed("reading job"))?;
        read.job.give(to_paths(&paths));
        Ok(())
    })?;
    functions.define("endPaths", |env, args| {
        let job: &dyn Any = env.jobs.get(args.id(0)?)?.as_ref();
        let read = job.downcast_ref::<Read>().ok_or_else(|| closed("reading job"))?;
        read.job.end(None);
        Ok(())
    })?;
    // (globs, ignored) -> what is wrong with them, or an empty string
    functions.define("faultOfPatterns", |_, args| {
        let options =
            list::Options { glob: args.get(0)?, ignore: args.get(1)?, ..list::Options::default() };
        Ok(Listing::new(Base::default(), PathBuf::new(), &options).err().unwrap_or_default())
    })?;
    // (where a relative root starts, root, globs, ignored, follow symlinks, hidden) -> job
    functions.define("openList", |env, args| {
        let listing = listing(args, 0)?;
        env.jobs
            .open(|notifier| {
                let job = ListJob::start(listing, move || notifier.notify()).map_err(to_error)?;
                Ok(Arc::new(List(job)))
            })
            .map(to_js)
    })?;
    // (as openRead, and then as openList but for the start, which is the same) -> job
    functions.define("openReadOfList", |env, args| {
        let (options, listing) = (read_options(args)?, listing(args, 5)?);
        env.jobs
            .open(|notifier| {
                let read = Read::new(options, notifier, true);
                let job = Arc::clone(&read.job);
                list_job::spawn(move || {
                    let end = listing.walk(&*job);
                    job.end(end.err());
                })
                .map_err(to_error)?;
                Ok(Arc::new(read))
            })
            .map(to_js)
    })
}

fn read_options(args: &Arguments) -> Result<Options> {
    let timeout: f64 = args.get(3)?;
    Ok(Options {
        bounds: Bounds {
            order: if args.get(0)? { Order::Source } else { Order::Completion },
            max_files: Limit::from_f64(args.get(1)?).map_err(|_| closed("window"))?,
            // `as` saturates: what is beyond the range is no bound.
            max_bytes: args.get::<f64>(2)? as u64,
            timeout: (timeout > 0.0).then(|| Duration::from_secs_f64((timeout / 1000.0).min(1e9))),
        },
        special: args.get(4)?,
        base: Base::new(one_path(args, 5)?),
    })
}

fn listing(args: &Arguments, first: usize) -> Result<Listing> {
    let (base, root) = (Base::new(one_path(args, first)?), one_path(args, first + 1)?);
    let options = list::Options {
        glob: args.get(first + 2)?,
        ignore: args.get(first + 3)?,
        follow_symlinks: args.get(first + 4)?,
        hidden: args.get(first + 5)?,
    };
    Listing::new(base, root, &options).map_err(Error::from_reason)
}

fn one_path(args: &Arguments, index: usize) -> Result<PathBuf> {
    let path: Bytes<'_> = args.get(index)?;
    Ok(to_paths(&path).pop().unwrap_or_default())
}

fn to_error(error: std::io::Error) -> Error {
    Error::from_reason(error.to_string())
}

fn to_paths(bytes: &Bytes<'_>) -> Vec<PathBuf> {
    let bytes = match bytes {
        Either::A(text) => text.as_bytes(),
        Either::B(buffer) => buffer,
    };
    let mut paths: Vec<_> = bytes.split(|byte| *byte == 0).map(to_path).collect();
    // What is after the last NUL is nothing.
    paths.pop();
    paths
}

#[cfg(unix)]
fn to_path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(unix)]
fn append_path(bytes: &mut Vec<u8>, path: &Path) {
    use std::os::unix::ffi::OsStrExt;
    bytes.extend_from_slice(path.as_os_str().as_bytes());
    bytes.push(0);
}

#[cfg(not(unix))]
fn append_path(bytes: &mut Vec<u8>, path: &Path) {
    bytes.extend_from_slice(path.to_string_lossy().as_bytes());
    bytes.push(0);
}

/// A path on its way to JavaScript.
struct Folder(Vec<u8>);

impl ToNapiValue for Folder {
    unsafe fn to_napi_value(env: sys::napi_env, folder: Self) -> Result<sys::napi_value> {
        Ok(BufferSlice::copy_from(&Env::from_raw(env), folder.0)?.raw())
    }
}

struct Read {
    job: Arc<ReadJob>,
    /// Whether JavaScript learns the paths from here.
    tells_paths: bool,
}

impl Read {
    fn new(options: Options, notifier: Notifier, tells_paths: bool) -> Self {
        Self { job: ReadJob::new(options, move || notifier.notify()), tells_paths }
    }
}

impl Job for Read {
    fn take(&self) -> Taken {
        match self.job.next() {
            Next::Nothing => Taken::Nothing,
            Next::Over => Taken::Over,
            Next::Outcomes(outcomes) => {
                Taken::Chunk(Box::new(Chunk::of(outcomes, self.tells_paths)))
            }
            Next::SourceFailed(path, failure) => {
                Taken::Chunk(Box::new(Chunk::of_failure(&path, failure)))
            }
        }
    }

    fn cancel(&self) {
        self.job.cancel();
    }
}

struct List(Arc<ListJob>);

impl Job for List {
    fn take(&self) -> Taken {
        match self.0.next() {
            list_job::Next::Nothing => Taken::Nothing,
            list_job::Next::Over => Taken::Over,
            list_job::Next::Paths(found) => {
                let mut paths = Vec::new();
                found.iter().for_each(|path| append_path(&mut paths, path));
                Taken::Chunk(Box::new(Chunk { paths: Some(paths), ..Chunk::default() }))
            }
            list_job::Next::Failed(path, failure) => {
                Taken::Chunk(Box::new(Chunk::of_failure(&path, failure)))
            }
        }
    }

    fn cancel(&self) {
        self.0.cancel();
    }
}

#[derive(Default)]
struct Chunk {
    facts: Vec<u8>,
    slabs: Vec<Vec<u8>>,
    buffers: Vec<Vec<u8>>,
    paths: Option<Vec<u8>>,
    panics: Vec<String>,
    /// It is the failure of the source, and what it failed at is the only path.
    is_end: bool,
}

impl Chunk {
    fn of(outcomes: Vec<Outcome>, tells_paths: bool) -> Self {
        let mut chunk = Self { paths: tells_paths.then(Vec::new), ..Self::default() };
        chunk.facts.reserve(outcomes.len() * 24);
        for Outcome { index, path, result } in outcomes {
            let (fact, number) = match result {
                Ok(data) => chunk.keep(data),
                Err(failure) => chunk.keep_failure(failure),
            };
            for fact in [index as f64, fact, number] {
                chunk.facts.extend_from_slice(&fact.to_ne_bytes());
            }
            if let Some(paths) = &mut chunk.paths {
                append_path(paths, &path);
            }
        }
        chunk
    }

    fn of_failure(path: &Path, failure: Failure) -> Self {
        let outcome = Outcome { index: 0, path: path.into(), result: Err(failure) };
        Self { is_end: true, ..Self::of(vec![outcome], true) }
    }

    fn keep(&mut self, data: Vec<u8>) -> (f64, f64) {
        if data.len() > SMALL {
            self.buffers.push(data);
            return (IN_BUFFER, 0.0);
        }
        let length = data.len();
        match self.slabs.last_mut() {
            Some(slab) if slab.len() + length <= SLAB => slab.extend_from_slice(&data),
            _ => self.slabs.push(data),
        }
        (IN_SLAB, length as f64)
    }

    fn keep_failure(&mut self, failure: Failure) -> (f64, f64) {
        match failure {
            Failure::System { errno, call } => {
                let fact = match call {
                    SystemCall::Open => OPEN_FAILED,
                    SystemCall::Read => READ_FAILED,
                    SystemCall::Scandir => SCANDIR_FAILED,
                };
                (fact, f64::from(errno))
            }
            Failure::Special(special) => {
                let kind = match special {
                    Special::Pipe => 0.0,
                    Special::Socket => 1.0,
                    Special::CharacterDevice => 2.0,
                    Special::BlockDevice => 3.0,
                };
                (SPECIAL, kind)
            }
            Failure::Timeout => (TIMEOUT, 0.0),
            Failure::TooLarge(size) => (TOO_LARGE, size as f64),
            Failure::Panic(text) => {
                self.panics.push(text);
                (PANIC, 0.0)
            }
        }
    }
}

/// A buffer over `data`, whose memory comes back when JavaScript has dropped it. Where JavaScript can't
/// see memory of others it is a copy, and the memory comes back at once.
fn lend(env: &Env, mut data: Vec<u8>) -> Result<BufferSlice<'_>> {
    let (start, length) = (data.as_mut_ptr(), data.len());
    let give_back = |_: Env, data: Vec<u8>| {
        faults::contain("giveBuffer", || Buffers::of_process().give(data));
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
