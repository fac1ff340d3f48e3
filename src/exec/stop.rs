//! How a job is told to end.

use std::sync::Arc;

use tokio::sync::watch;

/// A switch that is thrown once; its clones are the same switch.
#[derive(Clone, Debug)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// A switch that was not thrown.
    pub fn new() -> Self {
        Self(Arc::new(watch::channel(false).0))
    }

    /// Throws it.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was thrown.
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is thrown.
    pub async fn stopped(&self) {
        let mut receiver = self.0.subscribe();
        // Waiting fails only when the sender is dropped, and `self` is the sender.
        let _ = receiver.wait_for(|stopped| *stopped).await;
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}
