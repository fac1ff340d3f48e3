//! Which operation a request means, on which bucket and key.

use hyper::header::HeaderMap;
use hyper::{Method, Uri};
use serde::{Deserialize, Serialize};

use super::query::Query;
use crate::error::{S3Error, S3Result};
use crate::text::decode_path;

/// The operations of S3 that this server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operation {
    CreateBucket,
    HeadBucket,
    PutBucketVersioning,
    GetBucketVersioning,
    ListObjectsV2,
    ListObjectVersions,
    PutObject,
    HeadObject,
    GetObject,
    DeleteObject,
    DeleteObjects,
}

impl Operation {
    /// The names that may stand in the query, besides `x-id`, which SDKs add for logs.
    fn known_parameters(self) -> &'static [&'static str] {
        match self {
            Self::CreateBucket | Self::HeadBucket | Self::PutObject => &[],
            Self::PutBucketVersioning | Self::GetBucketVersioning => &["versioning"],
            Self::ListObjectsV2 => &[
                "list-type",
                "prefix",
                "delimiter",
                "max-keys",
                "start-after",
                "continuation-token",
                "encoding-type",
                "fetch-owner",
                // Of the first version of the operation; S3 takes it and does nothing about it.
                "marker",
            ],
            Self::ListObjectVersions => &[
                "versions",
                "prefix",
                "delimiter",
                "max-keys",
                "key-marker",
                "version-id-marker",
                "encoding-type",
            ],
            Self::HeadObject | Self::GetObject | Self::DeleteObject => &["versionId"],
            Self::DeleteObjects => &["delete"],
        }
    }
}

/// What a request is about.
#[derive(Debug)]
pub struct Target {
    pub operation: Operation,
    pub bucket: String,
    /// Empty for an operation on a bucket.
    pub key: String,
    pub query: Query,
    /// The decoded path, as the signature covers it.
    pub path: String,
}

/// The most keys that a page lists and that a request deletes.
pub const MAX_KEYS: usize = 1000;

/// The longest key that S3 takes, in bytes of UTF-8.
pub const MAX_KEY_BYTES: usize = 1024;

/// Headers that change what an operation does, in ways that this server does not have.
const UNSUPPORTED_HEADERS: [&str; 5] =
    ["x-amz-copy-source", "x-amz-mfa", "if-match", "if-none-match", "range"];

/// Tells what the request is about, under the path `prefix`; whatever is not offered is refused by name.
pub fn route(prefix: &str, method: &Method, uri: &Uri, headers: &HeaderMap) -> S3Result<Target> {
    let query = Query::parse(uri.query().unwrap_or_default())?;
    let path = decode_path(uri.path())?;
    // Split before decoding would be the same: a bucket's name holds nothing that needs encoding.
    let rest = path.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('/'));
    let rest =
        rest.ok_or_else(|| S3Error::new(404, "NoSuchPath", format!("There is no {path} here")))?;
    let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
    check_bucket_name(bucket)?;
    if key.len() > MAX_KEY_BYTES {
        return Err(S3Error::new(400, "KeyTooLongError", "Your key is too long"));
    }
    let operation = operation(method, !key.is_empty(), &query)?;
    for name in query.names() {
        if name != "x-id" && !operation.known_parameters().contains(&name) {
            return Err(S3Error::not_implemented(&format!(
                "the query parameter {name} of {operation:?}"
            )));
        }
    }
    if let Some(name) = UNSUPPORTED_HEADERS.iter().find(|name| headers.contains_key(**name)) {
        return Err(S3Error::not_implemented(&format!("the header {name}")));
    }
    Ok(Target { operation, bucket: bucket.to_owned(), key: key.to_owned(), query, path })
}

fn operation(method: &Method, has_key: bool, query: &Query) -> S3Result<Operation> {
    let versioning = query.has("versioning");
    Ok(match (method.as_str(), has_key) {
        ("PUT", false) if versioning => Operation::PutBucketVersioning,
        ("PUT", false) => Operation::CreateBucket,
        ("GET", false) if versioning => Operation::GetBucketVersioning,
        ("GET", false) if query.has("versions") => Operation::ListObjectVersions,
        ("GET", false) if query.get("list-type") == Some("2") => Operation::ListObjectsV2,
        ("HEAD", false) => Operation::HeadBucket,
        ("POST", false) if query.has("delete") => Operation::DeleteObjects,
        ("PUT", true) => Operation::PutObject,
        ("GET", true) => Operation::GetObject,
        ("HEAD", true) => Operation::HeadObject,
        ("DELETE", true) => Operation::DeleteObject,
        _ => {
            let what = if has_key { "an object" } else { "a bucket" };
            let names: Vec<_> = query.names().collect();
            return Err(S3Error::not_implemented(&format!(
                "{method} on {what} with the query [{}]",
                names.join(", ")
            )));
        }
    })
}

fn check_bucket_name(name: &str) -> S3Result<()> {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let inner = |byte: u8| allowed(byte) || matches!(byte, b'-' | b'.');
    let bytes = name.as_bytes();
    let valid = (3..=63).contains(&bytes.len())
        && bytes.iter().all(|byte| inner(*byte))
        && allowed(bytes[0])
        && allowed(bytes[bytes.len() - 1]);
    if valid {
        return Ok(());
    }
    Err(S3Error::new(
        400,
        "InvalidBucketName",
        format!("The specified bucket is not valid: \"{name}\""),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routed(method: &str, uri: &str) -> Result<(Operation, String, String), String> {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        route("", &method, &uri.parse().unwrap(), &HeaderMap::new())
            .map(|target| (target.operation, target.bucket, target.key))
            .map_err(|error| error.code.into_owned())
    }

    #[test]
    fn every_operation_has_its_route() {
        for (method, uri, operation, key) in [
            ("PUT", "/bucket", Operation::CreateBucket, ""),
            ("PUT", "/bucket/", Operation::CreateBucket, ""),
            ("HEAD", "/bucket", Operation::HeadBucket, ""),
            ("PUT", "/bucket?versioning", Operation::PutBucketVersioning, ""),
            ("GET", "/bucket?versioning=", Operation::GetBucketVersioning, ""),
            ("GET", "/bucket?list-type=2&prefix=a", Operation::ListObjectsV2, ""),
            ("GET", "/bucket?versions", Operation::ListObjectVersions, ""),
            ("PUT", "/bucket/k?x-id=PutObject", Operation::PutObject, "k"),
            ("HEAD", "/bucket/k?versionId=null", Operation::HeadObject, "k"),
            ("GET", "/bucket/k", Operation::GetObject, "k"),
            ("DELETE", "/bucket/k", Operation::DeleteObject, "k"),
            ("POST", "/bucket?delete", Operation::DeleteObjects, ""),
        ] {
            assert_eq!(
                routed(method, uri),
                Ok((operation, "bucket".into(), key.into())),
                "{method} {uri}"
            );
        }
    }

    #[test]
    fn a_prefix_of_the_path_is_no_bucket_and_is_signed() {
        let target = |uri: &str| {
            route("/storage/v1", &Method::DELETE, &uri.parse().unwrap(), &HeaderMap::new())
                .map(|target| (target.bucket, target.key, target.path))
                .map_err(|error| error.code.into_owned())
        };
        let path = "/storage/v1/bucket/k";
        assert_eq!(target(path), Ok(("bucket".into(), "k".into(), path.into())));
        for uri in ["/bucket/k", "/storage/v1bucket/k", "/storage"] {
            assert_eq!(target(uri), Err("NoSuchPath".into()), "{uri}");
        }
    }

    #[test]
    fn keys_are_taken_literally() {
        for (uri, key) in [
            ("/bucket//", "/"),
            ("/bucket//lead", "/lead"),
            ("/bucket/d/", "d/"),
            ("/bucket/d//x", "d//x"),
            ("/bucket/d/./x", "d/./x"),
            ("/bucket/d/../e", "d/../e"),
            ("/bucket/..", ".."),
            ("/bucket/%2F%20+%25%00%0D", "/ +%\0\r"),
        ] {
            assert_eq!(routed("GET", uri).unwrap().2, key, "{uri}");
        }
    }

    #[test]
    fn what_is_not_offered_is_refused() {
        for (method, uri, code) in [
            ("GET", "/bucket", "NotImplemented"),
            ("GET", "/bucket?list-type=1", "NotImplemented"),
            ("GET", "/bucket/k?acl", "NotImplemented"),
            ("POST", "/bucket/k?uploads", "NotImplemented"),
            ("DELETE", "/bucket", "NotImplemented"),
            ("PUT", "/Bucket", "InvalidBucketName"),
            ("PUT", "/ab", "InvalidBucketName"),
            ("PUT", "/-ab", "InvalidBucketName"),
            ("GET", "/", "InvalidBucketName"),
            ("GET", "/bucket/%ff", "InvalidURI"),
            ("GET", "/bucket/%", "InvalidURI"),
        ] {
            assert_eq!(routed(method, uri), Err(code.into()), "{method} {uri}");
        }
        assert_eq!(
            routed("GET", &format!("/bucket/{}", "k".repeat(1025))),
            Err("KeyTooLongError".into())
        );
        assert!(routed("GET", &format!("/bucket/{}", "k".repeat(1024))).is_ok());
    }
}
