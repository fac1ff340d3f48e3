//! What a mutated answer excuses: where the store lied in a way that no client can find out.

use std::collections::BTreeSet;

use crate::xml::read::Element;

/// A key, or one version of it.
pub type Item = (String, Option<String>);

/// What the answers of a store did to the truth.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// What an answer passed over although its question was about it, and nothing in the answer shows that.
    pub hidden: BTreeSet<Item>,
    /// What was listed under the prefix and never existed.
    pub phantoms: BTreeSet<Item>,
    /// Entries that came more often than once.
    pub doubled: usize,
    /// Entries came in another order than that of their keys, so that nobody can tell a repeated one without keeping all.
    pub unordered: bool,
}

impl Effects {
    pub fn add(&mut self, other: Effects) {
        self.hidden.extend(other.hidden);
        self.phantoms.extend(other.phantoms);
        self.doubled += other.doubled;
        self.unordered |= other.unordered;
    }

    pub fn hide<'a>(&mut self, entries: impl IntoIterator<Item = &'a Element>) {
        self.hidden.extend(entries.into_iter().map(item_of));
    }
}

/// What an entry of a listing or of a result names.
pub fn item_of(entry: &Element) -> Item {
    let key = entry.text_of("Key").unwrap_or_default().to_owned();
    (key, entry.text_of("VersionId").map(str::to_owned))
}
