//! Signature Version 4 in the Authorization header.
//!
//! The request is brought into its canonical form from what was decoded, as S3 does, not from what the client claims to
//! have signed; so a client that encodes a key wrongly is refused.

use hmac::{Hmac, KeyInit, Mac};
use hyper::Method;
use hyper::header::HeaderMap;
use sha2::{Digest, Sha256};
use time::PrimitiveDateTime;
use time::macros::format_description;

use super::credentials::KnownCredentials;
use crate::error::{S3Error, S3Result};
use crate::request::header;
use crate::request::query::Query;
use crate::text::encode_for_signature;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// How far a client's clock may be off.
const MAX_SKEW_MS: i64 = 15 * 60 * 1000;

/// The parts of a request that are signed.
pub struct SignedRequest<'a> {
    pub method: &'a Method,
    /// The decoded path.
    pub path: &'a str,
    pub query: &'a Query,
    pub headers: &'a HeaderMap,
}

/// The Authorization header, taken apart.
struct Authorization<'a> {
    access_key_id: &'a str,
    date: &'a str,
    region: &'a str,
    scope: &'a str,
    signed_headers: Vec<&'a str>,
    signature: Vec<u8>,
}

/// Refuses the request unless it is signed by known credentials for this region, now.
pub fn verify(
    request: &SignedRequest,
    known: &KnownCredentials,
    region: &str,
    now_ms: i64,
) -> S3Result<()> {
    if request.query.has("X-Amz-Algorithm") {
        return Err(S3Error::not_implemented("presigned URLs"));
    }
    let value = header(request.headers, "authorization").ok_or_else(|| {
        S3Error::new(403, "AccessDenied", "Access Denied: the request is not signed")
    })?;
    let authorization = parse(value)?;
    let timestamp = header(request.headers, "x-amz-date").ok_or_else(|| {
        S3Error::new(
            403,
            "AccessDenied",
            "AWS authentication requires a valid Date or x-amz-date header",
        )
    })?;
    check_time(timestamp, authorization.date, now_ms)?;
    if authorization.region != region {
        let message =
            format!("the region '{}' is wrong; expecting '{region}'", authorization.region);
        return Err(malformed(&message));
    }
    check_all_signed(request.headers, &authorization.signed_headers)?;
    let token = header(request.headers, "x-amz-security-token");
    let secret = known.secret(authorization.access_key_id, token, now_ms)?;

    let canonical = canonical_request(request, &authorization.signed_headers)?;
    let hash = hex::encode(Sha256::digest(canonical));
    let to_sign = format!("{ALGORITHM}\n{timestamp}\n{}\n{hash}", authorization.scope);
    let mut key = format!("AWS4{secret}").into_bytes();
    for part in authorization.scope.split('/') {
        key = hmac(&key, part).finalize().into_bytes().to_vec();
    }
    hmac(&key, &to_sign).verify_slice(&authorization.signature).map_err(|_| {
        let message = "The request signature we calculated does not match the signature you provided. Check your key \
                       and signing method.";
        S3Error::new(403, "SignatureDoesNotMatch", message)
    })
}

fn hmac(key: &[u8], text: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(text.as_bytes());
    mac
}

fn malformed(message: &str) -> S3Error {
    S3Error::new(
        400,
        "AuthorizationHeaderMalformed",
        format!("The authorization header is malformed; {message}"),
    )
}

fn parse(value: &str) -> S3Result<Authorization<'_>> {
    let Some(fields) = value.strip_prefix(ALGORITHM) else {
        let message = "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.";
        return Err(S3Error::invalid_request(message));
    };
    let (mut credential, mut signed_headers, mut signature) = (None, None, None);
    for field in fields.split(',') {
        match field.trim().split_once('=') {
            Some(("Credential", text)) => credential = Some(text),
            Some(("SignedHeaders", text)) => signed_headers = Some(text),
            Some(("Signature", text)) => signature = Some(text),
            _ => return Err(malformed("it has an unknown field")),
        }
    }
    let (Some(credential), Some(signed_headers), Some(signature)) =
        (credential, signed_headers, signature)
    else {
        return Err(malformed("Credential, SignedHeaders and Signature are needed"));
    };
    let (access_key_id, scope) =
        credential.split_once('/').ok_or_else(|| malformed("the Credential has no scope"))?;
    let [date, region, "s3", "aws4_request"] = scope.split('/').collect::<Vec<_>>()[..] else {
        return Err(malformed("the Credential is not access-key/date/region/s3/aws4_request"));
    };
    let signed_headers = signed_headers.split(';').collect();
    let signature =
        hex::decode(signature).map_err(|_| malformed("the Signature is not hexadecimal"))?;
    Ok(Authorization { access_key_id, date, region, scope, signed_headers, signature })
}

fn check_time(timestamp: &str, date: &str, now_ms: i64) -> S3Result<()> {
    let format = format_description!("[year][month][day]T[hour][minute][second]Z");
    let time = PrimitiveDateTime::parse(timestamp, format).map_err(|_| {
        S3Error::new(
            403,
            "AccessDenied",
            "AWS authentication requires a valid Date or x-amz-date header",
        )
    })?;
    if !timestamp.starts_with(date) {
        return Err(malformed("the date of the Credential is not that of x-amz-date"));
    }
    if (time.assume_utc().unix_timestamp() * 1000 - now_ms).abs() > MAX_SKEW_MS {
        let message = "The difference between the request time and the current time is too large.";
        return Err(S3Error::new(403, "RequestTimeTooSkewed", message));
    }
    Ok(())
}

/// The host and every x-amz header must be covered by the signature.
fn check_all_signed(headers: &HeaderMap, signed: &[&str]) -> S3Result<()> {
    let must = headers
        .keys()
        .map(|name| name.as_str())
        .filter(|name| *name == "host" || name.starts_with("x-amz-"));
    for name in must {
        if !signed.contains(&name) {
            let message =
                format!("There were headers present in the request which were not signed: {name}");
            return Err(S3Error::new(403, "AccessDenied", message));
        }
    }
    Ok(())
}

fn canonical_request(request: &SignedRequest, signed: &[&str]) -> S3Result<String> {
    let payload = header(request.headers, "x-amz-content-sha256").ok_or_else(|| {
        S3Error::invalid_request("Missing required header for this request: x-amz-content-sha256")
    })?;
    let mut lines = vec![
        request.method.to_string(),
        encode_for_signature(request.path, true),
        request.query.canonical(),
    ];
    for name in signed {
        let values = request.headers.get_all(*name);
        let values: Vec<_> = values
            .iter()
            .map(|value| collapse(&String::from_utf8_lossy(value.as_bytes())))
            .collect();
        lines.push(format!("{name}:{}", values.join(",")));
    }
    lines.extend([String::new(), signed.join(";"), payload.to_owned()]);
    Ok(lines.join("\n"))
}

/// The value without outer blanks, with one blank for each run of them.
fn collapse(value: &str) -> String {
    value.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples that AWS publishes for S3: time, keys, requests and signatures are theirs.
    const NOW_MS: i64 = 1_369_353_600_000;
    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    struct Example {
        method: Method,
        path: &'static str,
        query: &'static str,
        headers: Vec<(&'static str, &'static str)>,
        signature: &'static str,
    }

    impl Example {
        fn verify(&self) -> S3Result<()> {
            let known = KnownCredentials::new(
                "AKIAIOSFODNN7EXAMPLE".into(),
                "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".into(),
            );
            let mut headers = HeaderMap::new();
            let mut names = vec!["host"];
            headers.insert("host", "examplebucket.s3.amazonaws.com".parse().unwrap());
            for (name, value) in &self.headers {
                headers.insert(*name, value.parse().unwrap());
                names.push(name);
            }
            names.sort_unstable();
            let authorization = format!(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,\
                 SignedHeaders={},Signature={}",
                names.join(";"),
                self.signature
            );
            headers.insert("authorization", authorization.parse().unwrap());
            let query = Query::parse(self.query).unwrap();
            let request = SignedRequest {
                method: &self.method,
                path: self.path,
                query: &query,
                headers: &headers,
            };
            verify(&request, &known, "us-east-1", NOW_MS)
        }
    }

    fn get_object() -> Example {
        Example {
            method: Method::GET,
            path: "/test.txt",
            query: "",
            headers: vec![
                ("range", "bytes=0-9"),
                ("x-amz-content-sha256", EMPTY),
                ("x-amz-date", "20130524T000000Z"),
            ],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        }
    }

    fn list_objects() -> Example {
        Example {
            method: Method::GET,
            path: "/",
            query: "max-keys=2&prefix=J",
            headers: vec![("x-amz-content-sha256", EMPTY), ("x-amz-date", "20130524T000000Z")],
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        }
    }

    fn put_object() -> Example {
        Example {
            method: Method::PUT,
            path: "/test$file.text",
            query: "",
            headers: vec![
                ("date", "Fri, 24 May 2013 00:00:00 GMT"),
                (
                    "x-amz-content-sha256",
                    "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
                ),
                ("x-amz-date", "20130524T000000Z"),
                ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ],
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        }
    }

    fn code(result: S3Result<()>) -> String {
        result.unwrap_err().code.into_owned()
    }

    #[test]
    fn the_published_examples_verify() {
        for example in [get_object(), list_objects(), put_object()] {
            assert_eq!(example.verify(), Ok(()), "{} {}", example.method, example.path);
        }
    }

    #[test]
    fn any_change_breaks_the_signature() {
        let changed = |change: fn(&mut Example)| {
            let mut example = put_object();
            change(&mut example);
            code(example.verify())
        };
        assert_eq!(changed(|example| example.method = Method::DELETE), "SignatureDoesNotMatch");
        assert_eq!(changed(|example| example.path = "/test$file.texT"), "SignatureDoesNotMatch");
        assert_eq!(changed(|example| example.query = "versionId=null"), "SignatureDoesNotMatch");
        assert_eq!(changed(|example| example.headers[3].1 = "STANDARD"), "SignatureDoesNotMatch");
        assert_eq!(changed(|example| example.headers[1].1 = EMPTY), "SignatureDoesNotMatch");
        assert_eq!(
            changed(|example| example.headers[2].1 = "20130525T000000Z"),
            "AuthorizationHeaderMalformed"
        );
        assert_eq!(
            changed(|example| example.headers[2].1 = "20130524T001501Z"),
            "RequestTimeTooSkewed"
        );
    }

    #[test]
    fn bad_headers_are_told_apart() {
        let verify = |authorization: &str, extra: Option<&'static str>| {
            let known = KnownCredentials::new("key".into(), "secret".into());
            let mut headers = HeaderMap::new();
            headers.insert("x-amz-date", "20130524T000000Z".parse().unwrap());
            if let Some(name) = extra {
                headers.insert(name, "x".parse().unwrap());
            }
            if !authorization.is_empty() {
                headers.insert("authorization", authorization.parse().unwrap());
            }
            let query = Query::default();
            let request =
                SignedRequest { method: &Method::GET, path: "/", query: &query, headers: &headers };
            code(super::verify(&request, &known, "us-east-1", NOW_MS))
        };
        let credential = |text: &str| {
            format!("AWS4-HMAC-SHA256 Credential={text}, SignedHeaders=x-amz-date, Signature=00")
        };
        let good = credential("key/20130524/us-east-1/s3/aws4_request");
        assert_eq!(verify("", None), "AccessDenied");
        assert_eq!(verify("AWS key:signature", None), "InvalidRequest");
        assert_eq!(verify("AWS4-HMAC-SHA256 Credential=key", None), "AuthorizationHeaderMalformed");
        assert_eq!(
            verify(&credential("key/20130524/eu-west-1/s3/aws4_request"), None),
            "AuthorizationHeaderMalformed"
        );
        assert_eq!(
            verify(&credential("key/20130524/us-east-1/iam/aws4_request"), None),
            "AuthorizationHeaderMalformed"
        );
        assert_eq!(
            verify(&credential("other/20130524/us-east-1/s3/aws4_request"), None),
            "InvalidAccessKeyId"
        );
        assert_eq!(verify(&good, Some("x-amz-meta-unsigned")), "AccessDenied");
        assert_eq!(verify(&good, None), "InvalidRequest", "x-amz-content-sha256 is missing");
    }
}
