//! I/O in bulk: drives the core with native ends, on threads of its own. It knows no JavaScript.
//!
//! * `fs` reads and lists files, on threads that may block.
//! * [`source`] says what a source and an executor on Tokio are, and [`run`] drives one into the other through the core's
//!   [`Pipeline`](crate::core::pipeline::Pipeline); [`stop`] is how such a job is told to end, [`race`] waits for the first
//!   of two things, and [`runtime`] is the one Tokio runtime of the process.
//! * `s3` lists and deletes objects.
//! * `glob` is what patterns mean, for both.

#[cfg(feature = "fs")]
pub mod fs;
#[cfg(any(feature = "fs", feature = "s3"))]
pub mod glob;
#[cfg(feature = "tokio")]
pub mod race;
#[cfg(feature = "tokio")]
pub mod run;
#[cfg(feature = "tokio")]
pub mod runtime;
#[cfg(feature = "s3")]
pub mod s3;
#[cfg(feature = "tokio")]
pub mod source;
#[cfg(feature = "tokio")]
pub mod stop;
