//! Why a file was not read, as data: what JavaScript needs to make the error that Node.js would give.

use std::any::Any;

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

/// What kind of file it is that is read only on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// A FIFO.
    Pipe,
    /// A socket of the file system.
    Socket,
    /// Such as a terminal.
    CharacterDevice,
    /// Such as a disk.
    BlockDevice,
}

/// A failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The system said no; with libuv's number.
    System {
        /// Negative.
        errno: i32,
        /// What was called.
        call: SystemCall,
    },
    /// It is no regular file.
    Special(Special),
    /// It took longer than allowed.
    Timeout,
    /// It has this many bytes, more than a Buffer of Node.js's readFile can have.
    TooLarge(u64),
    /// Our own fault.
    Panic(String),
}

impl Failure {
    /// The failure that a panic is.
    pub(super) fn of_panic(panic: &(dyn Any + Send)) -> Self {
        Self::Panic(panics::text_of(panic).to_owned())
    }
}
