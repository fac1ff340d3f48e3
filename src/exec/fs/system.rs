//! What differs between operating systems: kinds of files, opening without waiting, error numbers, limits.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

use super::known::Special;

#[cfg(unix)]
mod imp {
    use super::*;
    use rustix::io::Errno;
    use std::fs::OpenOptions;
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};

    pub fn special(metadata: &Metadata) -> Option<Special> {
        let kind = metadata.file_type();
        [
            (kind.is_fifo(), Special::Pipe),
            (kind.is_socket(), Special::Socket),
            (kind.is_char_device(), Special::CharacterDevice),
            (kind.is_block_device(), Special::BlockDevice),
        ]
        .into_iter()
        .find_map(|(is, special)| is.then_some(special))
    }

    /// Opens without waiting: should the file have become a pipe since it was looked at, nothing hangs.
    pub fn open(path: &Path) -> io::Result<File> {
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)
    }

    /// Whether there is something to read, or the end, within a moment.
    pub fn is_readable(file: &File) -> io::Result<bool> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let moment = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
        match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&moment)) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Appends what one `read` gives to the room that `data` has left.
    pub fn read(file: &mut File, data: &mut Vec<u8>) -> io::Result<usize> {
        Ok(rustix::io::read(file, rustix::buffer::spare_capacity(data))?)
    }

    /// The number that libuv has for an error.
    pub fn errno(error: &io::Error) -> i32 {
        -error.raw_os_error().unwrap_or(Errno::IO.raw_os_error())
    }

    pub fn is_out_of_descriptors(error: &io::Error) -> bool {
        let errno = error.raw_os_error();
        errno == Some(Errno::MFILE.raw_os_error()) || errno == Some(Errno::NFILE.raw_os_error())
    }

    /// Whether links lead in a circle.
    pub fn is_link_loop(error: &io::Error) -> bool {
        error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
    }

    pub fn descriptor_limit() -> u64 {
        rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX)
    }
}

#[cfg(not(unix))]
mod imp {
    use super::*;
    use std::io::{ErrorKind, Read};

    pub fn special(_: &Metadata) -> Option<Special> {
        None
    }

    pub fn open(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub fn is_readable(_: &File) -> io::Result<bool> {
        Ok(true)
    }

    /// Appends what one `read` gives to the room that `data` has left.
    pub fn read(file: &mut File, data: &mut Vec<u8>) -> io::Result<usize> {
        let filled = data.len();
        data.resize(data.capacity(), 0);
        let count = file.read(&mut data[filled..]);
        data.truncate(filled + count.as_ref().copied().unwrap_or(0));
        count
    }

    /// The number that libuv has for an error on Windows.
    pub fn errno(error: &io::Error) -> i32 {
        match error.kind() {
            ErrorKind::NotFound => -4058,
            ErrorKind::PermissionDenied => -4048,
            ErrorKind::NotADirectory => -4052,
            ErrorKind::IsADirectory => -4068,
            ErrorKind::InvalidFilename => -4064,
            ErrorKind::InvalidInput => -4071,
            ErrorKind::ResourceBusy => -4082,
            _ if is_out_of_descriptors(error) => -4066,
            _ => -4070,
        }
    }

    pub fn is_out_of_descriptors(error: &io::Error) -> bool {
        // ERROR_TOO_MANY_OPEN_FILES
        error.raw_os_error() == Some(4)
    }

    pub fn is_link_loop(error: &io::Error) -> bool {
        // ERROR_CANT_RESOLVE_FILENAME
        error.raw_os_error() == Some(1921)
    }

    pub fn descriptor_limit() -> u64 {
        u64::MAX
    }
}

pub use imp::{
    descriptor_limit, errno, is_link_loop, is_out_of_descriptors, is_readable, open, read, special,
};
