//! An answer on its way out, be it true, refused, scripted or broken.

use std::borrow::Cow;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

use crate::error::S3Error;
use crate::load::faults::Fault;
use crate::xml::write::Xml;

/// What becomes of a request.
pub(crate) enum Outcome {
    Answer(Answer),
    /// The socket is closed without a word.
    Close,
    /// Nothing happens while the client waits.
    Never,
}

/// Status, headers and body.
#[derive(Debug)]
pub struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    /// The socket closes after so many bytes of the body.
    cut: Option<usize>,
    /// The code when it is an error, for the counters.
    pub error_code: Option<Cow<'static, str>>,
}

impl Answer {
    pub fn empty(status: u16) -> Self {
        let status = StatusCode::from_u16(status).expect("a valid status");
        Self { status, headers: HeaderMap::new(), body: Bytes::new(), cut: None, error_code: None }
    }

    pub fn xml(status: u16, document: String) -> Self {
        Self::empty(status)
            .with_header("content-type", "application/xml")
            .with_body(document.into())
    }

    pub fn json(status: u16, value: &serde_json::Value) -> Self {
        Self::empty(status)
            .with_header("content-type", "application/json")
            .with_body(value.to_string().into())
    }

    pub fn error(error: &S3Error, pretty: bool) -> Self {
        let document = error_document(&error.code, &error.message, pretty);
        let mut answer = Self::xml(error.status.as_u16(), document);
        for (name, value) in &error.headers {
            answer = answer.with_header(name, value);
        }
        answer.error_code = Some(error.code.clone());
        answer
    }

    /// The answer that a fault scripts.
    pub fn scripted(fault: &Fault, pretty: bool) -> Self {
        let document = match (&fault.body, &fault.code) {
            (Some(body), _) => body.clone(),
            (None, code) => {
                error_document(code.as_deref().unwrap_or_default(), &fault.message, pretty)
            }
        };
        let mut answer = Self::xml(fault.status.unwrap_or(200), document);
        for (name, value) in &fault.headers {
            answer = answer.with_header(name, value);
        }
        answer.error_code = fault.code.clone().map(Cow::Owned);
        answer
    }

    /// Sets a header, in place of an earlier one of that name.
    pub fn with_header(mut self, name: &str, value: impl AsRef<str>) -> Self {
        let name = HeaderName::try_from(name).expect("the name was checked");
        let value = HeaderValue::try_from(value.as_ref()).expect("the value was checked");
        self.headers.insert(name, value);
        self
    }

    pub fn status(&self) -> u16 {
        self.status.as_u16()
    }

    pub fn body(&self) -> &Bytes {
        &self.body
    }

    pub fn with_body(mut self, body: Bytes) -> Self {
        self.body = body;
        self
    }

    /// Damages the answer as the fault says.
    pub fn damaged_by(self, fault: &Fault) -> Self {
        let answer = fault.truncate.into_iter().fold(self, Self::truncated);
        fault.cut.into_iter().fold(answer, Self::cut)
    }

    /// Only so many bytes of the body, in a well-formed HTTP answer.
    pub fn truncated(mut self, length: usize) -> Self {
        self.body.truncate(length);
        self
    }

    /// The socket closes after so many bytes of the body.
    pub fn cut(mut self, length: usize) -> Self {
        self.cut = Some(length);
        self
    }

    pub fn into_response(self, request_id: u64) -> Response<AnswerBody> {
        let length = self.body.len() as u64;
        let body = match self.cut {
            None => AnswerBody { data: self.body, length, cut: false },
            Some(at) => {
                AnswerBody { data: self.body.slice(..at.min(self.body.len())), length, cut: true }
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        let request_id =
            HeaderValue::try_from(format!("{request_id:016X}")).expect("hexadecimal digits");
        response.headers_mut().insert("x-amz-request-id", request_id);
        response.headers_mut().insert("server", HeaderValue::from_static("s3-server"));
        response
    }
}

fn error_document(code: &str, message: &str, pretty: bool) -> String {
    let mut xml = Xml::new_error(pretty);
    xml.leaf("Code", code).leaf("Message", message);
    xml.finish()
}

/// A body that may break off before the length that it promises.
pub struct AnswerBody {
    data: Bytes,
    length: u64,
    cut: bool,
}

/// Tells hyper to close the socket.
#[derive(Debug)]
pub struct Closed;

impl std::fmt::Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("closed on purpose")
    }
}

impl std::error::Error for Closed {}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Closed;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Closed>>> {
        Poll::Ready(if !self.data.is_empty() {
            Some(Ok(Frame::data(std::mem::take(&mut self.data))))
        } else if std::mem::take(&mut self.cut) {
            Some(Err(Closed))
        } else {
            None
        })
    }

    fn is_end_stream(&self) -> bool {
        self.data.is_empty() && !self.cut
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length)
    }
}
