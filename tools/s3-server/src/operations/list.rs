//! ListObjectsV2 and ListObjectVersions.

use super::Context;
use crate::error::S3Result;
use crate::http::answer::Answer;
use crate::load::faults::Lie;
use crate::request::listing::{ListingEcho, write_token};
use crate::store::{
    ListingQuery, Object, ObjectPage, Version, VersionMarker, VersionPage, VersionsQuery,
};
use crate::text::{encode_for_listing, iso_time};
use crate::xml::write::Xml;

/// The one owner of everything.
const OWNER: &str = "75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a";

pub fn objects(context: &Context, query: &ListingQuery, echo: &ListingEcho) -> S3Result<Answer> {
    let bucket = context.store.bucket(context.bucket)?;
    let lie = context.fault.and_then(|fault| fault.listing);
    let page = match lie {
        Some(Lie::EmptyPage) => {
            ObjectPage { next: Some(query.start.clone()), ..ObjectPage::default() }
        }
        _ => bucket.read().list_objects(query),
    };
    context.stats.count(|counters| counters.keys.listed += page.objects.len() as u64);
    let next = page.next.as_ref().map(write_token);
    let (truncated, token) = match lie {
        Some(Lie::NoToken) => (true, None),
        Some(Lie::SameToken) => (true, echo.continuation_token.clone().or(next)),
        Some(Lie::EmptyPage) | None => (next.is_some(), next),
    };
    let text = Encoding::of(context, echo);
    let mut xml = Xml::new("ListBucketResult", context.settings.pretty_xml);
    xml.leaf("Name", context.bucket)
        .leaf("Prefix", &text.encode(&query.prefix))
        .maybe("StartAfter", echo.start_after.as_deref().map(|key| text.encode(key)).as_deref())
        .maybe("ContinuationToken", echo.continuation_token.as_deref())
        .maybe("NextContinuationToken", token.as_deref())
        .leaf("KeyCount", &(page.objects.len() + page.common_prefixes.len()).to_string())
        .leaf("MaxKeys", &query.max_keys.to_string())
        .maybe("Delimiter", query.delimiter.as_deref().map(|key| text.encode(key)).as_deref())
        .maybe("EncodingType", text.name())
        .leaf("IsTruncated", if truncated { "true" } else { "false" });
    for (key, version) in &page.objects {
        xml.open("Contents").leaf("Key", &text.encode(key));
        write_times(&mut xml, version);
        if let Some(object) = &version.object {
            write_object(&mut xml, object);
        }
        if echo.fetch_owner {
            write_owner(&mut xml);
        }
        xml.close();
    }
    write_common_prefixes(&mut xml, &page.common_prefixes, &text);
    Ok(Answer::xml(200, xml.finish()))
}

pub fn versions(context: &Context, query: &VersionsQuery, echo: &ListingEcho) -> S3Result<Answer> {
    let bucket = context.store.bucket(context.bucket)?;
    let lie = context.fault.and_then(|fault| fault.listing);
    let start = query.marker.clone().unwrap_or(VersionMarker { key: String::new(), version: None });
    let page = match lie {
        Some(Lie::EmptyPage) => VersionPage { next: Some(start.clone()), ..VersionPage::default() },
        _ => bucket.read().list_versions(query),
    };
    context.stats.count(|counters| counters.keys.listed += page.versions.len() as u64);
    let (truncated, next) = match lie {
        Some(Lie::NoToken) => (true, None),
        Some(Lie::SameToken) => (true, query.marker.clone().or(page.next)),
        Some(Lie::EmptyPage) | None => (page.next.is_some(), page.next),
    };
    let version_text = |marker: &VersionMarker| marker.version.map(|id| id.to_string());
    let text = Encoding::of(context, echo);
    let mut xml = Xml::new("ListVersionsResult", context.settings.pretty_xml);
    xml.leaf("Name", context.bucket)
        .leaf("Prefix", &text.encode(&query.prefix))
        .leaf("KeyMarker", &text.encode(&start.key))
        .leaf("VersionIdMarker", &version_text(&start).unwrap_or_default());
    if let Some(next) = &next {
        xml.leaf("NextKeyMarker", &text.encode(&next.key));
        xml.maybe("NextVersionIdMarker", version_text(next).as_deref());
    }
    xml.leaf("MaxKeys", &query.max_keys.to_string())
        .maybe("Delimiter", query.delimiter.as_deref().map(|key| text.encode(key)).as_deref())
        .maybe("EncodingType", text.name())
        .leaf("IsTruncated", if truncated { "true" } else { "false" });
    for (key, version, is_latest) in &page.versions {
        xml.open(if version.is_marker() { "DeleteMarker" } else { "Version" })
            .leaf("Key", &text.encode(key))
            .leaf("VersionId", &version.id().to_string())
            .leaf("IsLatest", if *is_latest { "true" } else { "false" });
        write_times(&mut xml, version);
        if let Some(object) = &version.object {
            write_object(&mut xml, object);
        }
        write_owner(&mut xml);
        xml.close();
    }
    write_common_prefixes(&mut xml, &page.common_prefixes, &text);
    Ok(Answer::xml(200, xml.finish()))
}

/// How keys stand in the listing.
struct Encoding {
    url: bool,
}

impl Encoding {
    fn of(context: &Context, echo: &ListingEcho) -> Self {
        Self { url: echo.url_encoded && !context.settings.ignore_encoding_type }
    }

    fn encode(&self, text: &str) -> String {
        if self.url { encode_for_listing(text) } else { text.to_owned() }
    }

    fn name(&self) -> Option<&'static str> {
        self.url.then_some("url")
    }
}

fn write_times(xml: &mut Xml, version: &Version) {
    xml.leaf("LastModified", &iso_time(version.modified_ms));
}

fn write_object(xml: &mut Xml, object: &Object) {
    xml.leaf("ETag", &object.etag())
        .leaf("Size", &object.body.len().to_string())
        .leaf("StorageClass", "STANDARD");
}

fn write_owner(xml: &mut Xml) {
    xml.open("Owner").leaf("ID", OWNER).close();
}

fn write_common_prefixes(xml: &mut Xml, prefixes: &[String], text: &Encoding) {
    for prefix in prefixes {
        xml.open("CommonPrefixes").leaf("Prefix", &text.encode(prefix)).close();
    }
}
