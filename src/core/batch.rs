//! Re-cuts what arrives in pages into batches, per prefix, each at the pace that its prefix bears.
//!
//! # How it works
//!
//! Items wait in *lanes*. A lane is served when it has something to send, its limit has room and its pace says so; lanes
//! that can be served take turns, and a lane that can't is passed by. A batch is cut the moment somebody can send it, from
//! whatever waits then: nothing ever waits for a batch to become full.
//!
//! Either each prefix has a lane of its own from the start ([`Grouping::PerPrefix`]), so that a batch touches one prefix; or
//! all share one lane, and only a prefix that was throttled gets one for itself ([`Grouping::Shared`]), so that the others
//! keep their speed.
//!
//! What is to be tried again goes back to its lane, and comes first when its wait is over. It stays a batch of its own,
//! because the tries are counted for all of it.
//!
//! A lane's limit may live outside, shared with others. Then the driver is asked for a permit ([`Next::Ask`]) before each
//! batch, and gives it back when the batch is finished.
//!
//! Time and random numbers are arguments.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::time::Duration;

use super::limit::Limit;
use super::pace::{Moment, Pace, backoff};
use super::prefix::Cut;

/// Something to be sent.
pub trait Item {
    /// Its key.
    fn key(&self) -> &str;
    /// Whether it can't share a request with others.
    fn alone(&self) -> bool;
    /// How many bytes it takes in the body of a request.
    fn bytes(&self) -> usize;
}

/// Which items may share a batch.
#[derive(Clone, Debug)]
pub enum Grouping {
    /// All of them; the cut says what a throttled prefix is.
    Shared(Cut),
    /// Those of one prefix.
    PerPrefix {
        /// Where a prefix ends.
        cut: Cut,
        /// How many batches of one prefix may be in flight.
        limit: Limit,
        /// Whether that limit lives outside.
        gated: bool,
    },
}

/// How batches are made.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which items share a batch.
    pub grouping: Grouping,
    /// How many items a batch has at most.
    pub batch_size: usize,
    /// How many bytes the items of a batch have at most, together. One item alone may have more.
    pub batch_bytes: usize,
    /// How long a lane may be throttled without anything getting through before its items are given up.
    pub patience: Duration,
}

/// The integer that stands for a lane; never used twice.
pub type LaneId = u64;

/// What was cut, and where it belongs.
#[derive(Debug)]
pub struct Batch<T> {
    /// What to send.
    pub items: Vec<T>,
    /// Said back when it is finished.
    pub ticket: Ticket,
}

/// What is to be known of a batch when it is finished.
#[derive(Clone, Debug)]
pub struct Ticket {
    /// The lane that it came from.
    pub lane: LaneId,
    /// How many times it failed before.
    pub tries: u32,
    sent: Moment,
    /// For a batch of the shared lane, the prefix that its items are counted for.
    prefix: Option<Box<[u8]>>,
}

/// What became of a batch. Items in none of the lists are settled.
#[derive(Debug)]
pub struct Outcome<T> {
    /// How many were deleted.
    pub deleted: usize,
    /// Throttled: they are sent again later, and the try does not count.
    pub throttled: Vec<T>,
    /// How long the throttled items have to wait at least, where the store said so.
    pub retry_after: Option<Duration>,
    /// Failed, and worth another try that counts.
    pub failed: Vec<T>,
    /// To be sent again at once, in another way; the try does not count.
    pub resend: Vec<T>,
}

impl<T> Default for Outcome<T> {
    fn default() -> Self {
        Self {
            deleted: 0,
            throttled: Vec::new(),
            retry_after: None,
            failed: Vec::new(),
            resend: Vec::new(),
        }
    }
}

/// What the driver does next.
#[derive(Debug)]
pub enum Next<T> {
    /// Send this.
    Send(Batch<T>),
    /// Get a permit for this lane's prefix.
    Ask(LaneId, Box<[u8]>),
    /// Ask again at this moment, or when something happened.
    Wait(Option<Moment>),
}

struct Lane<T> {
    prefix: Box<[u8]>,
    fresh: VecDeque<T>,
    again: Vec<Again<T>>,
    running: u32,
    is_ready: bool,
    gate: Gate,
    tally: Tally,
    pace: Option<Pace>,
    /// Refusals in a row, and when they began.
    refusals: u32,
    refused_since: Option<Moment>,
}

struct Again<T> {
    due: Moment,
    tries: u32,
    items: Vec<T>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gate {
    Closed,
    Asked,
    Open,
}

/// What got through for a prefix, to know the rate it bears when it is throttled first.
#[derive(Clone, Copy)]
struct Tally {
    since: Moment,
    went: u64,
}

/// The lane of everything that was not throttled, when lanes are shared.
const SHARED: LaneId = 0;
/// Prefixes of the shared lane that are counted.
const MOST_TALLIES: usize = 1024;
/// The pace of an idle prefix is remembered for so long.
const REMEMBERED: Duration = Duration::from_secs(60);

/// Items that wait to be sent.
pub struct Batcher<T> {
    plan: Plan,
    lanes: HashMap<LaneId, Lane<T>>,
    last_lane: LaneId,
    by_prefix: HashMap<Box<[u8]>, LaneId>,
    tallies: HashMap<Box<[u8]>, Tally>,
    ready: VecDeque<LaneId>,
    timers: BinaryHeap<Reverse<(Moment, LaneId)>>,
}

impl<T: Item> Batcher<T> {
    /// A batcher that holds nothing yet.
    pub fn new(plan: Plan) -> Self {
        let shared = Lane::new(Box::default(), Tally { since: Moment::ZERO, went: 0 });
        Self {
            plan,
            lanes: HashMap::from([(SHARED, shared)]),
            last_lane: SHARED,
            by_prefix: HashMap::new(),
            tallies: HashMap::new(),
            ready: VecDeque::new(),
            timers: BinaryHeap::new(),
        }
    }

    /// From now on batches have this size at most.
    pub fn set_batch_size(&mut self, size: usize) {
        self.plan.batch_size = size;
    }

    /// From now on the items of a batch have so many bytes at most.
    pub fn set_batch_bytes(&mut self, bytes: usize) {
        self.plan.batch_bytes = bytes;
    }

    /// A page arrives.
    pub fn push(&mut self, items: impl IntoIterator<Item = T>, now: Moment) {
        for item in items {
            let id = match &self.plan.grouping {
                Grouping::Shared(_) => SHARED,
                Grouping::PerPrefix { cut, .. } => {
                    let prefix = cut.prefix(item.key());
                    match self.by_prefix.get(&*prefix) {
                        Some(id) => *id,
                        None => {
                            let prefix = Box::from(&*prefix);
                            self.add_lane(prefix, Tally { since: now, went: 0 })
                        }
                    }
                }
            };
            self.lane(id).fresh.push_back(item);
            self.wake(id);
        }
    }

    /// What to do now.
    pub fn next(&mut self, now: Moment) -> Next<T> {
        while let Some(&Reverse((due, id))) = self.timers.peek()
            && due <= now
        {
            self.timers.pop();
            self.wake(id);
        }
        while let Some(id) = self.ready.pop_front() {
            if let Some(next) = self.serve(id, now) {
                return next;
            }
        }
        Next::Wait(self.timers.peek().map(|Reverse((due, _))| *due))
    }

    /// The permit that was asked for this lane is there.
    pub fn opened(&mut self, id: LaneId) {
        self.lane(id).gate = Gate::Open;
        self.wake(id);
    }

    /// A batch is finished. Returned are the throttled items that are given up.
    pub fn finish(
        &mut self,
        ticket: &Ticket,
        outcome: Outcome<T>,
        now: Moment,
        random: f64,
    ) -> Vec<T> {
        let Outcome { deleted, throttled, retry_after, failed, resend } = outcome;
        let lane = self.lane(ticket.lane);
        lane.running -= 1;
        if deleted > 0 {
            lane.went(deleted);
        }
        if !failed.is_empty() {
            let tries = ticket.tries + 1;
            lane.again.push(Again { due: now + backoff(tries, random), tries, items: failed });
        }
        if !resend.is_empty() {
            lane.again.push(Again { due: now, tries: ticket.tries, items: resend });
        }
        if deleted > 0
            && let Some(prefix) = &ticket.prefix
        {
            self.count(prefix, deleted, ticket.sent);
        }
        self.wake(ticket.lane);
        self.refuse(ticket, throttled, retry_after, now, random)
    }

    /// Forgets all that was not sent, and returns it.
    pub fn clear(&mut self) -> Vec<T> {
        let mut left = Vec::new();
        for lane in self.lanes.values_mut() {
            left.extend(lane.fresh.drain(..));
            left.extend(lane.again.drain(..).flat_map(|again| again.items));
        }
        left
    }

    fn serve(&mut self, id: LaneId, now: Moment) -> Option<Next<T>> {
        let (limit, gated) = match self.plan.grouping {
            Grouping::PerPrefix { limit, gated, .. } => (limit, gated),
            Grouping::Shared(_) => (Limit::UNLIMITED, false),
        };
        let lane = self.lanes.get_mut(&id)?;
        lane.is_ready = false;
        if !limit.admits(lane.running) {
            return None;
        }
        let due = lane.again.iter().map(|again| again.due).min();
        let begins = if lane.fresh.is_empty() { due } else { Some(Moment::ZERO) };
        let Some(begins) = begins else {
            self.retire(id, now);
            return None;
        };
        let begins = lane.pace.as_ref().map_or(begins, |pace| pace.next().max(begins));
        if begins > now {
            self.timers.push(Reverse((begins, id)));
            return None;
        }
        if gated && lane.gate != Gate::Open {
            let was_asked = lane.gate == Gate::Asked;
            lane.gate = Gate::Asked;
            return (!was_asked).then(|| Next::Ask(id, lane.prefix.clone()));
        }
        let (tries, items) = self.cut(id, now);
        if items.is_empty() {
            return None;
        }
        let prefix = match &self.plan.grouping {
            Grouping::Shared(cut) if id == SHARED => Some(Box::from(&*cut.prefix(items[0].key()))),
            _ => None,
        };
        let lane = self.lane(id);
        lane.running += 1;
        lane.gate = Gate::Closed;
        if let Some(pace) = &mut lane.pace {
            pace.sent(items.len(), now);
        }
        self.wake(id);
        Some(Next::Send(Batch { items, ticket: Ticket { lane: id, tries, sent: now, prefix } }))
    }

    /// The next batch of a lane, and how many times it failed before.
    fn cut(&mut self, id: LaneId, now: Moment) -> (u32, Vec<T>) {
        let (size, most_bytes) = (self.plan.batch_size, self.plan.batch_bytes);
        let Self { plan, lanes, by_prefix, .. } = self;
        let Some(lane) = lanes.get_mut(&id) else { return (0, Vec::new()) };
        if let Some(at) = lane.again.iter().position(|again| again.due <= now) {
            let again = &mut lane.again[at];
            let tries = again.tries;
            let rest = again.items.split_off(fitting(&again.items, size, most_bytes));
            let items = std::mem::replace(&mut again.items, rest);
            if again.items.is_empty() {
                lane.again.swap_remove(at);
            }
            return (tries, items);
        }
        let has_own_lane = match &plan.grouping {
            Grouping::Shared(cut) if id == SHARED && !by_prefix.is_empty() => Some(cut),
            _ => None,
        };
        let mut items = Vec::with_capacity(size.min(lane.fresh.len()));
        let mut elsewhere = Vec::new();
        let mut bytes = 0;
        while let Some(item) = lane.fresh.front()
            && items.len() < size
        {
            let own = has_own_lane.and_then(|cut| by_prefix.get(&*cut.prefix(item.key())));
            let own_bytes = item.bytes();
            let fits = !item.alone() && own_bytes <= most_bytes.saturating_sub(bytes);
            if own.is_none() && !fits && !items.is_empty() {
                break;
            }
            let Some(item) = lane.fresh.pop_front() else { break };
            if let Some(own) = own {
                elsewhere.push((*own, item));
                continue;
            }
            let alone = item.alone();
            bytes = own_bytes.saturating_add(bytes);
            items.push(item);
            if alone {
                break;
            }
        }
        for (own, item) in elsewhere {
            self.lane(own).fresh.push_back(item);
            self.wake(own);
        }
        (0, items)
    }

    /// Slows the prefixes of throttled items down, and puts these back or gives them up.
    fn refuse(
        &mut self,
        ticket: &Ticket,
        throttled: Vec<T>,
        retry_after: Option<Duration>,
        now: Moment,
        random: f64,
    ) -> Vec<T> {
        let mut given_up = Vec::new();
        let mut by_lane: Vec<(LaneId, Vec<T>)> = Vec::new();
        for item in throttled {
            let id = self.throttled_lane(ticket.lane, &item, now);
            match by_lane.iter_mut().find(|(lane, _)| *lane == id) {
                Some((_, items)) => items.push(item),
                None => by_lane.push((id, vec![item])),
            }
        }
        for (id, items) in by_lane {
            let patience = self.plan.patience;
            let lane = self.lane(id);
            let since = *lane.refused_since.get_or_insert(now);
            lane.refusals += 1;
            match &mut lane.pace {
                Some(pace) => pace.refused(ticket.sent, now),
                None => lane.pace = Some(Pace::new(lane.tally.since, lane.tally.went, now)),
            }
            if now - since >= patience {
                given_up.extend(items);
                continue;
            }
            let wait = backoff(lane.refusals.min(5), random);
            let told = retry_after.unwrap_or_default().min(patience);
            let due = now + wait.max(told);
            lane.again.push(Again { due, tries: ticket.tries, items });
            self.wake(id);
        }
        given_up
    }

    /// The lane of a throttled item: one for its prefix, from now on.
    fn throttled_lane(&mut self, came_from: LaneId, item: &T, now: Moment) -> LaneId {
        let Grouping::Shared(cut) = &self.plan.grouping else { return came_from };
        if came_from != SHARED {
            return came_from;
        }
        let prefix = cut.prefix(item.key());
        if let Some(id) = self.by_prefix.get(&*prefix) {
            return *id;
        }
        let prefix = Box::from(&*prefix);
        let tally = self.tallies.remove(&prefix).unwrap_or(Tally { since: now, went: 0 });
        self.add_lane(prefix, tally)
    }

    fn count(&mut self, prefix: &[u8], went: usize, sent: Moment) {
        if let Some(id) = self.by_prefix.get(prefix) {
            let id = *id;
            self.lane(id).went(went);
        } else if let Some(tally) = self.tallies.get_mut(prefix) {
            tally.went += went as u64;
        } else if self.tallies.len() < MOST_TALLIES {
            self.tallies.insert(prefix.into(), Tally { since: sent, went: went as u64 });
        }
    }

    fn add_lane(&mut self, prefix: Box<[u8]>, tally: Tally) -> LaneId {
        self.last_lane += 1;
        self.by_prefix.insert(prefix.clone(), self.last_lane);
        self.lanes.insert(self.last_lane, Lane::new(prefix, tally));
        self.last_lane
    }

    /// Removes a lane that is empty, or looks again when its pace may be forgotten.
    fn retire(&mut self, id: LaneId, now: Moment) {
        let Some(lane) = self.lanes.get(&id) else { return };
        if id == SHARED || lane.running > 0 || lane.gate == Gate::Asked {
            return;
        }
        let until = lane.pace.as_ref().map_or(Moment::ZERO, |pace| pace.cut_at() + REMEMBERED);
        if until > now {
            self.timers.push(Reverse((until, id)));
        } else if let Some(lane) = self.lanes.remove(&id) {
            self.by_prefix.remove(&lane.prefix);
        }
    }

    fn wake(&mut self, id: LaneId) {
        if let Some(lane) = self.lanes.get_mut(&id)
            && !lane.is_ready
        {
            lane.is_ready = true;
            self.ready.push_back(id);
        }
    }

    fn lane(&mut self, id: LaneId) -> &mut Lane<T> {
        self.lanes.get_mut(&id).expect("a lane stays while it has items or batches")
    }
}

impl<T> Lane<T> {
    fn new(prefix: Box<[u8]>, tally: Tally) -> Self {
        Self {
            prefix,
            fresh: VecDeque::new(),
            again: Vec::new(),
            running: 0,
            is_ready: false,
            gate: Gate::Closed,
            tally,
            pace: None,
            refusals: 0,
            refused_since: None,
        }
    }

    fn went(&mut self, items: usize) {
        self.refusals = 0;
        self.refused_since = None;
        match &mut self.pace {
            Some(pace) => pace.went(items),
            None => self.tally.went += items as u64,
        }
    }
}

/// How many of the first items fit into a batch; one always does.
fn fitting<T: Item>(items: &[T], size: usize, most_bytes: usize) -> usize {
    let mut bytes = 0usize;
    let fits = |item: &&T| {
        bytes = bytes.saturating_add(item.bytes());
        bytes <= most_bytes && !item.alone()
    };
    items.iter().take(size).take_while(fits).count().clamp(1, items.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq)]
    struct Key(String);

    impl Item for Key {
        fn key(&self) -> &str {
            &self.0
        }

        fn alone(&self) -> bool {
            self.0.ends_with('!')
        }

        fn bytes(&self) -> usize {
            self.0.len()
        }
    }

    const NOW: Moment = Moment::ZERO;
    const PATIENCE: Duration = Duration::from_secs(300);

    fn slash() -> Cut {
        Cut::Delimiter { base: 0, delimiter: "/".to_owned() }
    }

    fn shared(batch_size: usize) -> Batcher<Key> {
        Batcher::new(Plan {
            grouping: Grouping::Shared(slash()),
            batch_size,
            batch_bytes: usize::MAX,
            patience: PATIENCE,
        })
    }

    fn per_prefix(batch_size: usize, limit: f64, gated: bool) -> Batcher<Key> {
        let limit = Limit::from_f64(limit).unwrap();
        let grouping = Grouping::PerPrefix { cut: slash(), limit, gated };
        Batcher::new(Plan { grouping, batch_size, batch_bytes: usize::MAX, patience: PATIENCE })
    }

    fn keys(names: &str) -> Vec<Key> {
        names.split_whitespace().map(|name| Key(name.to_owned())).collect()
    }

    fn sent(batcher: &mut Batcher<Key>, now: Moment) -> Batch<Key> {
        match batcher.next(now) {
            Next::Send(batch) => batch,
            other => panic!("{other:?} instead of a batch"),
        }
    }

    fn waits(batcher: &mut Batcher<Key>, now: Moment) -> Option<Moment> {
        match batcher.next(now) {
            Next::Wait(until) => until,
            other => panic!("{other:?} instead of a wait"),
        }
    }

    #[test]
    fn pages_are_cut_anew() {
        let table = [
            (3, vec!["a b", "c d e", "f"], vec!["a b c", "d e f"]),
            (1, vec!["a b"], vec!["a", "b"]),
            (9, vec!["a b", ""], vec!["a b"]),
            (9, vec!["a b! c d", "!"], vec!["a", "b!", "c d", "!"]),
        ];
        for (size, pages, batches) in table {
            let mut batcher = shared(size);
            for page in &pages {
                batcher.push(keys(page), NOW);
            }
            for batch in batches {
                assert_eq!(sent(&mut batcher, NOW).items, keys(batch), "{pages:?} by {size}");
            }
            assert_eq!(waits(&mut batcher, NOW), None);
        }
    }

    #[test]
    fn a_batch_touches_one_prefix_and_a_busy_prefix_holds_up_no_other() {
        let mut batcher = per_prefix(2, 1.0, false);
        batcher.push(keys("a/1 a/2 b/1 a/3"), NOW);
        let a = sent(&mut batcher, NOW);
        assert_eq!(a.items, keys("a/1 a/2"));
        assert_eq!(sent(&mut batcher, NOW).items, keys("b/1"));
        assert_eq!(waits(&mut batcher, NOW), None);
        batcher.finish(&a.ticket, Outcome { deleted: 2, ..Outcome::default() }, NOW, 0.0);
        assert_eq!(sent(&mut batcher, NOW).items, keys("a/3"));
    }

    #[test]
    fn a_gated_batch_waits_for_its_permit_and_uses_it_up() {
        let mut batcher = per_prefix(1, 2.0, true);
        batcher.push(keys("a/1 a/2"), NOW);
        let Next::Ask(lane, prefix) = batcher.next(NOW) else { panic!("it did not ask") };
        assert_eq!(*prefix, *b"a/");
        assert_eq!(waits(&mut batcher, NOW), None);
        batcher.opened(lane);
        assert_eq!(sent(&mut batcher, NOW).items, keys("a/1"));
        assert!(matches!(batcher.next(NOW), Next::Ask(again, _) if again == lane));
    }

    #[test]
    fn what_failed_comes_again_as_it_was_with_its_tries_counted() {
        let mut batcher = shared(3);
        batcher.push(keys("a b c"), NOW);
        let batch = sent(&mut batcher, NOW);
        let outcome = Outcome { deleted: 1, failed: keys("b c"), ..Outcome::default() };
        batcher.finish(&batch.ticket, outcome, NOW, 1.0);
        batcher.push(keys("d"), NOW);
        assert_eq!(sent(&mut batcher, NOW).items, keys("d"));
        let due = waits(&mut batcher, NOW).unwrap();
        assert_eq!(due, Duration::from_millis(100));
        let again = sent(&mut batcher, due);
        assert_eq!((again.items, again.ticket.tries), (keys("b c"), 1));
    }

    #[test]
    fn what_is_sent_otherwise_comes_at_once_in_the_new_size() {
        let mut batcher = shared(3);
        batcher.push(keys("a b"), NOW);
        let batch = sent(&mut batcher, NOW);
        batcher.set_batch_size(1);
        batcher.finish(
            &batch.ticket,
            Outcome { resend: batch.items, ..Outcome::default() },
            NOW,
            0.0,
        );
        assert_eq!(sent(&mut batcher, NOW).items, keys("a"));
        assert_eq!(sent(&mut batcher, NOW).items, keys("b"));
    }

    #[test]
    fn what_is_sent_again_is_cut_where_an_item_has_to_go_alone() {
        let mut batcher = shared(9);
        batcher.push(keys("a b c d"), NOW);
        let batch = sent(&mut batcher, NOW);
        let outcome = Outcome { resend: keys("a b! c! d"), ..Outcome::default() };
        batcher.finish(&batch.ticket, outcome, NOW, 0.0);
        for batch in ["a", "b!", "c!", "d"] {
            assert_eq!(sent(&mut batcher, NOW).items, keys(batch));
        }
    }

    #[test]
    fn a_throttled_prefix_leaves_the_shared_lane_and_the_others_keep_their_speed() {
        let mut batcher = shared(1);
        batcher.push(keys("a/1 a/2 b/1 b/2"), NOW);
        let batch = sent(&mut batcher, NOW);
        batcher.finish(
            &batch.ticket,
            Outcome { throttled: batch.items, ..Outcome::default() },
            NOW,
            1.0,
        );
        assert_eq!(sent(&mut batcher, NOW).items, keys("b/1"));
        assert_eq!(sent(&mut batcher, NOW).items, keys("a/2"), "it is paced, not stopped");
        assert_eq!(sent(&mut batcher, NOW).items, keys("b/2"));
        let due = waits(&mut batcher, NOW).unwrap();
        let again = sent(&mut batcher, due);
        assert_eq!(
            (again.items, again.ticket.tries),
            (keys("a/1"), 0),
            "a throttled try does not count"
        );
    }

    #[test]
    fn throttling_without_end_is_given_up() {
        let mut batcher = shared(1);
        batcher.push(keys("a/1"), NOW);
        let mut now = NOW;
        let given_up = loop {
            match batcher.next(now) {
                Next::Send(Batch { items, ticket }) => {
                    let outcome = Outcome { throttled: items, ..Outcome::default() };
                    let given_up = batcher.finish(&ticket, outcome, now, 0.5);
                    if !given_up.is_empty() {
                        break given_up;
                    }
                }
                Next::Wait(Some(due)) => now = due,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(given_up, keys("a/1"));
        assert!(now >= PATIENCE && now < PATIENCE * 2);
    }

    #[test]
    fn idle_lanes_go() {
        let mut batcher = per_prefix(1, 1.0, false);
        for n in 0..100 {
            batcher.push(keys(&format!("{n}/x")), NOW);
            let batch = sent(&mut batcher, NOW);
            batcher.finish(&batch.ticket, Outcome { deleted: 1, ..Outcome::default() }, NOW, 0.0);
            waits(&mut batcher, NOW);
        }
        assert_eq!((batcher.lanes.len(), batcher.by_prefix.len()), (1, 0));
    }

    /// A store that lets each prefix take `ALLOWED` keys a second, with one second's burst.
    mod simulation {
        use super::*;

        const ALLOWED: f64 = 3500.0;
        const PREFIXES: usize = 8;
        const SLOTS: usize = 50;
        const LATENCY: f64 = 0.1;
        const SECONDS: f64 = 18.0;
        const START: f64 = 2.0;

        struct Bucket {
            tokens: f64,
            at: Moment,
        }

        struct Result {
            per_second: f64,
            throttled: f64,
        }

        fn run(mut batcher: Batcher<Key>, batch: usize, seed: u64) -> Result {
            let mut random = Random(seed);
            let mut buckets: Vec<_> =
                (0..PREFIXES).map(|_| Bucket { tokens: ALLOWED, at: NOW }).collect();
            let mut flights: BinaryHeap<Reverse<(Moment, usize)>> = BinaryHeap::new();
            let mut flying: HashMap<usize, (Batch<Key>, bool)> = HashMap::new();
            let (mut number, mut waiting, mut now) = (0, 0, NOW);
            let (mut went, mut requests, mut throttled) = (0, 0, 0);
            while now.as_secs_f64() < SECONDS {
                while waiting < 100 * 1000 {
                    // Pages of the prefixes in turn, as several listers bring them.
                    for prefix in 0..PREFIXES {
                        batcher.push((0..1000).map(|_| Key(format!("p{prefix}/k"))), now);
                    }
                    waiting += PREFIXES * 1000;
                }
                let mut wait = None;
                while flights.len() < SLOTS {
                    match batcher.next(now) {
                        Next::Send(sent) => {
                            assert!(sent.items.len() <= batch);
                            let prefix = usize::from(sent.items[0].0.as_bytes()[1] - b'0');
                            let bucket = &mut buckets[prefix];
                            let elapsed = (now - bucket.at).as_secs_f64();
                            bucket.tokens = (bucket.tokens + elapsed * ALLOWED).min(ALLOWED);
                            bucket.at = now;
                            let keys = sent.items.len() as f64;
                            let fits = bucket.tokens >= keys;
                            bucket.tokens -= if fits { keys } else { 0.0 };
                            let takes =
                                if fits { LATENCY * (0.8 + 0.4 * random.next()) } else { 0.005 };
                            number += 1;
                            flights.push(Reverse((now + Duration::from_secs_f64(takes), number)));
                            flying.insert(number, (sent, fits));
                        }
                        Next::Wait(until) => {
                            wait = until;
                            break;
                        }
                        Next::Ask(..) => unreachable!("nothing is gated"),
                    }
                }
                let landing = flights.peek().map(|Reverse((at, _))| *at);
                now = match (landing, wait) {
                    (Some(a), Some(b)) => a.min(b),
                    (a, b) => a.or(b).expect("something happens"),
                };
                while let Some(&Reverse((at, number))) = flights.peek()
                    && at <= now
                {
                    flights.pop();
                    let (Batch { items, ticket }, fits) = flying.remove(&number).unwrap();
                    let steady = ticket.sent.as_secs_f64() > START;
                    requests += usize::from(steady);
                    throttled += usize::from(steady && !fits);
                    let mut outcome = Outcome::default();
                    if fits {
                        waiting -= items.len();
                        went += if steady { items.len() } else { 0 };
                        outcome.deleted = items.len();
                    } else {
                        outcome.throttled = items;
                    }
                    let given_up = batcher.finish(&ticket, outcome, now, random.next());
                    assert_eq!(given_up, [], "throttling turned into failures");
                }
            }
            Result {
                per_second: went as f64 / (SECONDS - START) / (ALLOWED * PREFIXES as f64),
                throttled: throttled as f64 / requests as f64,
            }
        }

        struct Random(u64);

        impl Random {
            fn next(&mut self) -> f64 {
                self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (self.0 >> 11) as f64 / (1u64 << 53) as f64
            }
        }

        #[test]
        fn takes_what_is_allowed_and_is_seldom_refused() {
            let per_prefix = per_prefix(1000, 1e9, false);
            for (batch, batcher) in [(1000, shared(1000)), (250, shared(250)), (1000, per_prefix)] {
                let Result { per_second, throttled } = run(batcher, batch, 1);
                assert!(per_second >= 0.95, "{batch}: {per_second:.3} of the rate");
                assert!(throttled < 0.04, "{batch}: {throttled:.3} throttled");
            }
        }
    }
}
