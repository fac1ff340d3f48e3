//! Threads that may block, for all jobs of the process.
//!
//! The pool knows no job, only [`Work`] that comes in pieces. All work that has pieces to run stands in one line. A free
//! thread takes the first work of the line, puts it at the end again, and runs a few of its pieces: so all work shares the
//! threads fairly, and a thread that is stuck holds up one piece only. A watcher, awake only while something runs, replaces threads
//! that are stuck, up to a bound on those that are stuck at the same time, and lets each work look at its clock.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::buffers::Buffers;
use crate::panics;

/// Pieces that a thread runs of one work before it looks at the next.
const ROW: usize = 16;
/// The watcher ends after it has looked so many times, and nothing was running.
const QUIET: u32 = 20;

/// What the pool runs, piece by piece. All but `run_one` must return at once.
pub trait Work: Send + Sync {
    /// Runs one piece, which may block; false when there is none. It must not panic.
    fn run_one(&self) -> bool;
    /// Whether there is a piece to run.
    fn has_work(&self) -> bool;
    /// Whether nothing runs, nor is there anything to run.
    fn is_idle(&self) -> bool;
    /// Called again and again while something runs, so that pieces that take too long can be ended.
    fn tick(&self);
    /// The time between two ticks.
    fn tick_every(&self) -> Duration;
}

/// Stands for a work in the line of a pool.
pub struct Seat {
    work: Weak<dyn Work>,
    /// Whether the seat is in the line.
    queued: AtomicBool,
}

impl Seat {
    /// A seat for work that may still be in the making.
    pub fn new(work: Weak<dyn Work>) -> Arc<Self> {
        Arc::new(Self { work, queued: AtomicBool::new(false) })
    }
}

/// How a pool behaves.
pub struct Settings {
    /// Threads that are not stuck.
    pub threads: usize,
    /// A thread that is in one piece for longer is taken for stuck.
    pub stuck_after: Duration,
    /// No more threads than these are stuck and replaced at the same time.
    pub most_stuck: usize,
    /// Threads without work end after this.
    pub idle: Duration,
    /// Called when the last thread has ended.
    pub at_rest: fn(),
}

struct Runner {
    /// When the thread began the piece that it runs, in milliseconds of the pool's time; 0 while it runs none.
    since: AtomicU64,
    /// Whether the thread was taken for stuck, and does not count among the threads that are able. It changes under the lock
    /// of the pool.
    stuck: AtomicBool,
}

struct State {
    line: VecDeque<Arc<Seat>>,
    works: Vec<Weak<dyn Work>>,
    runners: Vec<Arc<Runner>>,
    /// Runners that are not stuck.
    able: usize,
    idle: usize,
    watched: bool,
}

/// Threads that run the pieces of all work.
pub struct Pool {
    settings: Settings,
    started: Instant,
    state: Mutex<State>,
    work: Condvar,
}

impl Pool {
    /// The pool of this process.
    pub fn of_process() -> &'static Self {
        static POOL: OnceLock<Pool> = OnceLock::new();
        POOL.get_or_init(|| {
            let cores = thread::available_parallelism().map_or(4, usize::from);
            Self::new(Settings {
                threads: (cores * 2).clamp(4, 16),
                stuck_after: Duration::from_millis(200),
                most_stuck: 64,
                idle: Duration::from_secs(5),
                at_rest: || Buffers::of_process().clear(),
            })
        })
    }

    /// A pool without threads yet.
    pub fn new(settings: Settings) -> Self {
        let state = State {
            line: VecDeque::new(),
            works: Vec::new(),
            runners: Vec::new(),
            able: 0,
            idle: 0,
            watched: false,
        };
        Self { settings, started: Instant::now(), state: Mutex::new(state), work: Condvar::new() }
    }

    /// Watches over the work of this seat, for as long as it lives.
    pub fn watch(&self, seat: &Seat) {
        let mut state = self.lock();
        state.works.retain(|work| work.strong_count() > 0);
        state.works.push(Weak::clone(&seat.work));
    }

    /// Puts work that has pieces to run in the line.
    pub fn schedule(&'static self, seat: &Arc<Seat>) {
        let mut state = self.lock();
        if !seat.queued.swap(true, Ordering::Relaxed) {
            state.line.push_back(Arc::clone(seat));
        }
        self.wake(&mut state);
        if !state.watched {
            state.watched = true;
            let watcher = thread::Builder::new().name("ya-syn-watcher".into());
            state.watched = watcher.spawn(|| while self.watch_runners() {}).is_ok();
        }
    }

    /// Gets a thread to work: one that rests, or else a new one.
    fn wake(&'static self, state: &mut State) {
        if state.idle > 0 {
            self.work.notify_all();
        }
        while state.able < self.settings.threads && state.idle == 0 {
            let runner =
                Arc::new(Runner { since: AtomicU64::new(0), stuck: AtomicBool::new(false) });
            let own = Arc::clone(&runner);
            let thread = thread::Builder::new().name("ya-syn-reader".into());
            if thread.spawn(move || self.run(&own)).is_err() {
                return;
            }
            state.runners.push(runner);
            state.able += 1;
        }
    }

    fn run(&'static self, runner: &Arc<Runner>) {
        while let Some((seat, work)) = self.next_work() {
            panics::contain("reader", || self.run_row(&seat, &*work, runner));
            runner.since.store(0, Ordering::Relaxed);
            // This may be the last reference to the work, whose drop is the work's own code and may panic.
            panics::contain("dropJob", || drop(work));
            // Reading from the page cache never waits, and a thread that never waits keeps its core for milliseconds. The
            // event loop, which was woken for the files that were read, may be waiting for a core.
            thread::yield_now();
            if runner.stuck.load(Ordering::Relaxed) && !self.recover(runner) {
                return;
            }
        }
        let mut state = self.lock();
        // The watcher may have taken this thread for stuck in its last piece.
        if !runner.stuck.load(Ordering::Relaxed) {
            state.able -= 1;
        }
        self.leave(&mut state, runner);
    }

    fn run_row(&self, seat: &Arc<Seat>, work: &dyn Work, runner: &Runner) {
        for _ in 0..ROW {
            runner.since.store(self.now(), Ordering::Relaxed);
            let ran = work.run_one();
            runner.since.store(0, Ordering::Relaxed);
            if !ran {
                return self.leave_line(seat, work);
            }
        }
    }

    /// A thread that was stuck goes on if there are fewer able threads than the pool may have; otherwise it ends.
    fn recover(&self, runner: &Arc<Runner>) -> bool {
        let mut state = self.lock();
        let goes_on = state.able < self.settings.threads;
        if goes_on {
            state.able += 1;
            runner.stuck.store(false, Ordering::Relaxed);
        } else {
            self.leave(&mut state, runner);
        }
        goes_on
    }

    fn leave(&self, state: &mut State, runner: &Arc<Runner>) {
        state.runners.retain(|other| !Arc::ptr_eq(other, runner));
        if state.runners.is_empty() {
            (self.settings.at_rest)();
        }
    }

    /// The next work in the line, or nothing when the line was empty for the idle time.
    fn next_work(&self) -> Option<(Arc<Seat>, Arc<dyn Work>)> {
        let mut state = self.lock();
        loop {
            while let Some(seat) = state.line.pop_front() {
                let Some(work) = seat.work.upgrade() else { continue };
                state.line.push_back(Arc::clone(&seat));
                return Some((seat, work));
            }
            state.idle += 1;
            let (guard, wait) = self
                .work
                .wait_timeout(state, self.settings.idle)
                .unwrap_or_else(PoisonError::into_inner);
            state = guard;
            state.idle -= 1;
            if wait.timed_out() && state.line.is_empty() {
                return None;
            }
        }
    }

    fn leave_line(&self, seat: &Arc<Seat>, work: &dyn Work) {
        let mut state = self.lock();
        // New pieces may have come after `run_one` found none.
        if work.has_work() {
            return;
        }
        seat.queued.store(false, Ordering::Relaxed);
        state.line.retain(|other| !Arc::ptr_eq(other, seat));
    }

    /// Watches until nothing ran for a while. Returns whether something runs again.
    fn watch_runners(&'static self) -> bool {
        let mut quiet = 0;
        while quiet < QUIET {
            let works = self.works();
            let every = works.iter().map(|work| work.tick_every()).min();
            thread::sleep(every.unwrap_or(Duration::from_millis(50)));
            let busy = works.iter().any(|work| !work.is_idle());
            quiet = if busy { 0 } else { quiet + 1 };
            for work in works {
                panics::contain("watcher", move || work.tick());
            }
            self.replace_stuck();
        }
        let works = self.works();
        let mut state = self.lock();
        // Work may have come since the last look, and may have left the line already: a pipe is read on another thread.
        let came = state.works.iter().filter_map(Weak::upgrade).any(|work| !work.is_idle());
        state.watched = came;
        drop(state);
        // These may be the last references to their works, which must not be dropped under the lock.
        drop(works);
        came
    }

    fn works(&self) -> Vec<Arc<dyn Work>> {
        self.lock().works.iter().filter_map(Weak::upgrade).collect()
    }

    /// Starts new threads for those that are stuck. A thread that came back does not count as stuck any more.
    fn replace_stuck(&'static self) {
        let now = self.now();
        let mut state = self.lock();
        let mut replaced = false;
        for index in 0..state.runners.len() {
            if state.runners.len() - state.able >= self.settings.most_stuck {
                break;
            }
            let runner = &state.runners[index];
            let since = runner.since.load(Ordering::Relaxed);
            let stuck_after = self.settings.stuck_after.as_millis() as u64;
            if since > 0
                && now.saturating_sub(since) > stuck_after
                && !runner.stuck.swap(true, Ordering::Relaxed)
            {
                state.able -= 1;
                replaced = true;
            }
        }
        if replaced && !state.line.is_empty() {
            self.wake(&mut state);
        }
    }

    /// Milliseconds since the pool was made, and never 0.
    fn now(&self) -> u64 {
        self.started.elapsed().as_millis() as u64 + 1
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
