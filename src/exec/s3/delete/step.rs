//! What passes between the machine of a deleter and its driver: requests, answers, and what to do next.

use crate::core::batch::pace::Moment;
use crate::core::batch::{LaneId, Ticket};
use crate::exec::s3::answer::Deletion;
use crate::exec::s3::object::Deletable;
use crate::exec::s3::way::Way;

/// How a request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// In which way.
    pub way: Way,
    /// Whether only failures are to be named in the answer.
    pub quiet: bool,
}

/// A request to be sent.
#[derive(Debug)]
pub struct Request {
    /// What it deletes.
    pub items: Vec<Deletable>,
    /// How.
    pub form: Form,
    /// Where it belongs.
    pub ticket: Ticket,
}

/// What the store answered to a request.
#[derive(Debug)]
pub enum Answered {
    /// To a multi-delete: something of each key.
    Each(Deletion),
    /// To a single delete: the object is deleted.
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
    /// Give the permit of this lane back, which has no use for it.
    Release(LaneId),
    /// Ask again at this moment, or when something happened.
    Wait(Option<Moment>),
}
