//! What a listing is asked for.

use crate::exec::s3::filter::Filter;
use crate::exec::s3::target::Target;

/// What is listed.
#[derive(Clone, Debug)]
pub struct Options {
    /// The bucket.
    pub target: Target,
    /// The keys' beginning.
    pub prefix: String,
    /// Only keys after this one.
    pub start_after: String,
    /// How many keys a page has at most.
    pub page_size: Option<i32>,
    /// Whether versions and markers are listed.
    pub versions: bool,
    /// Whether sizes, times and tags are wanted.
    pub details: bool,
    /// How many listing requests are in flight.
    pub parallel: usize,
    /// Which objects are wanted.
    pub filter: Filter,
}
