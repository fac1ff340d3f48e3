//! Native jobs: the ends of a pipeline that do I/O, on Tokio. Nothing here knows JavaScript.
//!
//! * [`source`] says what a source and an executor are, and [`run`] drives one into the other through the core's
//!   [`Pipeline`](crate::core::pipeline::Pipeline).
//! * [`stop`] is how a job is told to end, [`race`] waits for the first of two things.
//! * [`runtime`] is the one Tokio runtime of the process.
//! * `s3` lists and deletes objects.

pub mod race;
pub mod run;
pub mod runtime;
#[cfg(feature = "s3")]
pub mod s3;
pub mod source;
pub mod stop;
