//! One call of `readFiles`: paths in, outcomes out.
//!
//! The pipeline of the core says how many files may be in flight and which outcome comes next. On top of it, this bounds
//! the bytes in flight (read or being read, and not taken): a large file that does not fit waits at the head of
//! the line until enough was taken. The file that the consumer needs next always fits, or both would wait for ever.
//!
//! Outcomes are offered when they are worth a crossing: when there are [`WORTH`] of them or [`WORTH_BYTES`],
//! when nothing else is on its way, or when they have waited for [`MOMENT`].

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::failure::{Failure, Special};
use super::pool::Pool;
use super::read::{self, Known};
use crate::core::limit::Limit;
use crate::core::pipeline::{Bounds, Order, Pipeline, Slot};
use crate::faults;

const WORTH: usize = 64;
const WORTH_BYTES: u64 = 1 << 20;
const MOMENT: Duration = Duration::from_millis(10);
/// Outcomes in one chunk.
const MOST: usize = 256;
/// Bytes in one chunk, beyond which nothing is added.
const MOST_BYTES: u64 = 8 << 20;
/// Files up to this size need no reservation: together they are little.
const SMALL: u64 = 16 * 1024;

/// How a job reads.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// In which order outcomes are given.
    pub order: Order,
    /// Files in flight.
    pub max_files: Limit,
    /// Bytes in flight.
    pub max_bytes: u64,
    /// For each file.
    pub timeout: Option<Duration>,
    /// Read pipes and devices too.
    pub special: bool,
}

/// What became of one file.
pub struct Outcome {
    /// The how-manieth path it was.
    pub index: u64,
    /// The path.
    pub path: Arc<Path>,
    /// Its bytes, or why there are none.
    pub result: Result<Vec<u8>, Failure>,
}

/// What a job has to give.
pub enum Next {
    /// Nothing yet; the job notifies.
    Nothing,
    /// What is ready.
    Outcomes(Vec<Outcome>),
    /// The source of paths failed at this path; nothing comes after it.
    SourceFailed(PathBuf, Failure),
    /// There is nothing to come.
    Over,
}

/// A file that a thread reads now.
pub(super) struct Claim {
    slot: Slot,
    index: u64,
    path: Arc<Path>,
    known: Option<Known>,
}

impl Claim {
    /// The same claim, for whoever settles it when reading panicked.
    fn again(&self) -> Self {
        Self { slot: self.slot, index: self.index, path: Arc::clone(&self.path), known: self.known }
    }
}

struct File {
    index: u64,
    path: Arc<Path>,
    /// Since when it is being read, while it is.
    since: Option<Instant>,
    bytes: u64,
    result: Option<Result<Vec<u8>, Failure>>,
}

struct State {
    run: Pipeline,
    files: Vec<Option<File>>,
    /// Files in the window that nobody reads yet, and what is known of the first ones.
    waiting: VecDeque<(Slot, Option<Known>)>,
    given: u64,
    /// Outcomes taken, for the file that is needed next when order counts.
    taken: u64,
    reading: usize,
    settled: usize,
    settled_bytes: u64,
    settled_since: Option<Instant>,
    bytes: u64,
    /// The first waiting file does not fit.
    full: bool,
    source_ended: bool,
    source_failure: Option<(PathBuf, Failure)>,
    /// The consumer found nothing, and is to be told.
    wanted: bool,
}

/// The job.
pub struct ReadJob {
    options: Options,
    state: Mutex<State>,
    cancelled: AtomicBool,
    /// Whether the pool has it in its line.
    pub(super) queued: AtomicBool,
    room: Condvar,
    notify: Box<dyn Fn() + Send + Sync>,
}

impl ReadJob {
    /// A job without paths; `notify` is called when the consumer found nothing and now there is something.
    pub fn new(options: Options, notify: impl Fn() + Send + Sync + 'static) -> Arc<Self> {
        let bounds = Bounds {
            window: options.max_files,
            execution: Limit::UNLIMITED,
            per_key: Limit::UNLIMITED,
        };
        let mut run = Pipeline::giving_results(bounds, options.order);
        run.begin();
        let job = Arc::new(Self {
            options,
            state: Mutex::new(State {
                run,
                files: Vec::new(),
                waiting: VecDeque::new(),
                given: 0,
                taken: 0,
                reading: 0,
                settled: 0,
                settled_bytes: 0,
                settled_since: None,
                bytes: 0,
                full: false,
                source_ended: false,
                source_failure: None,
                wanted: false,
            }),
            cancelled: AtomicBool::new(false),
            queued: AtomicBool::new(false),
            room: Condvar::new(),
            notify: Box::new(notify),
        });
        Pool::of_process().watch(&job);
        job
    }

    /// Takes paths in. The caller keeps to the room of the window.
    pub fn give(self: &Arc<Self>, paths: impl IntoIterator<Item = PathBuf>) {
        let mut state = self.lock();
        for path in paths {
            state.admit(path);
        }
        drop(state);
        Pool::of_process().schedule(self);
    }

    /// Takes one path in, when there is room; false when nobody wants any more.
    pub fn give_waiting(self: &Arc<Self>, path: PathBuf) -> bool {
        let mut state = self.lock();
        while state.run.room() == 0 && !self.is_cancelled() {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if self.is_cancelled() {
            return false;
        }
        state.admit(path);
        drop(state);
        Pool::of_process().schedule(self);
        true
    }

    /// There are no more paths.
    pub fn end(&self, failure: Option<(PathBuf, Failure)>) {
        let mut state = self.lock();
        state.source_ended = true;
        state.source_failure = failure;
        state.run.source_ended();
        self.offer(state);
    }

    /// Nobody wants the rest.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        let mut state = self.lock();
        state.waiting.clear();
        for file in state.files.iter_mut().flatten() {
            file.result = None;
        }
        self.room.notify_all();
    }

    /// The outcomes that are ready.
    pub fn next(self: &Arc<Self>) -> Next {
        let mut state = self.lock();
        if self.is_cancelled() {
            return Next::Over;
        }
        if !state.is_worth_taking() {
            if state.is_over() {
                return match state.source_failure.take() {
                    Some((path, failure)) => Next::SourceFailed(path, failure),
                    None => Next::Over,
                };
            }
            state.wanted = true;
            return Next::Nothing;
        }
        let outcomes = state.take();
        let was_full = std::mem::take(&mut state.full);
        drop(state);
        self.room.notify_all();
        if was_full {
            Pool::of_process().schedule(self);
        }
        Next::Outcomes(outcomes)
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(super) fn has_work(&self) -> bool {
        let state = self.lock();
        !state.full && !state.waiting.is_empty()
    }

    /// A file to read.
    pub(super) fn claim(&self) -> Option<Claim> {
        let mut state = self.lock();
        if state.full || self.is_cancelled() {
            return None;
        }
        let (slot, known) = state.waiting.pop_front()?;
        state.reading += 1;
        let file = state.file(slot)?;
        file.since.get_or_insert_with(Instant::now);
        Some(Claim { slot, index: file.index, path: Arc::clone(&file.path), known })
    }

    /// Reads a claimed file and keeps its outcome; a panic is one too.
    pub(super) fn read(self: &Arc<Self>, claim: Claim) {
        let again = claim.again();
        self.guard(&again, || self.read_claimed(claim));
    }

    fn guard(&self, claim: &Claim, read: impl FnOnce()) {
        let Err(panic) = catch_unwind(AssertUnwindSafe(read)) else { return };
        self.settle(claim, Err(Failure::of_panic(&*panic)));
    }

    fn read_claimed(self: &Arc<Self>, mut claim: Claim) {
        faults::pass("readFile");
        let known = match claim.known.map_or_else(|| read::look(&claim.path), Ok) {
            Ok(known) => known,
            Err(failure) => return self.settle(&claim, Err(failure)),
        };
        match known.special {
            Some(special) if !self.options.special => {
                self.settle(&claim, Err(Failure::Special(special)));
            }
            // Opening a socket fails at once.
            Some(Special::Socket) | None => {
                claim.known = Some(known);
                if known.size <= SMALL || self.reserve(&claim, known) {
                    self.read_known(&claim, known);
                }
            }
            Some(_) => self.read_apart(claim, known),
        }
    }

    /// Reads what may keep its reader waiting for ever, on a thread of its own.
    fn read_apart(self: &Arc<Self>, claim: Claim, known: Known) {
        let (job, again) = (Arc::clone(self), claim.again());
        let thread = std::thread::Builder::new().name("ya-syn-special".into());
        let spawned =
            thread.spawn(move || job.guard(&claim.again(), || job.read_known(&claim, known)));
        if let Err(error) = spawned {
            self.settle(&again, Err(read::open_failure(&error)));
        }
    }

    fn read_known(&self, claim: &Claim, known: Known) {
        let is_wanted = || self.is_wanted(claim);
        let descriptors = Pool::of_process().descriptors(known.special.is_some());
        self.settle(claim, read::read(&claim.path, known, descriptors, &is_wanted));
    }

    fn is_wanted(&self, claim: &Claim) -> bool {
        !self.is_cancelled() && self.lock().is_reading(claim)
    }

    /// Makes room for a large file, or puts it back.
    fn reserve(&self, claim: &Claim, known: Known) -> bool {
        let mut state = self.lock();
        let needed_next = match self.options.order {
            Order::Source => state.taken == claim.index,
            Order::Completion => state.bytes == 0,
        };
        if needed_next || state.bytes + known.size <= self.options.max_bytes {
            state.bytes += known.size;
            if let Some(file) = state.file(claim.slot) {
                file.bytes = known.size;
            }
            return true;
        }
        state.reading -= 1;
        state.full = true;
        let place = state.place_of(claim.index);
        state.waiting.insert(place, (claim.slot, Some(known)));
        if let Some(file) = state.file(claim.slot) {
            file.since = None;
        }
        self.offer(state);
        false
    }

    /// Keeps the outcome of a file, unless it has one: a timeout may have come first.
    fn settle(&self, claim: &Claim, result: Result<Vec<u8>, Failure>) {
        let mut state = self.lock();
        if state.is_reading(claim) {
            state.settle(claim.slot, result);
        }
        self.offer(state);
    }

    /// Ends the files that took too long, and offers what has waited. Called now and then.
    pub(super) fn tick(&self) {
        let mut state = self.lock();
        if let Some(timeout) = self.options.timeout {
            let late: Vec<Slot> = (0..state.files.len() as Slot)
                .filter(|slot| {
                    let since = state.file(*slot).filter(|file| file.result.is_none());
                    since
                        .and_then(|file| file.since)
                        .is_some_and(|since| since.elapsed() >= timeout)
                })
                .collect();
            for slot in late {
                state.settle(slot, Err(Failure::Timeout));
            }
        }
        self.offer(state);
    }

    /// How often [`tick`](Self::tick) is to be called.
    pub(super) fn tick_every(&self) -> Duration {
        let longest = Duration::from_millis(50);
        let timeout = self.options.timeout.unwrap_or(longest);
        (timeout / 4).clamp(Duration::from_millis(1), longest)
    }

    pub(super) fn is_idle(&self) -> bool {
        let state = self.lock();
        state.reading == 0 && (state.waiting.is_empty() || state.full)
    }

    /// Tells a consumer that waits, when there is something for it.
    fn offer(&self, mut state: MutexGuard<'_, State>) {
        let due = state.wanted && (state.is_worth_taking() || state.is_over());
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

impl State {
    fn admit(&mut self, path: PathBuf) {
        let (slot, _) = self.run.pulled();
        let file =
            File { index: self.given, path: path.into(), since: None, bytes: 0, result: None };
        self.given += 1;
        if self.files.len() <= slot as usize {
            self.files.resize_with(slot as usize + 1, || None);
        }
        self.files[slot as usize] = Some(file);
        self.waiting.push_back((slot, None));
    }

    fn file(&mut self, slot: Slot) -> Option<&mut File> {
        self.files.get_mut(slot as usize)?.as_mut()
    }

    /// Where a file that was put back belongs among those that wait.
    fn place_of(&self, index: u64) -> usize {
        let is_earlier = |(slot, _): &&(Slot, Option<Known>)| {
            self.files[*slot as usize].as_ref().is_some_and(|file| file.index < index)
        };
        self.waiting.iter().take_while(is_earlier).count()
    }

    fn is_reading(&mut self, claim: &Claim) -> bool {
        self.file(claim.slot).is_some_and(|file| file.index == claim.index && file.result.is_none())
    }

    fn settle(&mut self, slot: Slot, result: Result<Vec<u8>, Failure>) {
        let Some(file) = self.files.get_mut(slot as usize).and_then(Option::as_mut) else { return };
        let size = result.as_ref().map_or(0, |data| data.len() as u64);
        self.bytes = self.bytes + size - file.bytes;
        file.bytes = size;
        let success = result.is_ok();
        file.result = Some(result);
        self.reading -= 1;
        self.settled += 1;
        self.settled_bytes += size;
        self.settled_since.get_or_insert_with(Instant::now);
        self.run.settled(slot, success);
    }

    fn is_worth_taking(&self) -> bool {
        self.run.has_result()
            && (self.settled >= WORTH
                || self.settled_bytes >= WORTH_BYTES
                || (self.reading == 0 && (self.waiting.is_empty() || self.full))
                || self.settled_since.is_some_and(|since| since.elapsed() >= MOMENT))
    }

    fn is_over(&self) -> bool {
        self.source_ended && self.given == self.taken
    }

    fn take(&mut self) -> Vec<Outcome> {
        let mut outcomes = Vec::with_capacity(self.settled.min(MOST));
        let mut bytes = 0;
        while outcomes.len() < MOST && bytes < MOST_BYTES {
            let Some((slot, _)) = self.run.take() else { break };
            let Some(File { index, path, bytes: size, result: Some(result), .. }) =
                self.files[slot as usize].take()
            else {
                break;
            };
            bytes += size;
            outcomes.push(Outcome { index, path, result });
        }
        self.taken += outcomes.len() as u64;
        self.settled -= outcomes.len();
        self.settled_bytes -= bytes;
        self.bytes -= bytes;
        self.settled_since = (self.settled > 0).then(Instant::now);
        outcomes
    }
}
