//! A page of a listing: what it is asked for, what an answer holds, and what of it may be used.

use crate::exec::s3::object::Object;

/// Where a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Behind this token.
    Token(String),
    /// Behind this version of this key, or all of its versions.
    Marker(String, Option<String>),
    /// Behind this key, as a store takes it that knows the second version of the operation.
    After(String),
}

/// A page of a listing as it stands in the answer.
#[derive(Debug, Default, PartialEq)]
pub struct Page {
    /// The objects, or versions and markers, in the store's order.
    pub objects: Vec<Object>,
    /// The common prefixes.
    pub prefixes: Vec<String>,
    /// Whether the names are url-encoded.
    pub is_encoded: bool,
    /// Whether more follow, if the answer says so.
    pub is_truncated: Option<bool>,
    /// Where the next page begins, if the answer says so.
    pub next: Option<Place>,
    /// The prefix that the answer is about, if it says so.
    pub prefix: Option<String>,
    /// How many keys and prefixes the answer claims to name; the first version of the operation does not say so.
    pub count: Option<u64>,
}

/// One page of a listing.
#[derive(Clone, Debug, Default)]
pub struct ListRequest {
    /// The keys' beginning.
    pub prefix: String,
    /// Whether versions are listed.
    pub versions: bool,
    /// Only keys after this one. A store may ignore that.
    pub after: String,
    /// Where the page begins, if it is not the first.
    pub place: Option<Place>,
    /// Whether keys in folders are left out, and their folders named.
    pub folders: bool,
    /// How many keys at most.
    pub max_keys: Option<i32>,
    /// Whether times and tags are wanted.
    pub details: bool,
    /// Whether sizes have to be known.
    pub sizes: bool,
}

/// A page of a listing that answers the question.
#[derive(Debug, Default, PartialEq)]
pub struct Listing {
    /// The objects, or versions and markers, in the store's order.
    pub objects: Vec<Object>,
    /// The common prefixes, if they were asked for.
    pub prefixes: Vec<String>,
    /// Where the next page begins; nothing when this was the last.
    pub next: Option<Place>,
}
