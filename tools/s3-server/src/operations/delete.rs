//! DeleteObject and DeleteObjects.

use super::Context;
use crate::error::{S3Error, S3Result};
use crate::http::answer::Answer;
use crate::request::deletion::{DeleteEntry, MultiDelete, check_entry};
use crate::store::{Deleted, VersionId};
use crate::text::now_ms;
use crate::xml::write::Xml;

pub fn one(context: &Context, key: &str, version: Option<VersionId>) -> S3Result<Answer> {
    let deleted = context.store.bucket(context.bucket)?.write().delete(key, version, now_ms());
    count(context, &[Ok(deleted)]);
    let answer = Answer::empty(204);
    Ok(match deleted {
        Deleted::Key => answer,
        Deleted::Version { id, was_marker } => {
            let answer = answer.with_header("x-amz-version-id", id.to_string());
            if was_marker { answer.with_header("x-amz-delete-marker", "true") } else { answer }
        }
        Deleted::MarkerCreated { id } => answer
            .with_header("x-amz-delete-marker", "true")
            .with_header("x-amz-version-id", id.to_string()),
    })
}

pub fn many(context: &Context, request: &MultiDelete) -> S3Result<Answer> {
    let bucket = context.store.bucket(context.bucket)?;
    let now = now_ms();
    // Only the changes happen under the bucket's lock; checks and faults come first, the document afterwards.
    let allowed: Vec<_> = request.objects.iter().map(|entry| check(context, entry)).collect();
    let outcomes: Vec<_> = {
        let mut bucket = bucket.write();
        let delete = |(entry, allowed): (&DeleteEntry, S3Result<_>)| {
            allowed.map(|v| bucket.delete(&entry.key, v, now))
        };
        request.objects.iter().zip(allowed).map(delete).collect()
    };
    count(context, &outcomes);
    let quiet = request.quiet && !context.settings.ignore_quiet;
    Ok(Answer::xml(200, document(request, &outcomes, quiet, context.settings.pretty_xml)))
}

fn check(context: &Context, entry: &DeleteEntry) -> S3Result<Option<VersionId>> {
    if let Some(fault) = context.fault
        && let Some(error) = &fault.key_error
        && fault.fits_key(&entry.key)
    {
        // The status is that of no answer: within a DeleteObjects an error has only its code and message.
        return Err(S3Error::new(400, error.code.clone(), error.message.clone()));
    }
    check_entry(entry)
}

fn count(context: &Context, outcomes: &[S3Result<Deleted>]) {
    let number = |matches: fn(&S3Result<Deleted>) -> bool| {
        outcomes.iter().filter(|o| matches(o)).count() as u64
    };
    context.stats.count(|counters| {
        counters.keys.deleted += number(Result::is_ok);
        counters.keys.refused += number(Result::is_err);
        counters.keys.markers_created += number(|o| matches!(o, Ok(Deleted::MarkerCreated { .. })));
    });
}

fn document(
    request: &MultiDelete,
    outcomes: &[S3Result<Deleted>],
    quiet: bool,
    pretty: bool,
) -> String {
    let mut xml = Xml::new("DeleteResult", pretty);
    for (entry, outcome) in request.objects.iter().zip(outcomes) {
        match outcome {
            Ok(_) if quiet => {}
            Ok(deleted) => {
                xml.open("Deleted")
                    .leaf("Key", &entry.key)
                    .maybe("VersionId", entry.version.as_deref());
                match deleted {
                    Deleted::Version { id, was_marker: true } | Deleted::MarkerCreated { id } => {
                        xml.leaf("DeleteMarker", "true")
                            .leaf("DeleteMarkerVersionId", &id.to_string());
                    }
                    Deleted::Key | Deleted::Version { .. } => {}
                }
                xml.close();
            }
            Err(error) => {
                xml.open("Error")
                    .leaf("Key", &entry.key)
                    .maybe("VersionId", entry.version.as_deref());
                xml.leaf("Code", &error.code).leaf("Message", &error.message).close();
            }
        }
    }
    xml.finish()
}
