//! Sends one request by the SDK and reads the answer ourselves.
//!
//! The SDK resolves the endpoint, signs and transmits. An interceptor then takes the place of the code that would read the
//! answer: it gives the status and the body to our own reader, keeps what that makes of them, and tells the SDK an empty
//! output. It can also give a multi-delete the checksum that older stores want.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use aws_sdk_s3::error::SdkError;
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeSerializationInterceptorContextMut, BeforeTransmitInterceptorContextMut,
    Error as ContextError, Output,
};
use aws_smithy_runtime_api::client::interceptors::{Intercept, dyn_dispatch_hint};
use aws_smithy_runtime_api::client::orchestrator::{HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::client::ser_de::{DeserializeResponse, SharedResponseDeserializer};
use aws_smithy_types::base64;
use aws_smithy_types::config_bag::ConfigBag;
use md5::{Digest, Md5};

use super::answer::Answer;
use super::fault::Fault;
use crate::core::sync::Mutex;

/// Told to the SDK in the place of a key that it does not take.
const STAND_IN: &str = "key-of-blanks";

/// How a multi-delete proves that it arrived whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// By the checksum that the SDK sends.
    Checksum,
    /// By `Content-MD5`, and nothing else.
    Md5,
}

/// Takes the answer of one request.
pub struct Capture<T>(Arc<Inner<T>>);

type Read<T> = Box<dyn Fn(&Answer<'_>) -> Result<T, Fault> + Send + Sync>;

struct Inner<T> {
    read: Read<T>,
    blank: fn() -> Output,
    proof: Proof,
    blank_key: Option<String>,
    taken: Mutex<Option<Result<T, Fault>>>,
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

    /// As [`new`](Self::new), for a single delete of `key`. Returns the key to tell the SDK as well.
    ///
    /// The SDK takes a key of blanks alone for a missing one, so it is told another, which is replaced later.
    pub fn of_key(
        key: &str,
        read: impl Fn(&Answer<'_>) -> Result<T, Fault> + Send + Sync + 'static,
        blank: fn() -> Output,
    ) -> (Self, String) {
        let blank_key = key.trim().is_empty().then(|| key.to_owned());
        let told = if blank_key.is_some() { STAND_IN } else { key };
        (Self::make(read, blank, Proof::Checksum, blank_key), told.to_owned())
    }

    fn make(
        read: impl Fn(&Answer<'_>) -> Result<T, Fault> + Send + Sync + 'static,
        blank: fn() -> Output,
        proof: Proof,
        blank_key: Option<String>,
    ) -> Self {
        let taken = Mutex::new(None);
        Self(Arc::new(Inner { read: Box::new(read), blank, proof, blank_key, taken }))
    }

    /// What was read, or why nothing was.
    pub fn take<O, E: Error + 'static>(
        self,
        sent: Result<O, SdkError<E, HttpResponse>>,
    ) -> Result<T, Fault> {
        if let Err(error) = sent {
            return Err(fault(&error));
        }
        let taken = self.0.taken.lock().take();
        taken.unwrap_or_else(|| {
            Err(Fault::passing("NoAnswer", "The request was not answered".to_owned()))
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
        if let Some(key) = &self.0.blank_key {
            let (path, query) = request.uri().split_once('?').unwrap_or((request.uri(), ""));
            let bucket =
                path.strip_suffix(STAND_IN).ok_or("the key is not at the end of the path")?;
            let uri = format!("{bucket}{}?{query}", percent_encoded(key));
            request.set_uri(uri)?;
        }
        if self.0.proof == Proof::Checksum {
            return Ok(());
        }
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
}

fn is_checksum(name: &String) -> bool {
    name.starts_with("x-amz-checksum-") || name == "x-amz-sdk-checksum-algorithm"
}

impl<T: Send + 'static> DeserializeResponse for Capture<T> {
    fn deserialize_nonstreaming_with_config(
        &self,
        response: &HttpResponse,
        _: &ConfigBag,
    ) -> Result<Output, OrchestratorError<ContextError>> {
        let answer = Answer {
            status: response.status().as_u16(),
            made_marker: response.headers().get("x-amz-delete-marker") == Some("true"),
            body: response.body().bytes().unwrap_or_default(),
        };
        let read = (self.0.read)(&answer);
        *self.0.taken.lock() = Some(read);
        Ok((self.0.blank)())
    }
}

fn fault<E: Error + 'static>(error: &SdkError<E, HttpResponse>) -> Fault {
    let message = chain(error);
    match error {
        SdkError::TimeoutError(_) => Fault::passing("RequestTimeout", message),
        SdkError::DispatchFailure(failure) if failure.is_timeout() => {
            Fault::passing("ConnectionTimeout", message)
        }
        SdkError::DispatchFailure(_) | SdkError::ResponseError(_) => {
            Fault::passing("ConnectionError", message)
        }
        _ => Fault::fatal("InvalidRequest", message),
    }
}

/// Text for a URI, with every byte encoded that is not a letter or a digit.
pub fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

/// An error with all that caused it, in one line.
pub fn chain(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.ends_with(&text) {
            message.push_str(": ");
            message.push_str(&text);
        }
        cause = error.source();
    }
    message
}
