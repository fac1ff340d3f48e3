//! What a request that did not go well means for the keys in it.
//!
//! Pure decisions, by status and code: who waits and tries again without counting, who tries again a limited number of
//! times, who is reported, and what makes the whole job pointless.

use std::any::Any;

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
}

impl Fault {
    /// A fault that was answered.
    pub fn answered(status: u16, code: &str, message: String) -> Self {
        let code = if code.is_empty() { format!("Http{status}") } else { code.to_owned() };
        Self { kind: kind(status, &code), status: Some(status), code, message }
    }

    /// A fault of one key in an answer that is fine otherwise.
    pub fn of_key(code: &str, message: String) -> Self {
        // One key alone can't make the job pointless.
        let kind = match kind(200, code) {
            Kind::Fatal => Kind::Refused,
            kind => kind,
        };
        Self { kind, status: Some(200), code: code.to_owned(), message }
    }

    /// A fault without an answer that makes sense.
    pub fn passing(code: &str, message: String) -> Self {
        Self { kind: Kind::Passing, status: None, code: code.to_owned(), message }
    }

    /// A fault that no request can mend.
    pub fn fatal(code: &str, message: String) -> Self {
        Self { kind: Kind::Fatal, status: None, code: code.to_owned(), message }
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

    /// Whether it may mean that the store can't do this kind of multi-delete, rather than that these keys must stay.
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
            Some(501 | 405) => true,
            Some(400) => CODES.contains(&self.code.as_str()) || self.code == "Http400",
            _ => false,
        }
    }
}

fn kind(status: u16, code: &str) -> Kind {
    match code {
        "SlowDown"
        | "SlowDownRead"
        | "SlowDownWrite"
        | "Throttling"
        | "ThrottlingException"
        | "ThrottledException"
        | "RequestThrottled"
        | "RequestThrottledException"
        | "RequestLimitExceeded"
        | "TooManyRequests"
        | "TooManyRequestsException"
        | "BandwidthLimitExceeded"
        | "ProvisionedThroughputExceededException"
        | "PriorRequestNotComplete" => Kind::Throttled,
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
            429 => Kind::Throttled,
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
    fn what_a_key_means() {
        let table = [
            ("AccessDenied", Kind::Refused),
            ("SlowDown", Kind::Throttled),
            ("InternalError", Kind::Passing),
            ("NoSuchBucket", Kind::Refused),
            ("Whatever", Kind::Refused),
        ];
        for (code, kind) in table {
            assert_eq!(Fault::of_key(code, String::new()).kind, kind, "{code}");
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
