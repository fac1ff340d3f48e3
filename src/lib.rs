//! Keyed async locks, semaphores and a bounded task pipeline for Node.js.
//!
//! Three layers, and imports point one way only, from each to those before it:
//!
//! * [`core`] decides who may run, in what order and how much at once. It does no I/O, knows no
//!   clock and no JavaScript, and builds alone with `--no-default-features`.
//! * [`exec`] carries native jobs out on Tokio, and decides by the core.
//! * `node` translates both for JavaScript: integers in, integers out, no decisions.

pub mod core;
#[cfg(feature = "exec")]
pub mod exec;
#[cfg(feature = "node")]
pub mod node;
