//! Scripted faults: which request gets which answer.
//!
//! A script is a JSON array of faults, given as a file (`--faults FILE`) or at run time (`POST /-/faults`, which replaces
//! the script). Faults are asked in their order; the first that is due takes the request, and those behind it do not see
//! it. Requests that are refused (a bad signature, malformed XML) are never asked about, so a fault can't hide them.
//!
//! Which requests (all that are given must fit):
//!
//! | field | meaning |
//! |---|---|
//! | `operation` | name of the operation, such as `"DeleteObjects"`, `"DeleteObject"`, `"ListObjectsV2"`, `"ListObjectVersions"` |
//! | `bucket` | name of the bucket |
//! | `key` | one of the keys that the request touches |
//! | `prefix` | beginning of one of those keys, or of the prefix that a listing asks for |
//! | `nth` | the first fitting request that is hit, counted from 1 (the default) |
//! | `times` | how many fitting requests from there on are hit: a number (default 1) or `"always"` |
//!
//! What they get:
//!
//! | field | meaning |
//! |---|---|
//! | `delayMs` | wait first; without any other field below, the true answer follows |
//! | `status` with `code` (and `message`) | an error document; `"status": 200` with a code is the 200 that holds an error |
//! | `body` (with `status`, default 200) | this text as the body |
//! | `headers` | object of headers on such an answer |
//! | `truncate` | only so many bytes of the body, in a well-formed HTTP answer |
//! | `cut` | the length of the whole body is promised, and the socket closed after so many bytes of it |
//! | `close` | the socket is closed without an answer |
//! | `never` | no answer comes while the client keeps the socket |
//! | `apply` | carry the request out before any of this; its true answer is what gets lost |
//! | `keyError` | `{ "code", "message" }`: in a DeleteObjects, the keys that fit `key` and `prefix` stay and get this error |
//! | `listing` | how a listing lies: `"no-token"` (truncated, but no token or marker), `"same-token"` (truncated, and the next token or marker is that of the request), `"empty-page"` (nothing on the page, and a token that goes on from where the request began) |

use std::collections::BTreeMap;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::request::input::Input;
use crate::request::route::Operation;

/// One fault of a script.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Fault {
    operation: Option<Operation>,
    bucket: Option<String>,
    key: Option<String>,
    prefix: Option<String>,
    nth: Option<u64>,
    times: Option<Times>,

    pub delay_ms: f64,
    pub status: Option<u16>,
    pub code: Option<String>,
    pub message: String,
    pub body: Option<String>,
    pub headers: BTreeMap<String, String>,
    pub truncate: Option<usize>,
    pub cut: Option<usize>,
    pub close: bool,
    pub never: bool,
    pub apply: bool,
    pub key_error: Option<KeyError>,
    pub listing: Option<Lie>,
}

/// How often a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Times {
    Number(u64),
    Word(Always),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Always {
    Always,
}

/// The error of single keys.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyError {
    pub code: String,
    #[serde(default)]
    pub message: String,
}

/// How a listing lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lie {
    NoToken,
    SameToken,
    EmptyPage,
}

impl Fault {
    /// Whether the key alone fits.
    pub fn fits_key(&self, key: &str) -> bool {
        self.key.as_deref().is_none_or(|wanted| wanted == key)
            && self.prefix.as_deref().is_none_or(|prefix| key.starts_with(prefix))
    }

    /// Whether an answer of the script takes the place of the true one.
    pub fn replaces_answer(&self) -> bool {
        self.status.is_some() || self.body.is_some()
    }

    fn fits(&self, operation: Operation, bucket: &str, input: &Input) -> bool {
        let fits_keys = if self.key.is_none() && self.prefix.is_none() {
            true
        } else if let (Some(listed), None, Some(prefix)) =
            (input.listed_prefix(), &self.key, &self.prefix)
        {
            listed.starts_with(prefix)
        } else {
            input.keys().iter().any(|key| self.fits_key(key))
        };
        fits_keys
            && self.operation.is_none_or(|wanted| wanted == operation)
            && self.bucket.as_deref().is_none_or(|wanted| wanted == bucket)
    }

    /// Whether the fitting request of this number, counted from 1, is hit.
    fn is_due(&self, number: u64) -> bool {
        let first = self.nth.unwrap_or(1);
        let times = match self.times {
            None => 1,
            Some(Times::Number(times)) => times,
            Some(Times::Word(Always::Always)) => u64::MAX,
        };
        number >= first && number - first < times
    }

    fn check(&self) -> Result<(), String> {
        if self.nth == Some(0) {
            return Err("nth counts from 1".to_owned());
        }
        if std::time::Duration::try_from_secs_f64(self.delay_ms / 1000.0).is_err() {
            return Err(format!("delayMs is {}: give milliseconds, 0 or more", self.delay_ms));
        }
        match (self.status, &self.code, &self.body) {
            (_, Some(_), Some(_)) => return Err("give code or body, not both".to_owned()),
            (None, Some(_), _) => return Err("code needs a status".to_owned()),
            (Some(_), None, None) => return Err("status needs a code or a body".to_owned()),
            (Some(status), ..) if !(200..600).contains(&status) => {
                return Err(format!("status is {status}: give 200 to 599"));
            }
            _ => {}
        }
        for (name, value) in &self.headers {
            let is_header = hyper::header::HeaderName::try_from(name).is_ok()
                && hyper::header::HeaderValue::try_from(value).is_ok();
            if !is_header {
                return Err(format!("\"{name}: {value}\" is no header"));
            }
        }
        let ends = [self.close, self.never, self.truncate.is_some(), self.cut.is_some()];
        if ends.into_iter().filter(|end| *end).count() > 1 {
            return Err("give one of close, never, truncate and cut".to_owned());
        }
        let does_something = self.delay_ms > 0.0
            || self.replaces_answer()
            || ends.contains(&true)
            || self.key_error.is_some()
            || self.listing.is_some();
        if does_something { Ok(()) } else { Err("the fault does nothing".to_owned()) }
    }
}

/// Reads a script and names the fault that makes no sense.
pub fn parse(json: &[u8]) -> Result<Vec<Fault>, String> {
    let faults: Vec<Fault> = serde_json::from_slice(json)
        .map_err(|error| format!("the faults are not valid: {error}"))?;
    for (index, fault) in faults.iter().enumerate() {
        fault.check().map_err(|error| format!("fault {index}: {error}"))?;
    }
    Ok(faults)
}

/// How often a fault was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FaultCount {
    /// Fitting requests that it was asked about.
    pub seen: u64,
    /// Those that it took.
    pub hit: u64,
}

/// The script that is being played.
#[derive(Default)]
pub struct Script(Mutex<Vec<(Fault, FaultCount)>>);

impl Script {
    /// Plays another script from its beginning.
    pub fn replace(&self, faults: Vec<Fault>) {
        *self.0.lock() = faults.into_iter().map(|fault| (fault, FaultCount::default())).collect();
    }

    /// The fault that takes this request, if one does.
    pub fn take(&self, operation: Operation, bucket: &str, input: &Input) -> Option<Fault> {
        let mut faults = self.0.lock();
        let fitting = faults.iter_mut().filter(|(fault, _)| fault.fits(operation, bucket, input));
        for (fault, count) in fitting {
            count.seen += 1;
            if fault.is_due(count.seen) {
                count.hit += 1;
                return Some(fault.clone());
            }
        }
        None
    }

    pub fn counts(&self) -> Vec<FaultCount> {
        self.0.lock().iter().map(|(_, count)| *count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::deletion::{DeleteEntry, MultiDelete};
    use crate::store::ListingQuery;

    fn delete(keys: &[&str]) -> Input {
        let entry = |key: &&str| DeleteEntry { key: key.to_string(), version: None };
        Input::DeleteObjects(MultiDelete {
            objects: keys.iter().map(entry).collect(),
            quiet: false,
        })
    }

    fn list(prefix: &str) -> Input {
        let query = ListingQuery { prefix: prefix.into(), ..ListingQuery::default() };
        Input::ListObjects { query, echo: Default::default() }
    }

    fn script(json: &str) -> Script {
        let script = Script::default();
        script.replace(parse(json.as_bytes()).unwrap());
        script
    }

    fn codes(script: &Script, count: usize, operation: Operation, input: &Input) -> Vec<String> {
        let code = || {
            script.take(operation, "bucket", input).and_then(|fault| fault.code).unwrap_or_default()
        };
        (0..count).map(|_| code()).collect()
    }

    #[test]
    fn faults_are_played_in_order() {
        let script = script(
            r#"[{ "status": 503, "code": "SlowDown", "times": 2 }, { "status": 200, "code": "InternalError", "nth": 2 }]"#,
        );
        let codes = codes(&script, 6, Operation::DeleteObjects, &delete(&["a"]));
        assert_eq!(codes, ["SlowDown", "SlowDown", "", "InternalError", "", ""]);
        assert_eq!(
            script.counts(),
            [FaultCount { seen: 6, hit: 2 }, FaultCount { seen: 4, hit: 1 }]
        );
    }

    #[test]
    fn faults_choose_by_operation_bucket_key_and_prefix() {
        let hits = |json: &str, operation, input: &Input| {
            script(&format!("[{{ {json}, \"close\": true }}]"))
                .take(operation, "bucket", input)
                .is_some()
        };
        let both = delete(&["a/1", "b/1"]);
        assert!(hits(r#""operation": "DeleteObjects""#, Operation::DeleteObjects, &both));
        assert!(!hits(r#""operation": "DeleteObject""#, Operation::DeleteObjects, &both));
        assert!(hits(r#""bucket": "bucket""#, Operation::DeleteObjects, &both));
        assert!(!hits(r#""bucket": "other""#, Operation::DeleteObjects, &both));
        assert!(hits(r#""key": "b/1""#, Operation::DeleteObjects, &both));
        assert!(!hits(r#""key": "b""#, Operation::DeleteObjects, &both));
        assert!(hits(r#""prefix": "b""#, Operation::DeleteObjects, &both));
        assert!(hits(r#""prefix": "a""#, Operation::ListObjectsV2, &list("a/")));
        assert!(!hits(r#""prefix": "a""#, Operation::ListObjectsV2, &list("b/")));
        assert!(!hits(r#""key": "a/""#, Operation::ListObjectsV2, &list("a/")));
    }

    #[test]
    fn always_never_ends() {
        let script =
            script(r#"[{ "status": 503, "code": "SlowDown", "times": "always", "nth": 2 }]"#);
        let codes = codes(&script, 4, Operation::ListObjectsV2, &list(""));
        assert_eq!(codes, ["", "SlowDown", "SlowDown", "SlowDown"]);
    }

    #[test]
    fn bad_scripts_are_refused_with_the_reason() {
        for (json, word) in [
            (r#"{}"#, "not valid"),
            (r#"[{ "stauts": 503 }]"#, "stauts"),
            (r#"[{ "operation": "Delete", "close": true }]"#, "Delete"),
            (r#"[{ "close": true }, {}]"#, "fault 1: the fault does nothing"),
            (r#"[{ "close": true, "never": true }]"#, "one of close"),
            (r#"[{ "status": 503 }]"#, "status needs"),
            (r#"[{ "code": "SlowDown" }]"#, "code needs"),
            (r#"[{ "status": 100, "code": "SlowDown" }]"#, "status is 100"),
            (r#"[{ "close": true, "nth": 0 }]"#, "nth counts"),
            (r#"[{ "close": true, "times": "often" }]"#, "not valid"),
            (r#"[{ "delayMs": -1 }]"#, "delayMs is -1"),
            (r#"[{ "body": "", "headers": { "a b": "c" } }]"#, "no header"),
        ] {
            let error = parse(json.as_bytes()).unwrap_err();
            assert!(error.contains(word), "{error} should say {word}");
        }
    }
}
