//! The keys that requests may be signed with: one pair for the life of the server, and temporary ones that tests add.

use parking_lot::RwLock;
use serde::Deserialize;

use crate::error::{S3Error, S3Result};

/// One set of credentials.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Credentials {
    pub access_key_id: String,
    pub secret_access_key: String,
    #[serde(default)]
    pub session_token: Option<String>,
    /// When they expire, in milliseconds since 1970.
    #[serde(default)]
    pub expires_at_ms: Option<i64>,
}

/// All that are known.
pub struct KnownCredentials {
    permanent: Credentials,
    temporary: RwLock<Vec<Credentials>>,
}

impl KnownCredentials {
    pub fn new(access_key_id: String, secret_access_key: String) -> Self {
        let permanent = Credentials {
            access_key_id,
            secret_access_key,
            session_token: None,
            expires_at_ms: None,
        };
        Self { permanent, temporary: RwLock::default() }
    }

    /// Adds credentials, in place of those with the same access key and token.
    pub fn add(&self, credentials: Credentials) {
        let mut temporary = self.temporary.write();
        temporary.retain(|known| {
            known.access_key_id != credentials.access_key_id
                || known.session_token != credentials.session_token
        });
        temporary.push(credentials);
    }

    /// Forgets what was added.
    pub fn clear(&self) {
        self.temporary.write().clear();
    }

    /// The secret that belongs to the access key and token.
    pub fn secret(
        &self,
        access_key_id: &str,
        session_token: Option<&str>,
        now_ms: i64,
    ) -> S3Result<String> {
        let temporary = self.temporary.read();
        let known = || temporary.iter().chain([&self.permanent]);
        if !known().any(|known| known.access_key_id == access_key_id) {
            let message = "The AWS Access Key Id you provided does not exist in our records.";
            return Err(S3Error::new(403, "InvalidAccessKeyId", message));
        }
        let matching = known()
            .find(|known| {
                known.access_key_id == access_key_id
                    && known.session_token.as_deref() == session_token
            })
            .ok_or_else(|| {
                S3Error::new(
                    400,
                    "InvalidToken",
                    "The provided token is malformed or otherwise invalid.",
                )
            })?;
        if matching.expires_at_ms.is_some_and(|expires| expires <= now_ms) {
            return Err(S3Error::new(400, "ExpiredToken", "The provided token has expired."));
        }
        Ok(matching.secret_access_key.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_expire() {
        let known = KnownCredentials::new("main".into(), "secret".into());
        known.add(Credentials {
            access_key_id: "temporary".into(),
            secret_access_key: "other".into(),
            session_token: Some("token".into()),
            expires_at_ms: Some(1000),
        });
        let code = |key, token, now| {
            known.secret(key, token, now).map_err(|error| error.code.into_owned())
        };
        assert_eq!(code("main", None, 0), Ok("secret".into()));
        assert_eq!(code("temporary", Some("token"), 999), Ok("other".into()));
        assert_eq!(code("temporary", Some("token"), 1000), Err("ExpiredToken".into()));
        assert_eq!(code("temporary", Some("other"), 0), Err("InvalidToken".into()));
        assert_eq!(code("main", Some("token"), 0), Err("InvalidToken".into()));
        assert_eq!(code("nobody", None, 0), Err("InvalidAccessKeyId".into()));
    }
}
