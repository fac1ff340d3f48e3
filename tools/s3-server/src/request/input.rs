//! The parameters of each operation, read and checked.

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use bytes::Bytes;
use hyper::header::HeaderMap;

use super::header;
use super::query::Query;
use super::route::{MAX_KEY_BYTES, Operation, Target};
use crate::error::{S3Error, S3Result};
use crate::store::{
    ListingQuery, Object, Position, VersionId, VersionMarker, Versioning, VersionsQuery,
};
use crate::xml::read::{Element, parse};

/// The most keys that a page lists and that a request deletes.
const MAX_KEYS: usize = 1000;

/// What a request asks for.
#[derive(Debug)]
pub enum Input {
    CreateBucket,
    HeadBucket,
    PutBucketVersioning(Versioning),
    GetBucketVersioning,
    ListObjects { query: ListingQuery, echo: ListingEcho },
    ListVersions { query: VersionsQuery, echo: ListingEcho },
    PutObject { key: String, object: Arc<Object> },
    ReadObject { key: String, version: Option<VersionId> },
    DeleteObject { key: String, version: Option<VersionId> },
    DeleteObjects(MultiDelete),
}

/// What the answer to a listing repeats from the request.
#[derive(Debug, Default)]
pub struct ListingEcho {
    pub url_encoded: bool,
    pub fetch_owner: bool,
    pub start_after: Option<String>,
    pub continuation_token: Option<String>,
}

/// The document of a DeleteObjects request.
#[derive(Debug, PartialEq, Eq)]
pub struct MultiDelete {
    pub objects: Vec<DeleteEntry>,
    pub quiet: bool,
}

/// One object to delete. The version's id is kept as it was sent: a bad one is an error of this key alone.
#[derive(Debug, PartialEq, Eq)]
pub struct DeleteEntry {
    pub key: String,
    pub version: Option<String>,
}

impl Input {
    /// Reads the parameters from query, headers and body.
    pub fn read(target: &Target, headers: &HeaderMap, body: Bytes) -> S3Result<Self> {
        let key = target.key.clone();
        Ok(match target.operation {
            Operation::CreateBucket => create_bucket(&body)?,
            Operation::HeadBucket => Self::HeadBucket,
            Operation::PutBucketVersioning => Self::PutBucketVersioning(versioning(&body)?),
            Operation::GetBucketVersioning => Self::GetBucketVersioning,
            Operation::ListObjectsV2 => list_objects(&target.query)?,
            Operation::ListObjectVersions => list_versions(&target.query)?,
            Operation::PutObject => {
                let content_type = header(headers, "content-type").map(str::to_owned);
                Self::PutObject { key, object: Arc::new(Object::new(body, content_type)) }
            }
            Operation::HeadObject | Operation::GetObject => {
                Self::ReadObject { key, version: version_id(&target.query)? }
            }
            Operation::DeleteObject => {
                Self::DeleteObject { key, version: version_id(&target.query)? }
            }
            Operation::DeleteObjects => Self::DeleteObjects(multi_delete(&body)?),
        })
    }

    /// The keys that the request touches, for faults.
    pub fn keys(&self) -> Vec<&str> {
        match self {
            Self::PutObject { key, .. }
            | Self::ReadObject { key, .. }
            | Self::DeleteObject { key, .. } => vec![key],
            Self::DeleteObjects(delete) => {
                delete.objects.iter().map(|object| &*object.key).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The prefix that a listing asks for.
    pub fn listed_prefix(&self) -> Option<&str> {
        match self {
            Self::ListObjects { query, .. } => Some(&query.prefix),
            Self::ListVersions { query, .. } => Some(&query.prefix),
            _ => None,
        }
    }

    /// How many keys are written or deleted under each prefix of so many characters, for the limits per prefix.
    pub fn changes_per_prefix(&self, prefix_length: usize) -> HashMap<&str, u32> {
        let mut counts = HashMap::new();
        if !matches!(self, Self::ReadObject { .. }) {
            for key in self.keys() {
                let end =
                    key.char_indices().nth(prefix_length).map_or(key.len(), |(index, _)| index);
                *counts.entry(&key[..end]).or_default() += 1;
            }
        }
        counts
    }
}

fn create_bucket(body: &[u8]) -> S3Result<Input> {
    if !body.is_empty() {
        // Where the bucket lies makes no difference here, but the document must be one.
        let root = parse(body)?;
        if root.name != "CreateBucketConfiguration" {
            return Err(S3Error::malformed_xml());
        }
    }
    Ok(Input::CreateBucket)
}

fn versioning(body: &[u8]) -> S3Result<Versioning> {
    let root = parse(body)?;
    if root.name != "VersioningConfiguration" {
        return Err(S3Error::malformed_xml());
    }
    let [status] = &root.children[..] else {
        return Err(S3Error::malformed_xml());
    };
    match (&*status.name, status.leaf_text()?) {
        ("Status", "Enabled") => Ok(Versioning::Enabled),
        ("Status", "Suspended") => Ok(Versioning::Suspended),
        ("MfaDelete", _) => Err(S3Error::not_implemented("MfaDelete")),
        _ => Err(S3Error::malformed_xml()),
    }
}

fn multi_delete(body: &[u8]) -> S3Result<MultiDelete> {
    let root = parse(body)?;
    if root.name != "Delete" {
        return Err(S3Error::malformed_xml());
    }
    let mut delete = MultiDelete { objects: Vec::new(), quiet: false };
    let mut quiet_seen = false;
    for child in &root.children {
        match &*child.name {
            "Object" => delete.objects.push(delete_entry(child)?),
            "Quiet" if !std::mem::replace(&mut quiet_seen, true) => {
                delete.quiet = match child.leaf_text()? {
                    "true" => true,
                    "false" => false,
                    _ => return Err(S3Error::malformed_xml()),
                };
            }
            _ => return Err(S3Error::malformed_xml()),
        }
    }
    if (1..=MAX_KEYS).contains(&delete.objects.len()) {
        Ok(delete)
    } else {
        Err(S3Error::malformed_xml())
    }
}

fn delete_entry(element: &Element) -> S3Result<DeleteEntry> {
    let (mut key, mut version) = (None, None);
    for child in &element.children {
        let slot = match &*child.name {
            "Key" => &mut key,
            "VersionId" => &mut version,
            _ => return Err(S3Error::malformed_xml()),
        };
        if slot.replace(child.leaf_text()?.to_owned()).is_some() {
            return Err(S3Error::malformed_xml());
        }
    }
    match key {
        Some(key) if !key.is_empty() => Ok(DeleteEntry { key, version }),
        _ => Err(S3Error::malformed_xml()),
    }
}

fn version_id(query: &Query) -> S3Result<Option<VersionId>> {
    let invalid = || S3Error::invalid_argument("Invalid version id specified");
    query.get("versionId").map(|text| VersionId::parse(text).ok_or_else(invalid)).transpose()
}

fn list_objects(query: &Query) -> S3Result<Input> {
    let token = query.get("continuation-token");
    let start_after = query.get("start-after").filter(|key| !key.is_empty());
    let start = match (token, start_after) {
        (Some(token), _) => read_token(token).ok_or_else(|| {
            S3Error::invalid_argument("The continuation token provided is incorrect")
        })?,
        (None, Some(key)) => Position::AfterKey(key.to_owned()),
        (None, None) => Position::Start,
    };
    let fetch_owner = match query.get("fetch-owner") {
        None | Some("false") => false,
        Some("true") => true,
        Some(other) => {
            return Err(S3Error::invalid_argument(format!(
                "fetch-owner is {other}: give true or false"
            )));
        }
    };
    Ok(Input::ListObjects {
        query: ListingQuery {
            prefix: query.get("prefix").unwrap_or_default().to_owned(),
            delimiter: delimiter(query),
            max_keys: max_keys(query)?,
            start,
        },
        echo: ListingEcho {
            url_encoded: url_encoded(query)?,
            fetch_owner,
            start_after: start_after.map(str::to_owned),
            continuation_token: token.map(str::to_owned),
        },
    })
}

fn list_versions(query: &Query) -> S3Result<Input> {
    let version_id_marker = query.get("version-id-marker");
    let marker = match (query.get("key-marker").filter(|key| !key.is_empty()), version_id_marker) {
        (None, None) => None,
        (None, Some(_)) => {
            return Err(S3Error::invalid_argument(
                "A version-id marker cannot be specified without a key marker.",
            ));
        }
        (Some(_), Some("")) => {
            return Err(S3Error::invalid_argument("A version-id marker cannot be empty."));
        }
        (Some(key), version) => {
            let invalid = || S3Error::invalid_argument("Invalid version id specified");
            let version =
                version.map(|text| VersionId::parse(text).ok_or_else(invalid)).transpose()?;
            Some(VersionMarker { key: key.to_owned(), version })
        }
    };
    Ok(Input::ListVersions {
        query: VersionsQuery {
            prefix: query.get("prefix").unwrap_or_default().to_owned(),
            delimiter: delimiter(query),
            max_keys: max_keys(query)?,
            marker,
        },
        echo: ListingEcho { url_encoded: url_encoded(query)?, ..ListingEcho::default() },
    })
}

fn delimiter(query: &Query) -> Option<String> {
    query.get("delimiter").filter(|text| !text.is_empty()).map(str::to_owned)
}

fn max_keys(query: &Query) -> S3Result<usize> {
    let Some(text) = query.get("max-keys") else {
        return Ok(MAX_KEYS);
    };
    match text.parse::<i32>() {
        Ok(number) if number >= 0 => Ok((number as usize).min(MAX_KEYS)),
        Ok(_) => Err(S3Error::invalid_argument(
            "Argument maxKeys must be an integer between 0 and 2147483647",
        )),
        Err(_) => Err(S3Error::invalid_argument(
            "Provided max-keys not an integer or within integer range",
        )),
    }
}

fn url_encoded(query: &Query) -> S3Result<bool> {
    match query.get("encoding-type") {
        None => Ok(false),
        Some("url") => Ok(true),
        Some(_) => Err(S3Error::invalid_argument("Invalid Encoding Method specified in Request")),
    }
}

/// A continuation token holds the position where the next page begins; to clients it is opaque.
pub fn write_token(position: &Position) -> String {
    let text = match position {
        Position::Start => "s".to_owned(),
        Position::AfterKey(key) => format!("k{key}"),
        Position::AfterPrefix(prefix) => format!("p{prefix}"),
    };
    BASE64_URL_SAFE_NO_PAD.encode(text)
}

fn read_token(token: &str) -> Option<Position> {
    let text = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
    let mut chars = text.chars();
    match (chars.next()?, chars.as_str().to_owned()) {
        ('s', rest) if rest.is_empty() => Some(Position::Start),
        ('k', key) => Some(Position::AfterKey(key)),
        ('p', prefix) => Some(Position::AfterPrefix(prefix)),
        _ => None,
    }
}

/// Why S3 would refuse to delete this key, though the request as a whole is fine.
pub fn check_entry(entry: &DeleteEntry) -> S3Result<Option<VersionId>> {
    if entry.key.len() > MAX_KEY_BYTES {
        return Err(S3Error::new(400, "KeyTooLongError", "Your key is too long"));
    }
    let no_such_version =
        || S3Error::new(404, "NoSuchVersion", "The specified version does not exist.");
    entry
        .version
        .as_deref()
        .map(|text| VersionId::parse(text).ok_or_else(no_such_version))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delete(body: &str) -> Result<MultiDelete, String> {
        multi_delete(body.as_bytes()).map_err(|error| error.code.into_owned())
    }

    #[test]
    fn reads_a_multi_delete() {
        let parsed = delete(
            "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>\
             <Object><Key> a\u{d}&#13;</Key></Object>\n<Object><Key>b</Key><VersionId>null</VersionId></Object></Delete>",
        );
        let entry = |key: &str, version: Option<&str>| DeleteEntry {
            key: key.into(),
            version: version.map(Into::into),
        };
        assert_eq!(
            parsed,
            Ok(MultiDelete {
                objects: vec![entry(" a\n\r", None), entry("b", Some("null"))],
                quiet: true
            })
        );
    }

    #[test]
    fn s11_counts_of_keys() {
        let body =
            |count| format!("<Delete>{}</Delete>", "<Object><Key>k</Key></Object>".repeat(count));
        assert!(delete(&body(1)).is_ok());
        assert!(delete(&body(1000)).is_ok());
        for count in [0, 1001] {
            assert_eq!(delete(&body(count)), Err("MalformedXML".into()), "{count}");
        }
    }

    #[test]
    fn documents_off_the_schema_are_refused() {
        for inner in [
            "<Object></Object>",
            "<Object><Key></Key></Object>",
            "<Object><Key>a</Key><Key>b</Key></Object>",
            "<Object><Key><X/></Key></Object>",
            "<Object><Name>a</Name></Object>",
            "<Key>a</Key>",
            "<Object><Key>a</Key></Object><Quiet>yes</Quiet>",
            "<Object><Key>a</Key></Object><Quiet>true</Quiet><Quiet>true</Quiet>",
            "<Object><Key>&#x1;</Key></Object>",
        ] {
            assert_eq!(
                delete(&format!("<Delete>{inner}</Delete>")),
                Err("MalformedXML".into()),
                "{inner}"
            );
        }
        assert_eq!(
            delete("<Deletes><Object><Key>a</Key></Object></Deletes>"),
            Err("MalformedXML".into())
        );
    }

    #[test]
    fn tokens_come_back() {
        for position in [
            Position::Start,
            Position::AfterKey("a b/é\u{1}".into()),
            Position::AfterPrefix("a/".into()),
        ] {
            assert_eq!(read_token(&write_token(&position)), Some(position));
        }
        for bad in ["", "x", "c3g", "_w"] {
            assert_eq!(read_token(bad), None, "{bad}");
        }
    }

    #[test]
    fn listing_parameters_are_checked() {
        let read = |raw| {
            list_objects(&Query::parse(raw).unwrap()).map_err(|error| error.code.into_owned())
        };
        let limit = |raw| match read(raw) {
            Ok(Input::ListObjects { query, .. }) => query.max_keys,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            (limit(""), limit("max-keys=7"), limit("max-keys=2000"), limit("max-keys=0")),
            (1000, 7, 1000, 0)
        );
        for bad in
            ["max-keys=-1", "max-keys=x", "max-keys=", "encoding-type=xml", "continuation-token=*"]
        {
            assert_eq!(read(bad).unwrap_err(), "InvalidArgument", "{bad}");
        }
        for bad in [
            "version-id-marker=null",
            "key-marker=a&version-id-marker=",
            "key-marker=a&version-id-marker=x",
        ] {
            assert_eq!(
                list_versions(&Query::parse(bad).unwrap()).unwrap_err().code,
                "InvalidArgument",
                "{bad}"
            );
        }
    }

    #[test]
    fn prefixes_are_counted_in_characters() {
        let input = Input::DeleteObjects(
            delete(
                "<Delete><Object><Key>éa1</Key></Object><Object><Key>éa2</Key></Object>\
            <Object><Key>é</Key></Object></Delete>",
            )
            .unwrap(),
        );
        assert_eq!(input.changes_per_prefix(2), HashMap::from([("éa", 2), ("é", 1)]));
        assert_eq!(input.changes_per_prefix(0), HashMap::from([("", 3)]));
    }
}
