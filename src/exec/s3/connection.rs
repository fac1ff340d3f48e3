//! Why a request got no answer: which causes may pass, and what the user can do about the others.

use std::error::Error;
use std::io;

use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_s3::error::SdkError;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use http_body_util::LengthLimitError;
use rustls::{CertificateError, Error as TlsError, InvalidMessage};

use super::fault::{Fault, Kind};
use super::shown::chain;

/// The fault of a request without an answer. `host` is where the request goes; without it the SDK failed before it sent anything.
pub fn fault<E: Error + 'static>(error: &SdkError<E, HttpResponse>, host: Option<&str>) -> Fault {
    let message = chain(error);
    if find(error, &|error| error.downcast_ref::<LengthLimitError>().map(|_| ())).is_some() {
        let message = "The answer is far larger than any of S3".to_owned();
        return Fault::passing("MalformedAnswer", message);
    }
    match error {
        SdkError::TimeoutError(_) => Fault::passing("RequestTimeout", message),
        SdkError::DispatchFailure(failure) if failure.is_timeout() => {
            Fault::passing("ConnectionTimeout", message)
        }
        SdkError::DispatchFailure(_) | SdkError::ResponseError(_) => match host {
            Some(host) => lost(error, message, host.starts_with("http:")),
            None => unmade(error, message),
        },
        _ => Fault::fatal("InvalidRequest", message),
    }
}

/// The fault of a request that the SDK could not make, so that another try would fail in the same way.
fn unmade(error: &(dyn Error + 'static), message: String) -> Fault {
    if find(error, &|error| error.downcast_ref::<CredentialsError>().map(|_| ())).is_some() {
        return Fault::fatal("CredentialsError", message);
    }
    Fault::invalid_config(format!("No request can be made of the options: {message}"))
}

/// The fault of a request that was sent, or that found no connection.
fn lost(error: &(dyn Error + 'static), message: String, is_plain: bool) -> Fault {
    if let Some((code, remedy)) =
        find(error, &|error| error.downcast_ref::<TlsError>().and_then(of_tls))
    {
        return Fault::fatal(code, format!("{remedy}: {message}"));
    }
    if message.contains("proxy authorization required") {
        let remedy = "The proxy asks for a user and a password: give them in the URL of `proxy`";
        return Fault::invalid_config(format!("{remedy}: {message}"));
    }
    if message.contains("invalid HTTP version parsed") {
        let remedy = "What answers speaks no HTTP; if it wants TLS, begin `endpoint` with https://";
        return Fault::fatal("NotS3", format!("{remedy}: {message}"));
    }
    let hint = match find(error, &|error| error.downcast_ref::<io::Error>().map(io::Error::kind)) {
        _ if message.contains("tunnel error") => {
            "; the proxy does not connect to the store: it may not be allowed to, or `proxy` names no proxy"
        }
        _ if message.contains("dns error") => {
            "; if only the bucket's own host is unknown, set `forcePathStyle`; if there is a proxy, check `proxy`"
        }
        _ if is_plain && message.contains("closed before message completed") => {
            "; if the port wants TLS, begin `endpoint` with https://"
        }
        Some(io::ErrorKind::ConnectionRefused) => {
            "; check host and port of `endpoint`, or of `proxy` if there is one"
        }
        _ => "",
    };
    Fault { kind: Kind::Passing, ..Fault::passing("ConnectionError", format!("{message}{hint}")) }
}

/// Code and remedy of an error of TLS that another try would meet again.
fn of_tls(error: &TlsError) -> Option<(&'static str, &'static str)> {
    const CODE: &str = "UntrustedCertificate";
    Some(match error {
        TlsError::InvalidCertificate(CertificateError::UnknownIssuer) => (
            CODE,
            "The issuer of the store's certificate is not trusted; if it is your own, give it as `caBundle`",
        ),
        TlsError::InvalidCertificate(
            CertificateError::Expired | CertificateError::ExpiredContext { .. },
        ) => (CODE, "The store's certificate has expired, or the clock of this machine is wrong"),
        TlsError::InvalidCertificate(
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. },
        ) => (
            CODE,
            "The store's certificate is not valid yet, or the clock of this machine is wrong",
        ),
        TlsError::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => (
            CODE,
            "The store's certificate is for another host; if it is for the host without the bucket, set `forcePathStyle`",
        ),
        TlsError::InvalidCertificate(_) => (CODE, "The store's certificate can't be trusted"),
        TlsError::InvalidMessage(InvalidMessage::InvalidContentType) => (
            "NotS3",
            "What answers does not speak TLS; if it is meant to, begin `endpoint` with http://",
        ),
        _ => return None,
    })
}

/// The first cause that `pick` takes. An error of I/O hides its own cause from the usual way to it.
fn find<T>(
    error: &(dyn Error + 'static),
    pick: &dyn Fn(&(dyn Error + 'static)) -> Option<T>,
) -> Option<T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = pick(error) {
            return Some(found);
        }
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(found) = inner.and_then(|inner| find(inner, pick)) {
            return Some(found);
        }
        next = error.source();
    }
    None
}
