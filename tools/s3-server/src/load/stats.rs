//! Counters of what the server did, for `/-/stats`.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;

use crate::request::route::Operation;

/// All counters, behind one lock that is held for a few additions at a time.
#[derive(Default)]
pub struct Stats(Mutex<Counters>);

/// What `/-/stats` shows, besides prefixes and faults.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counters {
    pub requests: Requests,
    pub keys: Keys,
    pub in_flight: InFlight,
    pub connections: Gauge,
    /// The most keys that one DeleteObjects named.
    pub largest_delete: u64,
    /// Requests that a limit per prefix refused.
    pub throttled: u64,
    /// Answers that were errors, scripted ones included, by code.
    pub errors: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Requests {
    pub total: u64,
    pub by_operation: BTreeMap<Operation, u64>,
}

/// Keys that went through, each time that one did.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Keys {
    pub listed: u64,
    pub put: u64,
    /// Keys and versions that a delete named and that got no error.
    pub deleted: u64,
    pub markers_created: u64,
    /// Keys that got an error within a DeleteObjects.
    pub refused: u64,
}

#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InFlight {
    #[serde(flatten)]
    pub all: Gauge,
    pub by_operation: BTreeMap<Operation, Gauge>,
}

/// How many there are now, were at most at once, and have been in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Gauge {
    pub now: u64,
    pub peak: u64,
    pub total: u64,
}

impl Gauge {
    fn enter(&mut self) {
        self.now += 1;
        self.total += 1;
        self.peak = self.peak.max(self.now);
    }

    fn leave(&mut self) {
        self.now -= 1;
    }

    fn reset(&mut self) {
        (self.peak, self.total) = (self.now, self.now);
    }
}

impl Stats {
    /// Changes counters.
    pub fn count(&self, change: impl FnOnce(&mut Counters)) {
        change(&mut self.0.lock());
    }

    pub fn snapshot(&self) -> Counters {
        self.0.lock().clone()
    }

    /// Counts from 0 again; what is in flight or open stays so.
    pub fn reset(&self) {
        self.count(|counters| {
            let mut in_flight = std::mem::take(&mut counters.in_flight);
            let mut connections = counters.connections;
            in_flight.all.reset();
            in_flight.by_operation.values_mut().for_each(Gauge::reset);
            connections.reset();
            *counters = Counters { in_flight, connections, ..Counters::default() };
        });
    }

    /// Counts a request, which is in flight until the guard is dropped.
    pub fn request(self: &Arc<Self>, operation: Operation) -> Guard {
        self.count(|counters| {
            counters.requests.total += 1;
            *counters.requests.by_operation.entry(operation).or_default() += 1;
            counters.in_flight.all.enter();
            counters.in_flight.by_operation.entry(operation).or_default().enter();
        });
        Guard { stats: self.clone(), of: Counted::Request(operation) }
    }

    /// Counts a connection, which is open until the guard is dropped.
    pub fn connection(self: &Arc<Self>) -> Guard {
        self.count(|counters| counters.connections.enter());
        Guard { stats: self.clone(), of: Counted::Connection }
    }
}

/// Keeps a gauge up while it lives.
pub struct Guard {
    stats: Arc<Stats>,
    of: Counted,
}

enum Counted {
    Request(Operation),
    Connection,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.stats.count(|counters| match self.of {
            Counted::Connection => counters.connections.leave(),
            Counted::Request(operation) => {
                counters.in_flight.all.leave();
                counters.in_flight.by_operation.entry(operation).or_default().leave();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_keeps_what_is_in_flight() {
        let stats = Arc::new(Stats::default());
        let first = stats.request(Operation::GetObject);
        let second = stats.request(Operation::DeleteObjects);
        drop(first);
        stats.reset();
        let counters = stats.snapshot();
        assert_eq!(counters.requests.total, 0);
        assert_eq!(counters.in_flight.all, Gauge { now: 1, peak: 1, total: 1 });
        drop(second);
        assert_eq!(stats.snapshot().in_flight.all.now, 0);
    }
}
