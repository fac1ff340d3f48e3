//! Reads the answer to a request that the SDK sends.
//!
//! The SDK resolves the endpoint, signs and transmits. An interceptor takes the place of the code of the SDK that would
//! read the answer: it gives status and body to a reader of this library, keeps the result, and gives the SDK an empty output. It
//! also gives a multi-delete the checksum that older stores want, and checks that a single delete names its key.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use aws_sdk_s3::error::SdkError;
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeSerializationInterceptorContextMut, BeforeTransmitInterceptorContextMut,
    Error as ContextError, Output,
};
use aws_smithy_runtime_api::client::interceptors::{Intercept, dyn_dispatch_hint};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::client::ser_de::{DeserializeResponse, SharedResponseDeserializer};
use aws_smithy_types::DateTime;
use aws_smithy_types::base64;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::ConfigBag;
use aws_smithy_types::date_time::Format;
use http_body_util::Limited;
use md5::{Digest, Md5};

use super::answer::Answer;
use super::connection;
use super::explain::{Told, explain};
use super::fault::Fault;
use super::way::Proof;
use super::xml::boolean;
use crate::core::sync::Mutex;

/// So many bytes an answer may have. A page of S3 has a few megabytes at most; a store that takes no notice of `max-keys` may send more,
/// and what never ends is not kept.
const LARGEST_ANSWER: usize = 64 << 20;
/// The key that the SDK is given in the place of one that it does not take.
const STAND_IN: &str = "key-of-blanks";

/// Takes the answer of one request.
pub struct Capture<T>(Arc<Inner<T>>);

type Read<T> = Box<dyn Fn(&Answer<'_>) -> Result<T, Fault> + Send + Sync>;

struct Inner<T> {
    read: Read<T>,
    blank: fn() -> Output,
    proof: Proof,
    /// The key of a single delete.
    key: Option<String>,
    taken: Mutex<Option<Result<T, Fault>>>,
    /// Scheme, host and port of the request, once it is signed.
    host: Mutex<Option<String>>,
}

impl<T: Send + 'static> Capture<T> {
    /// Reads the answer with `read`; the SDK gets a `blank` output of its own type.
    pub fn new(
        read: impl Fn(&Answer<'_>) -> Result<T, Fault> + Send + Sync + 'static,
        blank: fn() -> Output,
        proof: Proof,
    ) -> Self {
        Self::make(read, blank, proof, None)
    }

    /// As [`new`](Self::new), for a single delete of `key`. Also returns the key to give to the SDK.
    ///
    /// The SDK takes a key of blanks alone for a missing one, so it is given another key, which is replaced before the request is signed.
    pub fn of_key(
        key: &str,
        read: impl Fn(&Answer<'_>) -> Result<T, Fault> + Send + Sync + 'static,
        blank: fn() -> Output,
    ) -> (Self, String) {
        let told = if is_blank(key) { STAND_IN } else { key };
        (Self::make(read, blank, Proof::Checksum, Some(key.to_owned())), told.to_owned())
    }

    fn make(
        read: impl Fn(&Answer<'_>) -> Result<T, Fault> + Send + Sync + 'static,
        blank: fn() -> Output,
        proof: Proof,
        key: Option<String>,
    ) -> Self {
        let (taken, host) = (Mutex::new(None), Mutex::new(None));
        Self(Arc::new(Inner { read: Box::new(read), blank, proof, key, taken, host }))
    }

    /// What was read, or why nothing was.
    pub fn take<O, E: Error + 'static>(
        self,
        sent: Result<O, SdkError<E, HttpResponse>>,
    ) -> Result<T, Fault> {
        let host = self.0.host.lock().take();
        let result = match sent {
            Err(error) => Err(connection::fault(&error, host.as_deref())),
            Ok(_) => self.0.taken.lock().take().unwrap_or_else(|| {
                Err(Fault::passing("NoAnswer", "The request was not answered".to_owned()))
            }),
        };
        result.map_err(|fault| match host {
            Some(host) => fault.at(&host),
            None => fault,
        })
    }
}

impl<T> Clone for Capture<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for Capture<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Capture")
    }
}

#[dyn_dispatch_hint]
impl<T: Send + 'static> Intercept for Capture<T> {
    fn name(&self) -> &'static str {
        "Capture"
    }

    fn modify_before_serialization(
        &self,
        _: &mut BeforeSerializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        cfg.interceptor_state().store_put(SharedResponseDeserializer::new(self.clone()));
        Ok(())
    }

    fn modify_before_signing(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let request = context.request_mut();
        let host = host_of(request.uri()).to_owned();
        if let Some(key) = &self.0.key {
            let (path, query) = request.uri().split_once('?').unwrap_or((request.uri(), ""));
            if is_blank(key) {
                let bucket =
                    path.strip_suffix(STAND_IN).ok_or("the key is not at the end of the path")?;
                let uri = format!("{bucket}{}?{query}", percent_encoded(key));
                request.set_uri(uri)?;
            } else if !names(path, key) {
                return Err("the path of the request names another key".into());
            }
        }
        if self.0.proof == Proof::Md5 {
            give_md5(request)?;
        }
        *self.0.host.lock() = Some(host);
        Ok(())
    }
}

/// Puts `Content-MD5` in the place of the checksums.
fn give_md5(request: &mut HttpRequest) -> Result<(), BoxError> {
    let checksums: Vec<_> =
        request.headers().iter().map(|(name, _)| name.to_owned()).filter(is_checksum).collect();
    let digest = request.body().bytes().map(|body| base64::encode(Md5::digest(body)));
    let headers = request.headers_mut();
    for name in checksums {
        headers.remove(name);
    }
    headers.insert("content-md5", digest.ok_or("the body is not in memory")?);
    Ok(())
}

fn is_blank(key: &str) -> bool {
    key.trim().is_empty()
}

/// Whether a path ends with this key, byte for byte.
fn names(path: &str, key: &str) -> bool {
    let mut path = path.as_bytes();
    for byte in key.bytes().rev() {
        path = match path {
            [rest @ .., b'%', high, low] => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).ok();
                let read = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                if read != Some(byte) {
                    return false;
                }
                rest
            }
            [rest @ .., last] if *last == byte => rest,
            _ => return false,
        };
    }
    path.ends_with(b"/")
}

/// Scheme, host and port of a URL.
fn host_of(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let length = url[start..].find(['/', '?']).unwrap_or(url.len() - start);
    &url[..start + length]
}

fn is_checksum(name: &String) -> bool {
    name.starts_with("x-amz-checksum-") || name == "x-amz-sdk-checksum-algorithm"
}

impl<T: Send + 'static> DeserializeResponse for Capture<T> {
    /// Puts a bound to the body before it is read.
    fn deserialize_streaming_with_config(
        &self,
        response: &mut HttpResponse,
        _: &ConfigBag,
    ) -> Option<Result<Output, OrchestratorError<ContextError>>> {
        let body = std::mem::replace(response.body_mut(), SdkBody::taken());
        *response.body_mut() = SdkBody::from_body_1_x(Limited::new(body, LARGEST_ANSWER));
        None
    }

    fn deserialize_nonstreaming_with_config(
        &self,
        response: &HttpResponse,
        _: &ConfigBag,
    ) -> Result<Output, OrchestratorError<ContextError>> {
        let answer = Answer {
            status: response.status().as_u16(),
            made_marker: response
                .headers()
                .get("x-amz-delete-marker")
                .is_some_and(|marker| boolean(marker) == Ok(true)),
            body: response.body().bytes().unwrap_or_default(),
        };
        let read = (self.0.read)(&answer).map_err(|fault| {
            let header = |name| response.headers().get(name);
            let told = Told {
                status: answer.status,
                location: header("location"),
                region: header("x-amz-bucket-region"),
                body: answer.body,
            };
            let fault = explain(fault, &told);
            match retry_after(response) {
                Some(wait) => fault.told_to_wait(wait),
                None => fault,
            }
        });
        *self.0.taken.lock() = Some(read);
        Ok((self.0.blank)())
    }
}

/// How long the answer asks to be left alone: a number of seconds, or a date.
fn retry_after(response: &HttpResponse) -> Option<Duration> {
    let headers = response.headers();
    let date = |text: &str| DateTime::from_str(text, Format::HttpDate).ok();
    // A date is meant by the clock of the store, if the answer tells its time.
    let now = headers.get("date").and_then(date).unwrap_or_else(|| SystemTime::now().into());
    wait(headers.get("retry-after")?.trim(), now)
}

fn wait(told: &str, now: DateTime) -> Option<Duration> {
    if let Ok(seconds) = told.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = DateTime::from_str(told, Format::HttpDate).ok()?;
    u64::try_from(until.secs() - now.secs()).ok().map(Duration::from_secs)
}

/// Text for a URI, with every byte encoded that is not a letter or a digit.
pub fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_a_key_byte_for_byte() {
        let table = [
            ("/bucket/a", "a", true),
            ("/a", "a", true),
            ("/bucket/d/../e", "d/../e", true),
            ("/bucket/e", "d/../e", false),
            ("/bucket/d//x", "d//x", true),
            ("/bucket/d/x", "d//x", false),
            ("/bucket//lead", "/lead", true),
            ("/bucket/lead", "/lead", false),
            ("/bucket/.", ".", true),
            ("/bucket/", ".", false),
            ("/bucket/a%20b", "a b", true),
            ("/bucket/a+b", "a b", false),
            ("/bucket/a%2520b", "a%20b", true),
            ("/bucket/a%20b", "a%20b", false),
            ("/bucket/%C3%A9", "é", true),
            ("/bucket/xa", "a", false),
        ];
        for (path, key, expected) in table {
            assert_eq!(names(path, key), expected, "{path} {key}");
        }
    }

    #[test]
    fn a_wait_is_told_in_seconds_or_by_a_date() {
        let now = DateTime::from_str("Tue, 01 Dec 2026 15:00:00 GMT", Format::HttpDate).unwrap();
        for (told, seconds) in [
            ("4", Some(4)),
            ("0", Some(0)),
            ("Tue, 01 Dec 2026 15:00:30 GMT", Some(30)),
            ("Tue, 01 Dec 2026 14:00:00 GMT", None),
            ("soon", None),
            ("-1", None),
        ] {
            assert_eq!(wait(told, now), seconds.map(Duration::from_secs), "{told}");
        }
    }
}
