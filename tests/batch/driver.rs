//! Drives a batcher in virtual time as a job does: so many requests at once, permits that come late, and answers in any order.

use std::collections::BTreeMap;
use std::time::Duration;

use ya_syn_native::core::batch::pace::Moment;
use ya_syn_native::core::batch::{Batch, Batcher, LaneId, Next, Outcome};

use super::Key;

/// More steps than any test takes: a batcher that takes more does not come to an end.
const MOST_STEPS: u32 = 10_000_000;

/// A request: how long it takes, what becomes of its items, and the random number of that moment.
pub struct Request {
    pub takes: Duration,
    pub outcome: Outcome<Key>,
    pub random: f64,
}

/// Everything outside the batcher.
pub trait World {
    /// Pushes, clears and resizes as its user does at this moment, and says when it does so next.
    fn act(&mut self, batcher: &mut Batcher<Key>, now: Moment) -> Option<Moment>;
    /// A batch is sent now.
    fn send(&mut self, batch: &Batch<Key>, now: Moment) -> Request;
    /// The batch is about to be finished with this outcome.
    fn landed(&mut self, batch: &Batch<Key>, outcome: &Outcome<Key>, now: Moment);
    /// Items are given up.
    fn given_up(&mut self, items: Vec<Key>);
    /// How long it takes until a permit comes that is asked for now.
    fn ask(&mut self, lane: LaneId, prefix: &[u8]) -> Duration;
    /// The permit is there.
    fn opened(&mut self, lane: LaneId);
    /// A permit is freed.
    fn release(&mut self, lane: LaneId);
}

enum Event {
    Landed(Batch<Key>, Request),
    Opened(LaneId),
}

/// Goes on, with at most so many requests in flight, until nothing will ever happen any more, and returns when that was.
pub fn run(mut batcher: Batcher<Key>, most_running: usize, world: &mut impl World) -> Moment {
    let mut events: BTreeMap<(Moment, u32), Event> = BTreeMap::new();
    let (mut now, mut running, mut last) = (Moment::ZERO, 0, 0);
    for _ in 0..MOST_STEPS {
        let acts = world.act(&mut batcher, now);
        let mut wakes = None;
        while running < most_running && wakes.is_none() {
            last += 1;
            assert!(last < MOST_STEPS, "the batcher never waits");
            let id = last;
            match batcher.next(now) {
                Next::Send(batch) => {
                    let request = world.send(&batch, now);
                    events.insert((now + request.takes, id), Event::Landed(batch, request));
                    running += 1;
                }
                Next::Ask(lane, prefix) => {
                    let takes = world.ask(lane, &prefix);
                    events.insert((now + takes, id), Event::Opened(lane));
                }
                Next::Release(lane) => world.release(lane),
                Next::Wait(until) => {
                    assert!(
                        until.is_none_or(|until| until > now),
                        "the batcher waits for the past"
                    );
                    wakes = Some(until);
                }
            }
        }
        let event = events.first_key_value().map(|((at, _), _)| *at);
        let Some(next) = [event, acts, wakes.flatten()].into_iter().flatten().min() else {
            return now;
        };
        now = next;
        while let Some(first) = events.first_entry()
            && first.key().0 <= now
        {
            match first.remove() {
                Event::Landed(batch, Request { outcome, random, .. }) => {
                    running -= 1;
                    world.landed(&batch, &outcome, now);
                    world.given_up(batcher.finish(&batch.ticket, outcome, now, random));
                }
                Event::Opened(lane) => {
                    world.opened(lane);
                    batcher.opened(lane);
                }
            }
        }
    }
    panic!("the batcher does not come to an end");
}
