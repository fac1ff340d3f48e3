//! Keyed async locks, semaphores and a bounded task pipeline for Node.js.
//!
//! Two layers, and imports point one way only, from the second to the first:
//!
//! * [`core`] decides who may run, in what order and how much at once. It does no I/O, knows no
//!   clock and no JavaScript, and builds alone with `--no-default-features`.
//! * `node` translates the core for JavaScript: integers in, integers out, no decisions.

pub mod core;
#[cfg(feature = "node")]
pub mod node;
