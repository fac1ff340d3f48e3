//! A hostile store: a bucket whose good answers are mutated by a seed, while the server knows the truth.
//!
//! `POST /-/hostile` makes such a bucket, `GET /-/hostile?bucket=NAME` reports on it, `DELETE /-/hostile?bucket=NAME`
//! forgets it. There can be many at once, next to ordinary ones.
//!
//! # What decides
//!
//! The seed decides what kind of store it is (`profile`): one that errs once, one that has a habit, one that errs now and then,
//! or one where much is amiss. What a request meets follows from the seed, the request, and how often it came (`case`).
//!
//! # What is honest
//!
//! Only mutations that a careful client can find out, or that do no harm, are held against it. A store that says that a key
//! is deleted which stays can't be found out, so this store never does: a delete that is answered so that it can only be
//! taken for done (`envelope`, `deletion`) has been carried out, be the answer as odd as it may. What has been carried out may
//! be answered by anything, errors and silence included; what has not, by anything but such an answer.
//!
//! | a store that | is honest because |
//! |---|---|
//! | names no result for a key in a verbose answer | the client has to see that the key is missing |
//! | names no error in a quiet answer | the key is deleted: silence means so |
//! | answers 404 or 410 to the delete of one key, or `NoSuchKey` for one of many | the key is gone |
//! | answers with a page of HTML, JSON, another status, half of the answer | that is no word of the key |
//!
//! Of listings some lies can't be seen: an entry that is left out or renamed, and the word that nothing
//! follows. Those are made all the same, and noted (`effects`): `hidden` may be passed over by a job that says it is done,
//! `phantoms` may be listed though they never were, and entries may come more than once where they are `doubled` or out of order.
//! All else, such as keys outside of the prefix, entries without key or version, or tokens that lead nowhere, is held against the client.

mod case;
mod deletion;
mod dice;
mod document;
mod effects;
mod encoding;
mod envelope;
mod listing;
mod mutation;
pub mod play;
mod profile;

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::RwLock;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::store::{Bucket, ListingQuery, Object, Store, Versioning, VersionsQuery};
use crate::text::now_ms;
use case::{Case, Entry};
use dice::Dice;
use effects::Item;
use profile::Profile;

/// The hostile buckets by name, and requests to any other bucket since there was one.
#[derive(Default)]
pub struct Hostile {
    cases: RwLock<HashMap<String, Arc<Case>>>,
    strays: RwLock<Vec<Entry>>,
}

/// What to make.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Setup {
    bucket: String,
    seed: u64,
    keys: Vec<String>,
    /// Keys that the job must not touch.
    #[serde(default)]
    decoys: Vec<String>,
    /// Whether the bucket keeps versions.
    #[serde(default)]
    versioned: bool,
    /// Whether the job is about versions.
    #[serde(default)]
    versions: bool,
    /// In the place of what the seed stands for.
    profile: Option<Profile>,
}

impl Hostile {
    /// Makes a bucket.
    pub fn make(&self, store: &Store, setup: Setup) -> Result<Value, String> {
        let bucket = store.bucket_or_new(&setup.bucket);
        let mut bucket = bucket.write();
        *bucket = Bucket::default();
        let mut dice = Dice::new(setup.seed, "contents", 0);
        for key in setup.keys.iter().chain(&setup.decoys) {
            let object = Arc::new(Object::new(Bytes::from(vec![b'x'; dice.below(9)]), None));
            for _ in 0..if setup.versioned { 1 + dice.below(3) } else { 1 } {
                // What was there before versions were kept, or while that was suspended, is the version `null`.
                bucket.versioning = match setup.versioned {
                    false => Versioning::Never,
                    true if dice.percent(20) => Versioning::Suspended,
                    true => Versioning::Enabled,
                };
                bucket.put(key, object.clone(), now_ms());
            }
            if setup.versioned && dice.percent(15) {
                bucket.delete(key, None, now_ms());
            }
        }
        let profile = setup.profile.unwrap_or_else(|| Profile::of_seed(setup.seed, setup.versions));
        let initial = contents(&bucket, setup.versions);
        let answer = json!({ "initial": initial.len(), "profile": profile });
        let case = Case::new(setup.seed, profile, setup.decoys, setup.versions, initial);
        self.cases.write().insert(setup.bucket, Arc::new(case));
        Ok(answer)
    }

    /// What was asked of a bucket, what it did, and what is left in it.
    pub fn report(&self, store: &Store, bucket: &str) -> Result<Value, String> {
        let case = self.case(bucket).ok_or_else(|| format!("{bucket} is no hostile bucket"))?;
        let remaining = store
            .bucket(bucket)
            .map_or_else(|_| Vec::new(), |bucket| contents(&bucket.read(), case.versions));
        Ok(case.report(&remaining))
    }

    /// Requests to buckets that are not hostile.
    pub fn strays(&self) -> Value {
        json!(*self.strays.read())
    }

    pub fn forget(&self, store: &Store, bucket: &str) {
        self.cases.write().remove(bucket);
        store.remove(bucket);
    }

    pub fn clear(&self) {
        self.cases.write().clear();
        self.strays.write().clear();
    }

    pub fn case(&self, bucket: &str) -> Option<Arc<Case>> {
        self.cases.read().get(bucket).cloned()
    }

    /// Notes a request that the server refuses before it looks at faults: it may be just what must never be sent.
    pub fn refused(&self, method: &str, uri: &str, operation: Option<String>, status: u16) {
        if self.cases.read().is_empty() {
            return;
        }
        let path = uri.split('?').next().unwrap_or_default();
        let bucket = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        let entry = Entry {
            method: method.to_owned(),
            uri: uri.to_owned(),
            operation,
            status,
            ..Entry::default()
        };
        match self.case(bucket) {
            Some(case) => drop(case.note(entry)),
            None => self.strays.write().push(entry),
        }
    }
}

/// All versions and markers of the bucket, or the keys that it shows.
fn contents(bucket: &Bucket, versions: bool) -> Vec<Item> {
    if versions {
        let page = bucket
            .list_versions(&VersionsQuery { max_keys: usize::MAX, ..VersionsQuery::default() });
        return page
            .versions
            .iter()
            .map(|(key, version, _)| (key.to_string(), Some(version.id().to_string())))
            .collect();
    }
    let page =
        bucket.list_objects(&ListingQuery { max_keys: usize::MAX, ..ListingQuery::default() });
    page.objects.iter().map(|(key, _)| (key.to_string(), None)).collect()
}
