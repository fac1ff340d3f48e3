//! One lane: the items that wait in it, what the store told of it, and what the lane waits for.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::pace::{Moment, Pace, backoff};
use super::plan::{Item, LaneId, Room};
use super::tallies::Tally;
use crate::core::limit::Limit;

/// The pace of an idle prefix is remembered for so long.
const REMEMBERED: Duration = Duration::from_secs(60);
/// The backoff of throttled items grows no more after so many throttlings: the pace slows the lane down then.
const MOST_GROWTH: u32 = 5;

/// What a lane waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wake {
    /// For nothing: it can be served.
    Now,
    /// For this moment.
    At(Moment),
    /// For a batch of it that is in flight, or for a permit that was asked for.
    Event,
    /// For items.
    Items,
}

/// Whether a lane whose limit lives outside has a permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    /// There is no permit.
    Closed,
    /// The driver was asked for a permit.
    Asked,
    /// The driver holds a permit.
    Open,
}

/// The items of one batch that are retried.
struct Retry<T> {
    tries: u32,
    items: VecDeque<T>,
}

/// Items that belong to other lanes by now.
pub(super) type Passed<T> = Vec<(LaneId, Vec<T>)>;

/// What was cut from a lane.
pub(super) struct Slice<T> {
    /// How many times the items failed before.
    pub tries: u32,
    /// The items; none if all that waited belong to other lanes.
    pub items: Vec<T>,
    /// Items that are passed on.
    pub passed: Passed<T>,
}

/// A batch whose items were throttled.
#[derive(Clone, Copy)]
pub(super) struct Throttling {
    pub sent: Moment,
    pub tries: u32,
    pub retry_after: Option<Duration>,
    pub patience: Duration,
    pub random: f64,
}

/// The items of one prefix, or of all that share a lane.
pub(super) struct Lane<T> {
    /// The upper half of its id.
    pub made: LaneId,
    pub prefix: Box<[u8]>,
    pub gate: Gate,
    untried: VecDeque<T>,
    /// By the moment at which they are due, and in the order in which they came.
    retries: BTreeMap<(Moment, u64), Retry<T>>,
    last_retry: u64,
    running: u32,
    tally: Tally,
    pace: Option<Pace>,
    /// How often it was throttled since an item of it was deleted.
    throttlings: u32,
    /// When it was throttled for the first time since an item of it was deleted.
    throttled_since: Option<Moment>,
    /// Whether it has a place in the queue of lanes that can be served; kept by `Lanes`.
    pub is_queued: bool,
    /// The moment for which its timer is set; kept by `Lanes`.
    pub timer: Option<Moment>,
}

impl<T> Lane<T> {
    /// A lane without items.
    pub fn new(made: LaneId, prefix: Box<[u8]>, tally: Tally) -> Self {
        Self {
            made,
            prefix,
            gate: Gate::Closed,
            untried: VecDeque::new(),
            retries: BTreeMap::new(),
            last_retry: 0,
            running: 0,
            tally,
            pace: None,
            throttlings: 0,
            throttled_since: None,
            is_queued: false,
            timer: None,
        }
    }

    /// What the lane waits for, if so many of its batches may be in flight.
    pub fn wake(&self, limit: Limit, now: Moment) -> Wake {
        let due = match self.retries.first_key_value() {
            _ if !self.untried.is_empty() => Moment::ZERO,
            Some(((due, _), _)) => *due,
            None if self.running > 0 || self.gate == Gate::Asked => return Wake::Event,
            None => {
                let forgotten = |pace: &Pace| pace.next().max(pace.cut_at() + REMEMBERED);
                return match self.pace.as_ref().map(forgotten) {
                    Some(forgotten) if forgotten > now => Wake::At(forgotten),
                    _ => Wake::Items,
                };
            }
        };
        if !limit.admits(self.running) || self.gate == Gate::Asked {
            return Wake::Event;
        }
        let due = self.pace.as_ref().map_or(due, |pace| pace.next().max(due));
        if due > now { Wake::At(due) } else { Wake::Now }
    }

    /// Items arrive.
    pub fn push(&mut self, items: impl IntoIterator<Item = T>) {
        self.untried.extend(items);
    }

    /// Items are to be sent again at `due`.
    pub fn retry(&mut self, due: Moment, tries: u32, items: Vec<T>) {
        if items.is_empty() {
            return;
        }
        self.last_retry += 1;
        self.retries.insert((due, self.last_retry), Retry { tries, items: items.into() });
    }

    /// So many items of the lane were deleted.
    pub fn deleted(&mut self, items: usize) {
        if items == 0 {
            return;
        }
        self.throttlings = 0;
        self.throttled_since = None;
        match &mut self.pace {
            Some(pace) => pace.deleted(items),
            None => self.tally.deleted += items as u64,
        }
    }

    /// Items of the lane were throttled. Returned are those that are given up: all that wait, if the patience has ended.
    pub fn throttled(&mut self, items: Vec<T>, throttling: Throttling, now: Moment) -> Vec<T> {
        let Throttling { sent, tries, retry_after, patience, random } = throttling;
        let since = *self.throttled_since.get_or_insert(now);
        self.throttlings = self.throttlings.saturating_add(1);
        let pace = match self.pace.take() {
            Some(mut pace) => {
                pace.throttled(sent, now);
                pace
            }
            None => Pace::new(self.tally.since, self.tally.deleted, now),
        };
        let pace = self.pace.insert(pace);
        let patience_ends = since.saturating_add(patience);
        if now >= patience_ends {
            let mut given_up = items;
            given_up.append(&mut self.clear());
            return given_up;
        }
        let mut due = now + backoff(self.throttlings.min(MOST_GROWTH), random);
        if let Some(wait) = retry_after {
            let told = now.saturating_add(wait).min(patience_ends);
            pace.hold(told);
            due = due.max(told);
        }
        self.retry(due, tries, items);
        Vec::new()
    }

    /// Forgets all items that wait, and returns them.
    pub fn clear(&mut self) -> Vec<T> {
        let retries = std::mem::take(&mut self.retries);
        let retries = retries.into_values().flat_map(|retry| retry.items);
        self.untried.drain(..).chain(retries).collect()
    }

    /// A batch of the lane is finished.
    pub fn finished(&mut self) {
        self.running -= 1;
    }
}

impl<T: Item> Lane<T> {
    /// Cuts the next batch, which is then in flight. `elsewhere` says which other lane an untried item belongs to by now.
    pub fn cut(
        &mut self,
        mut room: Room,
        now: Moment,
        elsewhere: impl FnMut(&T) -> Option<LaneId>,
    ) -> Slice<T> {
        let slice = match self.retries.first_entry() {
            Some(mut first) if first.key().0 <= now => {
                let Retry { tries, items } = first.get_mut();
                let count = items.iter().take_while(|item| room.take(*item)).count();
                let slice = Slice {
                    tries: *tries,
                    items: items.drain(..count).collect(),
                    passed: Vec::new(),
                };
                if items.is_empty() {
                    first.remove();
                }
                slice
            }
            _ => self.cut_untried(room, elsewhere),
        };
        if !slice.items.is_empty() {
            self.running += 1;
            self.gate = Gate::Closed;
            if let Some(pace) = &mut self.pace {
                pace.sent(slice.items.len(), now);
            }
        }
        slice
    }

    fn cut_untried(
        &mut self,
        mut room: Room,
        mut elsewhere: impl FnMut(&T) -> Option<LaneId>,
    ) -> Slice<T> {
        let mut items = Vec::with_capacity(room.items().min(self.untried.len()));
        let mut passed: Passed<T> = Vec::new();
        while room.items() > 0
            && let Some(item) = self.untried.front()
        {
            let other = elsewhere(item);
            if other.is_none() && !room.take(item) {
                break;
            }
            let Some(item) = self.untried.pop_front() else { break };
            match (other, passed.last_mut()) {
                (None, _) => items.push(item),
                (Some(id), Some((last, run))) if *last == id => run.push(item),
                (Some(id), _) => passed.push((id, vec![item])),
            }
        }
        Slice { tries: 0, items, passed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Moment {
        Duration::from_secs(seconds)
    }

    fn paced(until: Moment) -> Pace {
        let mut pace = Pace::new(Moment::ZERO, 0, Moment::ZERO);
        pace.hold(until);
        pace
    }

    #[test]
    fn each_state_has_its_wake_up() {
        use Gate::{Asked, Closed, Open};
        // untried items, a retry that is due, batches in flight, permit, end of the pace's hold; what it waits for at 10 s
        let table = [
            (0, None, 0, Closed, None, Wake::Items),
            (0, None, 0, Open, None, Wake::Items),
            (0, None, 0, Asked, None, Wake::Event),
            (0, None, 1, Closed, None, Wake::Event),
            (0, None, 1, Closed, Some(99), Wake::Event),
            (0, None, 0, Closed, Some(0), Wake::At(at(60))),
            (0, None, 0, Closed, Some(99), Wake::At(at(99))),
            (1, None, 0, Closed, None, Wake::Now),
            (1, None, 1, Closed, None, Wake::Now),
            (1, None, 2, Closed, None, Wake::Event),
            (1, None, 0, Asked, None, Wake::Event),
            (1, None, 0, Open, None, Wake::Now),
            (1, None, 0, Open, Some(11), Wake::At(at(11))),
            (1, None, 0, Asked, Some(11), Wake::Event),
            (1, None, 0, Closed, Some(10), Wake::Now),
            (1, Some(99), 0, Closed, None, Wake::Now),
            (0, Some(10), 0, Closed, None, Wake::Now),
            (0, Some(11), 0, Closed, None, Wake::At(at(11))),
            (0, Some(11), 1, Closed, None, Wake::At(at(11))),
            (0, Some(11), 2, Closed, None, Wake::Event),
            (0, Some(11), 0, Closed, Some(12), Wake::At(at(12))),
            (0, Some(12), 0, Closed, Some(11), Wake::At(at(12))),
        ];
        let limit = Limit::from_f64(2.0).unwrap();
        for (row, (untried, due, running, gate, hold, wake)) in table.into_iter().enumerate() {
            let mut lane = Lane::new(0, Box::default(), Tally { since: Moment::ZERO, deleted: 0 });
            lane.push(vec![(); untried]);
            lane.retry(at(due.unwrap_or_default()), 1, vec![(); usize::from(due.is_some())]);
            (lane.running, lane.gate, lane.pace) = (running, gate, hold.map(at).map(paced));
            assert_eq!(lane.wake(limit, at(10)), wake, "row {row}");
        }
    }
}
