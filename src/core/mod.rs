//! Pure decisions: admission, order, counters, keys and the bounded pipeline.
//!
//! Nothing in here blocks, sleeps, allocates threads or calls out; every answer follows from the
//! calls made so far. So the tests of it are exact, and whoever drives it (a JavaScript thread, a
//! Tokio task) chooses how to wait.

pub mod batch;
pub mod limit;
pub mod locks;
pub mod pipeline;
pub mod slab;
pub(crate) mod sync;
