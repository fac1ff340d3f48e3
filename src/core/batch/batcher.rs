//! The batcher: takes pages, gives batches, and takes back what became of them.

use super::lane::{Gate, Slice, Throttling};
use super::lanes::{Lanes, Owners, SHARED};
use super::pace::{Moment, backoff};
use super::plan::{Batch, Grouping, Item, LaneId, Next, Outcome, Plan, Room, Ticket};
use super::prefix::Cut;
use super::tallies::{Tallies, Tally};
use crate::core::limit::Limit;

/// Items that wait to be sent.
///
/// # Example
///
/// ```
/// use std::time::Duration;
/// use ya_syn_native::core::batch::prefix::Cut;
/// use ya_syn_native::core::batch::{Batcher, Grouping, Item, Next, Outcome, Plan};
///
/// struct Key(&'static str);
///
/// impl Item for Key {
///     fn key(&self) -> &str {
///         self.0
///     }
///     fn alone(&self) -> bool {
///         false
///     }
///     fn bytes(&self) -> usize {
///         self.0.len()
///     }
/// }
///
/// let mut batcher = Batcher::new(Plan {
///     grouping: Grouping::Shared(Cut::Delimiter { base: 0, delimiter: "/".to_owned() }),
///     batch_size: 2,
///     batch_bytes: 1_000_000,
///     patience: Duration::from_secs(300),
/// });
/// let now = Duration::ZERO;
/// batcher.push([Key("a/1"), Key("a/2"), Key("b/1")], now);
/// let Next::Send(batch) = batcher.next(now) else { panic!("there is a batch") };
/// assert_eq!(batch.items.len(), 2);
/// let outcome = Outcome { deleted: 2, ..Outcome::default() };
/// let given_up = batcher.finish(&batch.ticket, outcome, now, 0.5);
/// assert!(given_up.is_empty());
/// ```
pub struct Batcher<T> {
    plan: Plan,
    lanes: Lanes<T>,
    tallies: Tallies,
}

impl<T: Item> Batcher<T> {
    /// A batcher that holds nothing yet.
    pub fn new(plan: Plan) -> Self {
        let limit = match plan.grouping {
            Grouping::PerPrefix { limit, .. } => limit,
            Grouping::Shared(_) => Limit::UNLIMITED,
        };
        Self { plan, lanes: Lanes::new(limit), tallies: Tallies::default() }
    }

    /// From now on a batch has so many items at most. Zero is taken for one.
    pub fn set_batch_size(&mut self, size: usize) {
        self.plan.batch_size = size;
    }

    /// From now on the items of a batch have so many bytes at most, together. One item alone may have more.
    pub fn set_batch_bytes(&mut self, bytes: usize) {
        self.plan.batch_bytes = bytes;
    }

    /// A page arrives.
    pub fn push(&mut self, items: impl IntoIterator<Item = T>, now: Moment) {
        let now = self.lanes.advance(now);
        let Grouping::PerPrefix { cut, .. } = &self.plan.grouping else {
            return self.lanes.change(SHARED, |lane| lane.push(items));
        };
        // Pages are sorted, so that a prefix is looked up once for all of its keys in a row.
        let mut id = SHARED;
        for item in items {
            let prefix = cut.prefix(item.key());
            if id == SHARED || self.lanes.prefix(id) != Some(&*prefix) {
                id = self.lanes.of_prefix(&prefix, || Tally { since: now, deleted: 0 });
            }
            self.lanes.change(id, |lane| lane.push([item]));
        }
    }

    /// What the driver does now.
    pub fn next(&mut self, now: Moment) -> Next<T> {
        let now = self.lanes.advance(now);
        if let Some(id) = self.lanes.next_unused() {
            return Next::Release(id);
        }
        let (gated, plan) = match &self.plan {
            plan @ Plan { grouping: Grouping::PerPrefix { gated, .. }, .. } => (*gated, plan),
            plan => (false, plan),
        };
        loop {
            let served = self.lanes.serve(|id, lane, owners| {
                if gated && lane.gate != Gate::Open {
                    lane.gate = Gate::Asked;
                    return (Vec::new(), Some(Next::Ask(id, lane.prefix.clone())));
                }
                let cut = match &plan.grouping {
                    Grouping::Shared(cut) if id == SHARED => Some(cut),
                    _ => None,
                };
                let Slice { tries, items, passed } = match cut {
                    Some(cut) if !owners.is_empty() => {
                        let mut search = Search::new(cut, owners);
                        lane.cut(Room::of(plan), now, |item| search.owner(item.key()))
                    }
                    _ => lane.cut(Room::of(plan), now, |_| None),
                };
                // There are no items when all that waited was passed on to other lanes.
                let prefix = |cut: &Cut| Some(Box::from(&*cut.prefix(items.first()?.key())));
                let ticket = Ticket { lane: id, tries, sent: now, prefix: cut.and_then(prefix) };
                let batch = (!items.is_empty()).then_some(Batch { items, ticket });
                (passed, batch.map(Next::Send))
            });
            match served {
                None => return Next::Wait(self.lanes.next_timer()),
                Some(Some(next)) => return next,
                Some(None) => {}
            }
        }
    }

    /// The permit that was [asked](Next::Ask) for this lane is there.
    pub fn opened(&mut self, id: LaneId) {
        self.lanes.opened(id);
    }

    /// A batch is finished; `random` is from 0 to 1. Returned are the items that are given up, because their prefix is
    /// throttled and its patience has ended: throttled items, and those that waited with them.
    ///
    /// # Panics
    ///
    /// It may panic when a batch is finished twice.
    pub fn finish(
        &mut self,
        ticket: &Ticket,
        outcome: Outcome<T>,
        now: Moment,
        random: f64,
    ) -> Vec<T> {
        let now = self.lanes.advance(now);
        let Outcome { deleted, throttled, retry_after, failed, resend } = outcome;
        let Ticket { lane, tries, sent, .. } = *ticket;
        self.count(ticket, deleted);
        let throttling =
            Throttling { sent, tries, retry_after, patience: self.plan.patience, random };
        let mut given_up = Vec::new();
        for (id, items) in self.by_lane(lane, throttled, now) {
            given_up.extend(self.lanes.change(id, |lane| lane.throttled(items, throttling, now)));
        }
        // The lane is not removed before this, because a batch of it is in flight.
        self.lanes.change(lane, |lane| {
            lane.retry(now + backoff(tries + 1, random), tries + 1, failed);
            lane.retry(now, tries, resend);
            lane.finished();
        });
        given_up
    }

    /// Forgets all that was not sent, and returns it. Permits that were opened for it are released.
    pub fn clear(&mut self) -> Vec<T> {
        self.lanes.clear()
    }

    /// Counts deleted items for their prefix, whose lane may have been made while they were in flight.
    fn count(&mut self, ticket: &Ticket, deleted: usize) {
        if deleted == 0 {
            return;
        }
        self.lanes.change(ticket.lane, |lane| lane.deleted(deleted));
        if let Some(prefix) = &ticket.prefix {
            match self.lanes.owners().get(prefix) {
                Some(&id) => self.lanes.change(id, |lane| lane.deleted(deleted)),
                None => self.tallies.count(prefix, deleted, ticket.sent),
            }
        }
    }

    /// Throttled items by lane. In a shared batch each prefix has one for itself from now on.
    fn by_lane(&mut self, sender: LaneId, items: Vec<T>, now: Moment) -> Vec<(LaneId, Vec<T>)> {
        let cut = match &self.plan.grouping {
            _ if items.is_empty() => return Vec::new(),
            Grouping::Shared(cut) if sender == SHARED => cut,
            _ => return vec![(sender, items)],
        };
        let mut by_lane: Vec<(LaneId, Vec<T>)> = Vec::new();
        for item in items {
            let prefix = cut.prefix(item.key());
            let tally = || self.tallies.take(&prefix).unwrap_or(Tally { since: now, deleted: 0 });
            let id = self.lanes.of_prefix(&prefix, tally);
            match by_lane.iter_mut().rev().find(|(lane, _)| *lane == id) {
                Some((_, items)) => items.push(item),
                None => by_lane.push((id, vec![item])),
            }
        }
        by_lane
    }
}

/// Looks up which lane the items of a page belong to: once for those of one prefix in a row.
struct Search<'a> {
    cut: &'a Cut,
    owners: &'a Owners,
    prefix: Vec<u8>,
    owner: Option<LaneId>,
}

impl<'a> Search<'a> {
    fn new(cut: &'a Cut, owners: &'a Owners) -> Self {
        Self { cut, owners, prefix: Vec::new(), owner: owners.get(&[][..]).copied() }
    }

    fn owner(&mut self, key: &str) -> Option<LaneId> {
        let prefix = self.cut.prefix(key);
        if *prefix != *self.prefix {
            self.prefix.clear();
            self.prefix.extend_from_slice(&prefix);
            self.owner = self.owners.get(&*prefix).copied();
        }
        self.owner
    }
}
