//! Keyed async locks, semaphores and a bounded task pipeline for Node.js.
//!
//! Three layers, and imports point one way only, from the later to the earlier:
//!
//! * [`core`] decides who may run, in what order and how much at once. It does no I/O, knows no
//!   clock and no JavaScript, and builds alone with `--no-default-features`.
//! * [`exec`] does I/O in bulk at the pace that the core allows, on threads of its own. It knows no
//!   JavaScript either.
//! * `node` translates both for JavaScript: integers in, integers out, no decisions.

pub mod core;
#[cfg(any(feature = "fs", feature = "tokio"))]
pub mod exec;
#[cfg(feature = "node")]
pub mod node;
#[cfg(any(feature = "fs", feature = "node", feature = "tokio"))]
mod panics;
#[cfg(any(feature = "fs", feature = "node", feature = "tokio"))]
mod test_hooks;
