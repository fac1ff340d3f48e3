//! What is known of a file before it is opened.

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

/// What a look at a file told.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The size of a regular file in bytes; 0 for all else.
    pub size: u64,
    /// What kind of file it is, when it is neither a regular file nor a folder.
    pub special: Option<Special>,
}
