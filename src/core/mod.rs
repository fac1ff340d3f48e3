//! Pure decisions: admission, order, counters, keys and the bounded pipeline.
//!
//! Nothing in here blocks, sleeps, allocates threads or calls out; every answer follows from the
//! calls made so far. So the tests of it are exact, and whoever drives it (a JavaScript thread, a
//! Tokio task) chooses how to wait.

pub mod batch;
pub mod keyed;
pub mod limit;
pub mod mailbox;
pub mod pipeline;
pub mod queue;
pub mod semaphore;
pub mod slab;
pub mod spaces;
pub(crate) mod sync;
