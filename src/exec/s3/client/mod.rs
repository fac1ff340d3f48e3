//! A client of one store: it sends single requests, and keeps what they showed of the store.
//!
//! [Listings](listing) are tried again here. [Deletes](deleting) are not: what becomes of their keys is decided where they are batched.

mod asking;
mod deleting;
mod listing;
mod operation;

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::OnceCell;
use tokio::time::timeout;

use self::operation::Sending;
use super::answer::ListRequest;
use super::answer::names::Evidence;
use super::config::{Config, Connected, connect};
use super::credentials::{Credentials, Values};
use super::fault::{Fault, Kind};
use super::progress::{Progress, add};
use super::target::Target;
use super::way::{Way, Ways};

/// How often new credentials are fetched for one request. A store that denies all of these denies any.
const MOST_RENEWALS: u32 = 2;

/// A client of one store.
#[derive(Debug)]
pub struct Client {
    config: Config,
    credentials: Option<Credentials>,
    connected: OnceCell<Connected>,
    /// What is known of how the store deletes.
    pub ways: Arc<Ways>,
    /// What is known of how the store encodes names in listings of objects, and in those of versions: a store may well answer the
    /// two by code that differs.
    names: [Evidence; 2],
}

impl Client {
    /// A client that connects when it is first used.
    pub fn new(config: Config, credentials: Option<Credentials>, way: Option<Way>) -> Self {
        Self {
            config,
            credentials,
            connected: OnceCell::new(),
            ways: Arc::new(Ways::new(way)),
            names: Default::default(),
        }
    }

    /// What is known of the names in answers to such a request.
    fn names(&self, request: &ListRequest) -> &Evidence {
        &self.names[usize::from(request.versions)]
    }

    /// The options that the client was made with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Sends a request. A fault of it names the bucket.
    async fn with_credentials<T>(
        &self,
        target: &Target,
        progress: &Progress,
        request: impl Fn(&aws_sdk_s3::Client) -> Sending<T>,
    ) -> Result<T, Fault> {
        let sent = self.renewed(progress, request).await;
        sent.map_err(|fault| fault.at(&target.place()))
    }

    /// Sends a request. It is sent again with new credentials when the old ones had expired, and once with the store's time when the
    /// clocks of the store and of this machine differ.
    async fn renewed<T>(
        &self,
        progress: &Progress,
        request: impl Fn(&aws_sdk_s3::Client) -> Sending<T>,
    ) -> Result<T, Fault> {
        let connected = self
            .connected
            .get_or_try_init(|| connect(&self.config, self.credentials.clone()))
            .await?;
        let (mut renewals, mut is_corrected) = (0, false);
        loop {
            let values = match &connected.credentials {
                Some(credentials) => Some(self.fetched(credentials).await?),
                None => None,
            };
            let sent = Instant::now();
            add(&progress.requests, 1);
            let fault = match request(&connected.sdk).await {
                Ok(answer) => return Ok(answer),
                Err(fault) => connected.told(fault, values.as_ref()),
            };
            match &connected.credentials {
                // The SDK has taken the store's time from the answer, and signs with it from now on.
                _ if fault.is_about_time() && !is_corrected => is_corrected = true,
                _ if fault.is_about_time() => {
                    let message = format!(
                        "The clock of this machine differs from the store's, and its answers have no right Date to correct that by: {}",
                        fault.message
                    );
                    return Err(Fault { kind: Kind::Fatal, message, ..fault });
                }
                Some(credentials) if fault.kind == Kind::Expired => {
                    renewals += 1;
                    if !credentials.expired(sent).await || renewals > MOST_RENEWALS {
                        return Err(Fault { kind: Kind::Fatal, ..fault });
                    }
                }
                _ => return Err(fault),
            }
            add(&progress.retries, 1);
        }
    }

    /// The credentials for a request; fetching them takes as long as a request may take.
    async fn fetched(&self, credentials: &Credentials) -> Result<Values, Fault> {
        let fetched = timeout(self.config.request_timeout, credentials.get()).await;
        fetched
            .unwrap_or_else(|_| Err("They did not come within requestTimeout".to_owned()))
            .map_err(|message| Fault::fatal("CredentialsError", message))
    }
}
