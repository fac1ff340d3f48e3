//! The batcher, driven from outside as its users drive it: promises as tables, random histories, and a store that throttles.

mod driver;
mod property;
mod rules;
mod simulation;
mod waits;

use std::time::Duration;

use ya_syn_native::core::batch::pace::Moment;
use ya_syn_native::core::batch::prefix::Cut;
use ya_syn_native::core::batch::{Batch, Batcher, Grouping, Item, LaneId, Next, Outcome, Plan};
use ya_syn_native::core::limit::Limit;

const NOW: Moment = Moment::ZERO;
const PATIENCE: Duration = Duration::from_secs(300);

/// A key that takes as many bytes as it has, and shares no request if it ends in `!`.
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

fn slash() -> Cut {
    Cut::Delimiter { base: 0, delimiter: "/".to_owned() }
}

fn shared(batch_size: usize) -> Batcher<Key> {
    let grouping = Grouping::Shared(slash());
    Batcher::new(Plan { grouping, batch_size, batch_bytes: usize::MAX, patience: PATIENCE })
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

fn asked(batcher: &mut Batcher<Key>, now: Moment) -> LaneId {
    match batcher.next(now) {
        Next::Ask(lane, _) => lane,
        other => panic!("{other:?} instead of asking for a permit"),
    }
}

fn released(batcher: &mut Batcher<Key>, now: Moment) -> LaneId {
    match batcher.next(now) {
        Next::Release(lane) => lane,
        other => panic!("{other:?} instead of freeing a permit"),
    }
}

fn waits(batcher: &mut Batcher<Key>, now: Moment) -> Option<Moment> {
    match batcher.next(now) {
        Next::Wait(until) => until,
        other => panic!("{other:?} instead of a wait"),
    }
}

/// All of a batch was deleted.
fn deleted(batch: &Batch<Key>) -> Outcome<Key> {
    Outcome { deleted: batch.items.len(), ..Outcome::default() }
}

/// All of a batch was throttled.
fn throttled(batch: &Batch<Key>) -> Outcome<Key> {
    Outcome { throttled: batch.items.clone(), ..Outcome::default() }
}

/// All of a batch failed.
fn failed(batch: &Batch<Key>) -> Outcome<Key> {
    Outcome { failed: batch.items.clone(), ..Outcome::default() }
}
