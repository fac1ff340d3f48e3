//! How fast a throttled prefix may be asked: a rate in keys a second, raised and lowered by what comes back.
//!
//! # How it works
//!
//! A store that is asked too fast throttles requests, and each throttled one is work for nothing. A limit on requests in
//! flight does not help, because requests that are throttled come back at once. So a [`Pace`] says when the next request may be *sent*:
//! a request of `n` keys moves that time on by `n / rate`.
//!
//! The rate is raised by a little in each second and cut when a request is throttled. Requests that were sent before the last
//! cut say nothing about the rate since, so they cut nothing. How far to cut follows from a measurement: whenever a request
//! is throttled the store's allowance is used up, so the keys that were deleted between two throttlings, over the time
//! between them, are what the store allows.
//!
//! Time is given by the caller, as a duration since any one moment.

use std::time::Duration;

/// A moment, as the time since a beginning that the caller chooses.
pub type Moment = Duration;

/// A throttling keeps this much of the rate, when nothing was measured.
const CUT: f64 = 0.7;
/// A throttling keeps this much of what the store was measured to allow.
const MEASURED_CUT: f64 = 0.94;
/// Each second adds this much of the rate after the last cut, once the allowance was measured.
const RAISE: f64 = 0.008;
/// Each second adds this much of the rate after the last cut, before the allowance was measured.
const RAISE_UNMEASURED: f64 = 0.5;
/// After so many seconds without a throttling the rate grows faster, second by second: the store may allow far more by now.
const CALM: f64 = 8.0;
/// Keys a second for a prefix of which nothing is known but that it was throttled.
const START: f64 = 2000.0;
/// A throttling lets the allowance recover for this much of the time that a request takes.
const PAUSE: f64 = 2.0;
/// Never slower than this, in keys a second: else a prefix would sleep long after the store has recovered.
const SLOWEST: f64 = 10.0;
/// No request is put off for more seconds than this by the one before it.
const LONGEST_GAP: f64 = 5.0;
/// Fewer seconds between two throttlings measure nothing but chance.
const MEASURABLE: f64 = 2.0;

/// The rate of one prefix.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Keys a second, right after the last cut.
    rate: f64,
    /// When the rate was cut last, or first known.
    cut_at: Moment,
    is_measured: bool,
    /// When the next request may be sent.
    next: Moment,
    /// How long the last request put the next one off.
    last_gap: Duration,
    /// When the measurement that goes on began, which is when a request was throttled.
    measured_from: Moment,
    /// The keys that were deleted since then.
    deleted: u64,
}

impl Pace {
    /// The pace of a prefix that was just throttled, `deleted` keys after `since`.
    pub fn new(since: Moment, deleted: u64, now: Moment) -> Self {
        let elapsed = now.saturating_sub(since).as_secs_f64().max(MEASURABLE / 2.0);
        let rate = (deleted as f64 / elapsed * CUT).max(START);
        Self {
            rate,
            cut_at: now,
            is_measured: false,
            next: now,
            last_gap: Duration::ZERO,
            measured_from: now,
            deleted: 0,
        }
    }

    /// Keys a second at this moment.
    pub fn rate(&self, now: Moment) -> f64 {
        let calm = now.saturating_sub(self.cut_at).as_secs_f64();
        let faster = 1.0 + (calm - CALM).max(0.0);
        let raise = if self.is_measured { RAISE } else { RAISE_UNMEASURED };
        self.rate * (1.0 + raise * calm * faster)
    }

    /// When the next request may be sent.
    pub fn next(&self) -> Moment {
        self.next
    }

    /// When the rate was cut last.
    pub fn cut_at(&self) -> Moment {
        self.cut_at
    }

    /// A request of so many keys is sent now.
    pub fn sent(&mut self, keys: usize, now: Moment) {
        let takes = Duration::from_secs_f64((keys as f64 / self.rate(now)).min(LONGEST_GAP));
        self.next = self.next.max(now) + takes;
        self.last_gap = takes;
    }

    /// So many keys were deleted.
    pub fn deleted(&mut self, keys: usize) {
        self.deleted += keys as u64;
    }

    /// No request is sent before this moment.
    pub fn hold(&mut self, until: Moment) {
        self.next = self.next.max(until);
    }

    /// A request that was sent at `sent` is throttled.
    pub fn throttled(&mut self, sent: Moment, now: Moment) {
        if sent < self.cut_at {
            return;
        }
        let elapsed = now.saturating_sub(self.measured_from).as_secs_f64();
        let rate = self.rate(now);
        let lowered = rate * CUT;
        self.rate = if elapsed >= MEASURABLE {
            let measured = self.deleted as f64 / elapsed * MEASURED_CUT;
            self.is_measured = true;
            self.measured_from = now;
            self.deleted = 0;
            measured.clamp(lowered, rate)
        } else {
            lowered
        };
        self.rate = self.rate.max(SLOWEST);
        self.cut_at = now;
        self.next = self.next.max(now) + self.last_gap.mul_f64(PAUSE);
    }
}

/// How long to wait before try number `tries` (from 1) of something that failed; `random` is from 0 to 1.
///
/// The wait doubles with each try up to a bound, and is spread over half of its length, so that those who failed together
/// do not come back together.
pub fn backoff(tries: u32, random: f64) -> Duration {
    const FIRST: f64 = 0.1;
    const LONGEST: f64 = 20.0;
    let longest = (FIRST * 2f64.powi(tries.min(16) as i32 - 1)).min(LONGEST);
    Duration::from_secs_f64(longest * (0.5 + random / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Moment {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn paces_requests_by_their_keys() {
        let mut pace = Pace::new(at(0.0), 10_000, at(1.0));
        assert_eq!(pace.rate(at(1.0)), 7000.0);
        pace.sent(3500, at(1.0));
        assert_eq!(pace.next(), at(1.5));
        pace.sent(3500, at(1.5));
        assert_eq!(pace.next(), at(1.9), "the rate has grown by a quarter");
    }

    #[test]
    fn time_that_was_not_used_is_lost() {
        let mut pace = Pace::new(at(0.0), 1000, at(1.0));
        pace.sent(100, at(5.0));
        assert!(pace.next() > at(5.0));
    }

    #[test]
    fn cuts_once_for_requests_that_were_sent_together() {
        let mut pace = Pace::new(at(0.0), 10_000, at(1.0));
        pace.throttled(at(0.9), at(1.1));
        assert_eq!(pace.rate(at(1.0)), 7000.0);
        pace.throttled(at(1.2), at(1.3));
        let lowered = pace.rate(at(1.3));
        assert!((5634.0..5636.0).contains(&lowered), "{lowered}");
        pace.throttled(at(1.25), at(1.4));
        assert!(pace.rate(at(1.4)) >= lowered);
    }

    #[test]
    fn a_measured_allowance_is_kept_to() {
        let mut pace = Pace::new(at(0.0), 5000, at(1.0));
        pace.deleted(12_000);
        pace.throttled(at(2.9), at(3.0));
        assert!((pace.rate(at(3.0)) - 6000.0 * MEASURED_CUT).abs() < 1.0);
    }

    #[test]
    fn never_stops_and_recovers() {
        let mut pace = Pace::new(at(0.0), 0, at(1.0));
        assert_eq!(pace.rate(at(1.0)), START);
        for second in 2..60 {
            pace.throttled(at(f64::from(second) - 0.5), at(f64::from(second)));
        }
        assert_eq!(pace.rate(at(59.0)), SLOWEST);
        pace.sent(1000, at(59.0));
        assert_eq!(pace.next(), at(59.0 + LONGEST_GAP));
        assert!(pace.rate(at(120.0)) > 4.0 * SLOWEST);
    }

    #[test]
    fn waits_double_are_bounded_and_jittered() {
        let table = [(1, 0.0, 0.05), (1, 1.0, 0.1), (2, 1.0, 0.2), (3, 0.5, 0.3), (60, 1.0, 20.0)];
        for (tries, random, seconds) in table {
            assert_eq!(backoff(tries, random), at(seconds), "{tries} {random}");
        }
    }
}
