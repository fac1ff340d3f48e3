//! Semaphores: alone, by key, and shared between threads.
//!
//! [`semaphore`] holds permits and a [`queue`] of waiters; [`keyed`] has one for each key that is in use; [`spaces`] shares
//! those keys under a name among all threads of the process, and a [`mailbox`] tells a thread which of its waiters
//! were granted a permit by others.

pub mod keyed;
pub mod mailbox;
pub mod queue;
pub mod semaphore;
pub mod spaces;
