//! Finds the files under a folder, in the order of their names, on a thread of its own.
//!
//! A folder is read whole, with one descriptor that is closed again before the finder is told of a file, and sorted. Files and
//! folders that no pattern can match are neither kept nor entered.

use std::ffi::OsString;
use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::vec;

use super::base::Base;
use super::descriptors::Descriptors;
use super::failure::Failure;
use super::patterns::{Ignored, Wanted};
use super::read::scandir_failure;
use super::system;
use crate::exec::glob::SAY_DOT;
use crate::test_hooks;

/// After so many entries of a folder the finder is asked whether anybody wants more.
const ASK_EVERY: usize = 1024;

/// Which files are listed.
#[derive(Debug, Default)]
pub struct Options {
    /// Only files whose path below the folder matches one of these; all when it is empty.
    pub glob: Vec<String>,
    /// Files that match one of these are not listed, and folders that match one are not entered.
    pub ignore: Vec<String>,
    /// Whether symbolic links are followed; otherwise links below the folder are passed over.
    pub follow_symlinks: bool,
    /// Whether files and folders whose name starts with a dot are listed without a pattern that says the dot.
    pub hidden: bool,
}

/// Where to look for what.
pub struct Listing {
    base: Base,
    root: PathBuf,
    wanted: Option<Wanted>,
    ignored: Ignored,
    follow_symlinks: bool,
    hidden: bool,
}

/// Takes the files that a listing finds.
pub trait Finder {
    /// Takes a file, waiting for room if need be; false when nobody wants more.
    fn found(&self, path: PathBuf) -> bool;
    /// Whether anybody wants more.
    fn is_wanted(&self) -> bool;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Link,
}

struct Folder {
    /// The path that the finder is told.
    told: PathBuf,
    /// The path that the system is asked for.
    asked: PathBuf,
    /// Its path from the root, with slashes, for patterns.
    below: Below,
    /// Its path without any links, when links are followed.
    real: Option<PathBuf>,
    entries: vec::IntoIter<(OsString, Kind)>,
}

/// A path from the root, as patterns see it.
#[derive(Clone, Default)]
struct Below {
    plain: String,
    /// When hidden files are not listed, with [`SAY_DOT`] before each name that starts with a dot.
    marked: String,
}

impl Below {
    fn join(&self, name: &str, marks: bool) -> Self {
        let mut joined = self.clone();
        for path in [&mut joined.plain, &mut joined.marked] {
            if !path.is_empty() {
                path.push('/');
            }
        }
        if marks && name.starts_with('.') {
            joined.marked.push(SAY_DOT);
        }
        joined.plain.push_str(name);
        joined.marked.push_str(name);
        joined
    }
}

impl Listing {
    /// Compiles the patterns.
    ///
    /// # Errors
    ///
    /// A text that names the pattern and says what is wrong with it.
    pub fn new(base: Base, root: PathBuf, options: &Options) -> Result<Self, String> {
        let has_globs = !options.glob.is_empty();
        Ok(Self {
            base,
            root,
            wanted: has_globs.then(|| Wanted::new(&options.glob)).transpose()?,
            ignored: Ignored::new(&options.ignore)?,
            follow_symlinks: options.follow_symlinks,
            hidden: options.hidden,
        })
    }

    /// Tells `finder` of each file until nobody wants more. A loop of symbolic links is entered once.
    ///
    /// # Errors
    ///
    /// The first folder that can't be listed. A panic is such a failure too.
    pub fn walk(&self, finder: &impl Finder) -> Result<(), (PathBuf, Failure)> {
        catch_unwind(AssertUnwindSafe(|| self.walk_on(finder)))
            .unwrap_or_else(|panic| Err((self.root.clone(), Failure::of_panic(&*panic))))
    }

    fn walk_on(&self, finder: &impl Finder) -> Result<(), (PathBuf, Failure)> {
        test_hooks::pass("listFiles");
        let asked = self.base.resolve(&self.root).into_owned();
        let real = self.follow_symlinks.then(|| fs::canonicalize(&asked).ok()).flatten();
        let root = self.enter(self.root.clone(), asked, Below::default(), real, finder);
        let mut open = vec![root.map_err(|error| self.failure(&self.root, &error))?];
        while let Some(folder) = open.last_mut() {
            let Some((name, kind)) = folder.entries.next() else {
                open.pop();
                continue;
            };
            let told = folder.told.join(&name);
            if kind == Kind::File {
                if !finder.found(told) {
                    return Ok(());
                }
                continue;
            }
            let asked = folder.asked.join(&name);
            let below = folder.below.join(&name.to_string_lossy(), !self.hidden);
            let mut real = folder.real.as_ref().map(|real| real.join(&name));
            if kind == Kind::Link {
                match self.follow(&asked, &below) {
                    Ok(None) => continue,
                    Ok(Some(Kind::Folder)) => real = fs::canonicalize(&asked).ok(),
                    Err(error) => return Err(self.failure(&told, &error)),
                    Ok(Some(_)) => {
                        if finder.found(told) {
                            continue;
                        }
                        return Ok(());
                    }
                }
                if real.is_some() && open.iter().any(|folder| folder.real == real) {
                    continue;
                }
            }
            match self.enter(told.clone(), asked, below, real, finder) {
                Ok(folder) => open.push(folder),
                Err(error) if is_missing(&error) => self.check_root()?,
                Err(error) => return Err(self.failure(&told, &error)),
            }
            if !finder.is_wanted() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// A folder that was deleted after the folder above it was read is passed over; when the root was deleted, listing fails.
    fn check_root(&self) -> Result<(), (PathBuf, Failure)> {
        let root = fs::metadata(self.base.resolve(&self.root));
        root.map(drop).map_err(|error| self.failure(&self.root, &error))
    }

    /// What a link leads to, if that is listed or entered.
    fn follow(&self, asked: &Path, below: &Below) -> io::Result<Option<Kind>> {
        let metadata = match fs::metadata(asked) {
            Ok(metadata) => metadata,
            // The link leads nowhere.
            Err(error) if is_missing(&error) || system::is_link_loop(&error) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let kind = match metadata.file_type() {
            kind if kind.is_dir() => Kind::Folder,
            kind if kind.is_file() => Kind::File,
            _ => return Ok(None),
        };
        Ok(self.takes(below, kind).then_some(kind))
    }

    fn enter(
        &self,
        told: PathBuf,
        asked: PathBuf,
        below: Below,
        real: Option<PathBuf>,
        finder: &impl Finder,
    ) -> io::Result<Folder> {
        let descriptors = Descriptors::of_process();
        let permit = descriptors.acquire();
        let found = descriptors.open(&|| finder.is_wanted(), || fs::read_dir(&asked))?;
        let mut entries = Vec::new();
        for (n, entry) in found.enumerate() {
            if n % ASK_EVERY == ASK_EVERY - 1 && !finder.is_wanted() {
                break;
            }
            let entry = entry?;
            if let Some(kind) = self.kind_of(&entry, &below)? {
                entries.push((entry.file_name(), kind));
            }
        }
        drop(permit);
        entries.sort_unstable_by(|(one, _), (other, _)| {
            one.as_encoded_bytes().cmp(other.as_encoded_bytes())
        });
        Ok(Folder { told, asked, below, real, entries: entries.into_iter() })
    }

    /// What an entry is, if it is listed, entered or followed.
    fn kind_of(&self, entry: &DirEntry, folder: &Below) -> io::Result<Option<Kind>> {
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_file() => Kind::File,
            Ok(kind) if kind.is_dir() => Kind::Folder,
            Ok(kind) if kind.is_symlink() && self.follow_symlinks => Kind::Link,
            Ok(_) => return Ok(None),
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        if !self.has_patterns() && self.hidden {
            return Ok(Some(kind));
        }
        let name = entry.file_name();
        let below = folder.join(&name.to_string_lossy(), !self.hidden);
        // Patterns for files or for folders are applied to a link once it is known what the link leads to.
        Ok((kind == Kind::Link || self.takes(&below, kind)).then_some(kind))
    }

    fn has_patterns(&self) -> bool {
        self.wanted.is_some() || self.ignored.has_any()
    }

    /// Whether a file is listed, or a folder entered.
    fn takes(&self, below: &Below, kind: Kind) -> bool {
        let is_wanted = match (&self.wanted, kind) {
            (None, _) => !below.marked.contains(SAY_DOT),
            (Some(wanted), Kind::Folder) => wanted.may_be_below(&below.marked),
            (Some(wanted), _) => wanted.has_file(&below.marked),
        };
        is_wanted
            && !match kind {
                Kind::Folder => self.ignored.has_folder(&below.plain),
                _ => self.ignored.has_file(&below.plain),
            }
    }

    fn failure(&self, path: &Path, error: &io::Error) -> (PathBuf, Failure) {
        (path.to_owned(), scandir_failure(error))
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[cfg(all(test, unix))]
#[path = "list_tests.rs"]
mod tests;
