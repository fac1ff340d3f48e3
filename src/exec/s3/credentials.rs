//! Credentials that are kept until they expire, and fetched again then.
//!
//! A store may say that they have expired although they say otherwise, or say nothing. So whoever is told so gives them up
//! with [`expired`](Credentials::expired), and the next request fetches new ones. All that ask meanwhile share one fetch.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider, future};
use tokio::sync::Mutex;

use super::request::chain;

/// The values.
pub use aws_credential_types::Credentials as Values;

/// A fetch on its way.
pub type Fetch = Pin<Box<dyn Future<Output = Result<Values, String>> + Send>>;

/// They are fetched again so long before they expire, or a tenth of their life before.
const EARLY: Duration = Duration::from_secs(60);

/// Where credentials come from; its clones are the same.
#[derive(Clone)]
pub struct Credentials(Arc<Inner>);

struct Inner {
    fetch: Box<dyn Fn() -> Fetch + Send + Sync>,
    can_change: bool,
    kept: Mutex<Option<Kept>>,
}

struct Kept {
    values: Values,
    fetched: Instant,
    fresh_until: Option<SystemTime>,
}

impl Credentials {
    /// Credentials that never change.
    pub fn fixed(values: Values) -> Self {
        let fetch = move || -> Fetch { Box::pin(std::future::ready(Ok(values.clone()))) };
        Self::new(fetch, false)
    }

    /// Credentials that are fetched when they are needed.
    pub fn fetched(fetch: impl Fn() -> Fetch + Send + Sync + 'static) -> Self {
        Self::new(fetch, true)
    }

    /// Those of the SDK's default chain.
    pub fn from_chain(provider: SharedCredentialsProvider) -> Self {
        Self::fetched(move || {
            let provider = provider.clone();
            Box::pin(
                async move { provider.provide_credentials().await.map_err(|error| chain(&error)) },
            )
        })
    }

    fn new(fetch: impl Fn() -> Fetch + Send + Sync + 'static, can_change: bool) -> Self {
        Self(Arc::new(Inner { fetch: Box::new(fetch), can_change, kept: Mutex::new(None) }))
    }

    /// The credentials of this moment, or why there are none.
    pub async fn get(&self) -> Result<Values, String> {
        let mut kept = self.0.kept.lock().await;
        let now = SystemTime::now();
        if let Some(kept) = &*kept
            && kept.fresh_until.is_none_or(|until| now < until)
        {
            return Ok(kept.values.clone());
        }
        let fetched = Instant::now();
        let values = (self.0.fetch)().await?;
        let life = values.expiry().map(|expiry| expiry.duration_since(now).unwrap_or_default());
        let fresh_until = life.map(|life| now + (life - EARLY.min(life / 10)));
        *kept = Some(Kept { values: values.clone(), fetched, fresh_until });
        Ok(values)
    }

    /// A request that was sent at `sent` was told that they have expired. Returns whether fetching again can help.
    pub async fn expired(&self, sent: Instant) -> bool {
        let mut kept = self.0.kept.lock().await;
        // What was fetched since then is not what has expired.
        if kept.as_ref().is_some_and(|kept| kept.fetched <= sent) {
            *kept = None;
        }
        self.0.can_change
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("can_change", &self.0.can_change)
            .finish_non_exhaustive()
    }
}

impl ProvideCredentials for Credentials {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(async {
            self.get().await.map_err(CredentialsError::provider_error)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::runtime;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Credentials that live for so long, numbered by their fetch.
    fn numbered(life: Option<Duration>) -> Credentials {
        let number = AtomicUsize::new(0);
        Credentials::fetched(move || {
            let number = number.fetch_add(1, Ordering::SeqCst) + 1;
            let expiry = life.map(|life| SystemTime::now() + life);
            let values = Values::new(number.to_string(), "secret", None, expiry, "test");
            Box::pin(std::future::ready(Ok(values)))
        })
    }

    async fn number(credentials: &Credentials) -> String {
        credentials.get().await.unwrap().access_key_id().to_owned()
    }

    #[test]
    fn are_kept_until_they_expire() {
        runtime::handle().block_on(async {
            for (life, second) in
                [(None, "1"), (Some(Duration::from_secs(3600)), "1"), (Some(Duration::ZERO), "2")]
            {
                let credentials = numbered(life);
                assert_eq!(number(&credentials).await, "1");
                assert_eq!(number(&credentials).await, second, "{life:?}");
            }
        });
    }

    #[test]
    fn are_given_up_once_for_all_that_were_told_so() {
        runtime::handle().block_on(async {
            let credentials = numbered(None);
            number(&credentials).await;
            let sent = Instant::now();
            assert!(credentials.expired(sent).await);
            assert_eq!(number(&credentials).await, "2");
            assert!(credentials.expired(sent).await);
            assert_eq!(number(&credentials).await, "2", "the new ones have not expired");
        });
    }

    #[test]
    fn a_failed_fetch_is_told_and_tried_again() {
        runtime::handle().block_on(async {
            let credentials =
                Credentials::fetched(|| Box::pin(std::future::ready(Err("no luck".to_owned()))));
            assert_eq!(credentials.get().await.unwrap_err(), "no luck");
            let fixed = Credentials::fixed(Values::new("a", "b", None, None, "test"));
            assert!(!fixed.expired(Instant::now()).await, "what never changes can't be mended");
        });
    }
}
