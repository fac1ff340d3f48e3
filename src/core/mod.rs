//! Pure decisions: admission, order, counters, keys and the bounded pipeline.
//!
//! * [`locks`] are semaphores: alone, by key, and shared between threads.
//! * [`pipeline`] bounds and orders the tasks of one run, on those semaphores.
//! * [`batch`] re-cuts pages of items into batches, and paces the prefixes that a store throttles.
//! * [`limit`] checks how much may run at once, and [`slab`] recycles the integers that stand for values.
//!
//! Nothing in here does I/O, sleeps, starts a thread or reads a clock; a lock is held for no longer than a few
//! instructions. Time and random numbers are arguments, so every decision follows from the calls made so far, and the tests
//! of it are exact. Whoever drives the core (a JavaScript thread, a Tokio task) chooses how to wait. The one call out is the
//! bell of a [mailbox](locks::mailbox), which its owner sets, and which is rung under no lock.

pub mod batch;
pub mod limit;
pub mod locks;
pub mod pipeline;
pub mod slab;
pub(crate) mod sync;
