//! What a job has done so far; read while it runs.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters. All of them only rise, except that of requests in flight.
#[derive(Debug, Default)]
pub struct Progress {
    /// Objects found and wanted.
    pub listed: AtomicU64,
    /// Bytes of the objects that were deleted, as far as their sizes are known.
    pub bytes: AtomicU64,
    /// Objects that were deleted.
    pub deleted: AtomicU64,
    /// Objects that failed.
    pub failed: AtomicU64,
    /// Delete markers that were made.
    pub markers: AtomicU64,
    /// Requests that were sent, of any kind.
    pub requests: AtomicU64,
    /// Requests that were sent again.
    pub retries: AtomicU64,
    /// Requests that were throttled.
    pub throttled: AtomicU64,
    /// Delete requests on their way.
    pub in_flight: AtomicU64,
}

/// Adds to a counter.
pub fn add(counter: &AtomicU64, count: usize) {
    counter.fetch_add(count as u64, Ordering::Relaxed);
}

/// Takes from a counter.
pub fn take(counter: &AtomicU64, count: usize) {
    counter.fetch_sub(count as u64, Ordering::Relaxed);
}
