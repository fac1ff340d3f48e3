//! The parameters of each operation, read and checked.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use hyper::header::HeaderMap;

use super::deletion::{MultiDelete, multi_delete};
use super::header;
use super::listing::{ListingEcho, list_objects, list_versions};
use super::query::Query;
use super::route::{Operation, Target};
use crate::error::{S3Error, S3Result};
use crate::store::{ListingQuery, Object, VersionId, Versioning, VersionsQuery};
use crate::xml::read::parse;

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

impl Input {
    /// Reads the parameters from query, headers and body.
    pub fn read(target: &Target, headers: &HeaderMap, body: Bytes) -> S3Result<Self> {
        let key = target.key.clone();
        Ok(match target.operation {
            Operation::CreateBucket => create_bucket(&body)?,
            Operation::HeadBucket => Self::HeadBucket,
            Operation::PutBucketVersioning => Self::PutBucketVersioning(versioning(&body)?),
            Operation::GetBucketVersioning => Self::GetBucketVersioning,
            Operation::ListObjectsV2 => {
                let (query, echo) = list_objects(&target.query)?;
                Self::ListObjects { query, echo }
            }
            Operation::ListObjectVersions => {
                let (query, echo) = list_versions(&target.query)?;
                Self::ListVersions { query, echo }
            }
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

fn version_id(query: &Query) -> S3Result<Option<VersionId>> {
    let invalid = || S3Error::invalid_argument("Invalid version id specified");
    query.get("versionId").map(|text| VersionId::parse(text).ok_or_else(invalid)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_counted_in_characters() {
        let input = Input::DeleteObjects(
            multi_delete(
                "<Delete><Object><Key>éa1</Key></Object><Object><Key>éa2</Key></Object>\
            <Object><Key>é</Key></Object></Delete>"
                    .as_bytes(),
            )
            .unwrap(),
        );
        assert_eq!(input.changes_per_prefix(2), HashMap::from([("éa", 2), ("é", 1)]));
        assert_eq!(input.changes_per_prefix(0), HashMap::from([("", 3)]));
    }
}
