//! Random histories: whatever a user does and a store answers, each item is settled once and nothing is forgotten.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;

use super::driver::{Request, World, run};
use super::*;

/// A patience that is longer than any history.
const ENDLESS: Duration = Duration::from_secs(10_000_000);
const PREFIXES: [&str; 4] = ["a/", "b/", "c/d/", ""];

#[derive(Clone, Copy, Debug)]
enum Fate {
    Deleted,
    Denied,
    Throttled,
    Failed,
    Resent,
}

/// What a store answers to one request.
#[derive(Clone, Debug)]
struct Answer {
    takes: Duration,
    /// What becomes of the items, in turn.
    fates: Vec<Fate>,
    retry_after: Option<Duration>,
    random: f64,
}

#[derive(Clone, Debug)]
enum Action {
    /// Items of prefixes; some share no request.
    Push(Vec<(usize, bool)>),
    Size(usize),
    Bytes(usize),
    Clear,
}

#[derive(Clone, Debug)]
struct History {
    plan: Plan,
    most_running: usize,
    actions: Vec<(Duration, Action)>,
    /// Later requests delete all.
    answers: Vec<Answer>,
    permits: Vec<Duration>,
}

fn milliseconds(range: std::ops::Range<u64>) -> impl Strategy<Value = Duration> {
    range.prop_map(Duration::from_millis)
}

fn grouping() -> impl Strategy<Value = Grouping> {
    let cut = || prop_oneof![3 => Just(slash()), 1 => (0..3usize).prop_map(Cut::Length)];
    let limit = prop_oneof![Just(1.0), Just(2.0), Just(1e9)];
    prop_oneof![
        cut().prop_map(Grouping::Shared),
        (cut(), limit, any::<bool>()).prop_map(|(cut, limit, gated)| {
            Grouping::PerPrefix { cut, limit: Limit::from_f64(limit).unwrap(), gated }
        }),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let patience = prop_oneof![
        1 => Just(Duration::ZERO),
        1 => Just(Duration::from_secs(2)),
        1 => Just(PATIENCE),
        2 => Just(ENDLESS),
    ];
    (grouping(), 1..5usize, bytes(), patience).prop_map(
        |(grouping, batch_size, batch_bytes, patience)| Plan {
            grouping,
            batch_size,
            batch_bytes,
            patience,
        },
    )
}

fn bytes() -> impl Strategy<Value = usize> {
    prop_oneof![3 => Just(usize::MAX), 1 => 0..30usize]
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => vec((0..PREFIXES.len(), prop::bool::weighted(0.1)), 1..8).prop_map(Action::Push),
        2 => (1..5usize).prop_map(Action::Size),
        1 => bytes().prop_map(Action::Bytes),
        1 => Just(Action::Clear),
    ]
}

fn answer() -> impl Strategy<Value = Answer> {
    let fate = prop_oneof![
        Just(Fate::Deleted),
        Just(Fate::Denied),
        Just(Fate::Throttled),
        Just(Fate::Failed),
        Just(Fate::Resent),
    ];
    // One fate for all is what happens most.
    let fates = prop_oneof![2 => vec(fate.clone(), 1), 1 => vec(fate, 2..5)];
    let seconds = prop_oneof![Just(0), 1..30u64, Just(86_400)].prop_map(Duration::from_secs);
    (milliseconds(1..500), fates, prop::option::of(seconds), 0.0..=1.0).prop_map(
        |(takes, fates, retry_after, random)| Answer { takes, fates, retry_after, random },
    )
}

fn history() -> impl Strategy<Value = History> {
    let actions = vec((milliseconds(0..3000), action()), 1..12);
    let permits = vec(milliseconds(0..3000), 1..4);
    (plan(), 1..5usize, actions, vec(answer(), 0..12), permits).prop_map(
        |(plan, most_running, actions, answers, permits)| History {
            plan,
            most_running,
            actions,
            answers,
            permits,
        },
    )
}

/// Where an item is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Waiting { tries: u32, not_before: Moment },
    InFlight { tries: u32 },
    Settled,
}

/// Plays a history, and knows where each item is.
struct Script {
    plan: Plan,
    actions: Vec<(Moment, Action)>,
    answers: Vec<Answer>,
    permits: std::iter::Cycle<std::vec::IntoIter<Duration>>,
    items: BTreeMap<String, Place>,
    /// The lanes of batches in flight.
    in_flight: Vec<LaneId>,
    /// Lanes that wait for a permit, and those that have one.
    asked: BTreeSet<LaneId>,
    held: BTreeSet<LaneId>,
}

impl Script {
    fn of(history: History) -> Self {
        let History { plan, actions, mut answers, permits, .. } = history;
        let mut at = Moment::ZERO;
        let after = |(gap, action)| {
            at += gap;
            (at, action)
        };
        let mut actions: Vec<_> = actions.into_iter().map(after).collect();
        actions.reverse();
        answers.reverse();
        Self {
            plan,
            actions,
            answers,
            permits: permits.into_iter().cycle(),
            items: BTreeMap::new(),
            in_flight: Vec::new(),
            asked: BTreeSet::new(),
            held: BTreeSet::new(),
        }
    }

    fn settle(&mut self, items: &[Key]) {
        for Key(name) in items {
            let place = self.items.insert(name.clone(), Place::Settled);
            assert_ne!(place, Some(Place::Settled), "{name} is settled twice");
        }
    }

    fn wait(&mut self, items: &[Key], counts: u32, not_before: Moment) {
        for Key(name) in items {
            let place = self.items.get_mut(name).expect("it was pushed");
            let Place::InFlight { tries } = *place else { panic!("{name} is {place:?}") };
            *place = Place::Waiting { tries: tries + counts, not_before };
        }
    }

    fn waiting(&self) -> BTreeSet<&str> {
        let waits = |place: &Place| matches!(place, Place::Waiting { .. });
        self.items.iter().filter(|(_, place)| waits(place)).map(|(name, _)| &**name).collect()
    }

    /// Checks what is true of each batch.
    fn check(&mut self, Batch { items, ticket }: &Batch<Key>) {
        let Plan { grouping, batch_size, batch_bytes, .. } = &self.plan;
        let bytes: usize = items.iter().map(Item::bytes).sum();
        assert!((1..=*batch_size).contains(&items.len()), "{items:?} is no batch");
        assert!(bytes <= *batch_bytes || items.len() == 1, "{items:?} has too many bytes");
        assert!(items.len() == 1 || !items.iter().any(Item::alone), "{items:?} share a request");
        if let Grouping::PerPrefix { cut, limit, gated } = grouping {
            let prefix = cut.prefix(items[0].key());
            assert!(items.iter().all(|item| cut.prefix(item.key()) == prefix), "{items:?}");
            let others = self.in_flight.iter().filter(|lane| **lane == ticket.lane).count();
            assert!((others as f64) < limit.get(), "{others} are in flight");
            assert_eq!(self.held.remove(&ticket.lane), *gated, "each batch has its permit");
        }
    }
}

impl World for Script {
    fn act(&mut self, batcher: &mut Batcher<Key>, now: Moment) -> Option<Moment> {
        while let Some((_, action)) = self.actions.pop_if(|(at, _)| *at <= now) {
            match action {
                Action::Push(items) => {
                    let first = self.items.len();
                    let name = |(number, (prefix, alone)): (usize, (usize, bool))| {
                        let end = if alone { "!" } else { "" };
                        Key(format!("{}{}{end}", PREFIXES[prefix], first + number))
                    };
                    let keys: Vec<_> = items.into_iter().enumerate().map(name).collect();
                    for Key(name) in &keys {
                        let place = Place::Waiting { tries: 0, not_before: now };
                        assert_eq!(self.items.insert(name.clone(), place), None);
                    }
                    batcher.push(keys, now);
                }
                Action::Size(size) => {
                    self.plan.batch_size = size;
                    batcher.set_batch_size(size);
                }
                Action::Bytes(bytes) => {
                    self.plan.batch_bytes = bytes;
                    batcher.set_batch_bytes(bytes);
                }
                Action::Clear => {
                    let left = batcher.clear();
                    let names: BTreeSet<_> = left.iter().map(Item::key).collect();
                    assert_eq!((names, left.len()), (self.waiting(), self.waiting().len()));
                    self.settle(&left);
                }
            }
        }
        self.actions.last().map(|(at, _)| *at)
    }

    fn send(&mut self, batch: &Batch<Key>, now: Moment) -> Request {
        self.check(batch);
        self.in_flight.push(batch.ticket.lane);
        for Key(name) in &batch.items {
            let place = self.items.get_mut(name).expect("it was pushed");
            let Place::Waiting { tries, not_before } = *place else {
                panic!("{name} is sent, and was {place:?}")
            };
            assert_eq!(tries, batch.ticket.tries, "{name}");
            assert!(not_before <= now, "{name} is sent too soon");
            *place = Place::InFlight { tries };
        }
        let Some(answer) = self.answers.pop() else {
            let takes = Duration::from_millis(100);
            return Request { takes, outcome: deleted(batch), random: 0.5 };
        };
        let retry_after = answer.retry_after;
        let mut outcome = Outcome { retry_after, ..Outcome::default() };
        for (item, fate) in batch.items.iter().zip(answer.fates.iter().cycle()) {
            match fate {
                Fate::Deleted => outcome.deleted += 1,
                Fate::Denied => {}
                Fate::Throttled => outcome.throttled.push(item.clone()),
                Fate::Failed => outcome.failed.push(item.clone()),
                Fate::Resent => outcome.resend.push(item.clone()),
            }
        }
        Request { takes: answer.takes, outcome, random: answer.random }
    }

    fn landed(&mut self, batch: &Batch<Key>, outcome: &Outcome<Key>, now: Moment) {
        let lane = self.in_flight.iter().position(|lane| *lane == batch.ticket.lane);
        self.in_flight.swap_remove(lane.expect("it was sent"));
        let soonest = now + Duration::from_millis(50);
        // Where the patience ends is not checked here.
        let told = outcome.retry_after.filter(|_| self.plan.patience == ENDLESS);
        self.wait(&outcome.throttled, 0, soonest.max(now + told.unwrap_or_default()));
        self.wait(&outcome.failed, 1, soonest);
        self.wait(&outcome.resend, 0, now);
        let lists = [&outcome.throttled, &outcome.failed, &outcome.resend];
        let comes_again = |item: &&Key| lists.iter().any(|list| list.contains(item));
        let (_, settled): (Vec<_>, Vec<_>) = batch.items.iter().partition(comes_again);
        self.settle(&settled.into_iter().cloned().collect::<Vec<_>>());
    }

    fn given_up(&mut self, items: Vec<Key>) {
        assert!(items.is_empty() || self.plan.patience < ENDLESS, "{items:?} are given up");
        for Key(name) in &items {
            assert!(self.waiting().contains(&**name), "{name} is given up and does not wait");
        }
        self.settle(&items);
    }

    fn ask(&mut self, lane: LaneId, _: &[u8]) -> Duration {
        assert!(!self.held.contains(&lane) && self.asked.insert(lane), "it asks twice");
        self.permits.next().expect("they are repeated")
    }

    fn opened(&mut self, lane: LaneId) {
        assert!(self.asked.remove(&lane) && self.held.insert(lane));
    }

    fn release(&mut self, lane: LaneId) {
        assert!(self.held.remove(&lane), "it frees a permit that it has not");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn each_item_is_settled_once_in_bounded_time_whatever_happens(history in history()) {
        let longest = |answer: &Answer| {
            let told = answer.retry_after.unwrap_or_default();
            told.min(history.plan.patience) + Duration::from_secs(60)
        };
        let bound = Duration::from_secs(600)
            + history.answers.iter().map(longest).sum::<Duration>()
            + history.actions.iter().map(|(gap, _)| *gap).sum::<Duration>();
        let batcher = Batcher::new(history.plan.clone());
        let most_running = history.most_running;
        let mut script = Script::of(history);
        let ended = run(batcher, most_running, &mut script);
        prop_assert_eq!(script.waiting(), BTreeSet::new(), "they are forgotten");
        prop_assert!(script.items.values().all(|place| *place == Place::Settled));
        prop_assert_eq!(script.held, BTreeSet::new(), "permits that nobody uses");
        prop_assert!(ended <= bound, "it took {:?}, not {:?}", ended, bound);
    }
}
