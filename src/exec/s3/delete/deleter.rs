//! What takes calls in, and tells each of them what became of its keys.

use std::sync::{Arc, OnceLock};

use tokio::sync::{mpsc, oneshot};

use super::calls::Settled;
use super::driver;
use super::gate::Gate;
use super::options::Options;
use crate::exec::s3::client::Client;
use crate::exec::s3::fault::Fault;
use crate::exec::s3::object::Object;
use crate::exec::s3::progress::Progress;
use crate::exec::stop::Stop;

/// Deletes what it is given.
#[derive(Clone)]
pub struct Deleter {
    inbox: mpsc::UnboundedSender<driver::Message>,
    stop: Stop,
    fatal: Arc<OnceLock<Fault>>,
}

impl Deleter {
    /// Starts to wait for calls. `stop` ends the deleter: requests in flight finish, and all other keys are untried.
    pub fn new(
        client: Arc<Client>,
        options: Options,
        gate: Option<Arc<dyn Gate>>,
        progress: Arc<Progress>,
        stop: Stop,
    ) -> Self {
        let fatal = Arc::new(OnceLock::new());
        let inbox =
            driver::start(client, options, gate, progress, stop.clone(), Arc::clone(&fatal));
        Self { inbox, stop, fatal }
    }

    /// Deletes these objects.
    pub async fn delete(&self, objects: Vec<Object>) -> Settled {
        let untried = objects.len() as u64;
        let (done, settled) = oneshot::channel();
        if !self.stop.is_stopped() {
            // If the driver has ended, waiting for the answer fails at once.
            let _ = self.inbox.send(driver::Message::Call { objects, done });
            if let Ok(settled) = settled.await {
                return settled;
            }
            // The driver panicked. It stops the job when it has noted the fault.
            self.stop.stopped().await;
        }
        Settled { untried, ..Settled::default() }
    }

    /// The fault that made all other keys pointless, if there was one.
    pub fn fatal(&self) -> Option<&Fault> {
        self.fatal.get()
    }
}
