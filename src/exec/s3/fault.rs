//! What did not go well with a request, or with one key in it, as data.

use std::any::Any;
use std::time::Duration;

pub use super::kind::Kind;
use super::kind::{is_about_the_way, kind};
use crate::panics;

/// A request, or one key of it, that did not go well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What to do about it.
    pub kind: Kind,
    /// The status of the answer; none if there was no answer.
    pub status: Option<u16>,
    /// The code in the answer, or one of this library.
    pub code: String,
    /// What is said about it.
    pub message: String,
    /// How long the store wants to be left alone.
    pub retry_after: Option<Duration>,
}

/// The code of a key that a store reports without saying why.
const NO_CODE: &str = "UnknownError";
/// The code of a delete that was answered, but not with what was deleted.
const NOT_CONFIRMED: &str = "NotConfirmed";

impl Fault {
    /// A fault that the store answered with.
    pub fn answered(status: u16, code: &str, message: String) -> Self {
        let code = if code.is_empty() { format!("Http{status}") } else { code.to_owned() };
        Self { kind: kind(status, &code), status: Some(status), code, message, retry_after: None }
    }

    /// A fault of one key, in an answer that is a success as a whole.
    pub fn of_key(code: &str, message: String) -> Self {
        let (code, message) = (code.trim(), message.trim());
        let kind = match kind(200, code) {
            // A fault without a reason may pass.
            _ if code.is_empty() => Kind::Passing,
            // The fault of one key says nothing of the other keys of the job.
            Kind::Fatal => Kind::Denied,
            Kind::Expired => Kind::Passing,
            kind => kind,
        };
        let code = if code.is_empty() { NO_CODE } else { code };
        let message = if message.is_empty() { "the store gives no reason" } else { message };
        let (code, message) = (code.to_owned(), message.to_owned());
        Self { kind, status: Some(200), code, message, retry_after: None }
    }

    /// A delete that a store answered with success, but without saying what was deleted.
    pub fn not_confirmed(what: &str) -> Self {
        Self::passing(NOT_CONFIRMED, format!("The store does not say that it was deleted: {what}"))
    }

    /// A fault that may pass: there was no answer, or none that can be read.
    pub fn passing(code: &str, message: String) -> Self {
        let code = code.to_owned();
        Self { kind: Kind::Passing, status: None, code, message, retry_after: None }
    }

    /// A fault that every further request of the job would have as well.
    pub fn fatal(code: &str, message: String) -> Self {
        Self { kind: Kind::Fatal, status: None, code: code.to_owned(), message, retry_after: None }
    }

    /// This fault, with the host or the bucket that it is about.
    pub fn at(self, place: &str) -> Self {
        if self.message.contains(place) {
            return self;
        }
        let message = match self.message.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) {
            // The message names the host already; the bucket is added in the same brackets.
            Some((text, host)) if host.starts_with("http") => format!("{text} ({host}, {place})"),
            _ if self.message.is_empty() => format!("It says no more ({place})"),
            _ => format!("{} ({place})", self.message),
        };
        Self { message, ..self }
    }

    /// Options, environment and profile that no request can be made with.
    pub fn invalid_config(message: String) -> Self {
        Self::fatal("InvalidConfig", message)
    }

    /// What a store told of its keys can't be trusted: `what` continues "The store".
    pub fn invalid_listing(what: &str) -> Self {
        Self::fatal("InvalidListing", format!("The store {what}"))
    }

    /// The fault of a job whose task panicked.
    pub fn of_panic(panic: &(dyn Any + Send)) -> Self {
        let text = panics::text_of(panic);
        Self::fatal("Panic", format!("A fault of this library: {text}"))
    }

    /// Whether the store's clock and this machine's differ too much.
    pub fn is_about_time(&self) -> bool {
        matches!(self.code.as_str(), "RequestTimeTooSkewed" | "RequestInTheFuture")
    }

    /// This fault, with the time for which the store wants no more requests.
    pub fn told_to_wait(self, wait: Duration) -> Self {
        let is_passing = self.kind == Kind::Passing;
        // A store that is down for a while answers as one that gets too many requests; in both cases the client waits.
        let kind = if self.status == Some(503) && is_passing { Kind::Throttled } else { self.kind };
        Self { kind, retry_after: Some(wait), ..self }
    }

    /// Whether a delete was answered, but not with what was deleted.
    pub fn is_not_confirmed(&self) -> bool {
        self.code == NOT_CONFIRMED
    }

    /// Whether the fault says that the object does not exist, so that nothing is left to delete.
    pub fn says_deleted(&self) -> bool {
        matches!(self.code.as_str(), "NoSuchKey" | "NoSuchVersion")
    }

    /// Whether the body of the request was too large.
    pub fn is_too_large(&self) -> bool {
        const CODES: [&str; 4] = [
            "EntityTooLarge",
            "MaxMessageLengthExceeded",
            "RequestBodyTooLarge",
            "RequestEntityTooLarge",
        ];
        self.status == Some(413) || CODES.contains(&self.code.as_str())
    }

    /// Whether a batch may have been refused for one of its keys, so that the others can be deleted without it. Who is not allowed to
    /// delete is told so of each key, or of all.
    pub fn is_about_a_key(&self) -> bool {
        self.kind == Kind::Denied && !matches!(self.status, Some(401 | 403))
    }

    /// Whether no answer came because the connection broke.
    pub fn is_broken_connection(&self) -> bool {
        self.code == "ConnectionError"
    }

    /// Whether it may mean that the store can't do this kind of multi-delete, rather than that it denies these keys.
    pub fn is_about_the_way(&self) -> bool {
        self.status.is_some_and(|status| is_about_the_way(status, &self.code, self.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_request_means() {
        let table = [
            (503, "SlowDown", Kind::Throttled),
            (200, "SlowDown", Kind::Throttled),
            (429, "", Kind::Throttled),
            (429, "AccessDenied", Kind::Throttled),
            (400, "ExceedAccountQPSLimit", Kind::Throttled),
            (403, "QpsLimitExceeded", Kind::Throttled),
            (503, "ServerBusy", Kind::Throttled),
            (400, "Throttling.User", Kind::Throttled),
            (400, "slow_down", Kind::Throttled),
            (503, "RequestRateExceeded", Kind::Throttled),
            (503, "ServiceUnavailable", Kind::Passing),
            (503, "", Kind::Passing),
            (500, "InternalError", Kind::Passing),
            (200, "InternalError", Kind::Passing),
            (502, "", Kind::Passing),
            (504, "", Kind::Passing),
            (400, "RequestTimeout", Kind::Passing),
            (409, "OperationAborted", Kind::Passing),
            (400, "ExpiredToken", Kind::Expired),
            (403, "InvalidAccessKeyId", Kind::Fatal),
            (403, "SignatureDoesNotMatch", Kind::Fatal),
            (404, "NoSuchBucket", Kind::Fatal),
            (301, "PermanentRedirect", Kind::Fatal),
            (307, "", Kind::Fatal),
            (403, "AccessDenied", Kind::Denied),
            (403, "", Kind::Denied),
            (400, "MalformedXML", Kind::Denied),
            (501, "NotImplemented", Kind::Denied),
        ];
        for (status, code, kind) in table {
            let fault = Fault::answered(status, code, String::new());
            assert_eq!(fault.kind, kind, "{status} {code}");
        }
        assert_eq!(Fault::answered(502, "", String::new()).code, "Http502");
    }

    #[test]
    fn a_store_that_says_when_to_come_again_throttles() {
        let wait = Duration::from_secs(4);
        for (status, code, kind) in [
            (503, "", Kind::Throttled),
            (503, "ServiceUnavailable", Kind::Throttled),
            (429, "", Kind::Throttled),
            (500, "", Kind::Passing),
            (403, "AccessDenied", Kind::Denied),
        ] {
            let fault = Fault::answered(status, code, String::new()).told_to_wait(wait);
            assert_eq!((fault.kind, fault.retry_after), (kind, Some(wait)), "{status} {code}");
        }
    }

    #[test]
    fn a_fault_of_a_key_has_a_code_and_a_reason() {
        for (code, message) in [("", ""), (" ", "\n")] {
            let fault = Fault::of_key(code, message.to_owned());
            assert_eq!(fault.code, "UnknownError");
            assert_eq!(fault.message, "the store gives no reason");
        }
        let fault = Fault::of_key("Code", " why ".to_owned());
        assert_eq!((fault.code.as_str(), fault.message.as_str()), ("Code", "why"));
    }

    #[test]
    fn what_a_key_means() {
        let table = [
            ("AccessDenied", Kind::Denied),
            ("SlowDown", Kind::Throttled),
            ("ExceedAccountQPSLimit", Kind::Throttled),
            ("QpsLimitExceeded", Kind::Throttled),
            ("ServerBusy", Kind::Throttled),
            ("429", Kind::Throttled),
            ("503", Kind::Throttled),
            ("TooManyRequestsException", Kind::Throttled),
            ("ExpiredToken", Kind::Passing),
            ("", Kind::Passing),
            ("InternalError", Kind::Passing),
            ("NoSuchBucket", Kind::Denied),
            ("Whatever", Kind::Denied),
        ];
        for (code, kind) in table {
            assert_eq!(Fault::of_key(code, String::new()).kind, kind, "{code}");
        }
    }

    #[test]
    fn what_may_be_about_one_key_of_a_batch() {
        for (status, code, expected) in [
            (400, "KeyTooLongError", true),
            (400, "XMinioInvalidObjectName", true),
            (400, "MalformedXML", true),
            (404, "NoSuchKey", true),
            (403, "AccessDenied", false),
            (403, "SignatureDoesNotMatch", false),
            (404, "NoSuchBucket", false),
            (400, "ExpiredToken", false),
            (503, "SlowDown", false),
            (500, "InternalError", false),
        ] {
            let fault = Fault::answered(status, code, String::new());
            assert_eq!(fault.is_about_a_key(), expected, "{status} {code}");
        }
    }

    #[test]
    fn what_is_about_the_way_of_deleting() {
        let table = [
            (501, "NotImplemented", true),
            (501, "", true),
            (405, "MethodNotAllowed", true),
            (400, "InvalidArgument", true),
            (400, "InvalidRequest", true),
            (400, "MissingContentMD5", true),
            (400, "", true),
            (404, "", true),
            (404, "MethodNotAllowed", true),
            (404, "NoSuchBucket", false),
            (301, "PermanentRedirect", false),
            (307, "WrongRegion", false),
            (307, "NotS3", true),
            (307, "TemporaryRedirect", true),
            (411, "MissingContentLength", true),
            (412, "PreconditionFailed", true),
            (415, "", true),
            (413, "", false),
            (400, "ExpiredToken", false),
            (403, "AccessDenied", false),
            (503, "SlowDown", false),
            (200, "InvalidArgument", false),
        ];
        for (status, code, expected) in table {
            assert_eq!(
                Fault::answered(status, code, String::new()).is_about_the_way(),
                expected,
                "{status} {code}"
            );
        }
    }
}
