//! What a batcher is told and what it answers: items, plans, batches and outcomes.

use std::time::Duration;

use super::pace::Moment;
use super::prefix::Cut;
use crate::core::limit::Limit;

/// Something to be sent to a store, by its key.
pub trait Item {
    /// Its key.
    fn key(&self) -> &str;
    /// Whether it can't share a batch with others.
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
        /// Whether that limit lives outside, so that each batch needs a permit.
        gated: bool,
    },
}

/// How batches are made.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which items share a batch.
    pub grouping: Grouping,
    /// How many items a batch has at most. Zero is taken for one.
    pub batch_size: usize,
    /// How many bytes the items of a batch have at most, together. One item alone may have more.
    pub batch_bytes: usize,
    /// How long a lane may be throttled while nothing of it is deleted, before its items are given up.
    pub patience: Duration,
}

/// The integer that stands for a lane; used for no other among the next four billion.
pub type LaneId = u64;

/// Items that are sent in one request.
#[derive(Debug)]
pub struct Batch<T> {
    /// What to send.
    pub items: Vec<T>,
    /// Given back when the batch is [finished](super::Batcher::finish).
    pub ticket: Ticket,
}

/// What stands for a batch until it is finished.
#[derive(Clone, Debug)]
pub struct Ticket {
    /// The lane that it came from.
    pub lane: LaneId,
    /// How many times its items failed before.
    pub tries: u32,
    pub(super) sent: Moment,
    /// For a batch of the shared lane, the prefix that its deleted items are counted for.
    pub(super) prefix: Option<Box<[u8]>>,
}

/// What became of a batch. Items in none of the lists are settled: they were deleted, or will never be.
#[derive(Debug)]
pub struct Outcome<T> {
    /// How many were deleted.
    pub deleted: usize,
    /// Items that were throttled: they are retried later, and the try does not count.
    pub throttled: Vec<T>,
    /// How long the throttled items have to wait at least, where the store said so. No longer than the plan's patience
    /// lasts: then they have one last try.
    pub retry_after: Option<Duration>,
    /// Items that failed and are retried: the try counts.
    pub failed: Vec<T>,
    /// Items to be sent again at once, in another way: the try does not count.
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
    /// Get a permit for this lane's prefix, and say [`opened`](super::Batcher::opened) when it is there.
    Ask(LaneId, Box<[u8]>),
    /// Free the permit that was opened for this lane, which can't use the permit now.
    Release(LaneId),
    /// Ask again at this moment, if there is one, or earlier when something was pushed, opened or finished.
    Wait(Option<Moment>),
}

/// The room that is left in a batch.
pub(super) struct Room {
    items: usize,
    bytes: usize,
    is_empty: bool,
}

impl Room {
    /// The room of an empty batch.
    pub fn of(plan: &Plan) -> Self {
        Self { items: plan.batch_size.max(1), bytes: plan.batch_bytes, is_empty: true }
    }

    /// How many items fit, as far as their number goes.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Takes the room that the item needs, unless it does not fit. The first item always fits.
    pub fn take(&mut self, item: &impl Item) -> bool {
        let (bytes, alone) = (item.bytes(), item.alone());
        let shares = !alone && bytes <= self.bytes;
        if self.items == 0 || !(shares || self.is_empty) {
            return false;
        }
        self.is_empty = false;
        self.items = if shares { self.items - 1 } else { 0 };
        self.bytes = self.bytes.saturating_sub(bytes);
        true
    }
}
