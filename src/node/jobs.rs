//! Native jobs: work that goes on in Rust while JavaScript asks for what it made, chunk by chunk.
//!
//! # The protocol
//!
//! A job is an integer for JavaScript and an `Arc<dyn Job>` here. Everything is asked for, so that data crosses
//! only when somebody wants it, and a slow consumer holds the job up:
//!
//! 1. `takeChunk(job)` gives the next chunk, `null` when the job is over (in success and after a chunk that told of its
//!    failure), or `undefined` when there is nothing worth a crossing yet.
//! 2. After an `undefined` the job [notifies](Notifier::notify) once, as soon as there is something. This is the only
//!    call from another thread: it puts the job's integer in the mailbox of the environment, and rings its bell if
//!    the mailbox was empty. So any number of jobs share one wake-up.
//! 3. The bell calls the function given to `onJobsReady` with the integers, and JavaScript takes again.
//! 4. `closeJob(job)` says that nobody wants the rest, and forgets the job.
//!
//! How much a job may have ready (its credit) is the job's own bound: it learns of room in [`Job::take`].
//! The wake-up never holds the event loop; `lib` does, with one timer, while somebody waits. When
//! the environment goes away all its jobs are cancelled. Failures are chunks with data, never exceptions.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use napi::bindgen_prelude::ToNapiValue;
use napi::{Env, Error, Result, Status, sys};

use super::functions::{Functions, Shared, closed, to_js};
use super::wake::bell::Bell;
use crate::core::slab::Slab;
use crate::core::sync::Mutex;

/// Work that goes on outside of JavaScript. Its methods are called on the thread of the environment, and never block.
pub trait Job: Any + Send + Sync {
    /// The next chunk. After [`Taken::Nothing`] the job notifies once.
    fn take(&self) -> Taken;
    /// Nobody wants the rest.
    fn cancel(&self);
}

/// What [`Job::take`] gives.
pub enum Taken {
    Nothing,
    Chunk(Box<dyn IntoJs>),
    Over,
}

/// A chunk on its way to JavaScript.
pub trait IntoJs {
    /// Makes the value that stands for it.
    fn into_js(self: Box<Self>, env: &Env) -> Result<sys::napi_value>;
}

impl ToNapiValue for Taken {
    unsafe fn to_napi_value(env: sys::napi_env, taken: Self) -> Result<sys::napi_value> {
        match taken {
            // SAFETY: `env` is the environment that this was called with.
            Self::Nothing => unsafe { <()>::to_napi_value(env, ()) },
            Self::Over => {
                // SAFETY: as above.
                unsafe {
                    napi::bindgen_prelude::Null::to_napi_value(env, napi::bindgen_prelude::Null)
                }
            }
            // A panic must not unwind into Node.js.
            Self::Chunk(chunk) => {
                catch_unwind(AssertUnwindSafe(|| chunk.into_js(&Env::from_raw(env))))
                    .unwrap_or_else(|_| {
                        Err(Error::new(
                            Status::GenericFailure,
                            "a native chunk could not be converted",
                        ))
                    })
            }
        }
    }
}

/// Where an environment hears of its jobs.
struct WakeUp {
    ready: Mutex<Vec<u32>>,
    bell: Bell,
}

/// Tells the environment of a job that there is something to take.
#[derive(Clone)]
pub struct Notifier {
    wake_up: Arc<WakeUp>,
    job: u32,
}

impl Notifier {
    /// Wakes the environment. It may be called from any thread, also after the environment has ended.
    pub fn notify(&self) {
        let first = {
            let mut ready = self.wake_up.ready.lock();
            ready.push(self.job);
            ready.len() == 1
        };
        if first {
            self.wake_up.bell.ring();
        }
    }
}

/// The jobs of one environment.
#[derive(Default)]
pub struct Jobs {
    table: Slab<Option<Arc<dyn Job>>>,
    wake_up: Option<Arc<WakeUp>>,
}

impl Jobs {
    /// Starts a job; `start` is given what it notifies with.
    pub fn open(&mut self, start: impl FnOnce(Notifier) -> Result<Arc<dyn Job>>) -> Result<u32> {
        let wake_up = self.wake_up.clone().ok_or_else(|| closed("list of jobs"))?;
        let job = self.table.insert(None);
        match start(Notifier { wake_up, job }) {
            Ok(started) => {
                if let Some(slot) = self.table.get_mut(job) {
                    *slot = Some(started);
                }
                Ok(job)
            }
            Err(error) => {
                self.table.remove(job);
                Err(error)
            }
        }
    }

    fn get(&self, job: u32) -> Result<&Arc<dyn Job>> {
        self.table.get(job).and_then(Option::as_ref).ok_or_else(|| closed("job"))
    }

    /// The job that the integer stands for, if it is one of this kind.
    pub fn get_as<T: Job>(&self, job: u32) -> Result<Arc<T>> {
        let any: Arc<dyn Any + Send + Sync> = Arc::clone(self.get(job)?) as _;
        any.downcast().map_err(|_| closed("job"))
    }

    /// The jobs that have something to take.
    fn take_ready(&mut self) -> Vec<u32> {
        let ready = self.wake_up.as_ref().map(|wake_up| std::mem::take(&mut *wake_up.ready.lock()));
        ready.unwrap_or_default().into_iter().map(to_js).collect()
    }

    /// The environment goes away.
    pub fn cancel_all(&mut self) {
        for job in std::mem::take(&mut self.table).iter().filter_map(|(_, job)| job.as_ref()) {
            // The others are to be cancelled too, should one panic.
            let _ = catch_unwind(AssertUnwindSafe(|| job.cancel()));
        }
        self.wake_up = None;
    }
}

/// Defines the functions that all kinds of jobs have in common, and gives the table in which jobs are opened.
pub fn define(functions: &mut Functions<'_>) -> Result<Shared<Jobs>> {
    let jobs = functions.share(Jobs::default(), Jobs::cancel_all);
    let shared = Rc::clone(&jobs);
    // (callback): called with the job or an array of jobs that have something to take
    functions.define(&jobs, "onJobsReady", move |jobs, args| {
        let shared = Rc::clone(&shared);
        let take = move || shared.borrow_mut().take_ready();
        let bell = Bell::new(args.raw_env(), args.raw(0), "hearOfJobs", take)?;
        jobs.wake_up = Some(Arc::new(WakeUp { ready: Mutex::new(Vec::new()), bell }));
        Ok(())
    })?;
    // (job) -> chunk, null when it is over, undefined when nothing is ready
    functions.define(&jobs, "takeChunk", |jobs, args| Ok(jobs.get(args.id(0)?)?.take()))?;
    functions.define_sure(&jobs, "closeJob", |jobs, args| {
        if let Some(Some(job)) = jobs.table.remove(args.id(0)?) {
            job.cancel();
        }
        Ok(())
    })?;
    Ok(jobs)
}
