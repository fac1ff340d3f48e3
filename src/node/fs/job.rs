//! File jobs as the table of jobs knows them.

use std::path::PathBuf;
use std::sync::Arc;

use napi::{Error, Result};

use super::chunk::Chunk;
use crate::exec::fs::job::{Next, Options, ReadJob};
use crate::exec::fs::list::Listing;
use crate::exec::fs::list_job::{self, ListJob};
use crate::node::jobs::{Job, Notifier, Taken};

/// Reads files whose paths JavaScript gives, or a listing.
pub struct Read {
    job: Arc<ReadJob>,
    /// Whether JavaScript learns the paths from here.
    tells_paths: bool,
}

impl Read {
    /// A job that waits for paths.
    pub fn new(options: Options, notifier: Notifier) -> Self {
        Self { job: ReadJob::new(options, move || notifier.notify()), tells_paths: false }
    }

    /// A job that reads what a listing finds.
    pub fn of_list(options: Options, listing: Listing, notifier: Notifier) -> Result<Self> {
        let read = Self { tells_paths: true, ..Self::new(options, notifier) };
        let job = Arc::clone(&read.job);
        list_job::spawn(move || {
            let end = listing.walk(&*job);
            job.end(end.err());
        })
        .map_err(to_error)?;
        Ok(read)
    }

    /// Takes paths in.
    pub fn give(&self, paths: Vec<PathBuf>) {
        self.job.give(paths);
    }

    /// There are no more paths.
    pub fn end(&self) {
        self.job.end(None);
    }
}

impl Job for Read {
    fn take(&self) -> Taken {
        match self.job.next() {
            Next::Nothing => Taken::Nothing,
            Next::Over => Taken::Over,
            Next::Outcomes(outcomes) => {
                Taken::Chunk(Box::new(Chunk::of(outcomes, self.tells_paths)))
            }
            Next::SourceFailed(path, failure) => {
                Taken::Chunk(Box::new(Chunk::of_failure(&path, failure)))
            }
        }
    }

    fn cancel(&self) {
        self.job.cancel();
    }
}

/// Lists files.
pub struct List(Arc<ListJob>);

impl List {
    /// Starts to walk.
    pub fn start(listing: Listing, notifier: Notifier) -> Result<Self> {
        ListJob::start(listing, move || notifier.notify()).map(Self).map_err(to_error)
    }
}

impl Job for List {
    fn take(&self) -> Taken {
        match self.0.next() {
            list_job::Next::Nothing => Taken::Nothing,
            list_job::Next::Over => Taken::Over,
            list_job::Next::Paths(found) => {
                Taken::Chunk(Box::new(Chunk::of_paths(found.iter().map(AsRef::as_ref))))
            }
            list_job::Next::Failed(path, failure) => {
                Taken::Chunk(Box::new(Chunk::of_failure(&path, failure)))
            }
        }
    }

    fn cancel(&self) {
        self.0.cancel();
    }
}

fn to_error(error: std::io::Error) -> Error {
    Error::from_reason(error.to_string())
}
