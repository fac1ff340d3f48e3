//! What a status and a code mean for the keys of a request: which faults make it wait and try again without counting, which a
//! limited number of times, which keys have failed, and what makes the whole job pointless.

/// What to do about a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Requests come too fast: go slower, and try again. That does not count as a try.
    Throttled,
    /// The cause may pass: try again, as often as is allowed.
    Passing,
    /// The credentials are too old: fetch them again.
    Expired,
    /// Another try will not work either: the keys have failed.
    Denied,
    /// Nothing of this job can work: report the keys and stop.
    Fatal,
}

/// Whether a code says that requests come too fast. Stores have many different codes for that.
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

/// What to do about a request that was answered with this status and code.
pub fn kind(status: u16, code: &str) -> Kind {
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
            _ => Kind::Denied,
        },
    }
}

/// Whether a fault may mean that the store can't do this kind of multi-delete, rather than that it denies these keys.
pub fn is_about_the_way(status: u16, code: &str, kind: Kind) -> bool {
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
    match status {
        307 | 404 => !matches!(code, "NoSuchBucket" | "WrongRegion"),
        405 | 411 | 412 | 415 | 501 => kind != Kind::Throttled,
        400 => CODES.contains(&code) || code == "Http400",
        _ => false,
    }
}
