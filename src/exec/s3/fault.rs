//! What a request that did not go well means for the keys in it.
//!
//! Pure decisions, by status and code: who waits and tries again without counting, who tries again a limited number of
//! times, who is reported, and what makes the whole job pointless.

use std::any::Any;
use std::time::Duration;

use crate::faults;

/// What to do about a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Too fast: go slower, and try again. It does not count as a try.
    Throttled,
    /// It may pass: try again, as often as is allowed.
    Passing,
    /// The credentials are too old: fetch them again.
    Expired,
    /// It will not change: report the keys.
    Refused,
    /// Nothing of this job can work: report the keys and stop.
    Fatal,
}

/// A request, or one key of it, that did not go well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What to do about it.
    pub kind: Kind,
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// The code in the answer, or one of ours.
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
    /// A fault that was answered.
    pub fn answered(status: u16, code: &str, message: String) -> Self {
        let code = if code.is_empty() { format!("Http{status}") } else { code.to_owned() };
        Self { kind: kind(status, &code), status: Some(status), code, message, retry_after: None }
    }

    /// A fault of one key in an answer that is fine otherwise.
    pub fn of_key(code: &str, message: String) -> Self {
        let (code, message) = (code.trim(), message.trim());
        let kind = match kind(200, code) {
            // Without a reason it may pass.
            _ if code.is_empty() => Kind::Passing,
            // One key alone can't make the job pointless.
            Kind::Fatal => Kind::Refused,
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

    /// A fault without an answer that makes sense.
    pub fn passing(code: &str, message: String) -> Self {
        let code = code.to_owned();
        Self { kind: Kind::Passing, status: None, code, message, retry_after: None }
    }

    /// A fault that no request can mend.
    pub fn fatal(code: &str, message: String) -> Self {
        Self { kind: Kind::Fatal, status: None, code: code.to_owned(), message, retry_after: None }
    }

    /// This fault, with the host or the bucket that it is about.
    pub fn at(self, place: &str) -> Self {
        if self.message.contains(place) {
            return self;
        }
        let message = match self.message.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) {
            // A host is told already, and the bucket stands beside it.
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

    /// What is told when a task of ours panicked.
    pub fn of_panic(panic: &(dyn Any + Send)) -> Self {
        let text = faults::text_of(panic).unwrap_or("a panic without a message");
        Self::fatal("Panic", format!("A fault of this library: {text}"))
    }

    /// Whether the store's clock and this machine's differ too much.
    pub fn is_about_time(&self) -> bool {
        matches!(self.code.as_str(), "RequestTimeTooSkewed" | "RequestInTheFuture")
    }

    /// The store says how long it wants to be left alone.
    pub fn told_to_wait(self, wait: Duration) -> Self {
        let is_passing = self.kind == Kind::Passing;
        // A store that is down for a while says so in the same way as one that is asked too often, and is left alone as well.
        let kind = if self.status == Some(503) && is_passing { Kind::Throttled } else { self.kind };
        Self { kind, retry_after: Some(wait), ..self }
    }

    /// Whether a delete was answered, but not with what was deleted.
    pub fn is_not_confirmed(&self) -> bool {
        self.code == NOT_CONFIRMED
    }

    /// Whether it says that the object does not exist, so that nothing is left to delete.
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
        self.kind == Kind::Refused && !matches!(self.status, Some(401 | 403))
    }

    /// Whether no answer came because the connection broke.
    pub fn is_broken_connection(&self) -> bool {
        self.code == "ConnectionError"
    }

    /// Whether it may mean that the store can't do this kind of multi-delete, rather than that these keys are refused.
    pub fn is_about_the_way(&self) -> bool {
        const CODES: [&str; 14] = [
            "BadDigest",
            "BadRequest",
            "InvalidArgument",
            "InvalidDigest",
            "InvalidHeader",
            "InvalidRequest",
            "MalformedPOSTRequest",
            "MalformedXML",
            "MethodNotAllowed",
            "MissingContentMD5",
            "MissingDigest",
            "NotImplemented",
            "UnsupportedOperation",
            "XNotImplemented",
        ];
        match self.status {
            Some(307 | 404) => !matches!(self.code.as_str(), "NoSuchBucket" | "WrongRegion"),
            Some(405 | 411 | 412 | 415 | 501) => self.kind != Kind::Throttled,
            Some(400) => CODES.contains(&self.code.as_str()) || self.code == "Http400",
            _ => false,
        }
    }
}

/// Whether a code says that requests come too fast. Each store has words of its own for that.
fn is_throttling(code: &str) -> bool {
    const CODES: [&str; 5] =
        ["429", "503", "bandwidthlimitexceeded", "priorrequestnotcomplete", "serverbusy"];
    const PARTS: [&str; 8] = [
        "limitexceededbyrate",
        "provisionedthroughputexceeded",
        "qps",
        "rateexceeded",
        "ratelimit",
        "slowdown",
        "throttl",
        "toomanyrequest",
    ];
    let letters = code.chars().filter(char::is_ascii_alphanumeric);
    let code: String = letters.map(|char| char.to_ascii_lowercase()).collect();
    CODES.contains(&code.as_str())
        || code.starts_with("requestlimitexceeded")
        || PARTS.iter().any(|part| code.contains(part))
}

fn kind(status: u16, code: &str) -> Kind {
    if status == 429 || is_throttling(code) {
        return Kind::Throttled;
    }
    match code {
        "InternalError"
        | "InternalFailure"
        | "ServiceUnavailable"
        | "RequestTimeout"
        | "RequestTimeoutException"
        | "OperationAborted"
        | "ConditionalRequestConflict"
        | "Busy"
        | "Timeout"
        | "IncompleteBody" => Kind::Passing,
        "ExpiredToken" | "ExpiredTokenException" | "RequestExpired" | "TokenRefreshRequired" => {
            Kind::Expired
        }
        "InvalidAccessKeyId"
        | "SignatureDoesNotMatch"
        | "InvalidToken"
        | "UnrecognizedClientException"
        | "InvalidClientTokenId"
        | "AuthorizationHeaderMalformed"
        | "RequestTimeTooSkewed"
        | "NoSuchBucket"
        | "InvalidBucketName"
        | "PermanentRedirect" => Kind::Fatal,
        _ => match status {
            408 | 500 | 502..=599 => Kind::Passing,
            300..=399 => Kind::Fatal,
            _ => Kind::Refused,
        },
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
            (403, "AccessDenied", Kind::Refused),
            (403, "", Kind::Refused),
            (400, "MalformedXML", Kind::Refused),
            (501, "NotImplemented", Kind::Refused),
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
            (403, "AccessDenied", Kind::Refused),
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
            ("AccessDenied", Kind::Refused),
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
            ("NoSuchBucket", Kind::Refused),
            ("Whatever", Kind::Refused),
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
