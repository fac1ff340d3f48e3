//! Finds the files under a folder, in the order of their names, on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use walkdir::{DirEntry, WalkDir};

use super::failure::{Failure, SystemCall};
use super::read::scandir_failure;
use crate::faults;

/// Which files are listed.
#[derive(Debug, Default)]
pub struct Options {
    /// Only files whose path below the folder matches one of these; all when it is empty.
    pub glob: Vec<String>,
    /// Neither files nor folders that match one of these.
    pub ignore: Vec<String>,
    /// Lists what links lead to; without it links are passed over.
    pub follow_symlinks: bool,
    /// Also those whose name starts with a dot.
    pub hidden: bool,
}

/// Where to look for what.
pub struct Listing {
    root: PathBuf,
    glob: GlobSet,
    globs: bool,
    ignore: GlobSet,
    follow_symlinks: bool,
    hidden: bool,
}

impl Listing {
    /// Compiles the patterns.
    ///
    /// # Errors
    ///
    /// What is wrong with which pattern.
    pub fn new(root: PathBuf, options: &Options) -> Result<Self, String> {
        Ok(Self {
            root,
            glob: compile(&options.glob)?,
            globs: !options.glob.is_empty(),
            ignore: compile(&options.ignore)?,
            follow_symlinks: options.follow_symlinks,
            hidden: options.hidden,
        })
    }

    /// Calls `found` with each file until that says no. A loop of symbolic links is entered once.
    ///
    /// # Errors
    ///
    /// The first folder that can't be listed. A panic is such a failure too.
    pub fn walk(&self, found: impl FnMut(PathBuf) -> bool) -> Result<(), (PathBuf, Failure)> {
        catch_unwind(AssertUnwindSafe(|| self.walk_on(found)))
            .unwrap_or_else(|panic| Err((self.root.clone(), Failure::of_panic(&*panic))))
    }

    fn walk_on(&self, mut found: impl FnMut(PathBuf) -> bool) -> Result<(), (PathBuf, Failure)> {
        faults::pass("listFiles");
        let walk = WalkDir::new(&self.root).follow_links(self.follow_symlinks).sort_by_file_name();
        for entry in walk.into_iter().filter_entry(|entry| self.enters(entry)) {
            match entry {
                Ok(entry) if entry.depth() == 0 && !entry.file_type().is_dir() => {
                    return Err((entry.into_path(), not_a_folder()));
                }
                Ok(entry) => {
                    if self.lists(&entry) && !found(entry.into_path()) {
                        return Ok(());
                    }
                }
                Err(error) if error.loop_ancestor().is_some() => {}
                // A link to nothing, or what vanished since its folder was read.
                Err(error) if error.depth() > 0 && is_missing(&error) => {}
                Err(error) => {
                    let path = error.path().unwrap_or(&self.root).to_owned();
                    let failure = error.io_error().map_or_else(not_a_folder, scandir_failure);
                    return Err((path, failure));
                }
            }
        }
        Ok(())
    }

    fn enters(&self, entry: &DirEntry) -> bool {
        if entry.depth() == 0 {
            return true;
        }
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        (self.hidden || !is_hidden) && !self.ignore.is_match(self.below(entry.path()))
    }

    fn lists(&self, entry: &DirEntry) -> bool {
        entry.file_type().is_file() && (!self.globs || self.glob.is_match(self.below(entry.path())))
    }

    fn below<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }
}

fn is_missing(error: &walkdir::Error) -> bool {
    error.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

fn not_a_folder() -> Failure {
    #[cfg(windows)]
    let errno = -4052;
    #[cfg(not(windows))]
    let errno = -20;
    Failure::System { errno, call: SystemCall::Scandir }
}

fn compile(patterns: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        set.add(glob.map_err(|error| error.to_string())?);
    }
    set.build().map_err(|error| error.to_string())
}
