//! Reading and listing files by the thousand.
//!
//! A [`job::ReadJob`] takes paths in and gives outcomes out, in a window and an order that the pipeline of the
//! core decides. The [`pool`], one for the process, reads for all jobs: a small number of threads, each with one file
//! open at a time. So the number of threads bounds the descriptors, and [`descriptors`] lowers it
//! further while the process is short of them. A thread that is stuck in one file (a dead mount) is
//! replaced, and a file that can make its reader wait for ever (a pipe) is only read on a thread of its own.
//! [`buffers`] keeps the memory of large files for the next ones.
//! [`list`] finds paths, for a job of its own or straight into a [`job::ReadJob`].

pub mod buffers;
pub mod descriptors;
pub mod failure;
pub mod job;
pub mod list;
pub mod list_job;
pub mod pool;
pub mod read;
mod system;
