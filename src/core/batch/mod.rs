//! Re-cuts items that arrive in pages into batches, per prefix, each at the pace that its prefix bears.
//!
//! # How it works
//!
//! Items wait in *lanes*. Lanes that can be served take turns, and a lane that can't is passed by. A batch is cut when the
//! driver can send one, from the items that wait then: no item ever waits for a batch to become full.
//!
//! Either each prefix has a lane of its own from the start ([`Grouping::PerPrefix`]), so that a batch touches one prefix; or
//! all share one lane, and only a prefix that was throttled gets one for itself ([`Grouping::Shared`]), so that the others
//! keep their speed. Items of such a prefix that wait in the shared lane move when they reach its front.
//!
//! Items that are retried go back to their lane, and come before untried ones when their wait is over. They share no batch
//! with others, because tries are counted by batch.
//!
//! # No lane is forgotten
//!
//! A lane is changed by `Lanes::change` and `Lanes::serve` alone, which ask it afterwards what it waits for:
//!
//! * for nothing: the lane gets a place in the queue of those that can be served;
//! * for a moment: the lane gets its one timer;
//! * for an event that is certain to come, the end of a batch in flight or a permit that was asked for: the event changes
//!   the lane, and so asks again;
//! * for items: the lane is removed, as soon as its pace may be forgotten.
//!
//! There is no fifth answer. So while an item is pending, something is ready, armed, in flight or asked for.
//!
//! # Permits
//!
//! A lane's limit may live outside, shared with others. Then the driver is asked for a permit ([`Next::Ask`]) before each
//! batch, and frees it when the batch is finished. A lane whose permit comes when it can't send (it was throttled or cleared
//! meanwhile) does not keep it: the driver is told to free it ([`Next::Release`]), and is asked again in time.
//!
//! # Patience
//!
//! A throttled item waits for the backoff, and for as long as the store asks. The rest of its lane waits for as long as the
//! store asks, too. A wait that the store asks for ends at the latest where the lane's patience ends: then the items have one
//! last try. A lane that is throttled after that is given up as a whole.
//!
//! Time and random numbers are arguments. Time that runs backwards is taken to stand still.

mod batcher;
mod lane;
mod lanes;
pub mod pace;
mod plan;
pub mod prefix;
mod tallies;

pub use batcher::Batcher;
pub use plan::{Batch, Grouping, Item, LaneId, Next, Outcome, Plan, Ticket};
