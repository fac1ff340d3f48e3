//! Deletes what it is given, from any number of calls, by as few requests as there can be.
//!
//! # How it works
//!
//! One task owns all state, and everything that happens reaches it as a message: a call, a finished request, a permit, the
//! end. What follows from a message is decided by the [`machine`], which does no I/O and knows no clock; the [`driver`] asks
//! it after each message what to send, as long as a request slot is free. So calls that are pending together share requests,
//! and no call waits for others while there is room.
//!
//! A call is over when each of its keys is deleted, failed or untried. Only what the store confirms is deleted ([`verdict`]),
//! only what was asked for is sent ([`scope`](super::scope)), and the way in which it is sent is learnt ([`way`](super::way)).

mod calls;
mod deleter;
mod driver;
mod gate;
mod machine;
#[cfg(test)]
mod machine_random_tests;
#[cfg(test)]
mod machine_tests;
mod options;
mod sender;
mod step;
mod verdict;

pub use calls::{Failed, Settled};
pub use deleter::Deleter;
pub use gate::{Gate, Permit};
pub use options::Options;
