//! Deletes what it is given, from any number of calls, by as few requests as there can be.
//!
//! # How it works
//!
//! One task owns all state, and everything that happens reaches it as a message: a call, a finished request, a permit, the
//! end. What follows from a message is decided by the [`machine`], which does no I/O and knows no clock; the [`driver`] asks
//! it after each message what to send, as long as a request slot is free. So calls that are pending together share requests,
//! and no call waits for others while there is room.
//!
//! A call is over when each of its keys is deleted, failed or untried. Only what the store confirms is deleted ([`verdict`]),
//! only what was asked for is sent ([`scope`]), and the way in which it is sent is learnt ([`ways`]).

mod calls;
mod driver;
mod machine;
#[cfg(test)]
mod machine_random_tests;
#[cfg(test)]
mod machine_tests;
mod scope;
mod sender;
mod verdict;
mod ways;

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use tokio::sync::{mpsc, oneshot};

use super::client::{Client, Target};
use super::fault::Fault;
use super::object::Object;
use super::progress::Progress;
use crate::core::batch::Grouping;
use crate::core::limit::Limit;
use crate::exec::stop::Stop;

pub use calls::{Failed, Settled};
pub use scope::{Checked, Scope};
pub use ways::{Way, Ways};

/// How keys are deleted.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where they are.
    pub target: Target,
    /// Which of them may be deleted.
    pub scope: Scope,
    /// How many go by one request.
    pub batch_size: usize,
    /// How many requests are in flight.
    pub requests: Limit,
    /// Which keys share a request.
    pub grouping: Grouping,
}

/// Permits for prefixes that are kept elsewhere.
pub trait Gate: Send + Sync {
    /// Waits for a permit of this prefix, which is WTF-8; it is given back when it is dropped.
    fn acquire(&self, prefix: &[u8])
    -> Pin<Box<dyn Future<Output = Result<Permit, Fault>> + Send>>;
}

/// A permit of a gate.
pub type Permit = Box<dyn Send>;

/// Deletes what it is given.
#[derive(Clone)]
pub struct Deleter {
    inbox: mpsc::UnboundedSender<driver::Message>,
    stop: Stop,
    fatal: Arc<OnceLock<Fault>>,
}

impl Deleter {
    /// Starts to wait for calls. `stop` ends it: requests in flight finish, and the rest is not tried.
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
            // Without somebody to take it there is no answer either.
            let _ = self.inbox.send(driver::Message::Call { objects, done });
            if let Ok(settled) = settled.await {
                return settled;
            }
            // The driver panicked, and is about to say so.
            self.stop.stopped().await;
        }
        Settled { untried, ..Settled::default() }
    }

    /// The fault that made all other keys pointless, if there was one.
    pub fn fatal(&self) -> Option<&Fault> {
        self.fatal.get()
    }
}
