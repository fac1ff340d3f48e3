//! A store that lets each prefix take `ALLOWED` keys a second, with one second's burst.

use super::driver::{Request, World, run};
use super::*;

const ALLOWED: f64 = 3500.0;
const PREFIXES: usize = 8;
const IN_FLIGHT: usize = 50;
const LATENCY: f64 = 0.1;
const SECONDS: f64 = 18.0;
/// What happens in the first seconds is not measured.
const START: f64 = 2.0;

struct Store {
    random: Random,
    buckets: Vec<Bucket>,
    most: usize,
    waiting: usize,
    deleted: usize,
    requests: usize,
    throttled: usize,
}

struct Bucket {
    tokens: f64,
    at: Moment,
}

impl World for Store {
    fn act(&mut self, batcher: &mut Batcher<Key>, now: Moment) -> Option<Moment> {
        if now.as_secs_f64() >= SECONDS {
            batcher.clear();
            return None;
        }
        while self.waiting < 100 * 1000 {
            // Pages of the prefixes in turn, as several listers bring them.
            for prefix in 0..PREFIXES {
                batcher.push((0..1000).map(|_| Key(format!("p{prefix}/k"))), now);
            }
            self.waiting += PREFIXES * 1000;
        }
        None
    }

    fn send(&mut self, batch: &Batch<Key>, now: Moment) -> Request {
        let Batch { items, .. } = batch;
        assert!(items.len() <= self.most);
        let bucket = &mut self.buckets[usize::from(items[0].0.as_bytes()[1] - b'0')];
        let elapsed = (now - bucket.at).as_secs_f64();
        bucket.tokens = (bucket.tokens + elapsed * ALLOWED).min(ALLOWED);
        bucket.at = now;
        let fits = bucket.tokens >= items.len() as f64;
        if now.as_secs_f64() > START {
            self.requests += 1;
            self.throttled += usize::from(!fits);
            self.deleted += if fits { items.len() } else { 0 };
        }
        if !fits {
            let (takes, outcome) = (Duration::from_millis(5), throttled(batch));
            return Request { takes, outcome, random: self.random.next() };
        }
        bucket.tokens -= items.len() as f64;
        let takes = Duration::from_secs_f64(LATENCY * (0.8 + 0.4 * self.random.next()));
        Request { takes, outcome: deleted(batch), random: self.random.next() }
    }

    fn landed(&mut self, _: &Batch<Key>, outcome: &Outcome<Key>, _: Moment) {
        self.waiting = self.waiting.saturating_sub(outcome.deleted);
    }

    fn given_up(&mut self, items: Vec<Key>) {
        assert_eq!(items, [], "throttling turned into failures");
    }

    fn ask(&mut self, _: LaneId, _: &[u8]) -> Duration {
        unreachable!("nothing is gated")
    }

    fn opened(&mut self, _: LaneId) {}

    fn release(&mut self, _: LaneId) {}
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[test]
fn takes_what_is_allowed_and_is_seldom_throttled() {
    let batchers = [(1000, shared(1000)), (250, shared(250)), (1000, per_prefix(1000, 1e9, false))];
    for (most, batcher) in batchers {
        let buckets = (0..PREFIXES).map(|_| Bucket { tokens: ALLOWED, at: NOW }).collect();
        let random = Random(1);
        let mut store =
            Store { random, buckets, most, waiting: 0, deleted: 0, requests: 0, throttled: 0 };
        run(batcher, IN_FLIGHT, &mut store);
        let allowed = (SECONDS - START) * ALLOWED * PREFIXES as f64;
        let share = store.deleted as f64 / allowed;
        let throttled = store.throttled as f64 / store.requests as f64;
        assert!(share >= 0.95, "{most}: {share:.3} of the rate");
        assert!(throttled < 0.04, "{most}: {throttled:.3} throttled");
    }
}
