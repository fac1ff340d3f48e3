//! Limits per prefix: keys a second, as a token bucket that holds one second's worth, and requests in flight.
//!
//! A request over several prefixes is let in by all of them or by none. One that wants more keys than the bucket can ever
//! hold is let in when the bucket is full and leaves it in debt, so the rate holds in the long run and no batch is shut out
//! for good. Refused requests cost nothing.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use serde::Serialize;

use crate::options::Settings;

/// The state of all prefixes, by `bucket/prefix`.
#[derive(Default)]
pub struct Throttle(Mutex<BTreeMap<String, Prefix>>);

struct Prefix {
    counts: PrefixCount,
    tokens: f64,
    refilled: Instant,
}

/// What happened to the requests that touched a prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PrefixCount {
    pub requests: u64,
    pub throttled: u64,
    pub keys: u64,
    pub in_flight: u32,
    pub peak_in_flight: u32,
}

/// A request that was let in; it is in flight until this is dropped.
pub struct Admission {
    throttle: Arc<Throttle>,
    prefixes: Vec<String>,
}

impl Throttle {
    /// Lets a request in that changes so many keys under each prefix, or gives nothing when a limit is reached.
    pub fn admit(
        self: &Arc<Self>,
        settings: &Settings,
        bucket: &str,
        changes: &HashMap<&str, u32>,
        now: Instant,
    ) -> Option<Admission> {
        let rate = settings.keys_per_second_per_prefix;
        let max_in_flight = settings.max_in_flight_per_prefix.unwrap_or(u32::MAX);
        let mut prefixes = self.0.lock();
        let names: Vec<_> = changes.keys().map(|prefix| format!("{bucket}/{prefix}")).collect();
        let mut has_room = true;
        for (name, keys) in names.iter().zip(changes.values()) {
            let prefix = prefixes.entry(name.clone()).or_insert_with(|| Prefix {
                counts: PrefixCount::default(),
                tokens: rate.unwrap_or_default(),
                refilled: now,
            });
            prefix.counts.requests += 1;
            if let Some(rate) = rate {
                let elapsed = now.saturating_duration_since(prefix.refilled).as_secs_f64();
                prefix.tokens = (prefix.tokens + elapsed * rate).min(rate);
                prefix.refilled = now;
                has_room &= prefix.tokens >= f64::from(*keys).min(rate);
            }
            has_room &= prefix.counts.in_flight < max_in_flight;
        }
        for (name, keys) in names.iter().zip(changes.values()) {
            let prefix = prefixes.get_mut(name).expect("made above");
            if has_room {
                prefix.tokens -= f64::from(*keys);
                prefix.counts.keys += u64::from(*keys);
                prefix.counts.in_flight += 1;
                prefix.counts.peak_in_flight =
                    prefix.counts.peak_in_flight.max(prefix.counts.in_flight);
            } else {
                prefix.counts.throttled += 1;
            }
        }
        has_room.then(|| Admission { throttle: self.clone(), prefixes: names })
    }

    pub fn counts(&self) -> BTreeMap<String, PrefixCount> {
        self.0.lock().iter().map(|(name, prefix)| (name.clone(), prefix.counts)).collect()
    }

    /// Counts from 0 again, with full token buckets; requests in flight stay in flight.
    pub fn reset(&self) {
        self.0.lock().retain(|_, prefix| {
            let in_flight = prefix.counts.in_flight;
            prefix.counts =
                PrefixCount { in_flight, peak_in_flight: in_flight, ..PrefixCount::default() };
            // More than any bucket holds: the next look at it cuts it to the limit of then.
            prefix.tokens = f64::INFINITY;
            in_flight > 0
        });
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut prefixes = self.throttle.0.lock();
        for name in &self.prefixes {
            if let Some(prefix) = prefixes.get_mut(name) {
                prefix.counts.in_flight -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use std::time::Duration;

    fn settings(rate: Option<f64>, max_in_flight: Option<u32>) -> Settings {
        Settings {
            keys_per_second_per_prefix: rate,
            max_in_flight_per_prefix: max_in_flight,
            ..Options::default().settings
        }
    }

    struct Bench {
        throttle: Arc<Throttle>,
        settings: Settings,
        start: Instant,
    }

    impl Bench {
        fn new(settings: Settings) -> Self {
            Self { throttle: Arc::default(), settings, start: Instant::now() }
        }

        fn admit(&self, at_ms: u64, changes: &[(&str, u32)]) -> Option<Admission> {
            let changes = changes.iter().copied().collect();
            self.throttle.admit(
                &self.settings,
                "b",
                &changes,
                self.start + Duration::from_millis(at_ms),
            )
        }
    }

    #[test]
    fn a_second_of_burst_then_the_rate() {
        let bench = Bench::new(settings(Some(1000.0), None));
        assert!(bench.admit(0, &[("p", 600)]).is_some());
        assert!(bench.admit(0, &[("p", 600)]).is_none(), "400 are left");
        assert!(bench.admit(0, &[("q", 600)]).is_some(), "another prefix is free");
        assert!(bench.admit(199, &[("p", 600)]).is_none());
        assert!(bench.admit(200, &[("p", 600)]).is_some());
        assert!(bench.admit(10_000, &[("p", 1000)]).is_some());
        assert!(
            bench.admit(10_000, &[("p", 1)]).is_none(),
            "more than a second's worth is never saved up"
        );
        let counts = bench.throttle.counts()["b/p"];
        assert_eq!((counts.requests, counts.throttled, counts.keys), (6, 3, 2200));
    }

    #[test]
    fn a_batch_larger_than_the_burst_leaves_a_debt() {
        let bench = Bench::new(settings(Some(500.0), None));
        assert!(bench.admit(0, &[("p", 1000)]).is_some());
        assert!(bench.admit(1000, &[("p", 1)]).is_none());
        assert!(bench.admit(1002, &[("p", 1)]).is_some());
    }

    #[test]
    fn a_request_is_let_in_by_all_prefixes_or_by_none() {
        let bench = Bench::new(settings(Some(10.0), None));
        assert!(bench.admit(0, &[("p", 10)]).is_some());
        assert!(bench.admit(0, &[("p", 1), ("q", 10)]).is_none());
        assert!(bench.admit(0, &[("q", 10)]).is_some(), "the refused request took nothing");
    }

    #[test]
    fn requests_in_flight() {
        let bench = Bench::new(settings(None, Some(2)));
        let first = bench.admit(0, &[("p", 1)]);
        let second = bench.admit(0, &[("p", 1)]);
        assert!(first.is_some() && second.is_some());
        assert!(bench.admit(0, &[("p", 1)]).is_none());
        drop(first);
        assert!(bench.admit(0, &[("p", 1)]).is_some());
        let counts = bench.throttle.counts()["b/p"];
        assert_eq!((counts.in_flight, counts.peak_in_flight), (1, 2));
    }

    #[test]
    fn a_reset_fills_the_buckets() {
        let bench = Bench::new(settings(Some(10.0), None));
        let running = bench.admit(0, &[("p", 10)]);
        bench.throttle.reset();
        let counts = bench.throttle.counts()["b/p"];
        assert_eq!((counts.requests, counts.in_flight), (0, 1));
        assert!(bench.admit(0, &[("p", 10)]).is_some());
        assert!(bench.admit(0, &[("p", 1)]).is_none());
        drop(running);
    }
}
