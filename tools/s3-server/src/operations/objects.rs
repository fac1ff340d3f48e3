//! PutObject, HeadObject and GetObject.

use std::sync::Arc;

use super::Context;
use crate::error::S3Result;
use crate::http::answer::Answer;
use crate::store::{Object, VersionId, Versioning};
use crate::text::{http_time, now_ms};

pub fn put(context: &Context, key: &str, object: Arc<Object>) -> S3Result<Answer> {
    let bucket = context.store.bucket(context.bucket)?;
    let etag = object.etag();
    let (version, versioning) = {
        let mut bucket = bucket.write();
        (bucket.put(key, object, now_ms()), bucket.versioning)
    };
    context.stats.count(|counters| counters.keys.put += 1);
    let answer = Answer::empty(200).with_header("etag", etag);
    Ok(with_version(answer, version, versioning))
}

/// Answers GetObject, and HeadObject with an empty body.
pub fn read(
    context: &Context,
    key: &str,
    version: Option<VersionId>,
    with_body: bool,
) -> S3Result<Answer> {
    let bucket = context.store.bucket(context.bucket)?;
    let (found, versioning) = {
        let bucket = bucket.read();
        (bucket.get(key, version), bucket.versioning)
    };
    let (version, object) = found?;
    let content_type =
        object.content_type.clone().unwrap_or_else(|| "binary/octet-stream".to_owned());
    let answer = Answer::empty(200)
        .with_header("etag", object.etag())
        .with_header("last-modified", http_time(version.modified_ms))
        .with_header("content-type", content_type);
    let answer = with_version(answer, version.id(), versioning);
    Ok(if with_body {
        answer.with_body(object.body.clone())
    } else {
        answer.with_header("content-length", object.body.len().to_string())
    })
}

fn with_version(answer: Answer, version: VersionId, versioning: Versioning) -> Answer {
    match versioning {
        Versioning::Never => answer,
        _ => answer.with_header("x-amz-version-id", version.to_string()),
    }
}
