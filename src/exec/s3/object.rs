//! What a listing finds and a delete takes.

use super::xml;
use crate::core::batch::Item;

/// An object, a version of one, or a delete marker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    /// The key, exactly.
    pub key: String,
    /// The version, where one is meant.
    pub version: Option<String>,
    /// Whether it is a delete marker.
    pub is_marker: bool,
    /// Size in bytes.
    pub size: u64,
    /// When it was last modified, as the store writes it; empty when it was not asked for.
    pub modified: String,
    /// The entity tag; empty when it was not asked for.
    pub etag: String,
}

/// An object on its way to be deleted.
#[derive(Clone, Debug, PartialEq)]
pub struct Doomed {
    /// The key, exactly.
    pub key: String,
    /// The version, where one is meant.
    pub version: Option<String>,
    /// Size in bytes, as far as it is known.
    pub size: u64,
    /// Which call it belongs to.
    pub call: u64,
    /// Whether it has to go by a request of its own.
    pub alone: bool,
}

impl Doomed {
    /// An object of call `call`.
    pub fn new(key: String, version: Option<String>, size: u64, call: u64) -> Self {
        let alone = !xml::can_carry(&key);
        Self { key, version, size, call, alone }
    }
}

impl Item for Doomed {
    fn key(&self) -> &str {
        &self.key
    }

    fn alone(&self) -> bool {
        self.alone
    }

    fn bytes(&self) -> usize {
        self.key.len() + self.version.as_ref().map_or(0, String::len)
    }
}
