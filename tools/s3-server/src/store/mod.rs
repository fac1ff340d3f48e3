//! The buckets, in memory.
//!
//! Each bucket has a lock of its own, held only while one operation looks or changes; answers are written afterwards.

mod bucket;
mod listing;

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

pub use bucket::{Bucket, Deleted, Object, Version, VersionId, Versioning};
pub use listing::{ListingQuery, ObjectPage, Position, VersionMarker, VersionPage, VersionsQuery};

use crate::error::{S3Error, S3Result};

/// All buckets by name.
#[derive(Default)]
pub struct Store {
    buckets: Mutex<HashMap<String, Arc<RwLock<Bucket>>>>,
}

impl Store {
    /// Makes an empty bucket; refuses a name that is taken.
    pub fn create(&self, name: &str) -> S3Result<()> {
        let mut buckets = self.buckets.lock();
        if buckets.contains_key(name) {
            let message = "Your previous request to create the named bucket succeeded and you already own it.";
            return Err(S3Error::new(409, "BucketAlreadyOwnedByYou", message));
        }
        buckets.insert(name.to_owned(), Arc::default());
        Ok(())
    }

    /// The bucket, which must exist.
    pub fn bucket(&self, name: &str) -> S3Result<Arc<RwLock<Bucket>>> {
        self.buckets.lock().get(name).cloned().ok_or_else(|| S3Error::no_such_bucket(name))
    }

    /// The bucket, made when there is none.
    pub fn bucket_or_new(&self, name: &str) -> Arc<RwLock<Bucket>> {
        self.buckets.lock().entry(name.to_owned()).or_default().clone()
    }

    /// Forgets a bucket.
    pub fn remove(&self, name: &str) {
        self.buckets.lock().remove(name);
    }

    /// Forgets all buckets.
    pub fn clear(&self) {
        // Millions of keys take a while to drop; nobody need wait for that under the lock.
        let buckets = std::mem::take(&mut *self.buckets.lock());
        drop(buckets);
    }
}
