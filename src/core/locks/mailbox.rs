//! How a permit reaches a waiter on another thread.
//!
//! Each thread that waits has a [`Mailbox`], and each of its waiters is an [`Address`]: the mailbox
//! and a ticket of its thread. Whoever releases a permit puts the ticket into the mailbox. The first ticket in an empty
//! mailbox rings the owner's bell, and those that follow are taken with it, so that a wake-up crosses threads once per batch.
//!
//! A mailbox that was closed takes no more tickets. A permit whose ticket could not be delivered goes to the next waiter,
//! so a thread that ends never takes a permit with it.

use std::fmt;

use super::semaphore::{Semaphore, Stage};
use std::sync::Arc;

use crate::core::sync::Mutex;

/// The integer that stands for a waiter on the thread that waits.
pub type Ticket = u32;

type Bell = Box<dyn Fn() + Send + Sync>;

/// Where the grants for one thread arrive.
pub struct Mailbox {
    state: Mutex<State>,
}

struct State {
    granted: Vec<Ticket>,
    open: bool,
    bell: Option<Arc<Bell>>,
}

/// A waiter on some thread.
#[derive(Clone, Debug)]
pub struct Address {
    /// The mailbox of its thread.
    pub mailbox: Arc<Mailbox>,
    /// The integer that stands for the waiter on that thread.
    pub ticket: Ticket,
}

impl Mailbox {
    /// An open, empty mailbox without a bell.
    #[allow(clippy::new_without_default, reason = "a mailbox is known by its address")]
    pub fn new() -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(State { granted: Vec::new(), open: true, bell: None }) })
    }

    /// Sets what tells the owner that tickets have arrived; it is called from any thread, under no lock.
    pub fn set_bell(&self, bell: impl Fn() + Send + Sync + 'static) {
        self.state.lock().bell = Some(Arc::new(Box::new(bell)));
    }

    /// Whether a bell was set.
    pub fn has_bell(&self) -> bool {
        self.state.lock().bell.is_some()
    }

    /// Takes the tickets that have arrived. Their waiters hold permits.
    pub fn take(&self) -> Vec<Ticket> {
        std::mem::take(&mut self.state.lock().granted)
    }

    /// Takes no more tickets from now on, and returns those that had arrived. Their waiters hold permits.
    ///
    /// The bell is dropped with the mailbox, and not here: another thread may be about to ring the bell. That thread would be
    /// the last to own it, and would drop it while what the bell calls is taken down.
    pub fn close(&self) -> Vec<Ticket> {
        let mut state = self.state.lock();
        state.open = false;
        std::mem::take(&mut state.granted)
    }

    /// Puts a ticket into the mailbox; false when the mailbox is closed.
    fn deliver(&self, ticket: Ticket) -> bool {
        let mut state = self.state.lock();
        if !state.open {
            return false;
        }
        state.granted.push(ticket);
        let bell = (state.granted.len() == 1).then(|| state.bell.clone()).flatten();
        drop(state);
        if let Some(bell) = bell {
            bell();
        }
        true
    }
}

/// Gives the permit of a holder at this stage back, and tells the waiter that gets the permit.
///
/// The ticket of a waiter of the mailbox `here` is returned instead: that waiter belongs to this thread, which can wake it at
/// once.
pub fn release(
    semaphore: &Semaphore<Address>,
    stage: Stage,
    here: Option<&Arc<Mailbox>>,
) -> Option<Ticket> {
    let mut next = semaphore.release(stage);
    while let Some(Address { mailbox, ticket }) = next {
        if here.is_some_and(|here| Arc::ptr_eq(here, &mailbox)) {
            return Some(ticket);
        }
        if mailbox.deliver(ticket) {
            return None;
        }
        next = semaphore.release(Stage::Admitted);
    }
    None
}

impl fmt::Debug for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mailbox").finish_non_exhaustive()
    }
}

#[cfg(all(test, not(ya_syn_loom)))]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::core::limit::Limit;

    fn address(mailbox: &Arc<Mailbox>, ticket: Ticket) -> Address {
        Address { mailbox: Arc::clone(mailbox), ticket }
    }

    #[test]
    fn a_batch_of_grants_rings_once() {
        let (here, there) = (Mailbox::new(), Mailbox::new());
        let rings = std::sync::Arc::new(AtomicU32::new(0));
        let counted = std::sync::Arc::clone(&rings);
        there.set_bell(move || {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        let semaphore = Semaphore::new(Limit::from_f64(2.0).unwrap());
        for ticket in 0..5 {
            let _ = semaphore.acquire(address(&there, ticket));
        }
        for _ in 0..2 {
            assert_eq!(release(&semaphore, Stage::Admitted, Some(&here)), None);
        }
        assert_eq!(rings.load(Ordering::Relaxed), 1);
        assert_eq!(there.take(), [2, 3]);
        release(&semaphore, Stage::Admitted, None);
        assert_eq!((there.take(), rings.load(Ordering::Relaxed)), (vec![4], 2));
    }

    #[test]
    fn a_waiter_of_this_thread_is_returned() {
        let here = Mailbox::new();
        let semaphore = Semaphore::new(Limit::ONE);
        assert!(semaphore.acquire(address(&here, 0)).is_ok());
        assert!(semaphore.acquire(address(&here, 7)).is_err());
        assert_eq!(release(&semaphore, Stage::Admitted, Some(&here)), Some(7));
        assert!(here.take().is_empty());
    }

    #[test]
    fn the_permit_of_a_dead_thread_goes_to_the_next() {
        let (dead, alive) = (Mailbox::new(), Mailbox::new());
        let semaphore = Semaphore::new(Limit::ONE);
        assert!(semaphore.try_acquire());
        for (mailbox, ticket) in [(&dead, 1), (&dead, 2), (&alive, 3)] {
            assert!(semaphore.acquire(address(mailbox, ticket)).is_err());
        }
        assert!(dead.close().is_empty());
        release(&semaphore, Stage::Admitted, None);
        assert_eq!(alive.take(), [3]);
        release(&semaphore, Stage::Admitted, None);
        assert!(semaphore.is_idle());
    }
}
