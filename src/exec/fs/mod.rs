//! Reading and listing files by the thousand.
//!
//! A [`job::ReadJob`] takes paths in and gives outcomes out. Its [`window`] decides which files are in flight, and in which
//! order their outcomes are given. The [`pool`], one for the process, reads for all jobs: a small number of threads, each in one file
//! at a time. A thread that is stuck in one file (a dead mount) is replaced, and a file that can make its reader wait for
//! ever (a pipe) is only read on a thread of its own. [`descriptors`] bounds the files that are open at once, and lowers
//! that bound while the process is short of descriptors; [`buffers`] keeps the memory of large files for the next ones.
//! [`list`] finds paths, for a [`list_job`] or straight into a [`job::ReadJob`]; [`patterns`] says which paths are wanted, and
//! which folders need not be entered. Relative paths start from a [`base`], which is fixed when a job is called for.

pub mod base;
pub mod buffers;
pub mod descriptors;
pub mod failure;
pub mod job;
pub mod known;
pub mod list;
pub mod list_job;
pub mod patterns;
pub mod pool;
pub mod read;
mod system;
pub mod window;
