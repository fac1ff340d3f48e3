//! First come, first served permits; taking, giving back and leaving the queue all in constant time.
//!
//! # How it works
//!
//! A permit is free, or somebody holds it. [`Semaphore::acquire`] takes a free one, or puts its
//! caller's waiter at the end of the queue. [`Semaphore::release`] hands the permit straight to the
//! first waiter, if there is one, and returns that waiter: it holds the permit from then on, so
//! nobody who comes in between can slip past it, and a permit is never free while somebody waits.
//! Whoever released wakes the waiter in its own way, outside the lock.
//!
//! The waiter's type `W` is the caller's: a JavaScript ticket of this thread, the address of another
//! thread, a waker of a future. All stand in one queue, and no code here wakes, drops or compares a
//! waiter, under the lock or elsewhere.
//!
//! A holder goes through two stages. It is *admitted* when it has the permit, and it has *entered*
//! once it says so, because JavaScript starts a callback later than it gets the permit. Both count
//! as tasks, only the second as running.

use super::queue::{Place, Queue};
use crate::core::limit::Limit;
use crate::core::sync::Mutex;

/// A counting semaphore over waiters of type `W`.
///
/// ```
/// use ya_syn_native::core::{limit::Limit, locks::semaphore::{Semaphore, Stage}};
///
/// let lock = Semaphore::new(Limit::from_f64(1.0).unwrap());
/// assert!(lock.acquire("first").is_ok());
/// assert!(lock.acquire("second").is_err()); // waits
/// assert_eq!(lock.release(Stage::Admitted), Some("second")); // holds it now
/// ```
pub struct Semaphore<W> {
    limit: Limit,
    state: Mutex<State<W>>,
}

struct State<W> {
    /// How many permits are held; never more than the limit.
    held: u32,
    /// How many of their holders have entered.
    entered: u32,
    /// Made for the first waiter: most semaphores of a program with a lock per key never have one.
    waiting: Option<Box<Queue<W>>>,
}

/// How far the holder of a permit has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It has the permit.
    Admitted,
    /// It has said that it runs, with [`Semaphore::enter`].
    Entered,
}

/// The counters of a semaphore at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// How many wait or hold a permit.
    pub tasks: u32,
    /// How many hold a permit.
    pub held: u32,
    /// How many of those that hold a permit have entered.
    pub running: u32,
}

impl<W> Semaphore<W> {
    /// A semaphore with `limit` permits, all free.
    pub fn new(limit: Limit) -> Self {
        Self { limit, state: Mutex::new(State { held: 0, entered: 0, waiting: None }) }
    }

    /// How many permits there are.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// Takes a permit.
    ///
    /// # Errors
    ///
    /// The place of `waiter` in the queue, when no permit is free.
    pub fn acquire(&self, waiter: W) -> Result<(), Place> {
        self.acquire_with(|| waiter)
    }

    /// As [`acquire`](Self::acquire), but makes the waiter only when no permit is free.
    ///
    /// `waiter` runs under the lock of this semaphore and must not use it.
    ///
    /// # Errors
    ///
    /// The waiter's place in the queue, when no permit is free.
    pub fn acquire_with(&self, waiter: impl FnOnce() -> W) -> Result<(), Place> {
        let mut state = self.state.lock();
        if self.limit.admits(state.held) {
            state.held += 1;
            return Ok(());
        }
        Err(state.waiting.get_or_insert_default().push(waiter()))
    }

    /// Takes a permit if one is free.
    pub fn try_acquire(&self) -> bool {
        let mut state = self.state.lock();
        let free = self.limit.admits(state.held);
        state.held += u32::from(free);
        free
    }

    /// The holder of a permit enters, once.
    ///
    /// # Panics
    ///
    /// In a debug build, when all holders have entered.
    pub fn enter(&self) {
        let mut state = self.state.lock();
        debug_assert!(state.entered < state.held, "entered without a permit");
        state.entered += 1;
    }

    /// Gives the permit of a holder at this stage back. The waiter that is returned holds the permit now, and has to be told.
    ///
    /// # Panics
    ///
    /// In a debug build, when nobody holds a permit.
    pub fn release(&self, stage: Stage) -> Option<W> {
        let mut state = self.state.lock();
        debug_assert!(state.held > 0, "released without a permit");
        let next = state.waiting.as_mut().and_then(|queue| queue.pop());
        if stage == Stage::Entered {
            state.entered -= 1;
        }
        if next.is_none() {
            state.held -= 1;
        }
        next
    }

    /// Takes the waiter at this place out of the queue, and returns it. Nothing is returned when the waiter was granted a
    /// permit: it holds the permit, whether it has been told yet or not.
    pub fn cancel(&self, place: Place) -> Option<W> {
        self.state.lock().waiting.as_mut()?.remove(place)
    }

    /// The counters.
    pub fn stats(&self) -> Stats {
        let state = self.state.lock();
        let waiting = state.waiting.as_ref().map_or(0, |queue| queue.len());
        Stats { tasks: state.held + waiting as u32, held: state.held, running: state.entered }
    }

    /// Whether nobody waits and nobody holds a permit.
    pub fn is_idle(&self) -> bool {
        // Nobody waits while a permit is free.
        self.state.lock().held == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn semaphore(limit: u32) -> Semaphore<&'static str> {
        Semaphore::new(Limit::from_f64(f64::from(limit)).unwrap())
    }

    fn stats(tasks: u32, held: u32, running: u32) -> Stats {
        Stats { tasks, held, running }
    }

    #[test]
    fn serves_in_the_order_of_arrival() {
        let lock = semaphore(1);
        assert!(lock.acquire("a").is_ok());
        assert!(lock.acquire("b").is_err());
        assert!(lock.acquire("c").is_err());
        assert_eq!(lock.release(Stage::Admitted), Some("b"));
        assert!(!lock.try_acquire(), "a newcomer slipped past a waiter");
        assert_eq!(lock.release(Stage::Admitted), Some("c"));
        assert_eq!(lock.release(Stage::Admitted), None);
        assert!(lock.is_idle());
    }

    #[test]
    fn counts_admitted_and_entered_apart() {
        let lock = semaphore(1);
        assert!(lock.acquire("a").is_ok());
        assert_eq!(lock.stats(), stats(1, 1, 0));
        lock.enter();
        assert!(lock.acquire("b").is_err());
        assert_eq!(lock.stats(), stats(2, 1, 1));
        assert_eq!(lock.release(Stage::Entered), Some("b"));
        assert_eq!(lock.stats(), stats(1, 1, 0));
    }

    #[test]
    fn whoever_cancels_has_left_or_holds_the_permit() {
        let lock = semaphore(1);
        assert!(lock.acquire("a").is_ok());
        let b = lock.acquire("b").unwrap_err();
        let c = lock.acquire("c").unwrap_err();
        assert_eq!(lock.cancel(b), Some("b"));
        assert_eq!(lock.cancel(b), None);
        assert_eq!(lock.release(Stage::Admitted), Some("c"));
        assert_eq!(lock.cancel(c), None, "the permit was granted");
        assert_eq!(lock.stats().tasks, 1);
    }

    #[test]
    fn takes_everyone_when_unlimited() {
        let open: Semaphore<()> = Semaphore::new(Limit::UNLIMITED);
        for _ in 0..1000 {
            assert!(open.try_acquire());
        }
        assert_eq!(open.stats().tasks, 1000);
    }
}
