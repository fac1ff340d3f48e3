//! Every interleaving of a few threads on one semaphore. Runs with
//! `RUSTFLAGS="--cfg ya_syn_loom" cargo test --no-default-features --test loom --release`.
#![cfg(ya_syn_loom)]

use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::sync::{Arc, Notify};
use loom::thread;
use ya_syn_native::core::limit::Limit;
use ya_syn_native::core::semaphore::{Semaphore, Stage};

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

/// Runs every interleaving with at most three switches away from a thread that could go on; more
/// find nothing new in practice and take hours.
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
