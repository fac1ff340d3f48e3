//! What all connections share.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::RwLock;

use crate::auth::credentials::KnownCredentials;
use crate::hostile::Hostile;
use crate::load::faults::Script;
use crate::load::stats::Stats;
use crate::load::throttle::Throttle;
use crate::options::Settings;
use crate::store::Store;

/// The store, its settings, and what tests have asked of it.
pub(crate) struct State {
    pub region: String,
    pub credentials: KnownCredentials,
    pub store: Store,
    pub stats: Arc<Stats>,
    pub throttle: Arc<Throttle>,
    pub faults: Script,
    pub hostile: Hostile,
    /// The settings of the command line, for a reset.
    pub initial_settings: Settings,
    pub settings: RwLock<Arc<Settings>>,
    pub next_request: AtomicU64,
}

impl State {
    pub fn settings(&self) -> Arc<Settings> {
        self.settings.read().clone()
    }
}
