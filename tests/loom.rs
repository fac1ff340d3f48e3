//! Every interleaving of a few threads on one semaphore. Runs with
//! `RUSTFLAGS="--cfg ya_syn_loom" cargo test --no-default-features --test loom --release`.
#![cfg(ya_syn_loom)]

use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::sync::{Arc, Notify};
use loom::thread;
use ya_syn_native::core::limit::Limit;
use ya_syn_native::core::locks::mailbox::{self, Address, Mailbox, Ticket};
use ya_syn_native::core::locks::queue::Place;
use ya_syn_native::core::locks::semaphore::{Semaphore, Stage};

/// A waiter that another thread wakes.
type Waiter = Arc<Signal>;

struct Signal {
    granted: AtomicBool,
    changed: Notify,
}

impl Signal {
    fn new() -> Waiter {
        Arc::new(Self { granted: AtomicBool::new(false), changed: Notify::new() })
    }

    fn grant(&self) {
        self.granted.store(true, Ordering::Release);
        self.changed.notify();
    }

    fn wait(&self) {
        // A notification may be spurious.
        while !self.granted.load(Ordering::Acquire) {
            self.changed.wait();
        }
    }
}

/// Runs every interleaving with at most three switches away from a thread that could go on. More
/// switches find nothing new in practice, and take hours.
fn check(test: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(test);
}

fn release(semaphore: &Semaphore<Waiter>) {
    if let Some(next) = semaphore.release(Stage::Entered) {
        next.grant();
    }
}

/// One critical section; tells whether it ran.
fn section(semaphore: &Semaphore<Waiter>, inside: &AtomicUsize, permits: usize) {
    let mine = Signal::new();
    if semaphore.acquire(Arc::clone(&mine)).is_err() {
        mine.wait();
    }
    semaphore.enter();
    assert!(inside.fetch_add(1, Ordering::AcqRel) < permits, "more inside than permits");
    inside.fetch_sub(1, Ordering::AcqRel);
    release(semaphore);
}

fn sections_on(threads: usize, permits: usize) {
    check(move || {
        let semaphore = Arc::new(Semaphore::new(Limit::from_f64(permits as f64).unwrap()));
        let inside = Arc::new(AtomicUsize::new(0));
        let others: Vec<_> = (1..threads)
            .map(|_| {
                let (semaphore, inside) = (Arc::clone(&semaphore), Arc::clone(&inside));
                thread::spawn(move || section(&semaphore, &inside, permits))
            })
            .collect();
        section(&semaphore, &inside, permits);
        others.into_iter().for_each(|other| other.join().unwrap());
        assert!(semaphore.is_idle(), "a permit was lost");
    });
}

#[test]
fn one_permit_lets_one_in_and_wakes_all() {
    sections_on(3, 1);
}

#[test]
fn two_permits_let_two_in() {
    sections_on(3, 2);
}

#[test]
fn a_cancel_that_races_a_release_leaves_or_owns_the_permit() {
    check(|| {
        let semaphore = Arc::new(Semaphore::new(Limit::ONE));
        assert!(semaphore.acquire(Signal::new()).is_ok());
        semaphore.enter();
        let mine = Signal::new();
        let place = semaphore.acquire(Arc::clone(&mine)).unwrap_err();
        let holder = {
            let semaphore = Arc::clone(&semaphore);
            thread::spawn(move || release(&semaphore))
        };
        if semaphore.cancel(place).is_none() {
            mine.wait();
            semaphore.enter();
            release(&semaphore);
        }
        holder.join().unwrap();
        assert!(semaphore.is_idle(), "a permit was lost");
    });
}

#[test]
fn a_newcomer_never_overtakes_a_waiter() {
    check(|| {
        let semaphore = Arc::new(Semaphore::new(Limit::ONE));
        assert!(semaphore.acquire(Signal::new()).is_ok());
        semaphore.enter();
        let mine = Signal::new();
        assert!(semaphore.acquire(Arc::clone(&mine)).is_err());
        let newcomer = {
            let semaphore = Arc::clone(&semaphore);
            thread::spawn(move || semaphore.try_acquire())
        };
        release(&semaphore);
        assert!(!newcomer.join().unwrap(), "a permit was free while somebody waited");
        mine.wait();
    });
}

/// A semaphore whose waiters stand on several threads.
type Shared = Arc<Semaphore<Address>>;

/// One thread's end: its mailbox, and the bell that wakes it.
struct Owner {
    mailbox: std::sync::Arc<Mailbox>,
    bell: Waiter,
}

impl Owner {
    fn new() -> Self {
        let (mailbox, bell) = (Mailbox::new(), Signal::new());
        let rung = Arc::clone(&bell);
        mailbox.set_bell(move || rung.grant());
        Self { mailbox, bell }
    }

    fn queue(&self, semaphore: &Shared, ticket: Ticket) -> Place {
        let address = Address { mailbox: std::sync::Arc::clone(&self.mailbox), ticket };
        semaphore.acquire(address).unwrap_err()
    }

    /// Sleeps until the bell has rung, then takes what has arrived.
    fn next_mail(&self) -> Vec<Ticket> {
        self.bell.wait();
        self.bell.granted.store(false, Ordering::Release);
        self.mailbox.take()
    }

    /// Ends as a thread does: no more tickets arrive, its waiter leaves the queue, and permits that it was granted are given back.
    fn end(&self, semaphore: &Shared, place: Place) {
        for _ in self.mailbox.close() {
            give(semaphore);
        }
        semaphore.cancel(place);
    }
}

/// A semaphore with all of its permits taken.
fn taken(permits: u32) -> Shared {
    let semaphore = Arc::new(Semaphore::new(Limit::from_f64(f64::from(permits)).unwrap()));
    for _ in 0..permits {
        assert!(semaphore.try_acquire());
    }
    semaphore
}

fn give(semaphore: &Shared) {
    assert_eq!(mailbox::release(semaphore, Stage::Admitted, None), None);
}

fn give_from_another_thread(semaphore: &Shared) -> thread::JoinHandle<()> {
    let semaphore = Arc::clone(semaphore);
    thread::spawn(move || give(&semaphore))
}

#[test]
fn whoever_cancels_while_a_permit_is_on_the_way_has_left_or_gets_mail() {
    check(|| {
        let semaphore = taken(1);
        let owner = Owner::new();
        let place = owner.queue(&semaphore, 7);
        let holder = give_from_another_thread(&semaphore);
        if semaphore.cancel(place).is_none() {
            assert_eq!(owner.next_mail(), [7]);
            give(&semaphore);
        }
        holder.join().unwrap();
        assert!(owner.mailbox.take().is_empty());
        assert!(semaphore.is_idle(), "a permit was lost");
    });
}

#[test]
fn no_ticket_of_two_deliveries_is_slept_through() {
    check(|| {
        let semaphore = taken(2);
        let owner = Owner::new();
        owner.queue(&semaphore, 1);
        owner.queue(&semaphore, 2);
        let holders = [give_from_another_thread(&semaphore), give_from_another_thread(&semaphore)];
        let mut arrived = Vec::new();
        while arrived.len() < 2 {
            arrived.extend(owner.next_mail());
        }
        for holder in holders {
            holder.join().unwrap();
        }
        arrived.sort_unstable();
        assert_eq!(arrived, [1, 2]);
        arrived.iter().for_each(|_| give(&semaphore));
        assert!(semaphore.is_idle(), "a permit was lost");
    });
}

#[test]
fn a_permit_on_the_way_to_a_thread_that_ends_goes_to_the_next() {
    check(|| {
        let semaphore = taken(1);
        let (dying, next) = (Owner::new(), Owner::new());
        let place = dying.queue(&semaphore, 1);
        next.queue(&semaphore, 2);
        let holder = give_from_another_thread(&semaphore);
        dying.end(&semaphore, place);
        assert_eq!(next.next_mail(), [2]);
        holder.join().unwrap();
        give(&semaphore);
        assert!(semaphore.is_idle(), "a permit was lost");
    });
}

#[test]
fn two_threads_that_end_at_once_leave_the_permit_free() {
    check(|| {
        let semaphore = taken(1);
        let (one, other) = (Owner::new(), Owner::new());
        let (first, second) = (one.queue(&semaphore, 1), other.queue(&semaphore, 2));
        let ending = {
            let semaphore = Arc::clone(&semaphore);
            thread::spawn(move || other.end(&semaphore, second))
        };
        give(&semaphore);
        one.end(&semaphore, first);
        ending.join().unwrap();
        assert!(semaphore.is_idle(), "a permit was lost");
    });
}
