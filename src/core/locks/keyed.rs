//! Semaphores by key: the same key finds the same semaphore, and a key that nobody needs is forgotten.
//!
//! A key is a sequence of UTF-16 code units, as JavaScript's strings are, so that keys which differ
//! only in unpaired surrogates stay apart. Whoever uses a key's semaphore holds a [`Lease`] on it.
//! When the last lease of a key ends, its semaphore is removed if it is idle. A semaphore with a permit
//! that was never given back stays, because the next user of that key must wait for that permit.

use std::hash::{BuildHasher, RandomState};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashTable;

use super::semaphore::Semaphore;
use crate::core::limit::Limit;
use crate::core::sync::Mutex;

/// The semaphores of one key space.
pub struct KeyedSemaphores<W> {
    entries: Mutex<HashTable<Arc<Entry<W>>>>,
    hasher: RandomState,
}

struct Entry<W> {
    semaphore: Semaphore<W>,
    key: Box<[u16]>,
    /// Changed only under the table's lock.
    leases: AtomicU32,
}

/// The right to use the semaphore of a key, for as long as the lease is kept.
pub struct Lease<W> {
    entry: Arc<Entry<W>>,
    table: Option<Arc<KeyedSemaphores<W>>>,
}

impl<W> KeyedSemaphores<W> {
    /// A key space with no keys in it.
    pub fn new() -> Arc<Self> {
        Arc::new(Self { entries: Mutex::new(HashTable::new()), hasher: RandomState::new() })
    }

    /// How many keys are held, waited for or leased.
    pub fn len(&self) -> usize {
        self.entries.lock().len()
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Leases the semaphore of `key`, which is made with `limit` permits when there is none. The limit of a semaphore that
    /// is there stays.
    pub fn lease(self: &Arc<Self>, key: &[u16], limit: Limit) -> Lease<W> {
        let mut entries = self.entries.lock();
        let hash = self.hasher.hash_one(key);
        let entry = entries
            .entry(hash, |entry| *entry.key == *key, |entry| self.hasher.hash_one(&*entry.key))
            .or_insert_with(|| Entry::new(key, limit));
        let entry = Arc::clone(entry.get());
        entry.leases.fetch_add(1, Ordering::Relaxed);
        Lease { entry, table: Some(Arc::clone(self)) }
    }

    fn end(&self, entry: &Entry<W>) {
        let mut entries = self.entries.lock();
        if entry.leases.fetch_sub(1, Ordering::Relaxed) > 1 || !entry.semaphore.is_idle() {
            return;
        }
        let hash = self.hasher.hash_one(&*entry.key);
        if let Ok(found) = entries.find_entry(hash, |other| std::ptr::eq(&**other, entry)) {
            found.remove();
        }
        if entries.is_empty() {
            // The buckets of a million keys are freed when the last key is removed.
            *entries = HashTable::new();
        }
    }
}

impl<W> Entry<W> {
    fn new(key: &[u16], limit: Limit) -> Arc<Self> {
        Arc::new(Self {
            semaphore: Semaphore::new(limit),
            key: key.into(),
            leases: AtomicU32::new(0),
        })
    }
}

impl<W> Lease<W> {
    /// A semaphore that no key finds.
    pub fn unkeyed(limit: Limit) -> Self {
        Self { entry: Entry::new(&[], limit), table: None }
    }
}

impl<W> Deref for Lease<W> {
    type Target = Semaphore<W>;

    fn deref(&self) -> &Self::Target {
        &self.entry.semaphore
    }
}

impl<W> Drop for Lease<W> {
    fn drop(&mut self) {
        if let Some(table) = &self.table {
            table.end(&self.entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::locks::semaphore::Stage;

    const ONE: Limit = Limit::ONE;

    #[test]
    fn the_same_key_is_the_same_semaphore_and_the_first_limit_stays() {
        let table = KeyedSemaphores::<()>::new();
        let first = table.lease(&[1, 2], ONE);
        let second = table.lease(&[1, 2], Limit::UNLIMITED);
        let other = table.lease(&[1], ONE);
        assert!(first.try_acquire());
        assert!(!second.try_acquire());
        assert!(other.try_acquire());
        assert_eq!(table.len(), 2);
    }

    #[test]
    fn keys_are_code_units() {
        let table = KeyedSemaphores::<()>::new();
        let leases =
            [&[0xd800][..], &[0xd801], &[0x61, 0], &[0x61], &[]].map(|key| table.lease(key, ONE));
        assert!(leases.iter().all(|lease| lease.try_acquire()));
        assert_eq!(table.len(), 5);
    }

    #[test]
    fn a_key_is_removed_when_nobody_needs_it_and_never_before() {
        let table = KeyedSemaphores::<()>::new();
        let (a, b) = (table.lease(&[1], ONE), table.lease(&[1], ONE));
        drop(a);
        assert_eq!(table.len(), 1, "somebody still leases it");
        assert!(b.try_acquire());
        drop(b);
        assert_eq!(table.len(), 1, "somebody still holds it");
        let c = table.lease(&[1], ONE);
        assert!(!c.try_acquire());
        assert_eq!(c.release(Stage::Admitted), None);
        drop(c);
        assert!(table.is_empty());
    }
}
