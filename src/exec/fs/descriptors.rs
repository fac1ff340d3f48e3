//! How many files may be open at once, over all jobs of the process.
//!
//! The bound starts at an eighth of the process's soft limit, and at 64 at most. When the process runs out of descriptors all
//! the same, because other code holds many, the bound halves, down to one. It grows back by one whenever 64 files in a row
//! were done without a shortage. So other code gets room, and a passing shortage is waited out.

use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::system;

/// More files open at once make no job faster.
const MOST: u32 = 64;
/// So many files in a row are done before the bound grows by one.
const STREAK: u32 = 64;
/// Pipes and devices that are open at the same time; they have a bound of their own.
const MOST_SPECIAL: u32 = 16;
/// How long a shortage of descriptors is waited out before it is an error.
const PATIENCE: Duration = Duration::from_secs(10);

struct State {
    open: u32,
    allowed: u32,
    streak: u32,
    /// Threads that wait. Without any, a permit is given back without a system call to wake them.
    waiting: u32,
}

/// A bound on open files.
pub struct Descriptors {
    most: u32,
    state: Mutex<State>,
    freed: Condvar,
}

/// The right to have one file open.
pub struct Permit<'a>(&'a Descriptors);

impl Descriptors {
    /// The bound of the process on regular files and folders.
    pub fn of_process() -> &'static Self {
        static DESCRIPTORS: OnceLock<Descriptors> = OnceLock::new();
        DESCRIPTORS.get_or_init(|| {
            Self::new((system::descriptor_limit() / 8).clamp(1, u64::from(MOST)) as u32)
        })
    }

    /// The bound of the process on pipes and devices, which can keep their readers waiting for ever.
    pub fn for_special_files() -> &'static Self {
        static DESCRIPTORS: OnceLock<Descriptors> = OnceLock::new();
        DESCRIPTORS.get_or_init(|| Self::new(MOST_SPECIAL))
    }

    /// A bound of `most` files.
    pub fn new(most: u32) -> Self {
        let state = State { open: 0, allowed: most, streak: 0, waiting: 0 };
        Self { most, state: Mutex::new(state), freed: Condvar::new() }
    }

    /// Waits for the right to open a file.
    pub fn acquire(&self) -> Permit<'_> {
        let mut state = self.lock();
        while state.open >= state.allowed {
            state.waiting += 1;
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        state.open += 1;
        Permit(self)
    }

    /// Calls `open`, again and again while the process has no descriptor left, until the patience of ten seconds
    /// ends or nobody wants the file.
    ///
    /// # Errors
    ///
    /// The last error of `open`.
    pub fn open<T>(
        &self,
        is_wanted: &dyn Fn() -> bool,
        mut open: impl FnMut() -> io::Result<T>,
    ) -> io::Result<T> {
        let mut shortage: Option<Instant> = None;
        let mut pause = Duration::from_millis(1);
        loop {
            match open() {
                Err(error) if system::is_out_of_descriptors(&error) => {
                    let since = *shortage.get_or_insert_with(Instant::now);
                    if since.elapsed() > PATIENCE || !is_wanted() {
                        return Err(error);
                    }
                    self.ran_out();
                    sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(50));
                }
                result => return result,
            }
        }
    }

    /// The process had no descriptor left.
    fn ran_out(&self) {
        let mut state = self.lock();
        state.allowed = (state.allowed / 2).max(1);
        state.streak = 0;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.open -= 1;
        if state.allowed < self.0.most {
            state.streak += 1;
            if state.streak >= STREAK {
                state.streak = 0;
                state.allowed += 1;
            }
        }
        let free = state.allowed.saturating_sub(state.open);
        let wanted = free.min(state.waiting);
        drop(state);
        (0..wanted).for_each(|_| self.0.freed.notify_one());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_halves_the_bound_and_success_raises_it_again() {
        let descriptors = Descriptors::new(4);
        descriptors.ran_out();
        descriptors.ran_out();
        descriptors.ran_out();
        assert_eq!(descriptors.lock().allowed, 1);
        for _ in 0..3 * STREAK {
            drop(descriptors.acquire());
        }
        assert_eq!(descriptors.lock().allowed, 4);
        drop(descriptors.acquire());
        assert_eq!(descriptors.lock().allowed, 4);
    }

    #[test]
    fn a_file_beyond_the_bound_waits() {
        let descriptors = Descriptors::new(1);
        let first = descriptors.acquire();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| drop(descriptors.acquire()));
            drop(first);
            second.join().unwrap();
        });
        assert_eq!(descriptors.lock().open, 0);
    }
}
