//! All lanes, and when each of them is served.
//!
//! A lane is reached through [`Lanes::change`] and [`Lanes::serve`] alone, which afterwards ask the lane what it waits for, and
//! arrange just that.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::lane::{Gate, Lane, Passed, Wake};
use super::pace::Moment;
use super::plan::LaneId;
use super::tallies::Tally;
use crate::core::limit::Limit;
use crate::core::slab::Slab;

/// The lane of everything that was not throttled, when lanes are shared. It is never removed.
pub(super) const SHARED: LaneId = 0;

/// The lanes of prefixes that have one.
pub(super) type Owners = HashMap<Box<[u8]>, LaneId>;

/// All lanes.
pub(super) struct Lanes<T> {
    limit: Limit,
    /// The lower half of a lane's id is its integer in this table, the upper half its number among all that were made.
    lanes: Slab<Lane<T>>,
    made: LaneId,
    owners: Owners,
    /// The latest moment that the caller told.
    now: Moment,
    /// The lanes that can be served, each once. Some of them may not be able to be served any more.
    ready: VecDeque<LaneId>,
    /// The lanes that wait for a moment, each once.
    timers: BTreeSet<(Moment, LaneId)>,
    /// The lanes whose permit is to be freed.
    unused: VecDeque<LaneId>,
}

impl<T> Lanes<T> {
    /// The shared lane alone. `limit` is how many batches of each lane may be in flight.
    pub fn new(limit: Limit) -> Self {
        let mut lanes = Slab::default();
        lanes.insert(Lane::new(SHARED, Box::default(), Tally { since: Moment::ZERO, deleted: 0 }));
        Self {
            limit,
            lanes,
            made: 0,
            owners: Owners::new(),
            now: Moment::ZERO,
            ready: VecDeque::new(),
            timers: BTreeSet::new(),
            unused: VecDeque::new(),
        }
    }

    /// The time has come to `now`, unless a later moment was told before. Timers that are due go off. Returns the latest moment.
    pub fn advance(&mut self, now: Moment) -> Moment {
        self.now = self.now.max(now);
        while let Some((due, id)) = self.timers.first().copied()
            && due <= self.now
        {
            self.arm(id);
        }
        self.now
    }

    /// When the next timer goes off.
    pub fn next_timer(&self) -> Option<Moment> {
        self.timers.first().map(|(due, _)| *due)
    }

    /// A lane whose permit is to be freed.
    pub fn next_unused(&mut self) -> Option<LaneId> {
        self.unused.pop_front()
    }

    /// The lanes of prefixes that have one.
    pub fn owners(&self) -> &Owners {
        &self.owners
    }

    /// The lane of a prefix, which is made if there is none. The caller puts something into a lane that was made.
    pub fn of_prefix(&mut self, prefix: &[u8], tally: impl FnOnce() -> Tally) -> LaneId {
        if let Some(id) = self.owners.get(prefix) {
            return *id;
        }
        self.made += 1;
        let made = self.made << 32;
        let index = self.lanes.insert(Lane::new(made, prefix.into(), tally()));
        let id = made | LaneId::from(index);
        self.owners.insert(prefix.into(), id);
        id
    }

    /// The prefix of a lane.
    pub fn prefix(&mut self, id: LaneId) -> Option<&[u8]> {
        find(&mut self.lanes, id).map(|lane| &*lane.prefix)
    }

    /// Changes a lane, which has items, a batch in flight or a pace, or was just made.
    ///
    /// # Panics
    ///
    /// When the lane was removed.
    pub fn change<R>(&mut self, id: LaneId, change: impl FnOnce(&mut Lane<T>) -> R) -> R {
        let lane = find(&mut self.lanes, id).expect("a lane stays while something waits for it");
        let result = change(lane);
        self.arm(id);
        result
    }

    /// Changes the lane whose turn it is, if one can be served. Items that this lane passes on go to their lanes, which so get
    /// their turns before its next one.
    pub fn serve<R>(
        &mut self,
        serve: impl FnOnce(LaneId, &mut Lane<T>, &Owners) -> (Passed<T>, R),
    ) -> Option<R> {
        loop {
            let id = self.ready.pop_front()?;
            let Some(lane) = find(&mut self.lanes, id) else { continue };
            lane.is_queued = false;
            if lane.wake(self.limit, self.now) == Wake::Now {
                let (passed, result) = serve(id, lane, &self.owners);
                for (other, items) in passed {
                    self.change(other, |lane| lane.push(items));
                }
                self.arm(id);
                return Some(result);
            }
        }
    }

    /// The permit that was asked for a lane is there.
    pub fn opened(&mut self, id: LaneId) {
        match find(&mut self.lanes, id) {
            Some(lane) if lane.gate == Gate::Asked => {
                self.change(id, |lane| lane.gate = Gate::Open);
            }
            _ => self.unused.push_back(id),
        }
    }

    /// Forgets all items that wait, and returns them.
    pub fn clear(&mut self) -> Vec<T> {
        let id = |(index, lane): (u32, &Lane<T>)| lane.made | LaneId::from(index);
        let mut ids: Vec<_> = self.lanes.iter().map(id).collect();
        ids.sort_unstable();
        ids.into_iter().flat_map(|id| self.change(id, |lane| lane.clear())).collect()
    }

    /// Arranges that a lane is served when it can be. This is decided nowhere else.
    fn arm(&mut self, id: LaneId) {
        let Some(lane) = find(&mut self.lanes, id) else { return };
        let wake = lane.wake(self.limit, self.now);
        let due = if let Wake::At(due) = wake { Some(due) } else { None };
        if lane.timer != due {
            if let Some(set) = lane.timer {
                self.timers.remove(&(set, id));
            }
            self.timers.extend(due.map(|due| (due, id)));
            lane.timer = due;
        }
        if wake != Wake::Now && lane.gate == Gate::Open {
            // Others can use the permit meanwhile.
            lane.gate = Gate::Closed;
            self.unused.push_back(id);
        }
        if wake == Wake::Now && !lane.is_queued {
            lane.is_queued = true;
            self.ready.push_back(id);
        }
        if wake == Wake::Items
            && id != SHARED
            && let Some(lane) = self.lanes.remove(id as u32)
        {
            self.owners.remove(&lane.prefix);
        }
    }
}

/// The lane that `id` stands for, unless it was removed.
fn find<T>(lanes: &mut Slab<Lane<T>>, id: LaneId) -> Option<&mut Lane<T>> {
    lanes.get_mut(id as u32).filter(|lane| lane.made == id >> 32 << 32)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::lane::Throttling;
    use super::super::plan::{Item, Plan, Room};
    use super::super::{Grouping, prefix::Cut};
    use super::*;

    struct One;

    impl Item for One {
        fn key(&self) -> &str {
            ""
        }

        fn alone(&self) -> bool {
            false
        }

        fn bytes(&self) -> usize {
            1
        }
    }

    fn lanes(limit: Limit) -> Lanes<One> {
        Lanes::new(limit)
    }

    fn at(seconds: u64) -> Moment {
        Duration::from_secs(seconds)
    }

    /// One item of this prefix arrives and is sent.
    fn send(lanes: &mut Lanes<One>, prefix: &str) -> LaneId {
        let plan = Plan {
            grouping: Grouping::Shared(Cut::Length(0)),
            batch_size: 1,
            batch_bytes: 1,
            patience: Duration::MAX,
        };
        let now = lanes.now;
        let id = lanes.of_prefix(prefix.as_bytes(), || Tally { since: now, deleted: 0 });
        lanes.change(id, |lane| lane.push([One]));
        let served =
            lanes.serve(|id, lane, _| (lane.cut(Room::of(&plan), now, |_| None).passed, id));
        assert_eq!(served, Some(id));
        id
    }

    fn throttle(lanes: &mut Lanes<One>, id: LaneId) {
        let (now, patience) = (lanes.now, Duration::ZERO);
        let throttling =
            Throttling { sent: now, tries: 0, retry_after: None, patience, random: 0.0 };
        let given_up = lanes.change(id, |lane| lane.throttled(vec![One], throttling, now));
        assert_eq!(given_up.len(), 1);
        lanes.change(id, Lane::finished);
    }

    #[test]
    fn idle_lanes_are_removed_at_once_and_those_with_a_pace_when_it_is_forgotten() {
        let mut lanes = lanes(Limit::ONE);
        for number in 0..100 {
            let id = send(&mut lanes, &number.to_string());
            lanes.change(id, Lane::finished);
        }
        assert_eq!((lanes.lanes.len(), lanes.owners.len()), (1, 0));
        let id = send(&mut lanes, "slow");
        throttle(&mut lanes, id);
        lanes.advance(at(59));
        assert_eq!((lanes.lanes.len(), lanes.next_timer()), (2, Some(at(60))));
        lanes.advance(at(60));
        assert_eq!((lanes.lanes.len(), lanes.owners.len(), lanes.next_timer()), (1, 0, None));
    }

    #[test]
    fn a_lane_has_one_timer_and_one_place_in_the_queue_however_often_it_changes() {
        let mut lanes = lanes(Limit::UNLIMITED);
        for second in 0..50 {
            lanes.advance(at(second));
            let id = send(&mut lanes, "slow");
            assert_eq!(lanes.next_timer(), None, "a batch is in flight");
            throttle(&mut lanes, id);
            assert_eq!(lanes.timers.len(), 1);
            lanes.advance(lanes.next_timer().unwrap().min(at(second + 1)));
        }
        let id = lanes.of_prefix(b"fast", || Tally { since: at(50), deleted: 0 });
        for _ in 0..50 {
            lanes.change(id, |lane| lane.push([One]));
        }
        assert_eq!(lanes.ready.iter().filter(|ready| **ready == id).count(), 1);
        assert!(lanes.ready.len() <= lanes.lanes.len(), "{:?}", lanes.ready);
    }
}
