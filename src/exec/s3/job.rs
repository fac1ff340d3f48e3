//! Lists and deletes at once: both ends native, so that nothing else runs per key.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::client::Client;
use super::delete::{self, Deleter, Failed, Gate};
use super::fault::Fault;
use super::list::{self, Lister};
use super::object::Object;
use super::progress::{Progress, add};
use crate::core::limit::Limit;
use crate::exec::run::{End, run};
use crate::exec::source::{Executor, Source};
use crate::exec::stop::Stop;

/// A job.
pub struct Job {
    /// The store.
    pub client: Arc<Client>,
    /// What is listed.
    pub list: list::Options,
    /// How it is deleted.
    pub delete: delete::Options,
    /// How many pages are listed and not deleted yet.
    pub window: Limit,
    /// Permits for prefixes that are kept elsewhere.
    pub gate: Option<Arc<dyn Gate>>,
    /// What it has done.
    pub progress: Arc<Progress>,
    /// Ends it.
    pub stop: Stop,
}

/// How a job ended, if nobody stopped it.
pub type Outcome = Result<(), Fault>;

impl Job {
    /// Lists and deletes. Keys that fail go to `failed`, and the job goes on when they were taken.
    pub async fn delete_all(self, failed: mpsc::Sender<Vec<Failed>>) -> Outcome {
        let Self { client, list, delete, window, gate, progress, stop } = self;
        // The deleter stops the job when nothing can be deleted, and the listing ends with the job.
        let source = Lister::new(Arc::clone(&client), list, Arc::clone(&progress), stop.clone());
        let deleter = Deleter::new(client, delete, gate, progress, stop.clone());
        let executor = Arc::new(Pages(deleter.clone()));
        let end = run(source, executor, window, failed, &stop).await;
        stop.stop();
        match (deleter.fatal(), end) {
            (Some(fault), _) => Err(fault.clone()),
            (None, End::SourceFailed(fault)) => Err(fault),
            (None, End::Done | End::Stopped) => Ok(()),
        }
    }

    /// Only lists, and counts.
    pub async fn count(self) -> Outcome {
        let Self { client, list, progress, stop, .. } = self;
        let mut source = Lister::new(client, list, Arc::clone(&progress), stop.clone());
        while let Some(page) = source.next().await {
            add(&progress.bytes, page?.iter().map(|object| object.size as usize).sum());
        }
        stop.stop();
        Ok(())
    }
}

struct Pages(Deleter);

impl Executor<Vec<Object>> for Pages {
    type Failure = Vec<Failed>;

    async fn execute(&self, page: Vec<Object>) -> Result<(), Vec<Failed>> {
        let settled = self.0.delete(page).await;
        if settled.failed.is_empty() { Ok(()) } else { Err(settled.failed) }
    }
}
