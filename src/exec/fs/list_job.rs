//! One call of `listFiles` whose paths are wanted in JavaScript: they are listed ahead of the consumer, up to a bound.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::failure::Failure;
use super::list::{Finder, Listing};

/// Paths in one chunk.
const MOST: usize = 256;
/// Paths listed and not taken.
const AHEAD: usize = 4 * MOST;

/// What a job has to give.
pub enum Next {
    /// Nothing yet; the job notifies once, as soon as there is something.
    Nothing,
    /// Files that were found.
    Paths(Vec<PathBuf>),
    /// Listing failed at this path; nothing comes after it.
    Failed(PathBuf, Failure),
    /// There is nothing to come.
    Over,
}

#[derive(Default)]
struct State {
    found: Vec<PathBuf>,
    ended: bool,
    cancelled: bool,
    failure: Option<(PathBuf, Failure)>,
    /// The consumer found nothing, and is to be notified.
    wanted: bool,
}

/// A job that lists files.
pub struct ListJob {
    state: Mutex<State>,
    room: Condvar,
    notify: Box<dyn Fn() + Send + Sync>,
}

impl ListJob {
    /// Starts listing; `notify` is called when the consumer found nothing and now there is something.
    ///
    /// # Errors
    ///
    /// When no thread can be had.
    pub fn start(
        listing: Listing,
        notify: impl Fn() + Send + Sync + 'static,
    ) -> std::io::Result<Arc<Self>> {
        let notify = Box::new(notify);
        let job = Arc::new(Self { state: Mutex::default(), room: Condvar::new(), notify });
        let own = Arc::clone(&job);
        spawn(move || {
            let end = listing.walk(&*own);
            own.change(|state| {
                state.ended = true;
                state.failure = end.err();
            });
        })?;
        Ok(job)
    }

    /// Takes the paths that were found, as far as they are worth a crossing.
    pub fn next(&self) -> Next {
        let mut state = self.lock();
        if state.cancelled {
            return Next::Over;
        }
        if state.found.len() >= MOST || (state.ended && !state.found.is_empty()) {
            let count = state.found.len().min(MOST);
            let rest = state.found.split_off(count);
            let paths = std::mem::replace(&mut state.found, rest);
            self.room.notify_one();
            return Next::Paths(paths);
        }
        if state.ended {
            let failure = state.failure.take();
            return failure.map_or(Next::Over, |(path, failure)| Next::Failed(path, failure));
        }
        state.wanted = true;
        Next::Nothing
    }

    /// Nobody wants the rest: no path is given any more, and the walk ends.
    pub fn cancel(&self) {
        self.lock().cancelled = true;
        self.room.notify_one();
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let due = state.wanted && (state.ended || state.found.len() >= MOST);
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

impl Finder for ListJob {
    fn found(&self, path: PathBuf) -> bool {
        let mut state = self.lock();
        while state.found.len() >= AHEAD && !state.cancelled {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let goes_on = !state.cancelled;
        drop(state);
        self.change(|state| state.found.push(path));
        goes_on
    }

    fn is_wanted(&self) -> bool {
        !self.lock().cancelled
    }
}

/// Runs a listing on a thread of its own.
///
/// # Errors
///
/// When no thread can be had.
pub fn spawn(list: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().name("ya-syn-lister".into()).spawn(list).map(drop)
}
