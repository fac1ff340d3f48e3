//! The threads that read, for all jobs of the process.
//!
//! Jobs with files to read stand in one line. A free thread takes the first job, puts it at the end
//! again, and reads a few of its files, each claimed alone: so jobs share the threads fairly, and a
//! thread that is stuck holds up one file only. A watcher, awake only while files are read, replaces
//! threads that are stuck (up to a bound) and lets the jobs end what took too long.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::buffers::Buffers;
use super::descriptors::Descriptors;
use super::job::ReadJob;
use crate::faults;

/// Files that a thread reads of one job before it looks at the next.
const ROW: usize = 16;
/// A thread that is in one file for longer is taken for stuck.
const STUCK: Duration = Duration::from_millis(200);
const MOST_STUCK: usize = 64;
/// Threads without work end after this.
const IDLE: Duration = Duration::from_secs(5);
/// Pipes and devices that are waited for at the same time; they have descriptors of their own.
const MOST_SPECIAL: u32 = 16;

struct Reader {
    /// Since when it is in its file.
    since: Option<Instant>,
    stuck: bool,
}

struct State {
    line: VecDeque<Arc<ReadJob>>,
    jobs: Vec<Weak<ReadJob>>,
    readers: Vec<Arc<Mutex<Reader>>>,
    /// Readers that are not stuck.
    able: usize,
    idle: usize,
    watched: bool,
}

/// The pool.
pub struct Pool {
    threads: usize,
    descriptors: Descriptors,
    special_descriptors: Descriptors,
    state: Mutex<State>,
    work: Condvar,
}

impl Pool {
    /// The one of this process.
    pub fn of_process() -> &'static Self {
        static POOL: OnceLock<Pool> = OnceLock::new();
        POOL.get_or_init(|| {
            let cores = thread::available_parallelism().map_or(4, usize::from);
            Self {
                threads: (cores * 2).clamp(4, 16),
                descriptors: Descriptors::of_process(),
                special_descriptors: Descriptors::new(MOST_SPECIAL),
                state: Mutex::new(State {
                    line: VecDeque::new(),
                    jobs: Vec::new(),
                    readers: Vec::new(),
                    able: 0,
                    idle: 0,
                    watched: false,
                }),
                work: Condvar::new(),
            }
        })
    }

    pub(super) fn descriptors(&self, special: bool) -> &Descriptors {
        if special { &self.special_descriptors } else { &self.descriptors }
    }

    pub(super) fn watch(&self, job: &Arc<ReadJob>) {
        let mut state = self.lock();
        state.jobs.retain(|job| job.strong_count() > 0);
        state.jobs.push(Arc::downgrade(job));
    }

    /// Puts a job that has files to read in the line.
    pub(super) fn schedule(&'static self, job: &Arc<ReadJob>) {
        let mut state = self.lock();
        if !job.queued.swap(true, Ordering::Relaxed) {
            state.line.push_back(Arc::clone(job));
        }
        self.wake(&mut state);
        if !state.watched {
            state.watched = true;
            let watcher = thread::Builder::new().name("ya-syn-watcher".into());
            state.watched = watcher.spawn(|| while self.watch_readers() {}).is_ok();
        }
    }

    /// Gets a thread to work: one that rests, or else a new one.
    fn wake(&'static self, state: &mut State) {
        if state.idle > 0 {
            self.work.notify_all();
        }
        while state.able < self.threads && state.idle == 0 {
            let reader = Arc::new(Mutex::new(Reader { since: None, stuck: false }));
            let own = Arc::clone(&reader);
            let thread = thread::Builder::new().name("ya-syn-reader".into());
            if thread.spawn(move || self.work(&own)).is_err() {
                return;
            }
            state.readers.push(reader);
            state.able += 1;
        }
    }

    fn work(&'static self, reader: &Arc<Mutex<Reader>>) {
        while let Some(job) = self.next_job() {
            faults::contain("reader", || self.read_row(&job, reader));
            // It may be the last to know the job.
            faults::contain("dropJob", || drop(job));
            // Reading from the page cache never waits, and a thread that never waits keeps its core for milliseconds,
            // however long the event loop, woken by what was read, has waited for one.
            thread::yield_now();
            // Somebody took its place while it was stuck.
            if lock(reader).stuck {
                return;
            }
        }
        let mut state = self.lock();
        state.able -= 1;
        state.readers.retain(|other| !Arc::ptr_eq(other, reader));
        if state.readers.is_empty() {
            Buffers::of_process().clear();
        }
    }

    fn read_row(&'static self, job: &Arc<ReadJob>, reader: &Mutex<Reader>) {
        for _ in 0..ROW {
            let Some(claim) = job.claim() else { return self.leave_line(job) };
            lock(reader).since = Some(Instant::now());
            job.read(claim);
            lock(reader).since = None;
        }
    }

    /// The next job in the line, or nothing when there was none for a while.
    fn next_job(&self) -> Option<Arc<ReadJob>> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.line.pop_front() {
                state.line.push_back(Arc::clone(&job));
                return Some(job);
            }
            state.idle += 1;
            let (guard, wait) =
                self.work.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = guard;
            state.idle -= 1;
            if wait.timed_out() && state.line.is_empty() {
                return None;
            }
        }
    }

    fn leave_line(&self, job: &Arc<ReadJob>) {
        let mut state = self.lock();
        // Files may have come since none could be claimed.
        if job.has_work() && !job.is_cancelled() {
            return;
        }
        job.queued.store(false, Ordering::Relaxed);
        state.line.retain(|other| !Arc::ptr_eq(other, job));
    }

    /// Watches until nothing was read for a while; whether something is being read again.
    fn watch_readers(&'static self) -> bool {
        let mut quiet = 0;
        while quiet < 20 {
            let jobs: Vec<_> = self.lock().jobs.iter().filter_map(Weak::upgrade).collect();
            let every = jobs.iter().map(|job| job.tick_every()).min();
            thread::sleep(every.unwrap_or(Duration::from_millis(50)));
            let busy = jobs.iter().any(|job| !job.is_idle());
            quiet = if busy { 0 } else { quiet + 1 };
            for job in jobs {
                faults::contain("watcher", move || job.tick());
            }
            self.replace_stuck();
        }
        let mut state = self.lock();
        // A job may have come since the last look, and have gone from the line to where it waits for a pipe.
        state.watched = state.jobs.iter().filter_map(Weak::upgrade).any(|job| !job.is_idle());
        state.watched
    }

    fn replace_stuck(&'static self) {
        let mut state = self.lock();
        let mut replaced = false;
        for index in (0..state.readers.len()).rev() {
            let stuck_before = state.readers.len() - state.able;
            let mut reader = lock(&state.readers[index]);
            let is_stuck = reader.since.is_some_and(|since| since.elapsed() > STUCK);
            if is_stuck && !reader.stuck && stuck_before < MOST_STUCK {
                reader.stuck = true;
                drop(reader);
                state.able -= 1;
                replaced = true;
            }
        }
        if replaced && !state.line.is_empty() {
            self.wake(&mut state);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
