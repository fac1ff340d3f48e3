//! One call of `readFiles`: paths in, outcomes out.
//!
//! The [`Window`] decides which file is read next, and which outcomes are given. The job keeps the window behind a lock, reads
//! the files that it hands out on the threads of the [`Pool`], and notifies a consumer that found nothing as soon as there is
//! something to take.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::base::Base;
use super::failure::Failure;
use super::known::{Known, Special};
use super::list::Finder;
use super::pool::{Pool, Seat, Work};
use super::read;
use super::window::{Bounds, Claim, Outcome, Reservation, Window};
use crate::test_hooks;

/// Files up to this many bytes are read without a reservation. They count among the bytes in flight once they were read.
const SMALL: u64 = 16 * 1024;

/// How a job reads.
#[derive(Clone, Debug)]
pub struct Options {
    /// How much may be in flight, and in which order outcomes are given.
    pub bounds: Bounds,
    /// Whether pipes and devices are read too.
    pub special: bool,
    /// The folder from which relative paths start.
    pub base: Base,
}

/// What a job has to give.
pub enum Next {
    /// Nothing yet; the job notifies once, as soon as there is something.
    Nothing,
    /// What is ready.
    Outcomes(Vec<Outcome>),
    /// The source of paths failed at this path; nothing comes after it.
    SourceFailed(PathBuf, Failure),
    /// There is nothing to come.
    Over,
}

struct State {
    window: Window,
    source_failure: Option<(PathBuf, Failure)>,
    /// The consumer found nothing, and is to be notified.
    wanted: bool,
}

/// A job that reads files.
pub struct ReadJob {
    options: Options,
    state: Mutex<State>,
    cancelled: AtomicBool,
    room: Condvar,
    notify: Box<dyn Fn() + Send + Sync>,
    seat: Arc<Seat>,
    me: Weak<Self>,
}

impl ReadJob {
    /// A job without paths; `notify` is called when the consumer found nothing and now there is something.
    pub fn new(options: Options, notify: impl Fn() + Send + Sync + 'static) -> Arc<Self> {
        let window = Window::new(options.bounds);
        let job = Arc::new_cyclic(|me: &Weak<Self>| Self {
            options,
            state: Mutex::new(State { window, source_failure: None, wanted: false }),
            cancelled: AtomicBool::new(false),
            room: Condvar::new(),
            notify: Box::new(notify),
            seat: Seat::new(Weak::<Self>::clone(me)),
            me: Weak::clone(me),
        });
        Pool::of_process().watch(&job.seat);
        job
    }

    /// Takes paths in. The caller keeps to the room of the window.
    pub fn give(&self, paths: impl IntoIterator<Item = PathBuf>) {
        let mut state = self.lock();
        paths.into_iter().for_each(|path| state.window.admit(path));
        drop(state);
        self.schedule();
    }

    /// There are no more paths, or their source failed at this one.
    pub fn end(&self, failure: Option<(PathBuf, Failure)>) {
        let mut state = self.lock();
        state.source_failure = failure;
        state.window.end();
        self.offer(state, Instant::now());
    }

    /// Nobody wants the rest: no outcome is given any more, and no other file is read.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        let held = self.lock().window.cancel();
        self.room.notify_all();
        drop(held);
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Takes the outcomes that are ready, as far as they are worth a crossing.
    pub fn next(&self) -> Next {
        let now = Instant::now();
        let mut state = self.lock();
        if self.is_cancelled() {
            return Next::Over;
        }
        if !state.window.is_worth_taking(now) {
            if state.window.is_over() {
                return match state.source_failure.take() {
                    Some((path, failure)) => Next::SourceFailed(path, failure),
                    None => Next::Over,
                };
            }
            state.wanted = true;
            return Next::Nothing;
        }
        let had_work = state.window.has_work();
        let outcomes = state.window.take(now);
        let has_work = state.window.has_work();
        drop(state);
        self.room.notify_all();
        if has_work && !had_work {
            self.schedule();
        }
        Next::Outcomes(outcomes)
    }

    fn schedule(&self) {
        Pool::of_process().schedule(&self.seat);
    }

    fn read_claimed(&self, claim: &Claim) {
        test_hooks::pass("readFile");
        let path = self.options.base.resolve(&claim.path);
        let known = match claim.known.map_or_else(|| read::look(&path), Ok) {
            Ok(known) => known,
            Err(failure) => return self.settle(claim, Err(failure)),
        };
        match known.special {
            Some(special) if !self.options.special => {
                self.settle(claim, Err(Failure::Special(special)));
            }
            // Opening a socket fails at once.
            Some(Special::Socket) | None => {
                if known.size <= SMALL || self.reserve(claim, known) {
                    self.read_known(claim, &path, known);
                }
            }
            Some(_) => self.read_apart(claim, path.into_owned(), known),
        }
    }

    /// Reads a file that may keep its reader waiting for ever, on a thread of its own.
    fn read_apart(&self, claim: &Claim, path: PathBuf, known: Known) {
        let Some(job) = self.me.upgrade() else { return };
        let own = claim.clone();
        let thread = std::thread::Builder::new().name("ya-syn-special".into());
        let spawned = thread.spawn(move || job.guard(&own, || job.read_known(&own, &path, known)));
        if let Err(error) = spawned {
            self.settle(claim, Err(read::open_failure(&error)));
        }
    }

    fn read_known(&self, claim: &Claim, path: &Path, known: Known) {
        let is_wanted = || !self.is_cancelled() && self.lock().window.holds(claim);
        self.settle(claim, read::read(path, known, &is_wanted));
    }

    /// Reserves room for a large file; false when the file was put back, or its claim is void.
    fn reserve(&self, claim: &Claim, known: Known) -> bool {
        let mut state = self.lock();
        let reservation = state.window.reserve(claim, known);
        self.offer(state, Instant::now());
        reservation == Reservation::Granted
    }

    /// Calls `read`, and settles the file with a panic of it.
    fn guard(&self, claim: &Claim, read: impl FnOnce()) {
        let Err(panic) = catch_unwind(AssertUnwindSafe(read)) else { return };
        self.settle(claim, Err(Failure::of_panic(&*panic)));
    }

    fn settle(&self, claim: &Claim, result: Result<Vec<u8>, Failure>) {
        let now = Instant::now();
        let mut state = self.lock();
        let unwanted = state.window.settle(claim, result, now);
        self.offer(state, now);
        drop(unwanted);
    }

    /// Gives up the lock, and notifies a consumer that waits when there is something to take.
    fn offer(&self, mut state: MutexGuard<'_, State>, now: Instant) {
        let due = state.wanted && (state.window.is_worth_taking(now) || state.window.is_over());
        if due {
            state.wanted = false;
        }
        drop(state);
        if due {
            (self.notify)();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A listing gives its paths straight to the job, as there is room.
impl Finder for ReadJob {
    fn found(&self, path: PathBuf) -> bool {
        let mut state = self.lock();
        while state.window.room() == 0 && !self.is_cancelled() {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if self.is_cancelled() {
            return false;
        }
        state.window.admit(path);
        drop(state);
        self.schedule();
        true
    }

    fn is_wanted(&self) -> bool {
        !self.is_cancelled()
    }
}

impl Work for ReadJob {
    fn run_one(&self) -> bool {
        let Some(claim) = self.lock().window.claim(Instant::now()) else { return false };
        self.guard(&claim, || self.read_claimed(&claim));
        true
    }

    fn has_work(&self) -> bool {
        self.lock().window.has_work()
    }

    fn is_idle(&self) -> bool {
        self.lock().window.is_idle()
    }

    fn tick(&self) {
        let now = Instant::now();
        let mut state = self.lock();
        state.window.expire(now);
        self.offer(state, now);
    }

    fn tick_every(&self) -> Duration {
        let longest = Duration::from_millis(50);
        let timeout = self.options.bounds.timeout.unwrap_or(longest);
        (timeout / 4).clamp(Duration::from_millis(1), longest)
    }
}
