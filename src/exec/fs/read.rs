//! Reads one file, whole.
//!
//! A file is looked at before it is opened, since opening alone can disturb a pipe or a device. Then one
//! `read` of a byte more than the size is enough in most cases: a regular file that gives less has ended.
//! In all other cases it is read on to its end: files of `/proc` have size 0, and any file may grow or shrink.
//!
//! A file that is truncated while one `read` copies it can give zeros that were never in it: the system clears the rest of the
//! page in which the file now ends. So the size is asked again after reading, and bytes beyond that size are dropped. A small file
//! without a zero in it needs no second question.

use super::buffers::Buffers;
use super::descriptors::Descriptors;
use super::failure::{Failure, SystemCall};
use super::known::Known;
use super::system;
use std::fs::File;
use std::io;
use std::path::Path;

/// The most that Node.js's readFile reads: 2 GiB - 1.
pub const LARGEST: u64 = (1 << 31) - 1;
const FIRST_READ: usize = 16 * 1024;
const LARGEST_READ: usize = 4 * 1024 * 1024;
/// Zeros are looked for in files up to this size.
const LOOKED_THROUGH: usize = 64 * 1024;

/// Looks at a file.
///
/// # Errors
///
/// The failure that opening the file would have, or that it is too large.
pub fn look(path: &Path) -> Result<Known, Failure> {
    let metadata = std::fs::metadata(path).map_err(|error| failure(&error, SystemCall::Open))?;
    let size = if metadata.is_file() { metadata.len() } else { 0 };
    if size > LARGEST {
        return Err(Failure::TooLarge(size));
    }
    Ok(Known { size, special: system::special(&metadata) })
}

/// Reads a file, of which `known` is known. `is_wanted` is asked now and then. Once it says no, nobody uses what is returned,
/// and reading ends early.
///
/// # Errors
///
/// The failure of the system call, or that the file turned out too large.
pub fn read(path: &Path, known: Known, is_wanted: &dyn Fn() -> bool) -> Result<Vec<u8>, Failure> {
    let descriptors = match known.special {
        Some(_) => Descriptors::for_special_files(),
        None => Descriptors::of_process(),
    };
    let _permit = descriptors.acquire();
    let open = || system::open(path);
    let opened = descriptors.open(is_wanted, open);
    let mut file = opened.map_err(|error| failure(&error, SystemCall::Open))?;
    let room = if known.size == 0 { FIRST_READ } else { known.size as usize + 1 };
    let mut data = Buffers::of_process().take(room);
    // The file was wanted a moment ago, when it was claimed.
    let mut is_first = true;
    while std::mem::take(&mut is_first) || is_wanted() {
        if data.len() == data.capacity() {
            data.reserve(data.len().clamp(FIRST_READ, LARGEST_READ));
        }
        // A pipe that nobody has opened for writing yet would read as empty.
        if known.special.is_some() && !is_readable(&file)? {
            continue;
        }
        match system::read(&mut file, &mut data) {
            Ok(0) => break,
            Ok(_) if data.len() as u64 > LARGEST => {
                return Err(Failure::TooLarge(data.len() as u64));
            }
            Ok(_) if known.size > 0 && data.len() as u64 == known.size => break,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && known.special.is_some() => {}
            Err(error) => return Err(failure(&error, SystemCall::Read)),
        }
    }
    if known.size > 0 && (data.len() > LOOKED_THROUGH || memchr::memchr(0, &data).is_some()) {
        drop_what_was_cut_off(&file, &mut data)?;
    }
    Ok(data)
}

fn drop_what_was_cut_off(file: &File, data: &mut Vec<u8>) -> Result<(), Failure> {
    let metadata = file.metadata().map_err(|error| failure(&error, SystemCall::Read))?;
    // The path may lead to something without a size since the file was looked at.
    if metadata.is_file() {
        data.truncate(usize::try_from(metadata.len()).unwrap_or(usize::MAX));
    }
    Ok(())
}

fn is_readable(file: &File) -> Result<bool, Failure> {
    system::is_readable(file).map_err(|error| failure(&error, SystemCall::Read))
}

fn failure(error: &io::Error, call: SystemCall) -> Failure {
    Failure::System { errno: system::errno(error), call }
}

/// The failure of a step that had to come before opening.
pub(super) fn open_failure(error: &io::Error) -> Failure {
    failure(error, SystemCall::Open)
}

/// The failure of listing a folder.
pub(super) fn scandir_failure(error: &io::Error) -> Failure {
    failure(error, SystemCall::Scandir)
}

#[cfg(all(test, unix))]
#[path = "read_tests.rs"]
mod tests;
