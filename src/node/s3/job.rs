//! S3 jobs as the table of jobs knows them.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::chunk::Chunk;
use super::permits::Permits;
use super::questions::Questions;
use crate::exec::runtime;
use crate::exec::s3::credentials::{Credentials, Values};
use crate::exec::s3::delete::{Deleter, Gate};
use crate::exec::s3::fault::Fault;
use crate::exec::s3::job::{Job, Outcome};
use crate::exec::s3::progress::Progress;
use crate::exec::stop::Stop;
use crate::node::jobs::{Job as NativeJob, Notifier, Taken};
use crate::node::outlet::Outlet;
use crate::panics::caught;

/// Chunks that a job may have ready for JavaScript.
const READY: usize = 4;

/// A job: what it has for JavaScript, and what can be said to it.
pub struct Started {
    pub outlet: Arc<Outlet<Chunk>>,
    pub stop: Stop,
    pub progress: Arc<Progress>,
    /// What an executor calls.
    pub deleter: Option<Deleter>,
    pub permits: Arc<Questions<std::result::Result<(), String>>>,
    pub credentials: Arc<Questions<std::result::Result<Values, String>>>,
}

impl Started {
    /// A job that does nothing yet.
    pub fn new(notifier: Notifier) -> Self {
        Self {
            outlet: Outlet::new(READY, notifier),
            stop: Stop::new(),
            progress: Arc::default(),
            deleter: None,
            permits: Arc::default(),
            credentials: Arc::default(),
        }
    }

    /// Carries out the work of the job, and tells how it ended, also when it panics.
    pub fn carry_out(&self, work: impl Future<Output = Outcome> + Send + 'static) {
        let (outlet, stop) = (Arc::clone(&self.outlet), self.stop.clone());
        let progress = Arc::clone(&self.progress);
        let work = runtime::handle().spawn(async move {
            let outcome = caught(work).await.unwrap_or_else(|panic| Err(Fault::of_panic(&*panic)));
            stop.stop();
            if let Err(fault) = outcome {
                outlet.put_now(Chunk::Fault(fault));
            }
            outlet.put_now(Chunk::Over(progress));
        });
        self.outlet.set_work(work.abort_handle());
    }

    /// Lists and deletes.
    pub fn delete_all(&self, job: Job) {
        let outlet = Arc::clone(&self.outlet);
        self.carry_out(async move { run(job, &outlet).await });
    }

    /// The permits that this job asks JavaScript for.
    pub fn gate(&self) -> Arc<dyn Gate> {
        let (outlet, questions) = (Arc::clone(&self.outlet), Arc::clone(&self.permits));
        Arc::new(Permits { outlet, questions })
    }

    /// The credentials that this job asks JavaScript for.
    pub fn asked_credentials(&self) -> Credentials {
        let (outlet, questions) = (Arc::clone(&self.outlet), Arc::clone(&self.credentials));
        Credentials::fetched(move || {
            let (number, answer) = questions.ask();
            outlet.put_now(Chunk::Credentials(number));
            Box::pin(async move {
                answer.await.unwrap_or_else(|_| Err("The client was closed".to_owned()))
            })
        })
    }
}

impl NativeJob for Started {
    fn take(&self) -> Taken {
        self.outlet.take()
    }

    fn cancel(&self) {
        self.stop.stop();
        self.outlet.close();
        self.permits.close();
        self.credentials.close();
    }
}

async fn run(job: Job, outlet: &Arc<Outlet<Chunk>>) -> Outcome {
    let (sender, mut failed) = mpsc::channel(1);
    let taker = Arc::clone(outlet);
    let taking = tokio::spawn(async move {
        while let Some(failed) = failed.recv().await {
            taker.put(Chunk::Failed(failed)).await;
        }
    });
    let outcome = job.delete_all(sender).await;
    let _ = taking.await;
    outcome
}
