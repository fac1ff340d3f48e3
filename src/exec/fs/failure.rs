//! Why a file was not read, as data: what JavaScript needs to make the error that Node.js would give.

use std::any::Any;

use super::known::Special;
use crate::panics;

/// The system call that failed, by the name that Node.js has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemCall {
    /// `open`, or what would have kept it from opening.
    Open,
    /// `read`.
    Read,
    /// Reading a folder.
    Scandir,
}

/// Why a file was not read, or a folder not listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A system call failed.
    System {
        /// The number that libuv has for the error, which is negative.
        errno: i32,
        /// The call that failed.
        call: SystemCall,
    },
    /// It is no regular file, and reading such files was not asked for.
    Special(Special),
    /// Reading took longer than the job's time for one file.
    Timeout,
    /// It has this many bytes, more than a Buffer of Node.js's readFile can have.
    TooLarge(u64),
    /// A panic, with its message.
    Panic(String),
}

impl Failure {
    /// The failure of work that panicked.
    pub(super) fn of_panic(panic: &(dyn Any + Send)) -> Self {
        Self::Panic(panics::text_of(panic).to_owned())
    }
}
