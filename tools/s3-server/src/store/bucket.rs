//! One bucket: keys in the order of their UTF-8 bytes, each with its versions, newest first.
//!
//! A bucket that was never versioned holds one version per key, named `null`. While versioning is enabled, every put and
//! every plain delete adds a version or a delete marker; while it is suspended, they replace the `null` one.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use md5::{Digest, Md5};

use crate::error::{S3Error, S3Result};

/// What a put stores. Shared by all keys that were seeded together.
#[derive(Debug)]
pub struct Object {
    pub body: Bytes,
    pub content_type: Option<String>,
    etag: [u8; 16],
}

impl Object {
    pub fn new(body: Bytes, content_type: Option<String>) -> Self {
        let etag = Md5::digest(&body).into();
        Self { body, content_type, etag }
    }

    /// The entity tag with its quotes.
    pub fn etag(&self) -> String {
        format!("\"{}\"", hex::encode(self.etag))
    }
}

/// The name of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionId {
    Null,
    /// The number counts up in the order of creation.
    Number(u64),
}

/// Odd, so that multiplying by it modulo 2^64 loses nothing, and large, so that ids look as opaque as S3's.
const ID_FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

impl VersionId {
    /// Reads what `Display` wrote; anything else is no id of this server.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "null" {
            return Some(Self::Null);
        }
        let mixed = u64::from_str_radix(text.get(..16)?, 16).ok()?;
        // The factor's inverse modulo 2^64 undoes the multiplication.
        let id = Self::Number(mixed.wrapping_mul(inverse(ID_FACTOR)));
        (id.to_string() == text).then_some(id)
    }
}

impl std::fmt::Display for VersionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Number(number) => {
                let mixed = number.wrapping_mul(ID_FACTOR);
                write!(f, "{mixed:016x}{:016x}", !mixed)
            }
        }
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration: each step doubles the number of right bits.
const fn inverse(odd: u64) -> u64 {
    let mut result = odd;
    let mut step = 0;
    while step < 5 {
        result = result.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(result)));
        step += 1;
    }
    result
}

/// A version of a key, or a delete marker.
#[derive(Clone, Debug)]
pub struct Version {
    pub modified_ms: i64,
    /// Nothing in a delete marker.
    pub object: Option<Arc<Object>>,
    /// When it was made among all versions of the bucket.
    pub(super) sequence: u64,
    is_null: bool,
}

impl Version {
    pub fn id(&self) -> VersionId {
        if self.is_null { VersionId::Null } else { VersionId::Number(self.sequence) }
    }

    pub fn is_marker(&self) -> bool {
        self.object.is_none()
    }
}

/// Whether the bucket keeps versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub enum Versioning {
    #[default]
    Never,
    Enabled,
    Suspended,
}

/// What a delete did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deleted {
    /// The key is gone, or never was.
    Key,
    /// The version that was named is gone, or never was.
    Version { id: VersionId, was_marker: bool },
    /// A delete marker now hides the key.
    MarkerCreated { id: VersionId },
}

/// The keys of one bucket.
#[derive(Default)]
pub struct Bucket {
    pub versioning: Versioning,
    pub(super) keys: BTreeMap<Arc<str>, Vec<Version>>,
    pub(super) last_sequence: u64,
}

impl Bucket {
    /// Stores an object under a key; the id of its version.
    pub fn put(&mut self, key: &str, object: Arc<Object>, now_ms: i64) -> VersionId {
        self.add(key, Some(object), now_ms)
    }

    /// Deletes the version that is named, or else the key in the way that the bucket's versioning asks for.
    pub fn delete(&mut self, key: &str, version: Option<VersionId>, now_ms: i64) -> Deleted {
        if let Some(id) = version {
            let was_marker = self.remove(key, id).is_some_and(|version| version.is_marker());
            return Deleted::Version { id, was_marker };
        }
        match self.versioning {
            Versioning::Never => {
                self.keys.remove(key);
                Deleted::Key
            }
            Versioning::Enabled | Versioning::Suspended => {
                Deleted::MarkerCreated { id: self.add(key, None, now_ms) }
            }
        }
    }

    /// The version that is named, or else the newest; delete markers are errors, as S3 answers them.
    pub fn get(&self, key: &str, version: Option<VersionId>) -> S3Result<(Version, Arc<Object>)> {
        let versions = self.keys.get(key).ok_or_else(|| missing(version))?;
        let found = match version {
            None => versions.first(),
            Some(id) => versions.iter().find(|candidate| candidate.id() == id),
        };
        let found = found.ok_or_else(|| missing(version))?;
        match (&found.object, version) {
            (Some(object), _) => Ok((found.clone(), object.clone())),
            (None, None) => Err(S3Error::no_such_key()
                .with_header("x-amz-delete-marker", "true")
                .with_header("x-amz-version-id", found.id().to_string())),
            (None, Some(_)) => {
                let message = "The specified method is not allowed against this resource.";
                Err(S3Error::new(405, "MethodNotAllowed", message)
                    .with_header("x-amz-delete-marker", "true"))
            }
        }
    }

    fn add(&mut self, key: &str, object: Option<Arc<Object>>, now_ms: i64) -> VersionId {
        let is_null = self.versioning != Versioning::Enabled;
        if is_null {
            self.remove(key, VersionId::Null);
        }
        self.last_sequence += 1;
        let version =
            Version { modified_ms: now_ms, object, sequence: self.last_sequence, is_null };
        let id = version.id();
        match self.keys.get_mut(key) {
            Some(versions) => versions.insert(0, version),
            None => drop(self.keys.insert(key.into(), vec![version])),
        }
        id
    }

    fn remove(&mut self, key: &str, id: VersionId) -> Option<Version> {
        let versions = self.keys.get_mut(key)?;
        let index = versions.iter().position(|version| version.id() == id)?;
        let removed = versions.remove(index);
        if versions.is_empty() {
            self.keys.remove(key);
        }
        Some(removed)
    }
}

fn missing(version: Option<VersionId>) -> S3Error {
    match version {
        None => S3Error::no_such_key(),
        Some(_) => S3Error::new(404, "NoSuchVersion", "The specified version does not exist."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object() -> Arc<Object> {
        Arc::new(Object::new(Bytes::from_static(b"x"), None))
    }

    fn ids(bucket: &Bucket, key: &str) -> Vec<(VersionId, bool)> {
        let versions = bucket.keys.get(key).map_or(&[][..], Vec::as_slice);
        versions.iter().map(|version| (version.id(), version.is_marker())).collect()
    }

    #[test]
    fn version_ids_come_back_from_their_text() {
        for id in [
            VersionId::Null,
            VersionId::Number(1),
            VersionId::Number(2),
            VersionId::Number(u64::MAX),
        ] {
            assert_eq!(VersionId::parse(&id.to_string()), Some(id));
        }
        assert_eq!(VersionId::Number(1).to_string().len(), 32);
        for bad in ["", "1", "nul", "NULL", &"0".repeat(32), &"é".repeat(16)] {
            assert_eq!(VersionId::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn without_versioning_a_put_replaces_and_a_delete_removes() {
        let mut bucket = Bucket::default();
        assert_eq!(bucket.put("k", object(), 1), VersionId::Null);
        bucket.put("k", object(), 2);
        assert_eq!(ids(&bucket, "k"), [(VersionId::Null, false)]);
        assert_eq!(bucket.delete("k", None, 3), Deleted::Key);
        assert_eq!(
            bucket.delete("k", None, 3),
            Deleted::Key,
            "deleting what is not there succeeds"
        );
        assert!(bucket.keys.is_empty());
    }

    #[test]
    fn with_versioning_every_put_and_delete_adds() {
        let mut bucket = Bucket { versioning: Versioning::Enabled, ..Bucket::default() };
        let first = bucket.put("k", object(), 1);
        let second = bucket.put("k", object(), 2);
        let Deleted::MarkerCreated { id: marker } = bucket.delete("k", None, 3) else {
            panic!("no marker")
        };
        assert_eq!(ids(&bucket, "k"), [(marker, true), (second, false), (first, false)]);
        assert_eq!(bucket.get("k", None).unwrap_err().code, "NoSuchKey");
        assert_eq!(bucket.get("k", Some(marker)).unwrap_err().code, "MethodNotAllowed");
        assert_eq!(bucket.get("k", Some(first)).unwrap().0.id(), first);
        assert_eq!(
            bucket.delete("k", Some(marker), 4),
            Deleted::Version { id: marker, was_marker: true }
        );
        assert_eq!(bucket.get("k", None).unwrap().0.id(), second);
        for id in [first, second] {
            assert_eq!(bucket.delete("k", Some(id), 5), Deleted::Version { id, was_marker: false });
        }
        assert!(bucket.keys.is_empty());
    }

    #[test]
    fn a_suspended_bucket_replaces_only_the_null_version() {
        let mut bucket = Bucket::default();
        bucket.put("k", object(), 1);
        bucket.versioning = Versioning::Enabled;
        let kept = bucket.put("k", object(), 2);
        bucket.versioning = Versioning::Suspended;
        assert_eq!(bucket.put("k", object(), 3), VersionId::Null);
        assert_eq!(ids(&bucket, "k"), [(VersionId::Null, false), (kept, false)]);
        assert_eq!(bucket.delete("k", None, 4), Deleted::MarkerCreated { id: VersionId::Null });
        assert_eq!(ids(&bucket, "k"), [(VersionId::Null, true), (kept, false)]);
    }
}
