//! How the objects of a job are deleted.

use crate::core::batch::Grouping;
use crate::core::limit::Limit;
use crate::exec::s3::scope::Scope;
use crate::exec::s3::target::Target;

/// How keys are deleted.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where they are.
    pub target: Target,
    /// Which of them may be deleted.
    pub scope: Scope,
    /// How many go by one request.
    pub batch_size: usize,
    /// How many requests are in flight.
    pub requests: Limit,
    /// Which keys share a request.
    pub grouping: Grouping,
}
