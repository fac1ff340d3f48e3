//! Reads one file, whole.
//!
//! It is looked at before it is opened, since opening alone can disturb a pipe or a device. Then one
//! `read` of a byte more than the size is enough in most cases: a regular file that gives less has ended.
//! What else may happen is met by going on: files of `/proc` have size 0, and any file may grow or shrink.

use std::fs::File;
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::buffers::Buffers;
use super::descriptors::Descriptors;
use super::failure::{Failure, Special, SystemCall};
use super::system;

/// The most that Node.js's readFile reads: 2 GiB - 1.
pub const LARGEST: u64 = (1 << 31) - 1;
/// How long to wait for somebody to close a file before a shortage of descriptors is an error.
const PATIENCE: Duration = Duration::from_secs(10);
const FIRST_READ: usize = 16 * 1024;
const LARGEST_READ: usize = 4 * 1024 * 1024;

/// What is known of a file before it is opened.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its size, or 0.
    pub size: u64,
    /// What it is, when it is no regular file or folder.
    pub special: Option<Special>,
}

/// Looks at a file.
///
/// # Errors
///
/// What opening it would say.
pub fn look(path: &Path) -> Result<Known, Failure> {
    let metadata = std::fs::metadata(path).map_err(|error| failure(&error, SystemCall::Open))?;
    let size = if metadata.is_file() { metadata.len() } else { 0 };
    if size > LARGEST {
        return Err(Failure::TooLarge(size));
    }
    Ok(Known { size, special: system::special(&metadata) })
}

/// Reads a file of which `known` is known. `is_wanted` is asked now and then; when it says no, what was read is as good as any.
///
/// # Errors
///
/// What the system says, or that the file turned out too large.
pub fn read(
    path: &Path,
    known: Known,
    descriptors: &Descriptors,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Vec<u8>, Failure> {
    let _permit = descriptors.acquire();
    let mut file = open(path, descriptors, is_wanted)?;
    let room = if known.size == 0 { FIRST_READ } else { known.size as usize + 1 };
    let mut data = Buffers::of_process().take(room);
    // It was wanted a moment ago, when it was claimed.
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
    Ok(data)
}

fn open(
    path: &Path,
    descriptors: &Descriptors,
    is_wanted: &dyn Fn() -> bool,
) -> Result<File, Failure> {
    let mut shortage: Option<Instant> = None;
    let mut pause = Duration::from_millis(1);
    loop {
        match system::open(path) {
            Ok(file) => return Ok(file),
            Err(error) if system::is_out_of_descriptors(&error) => {
                let since = *shortage.get_or_insert_with(Instant::now);
                if since.elapsed() > PATIENCE || !is_wanted() {
                    return Err(failure(&error, SystemCall::Open));
                }
                descriptors.ran_out();
                sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(50));
            }
            Err(error) => return Err(failure(&error, SystemCall::Open)),
        }
    }
}

fn is_readable(file: &File) -> Result<bool, Failure> {
    system::is_readable(file).map_err(|error| failure(&error, SystemCall::Read))
}

fn failure(error: &io::Error, call: SystemCall) -> Failure {
    Failure::System { errno: system::errno(error), call }
}

/// The failure of what had to come before opening.
pub(super) fn open_failure(error: &io::Error) -> Failure {
    failure(error, SystemCall::Open)
}

/// The failure of listing a folder.
pub(super) fn scandir_failure(error: &io::Error) -> Failure {
    failure(error, SystemCall::Scandir)
}
