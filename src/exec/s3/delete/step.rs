//! What passes between the machine of a deleter and its driver: requests, answers, and what to do next.

use crate::core::batch::pace::Moment;
use crate::core::batch::{LaneId, Ticket};
use crate::exec::s3::answer::Deletion;
use crate::exec::s3::object::Deletable;
use crate::exec::s3::way::Way;

/// How a request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The way.
    pub way: Way,
    /// Whether only failures are to be named in the answer.
    pub quiet: bool,
}

/// A request to be sent.
#[derive(Debug)]
pub struct Request {
    /// What it deletes.
    pub items: Vec<Deletable>,
    /// How it is sent.
    pub form: Form,
    /// What the batcher knows the request by.
    pub ticket: Ticket,
}

/// What the store answered to a request.
#[derive(Debug)]
pub enum Answered {
    /// The answer to a multi-delete, which says something of each key.
    Each(Deletion),
    /// The answer to a single delete: the object is deleted.
    One {
        /// Whether there is a delete marker now.
        made_marker: bool,
    },
}

/// What the driver does next.
#[derive(Debug)]
pub enum Step {
    /// Send this.
    Send(Request),
    /// Get a permit for this lane's prefix.
    Ask(LaneId, Box<[u8]>),
    /// Give back the permit of this lane, which has nothing to send.
    Release(LaneId),
    /// Look again at this moment, or after the next message.
    Wait(Option<Moment>),
}
