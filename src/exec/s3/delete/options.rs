//! How the objects of a job are deleted.

use crate::core::batch::Grouping;
use crate::core::limit::Limit;
use crate::exec::s3::scope::Scope;
use crate::exec::s3::target::Target;

/// How keys are deleted.
#[derive(Clone, Debug)]
pub struct Options {
    /// The bucket.
    pub target: Target,
    /// Which keys may be deleted.
    pub scope: Scope,
    /// How many keys go by one request.
    pub batch_size: usize,
    /// How many requests are in flight.
    pub requests: Limit,
    /// Which keys share a request.
    pub grouping: Grouping,
}
