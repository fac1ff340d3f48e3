//! Credentials that are kept until they expire, and fetched again then.
//!
//! A store may find credentials expired before the time that they name, or that name no time. The request that was told so reports
//! it by [`expired`](Credentials::expired), and the next request fetches new credentials. Requests that need them at the same time
//! share one fetch.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider, future};
use tokio::sync::Mutex;

use super::shown::chain;

/// The key, the secret and the token that requests are signed with.
pub use aws_credential_types::Credentials as Values;

/// A fetch on its way.
pub type Fetch = Pin<Box<dyn Future<Output = Result<Values, String>> + Send>>;

/// How long before their end credentials are fetched again; those with a short life, when a tenth of it is left.
const EARLY: Duration = Duration::from_secs(60);

/// A source of credentials. Its clones share what was fetched.
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

    /// Credentials that the SDK finds. `hint` says where the SDK looks, and what to do when it finds none.
    pub fn from_chain(provider: SharedCredentialsProvider, hint: String) -> Self {
        Self::fetched(move || {
            let (provider, hint) = (provider.clone(), hint.clone());
            Box::pin(async move {
                let found = provider.provide_credentials().await;
                found.map_err(|error| format!("{}: {hint}", chain(&error)))
            })
        })
    }

    fn new(fetch: impl Fn() -> Fetch + Send + Sync + 'static, can_change: bool) -> Self {
        Self(Arc::new(Inner { fetch: Box::new(fetch), can_change, kept: Mutex::new(None) }))
    }

    /// The credentials for a request that is sent now, or why there are none.
    pub async fn get(&self) -> Result<Values, String> {
        let mut kept = self.0.kept.lock().await;
        let now = SystemTime::now();
        if let Some(kept) = &*kept
            && kept.fresh_until.is_none_or(|until| now < until)
        {
            return Ok(kept.values.clone());
        }
        let fetched = Instant::now();
        let values = without_empty_token((self.0.fetch)().await?);
        if let Some(fault) = find_fault(&values) {
            return Err(fault);
        }
        let life = values.expiry().map(|expiry| expiry.duration_since(now).unwrap_or_default());
        let fresh_until = life.map(|life| now + (life - EARLY.min(life / 10)));
        *kept = Some(Kept { values: values.clone(), fetched, fresh_until });
        Ok(values)
    }

    /// A request that was sent at `sent` was told that they have expired. Returns whether fetching again can help.
    pub async fn expired(&self, sent: Instant) -> bool {
        let mut kept = self.0.kept.lock().await;
        // Credentials that were fetched after the request was sent are not those that have expired.
        if kept.as_ref().is_some_and(|kept| kept.fetched <= sent) {
            *kept = None;
        }
        self.0.can_change
    }
}

/// What is wrong with credentials: the name of the field, without the value, which may be a secret.
///
/// The fields become parts of headers, and the SDK panics at a character that no header can hold.
pub fn find_fault(values: &Values) -> Option<String> {
    let fields = [
        ("accessKeyId", values.access_key_id()),
        ("secretAccessKey", values.secret_access_key()),
        ("sessionToken", values.session_token().unwrap_or("none")),
    ];
    fields.into_iter().find_map(|(name, value)| {
        let is_odd = |char: char| match name {
            "accessKeyId" => !char.is_ascii_graphic(),
            "sessionToken" => !(char.is_ascii_graphic() || char == ' '),
            _ => char.is_control(),
        };
        if value.is_empty() {
            return Some(format!("{name} is empty"));
        }
        if let Some(at) = value.chars().position(is_odd) {
            return Some(format!("{name} holds a character that is no part of one, at {at}"));
        }
        let is_padded = value.trim() != value;
        is_padded.then(|| format!("{name} begins or ends with a blank"))
    })
}

/// An empty token is none: stores refuse a request that has one in its headers.
fn without_empty_token(values: Values) -> Values {
    if values.session_token() != Some("") {
        return values;
    }
    let (id, secret) = (values.access_key_id(), values.secret_access_key());
    Values::new(id, secret, None, values.expiry(), "no token")
}

/// A shorter text is not taken for a secret, because it may be a part of any word.
const SHORTEST_SECRET: usize = 6;

/// A text without the credentials that a store or a proxy may have echoed in it.
pub fn hidden(text: String, values: &Values) -> String {
    let secrets = [Some(values.secret_access_key()), values.session_token()];
    let shown = secrets.into_iter().flatten().filter(|secret| secret.len() >= SHORTEST_SECRET);
    shown.fold(text, |text, secret| text.replace(secret, "[hidden]"))
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

    #[test]
    fn faults_are_named_without_the_value() {
        let table = [
            ("AKIA\n", "hush", None, "accessKeyId"),
            ("AK IA", "hush", None, "accessKeyId"),
            ("", "hush", None, "accessKeyId"),
            ("AKIA", "hush\n", None, "secretAccessKey"),
            ("AKIA", " hush", None, "secretAccessKey"),
            ("AKIA", "hush", Some("hush\r\nX: y"), "sessionToken"),
            ("AKIA", "hush", Some("húsh"), "sessionToken"),
        ];
        for (id, secret, token, name) in table {
            let values = Values::new(id, secret, token.map(str::to_owned), None, "test");
            let fault = find_fault(&values).unwrap();
            assert!(fault.starts_with(name) && !fault.contains("hush"), "{fault}");
        }
        let values = Values::new("AKIA", "hush-hush", Some("a token".to_owned()), None, "test");
        assert_eq!(find_fault(&values), None);
        assert_eq!(hidden("it says hush-hush".to_owned(), &values), "it says [hidden]");
    }

    #[test]
    fn an_empty_token_is_none() {
        runtime::handle().block_on(async {
            let values = Values::new("a", "b", Some(String::new()), None, "test");
            assert_eq!(Credentials::fixed(values).get().await.unwrap().session_token(), None);
        });
    }
}
