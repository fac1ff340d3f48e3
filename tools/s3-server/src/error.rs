//! The error of an operation, as S3 answers it: a status, a code and a message in an XML document.

use std::borrow::Cow;

use hyper::StatusCode;

/// What an operation is refused with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct S3Error {
    pub status: StatusCode,
    pub code: Cow<'static, str>,
    pub message: Cow<'static, str>,
    /// Headers that the answer carries, as a delete marker's GetObject does.
    pub headers: Vec<(&'static str, String)>,
}

pub type S3Result<T> = Result<T, S3Error>;

impl S3Error {
    pub fn new(
        status: u16,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        let status = StatusCode::from_u16(status).expect("a valid status");
        Self { status, code: code.into(), message: message.into(), headers: Vec::new() }
    }

    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub fn invalid_argument(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(400, "InvalidArgument", message)
    }

    pub fn invalid_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(400, "InvalidRequest", message)
    }

    pub fn malformed_xml() -> Self {
        let message = "The XML you provided was not well-formed or did not validate against our published schema";
        Self::new(400, "MalformedXML", message)
    }

    pub fn not_implemented(what: &str) -> Self {
        let message = format!(
            "A header or query you provided implies functionality that is not implemented: {what}"
        );
        Self::new(501, "NotImplemented", message)
    }

    pub fn slow_down() -> Self {
        Self::new(503, "SlowDown", "Please reduce your request rate.")
    }

    pub fn no_such_bucket(bucket: &str) -> Self {
        Self::new(404, "NoSuchBucket", format!("The specified bucket does not exist: {bucket}"))
    }

    pub fn no_such_key() -> Self {
        Self::new(404, "NoSuchKey", "The specified key does not exist.")
    }
}
