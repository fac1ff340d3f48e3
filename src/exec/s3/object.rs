//! What a listing finds and a delete takes.

use super::way::Way;
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

/// An object that is to be deleted.
#[derive(Clone, Debug, PartialEq)]
pub struct Deletable {
    /// The key, exactly.
    pub key: String,
    /// The version, where one is meant.
    pub version: Option<String>,
    /// Size in bytes, as far as it is known.
    pub size: u64,
    /// Which call it belongs to.
    pub call: u64,
    /// Whether it needs a request of its own, whatever the store takes.
    pub alone: bool,
    /// The store refused every way before this one for the batch that the object was in.
    pub from: Way,
}

impl Deletable {
    /// An object of call `call`.
    pub fn new(key: String, version: Option<String>, size: u64, call: u64) -> Self {
        let alone = !xml::can_carry(&key);
        Self { key, version, size, call, alone, from: Way::default() }
    }
}

/// What surrounds a key in the body of a multi-delete, and what surrounds its version.
const AROUND_KEY: usize = "<Object><Key></Key></Object>".len();
const AROUND_VERSION: usize = "<VersionId></VersionId>".len();

impl Item for Deletable {
    fn key(&self) -> &str {
        &self.key
    }

    fn alone(&self) -> bool {
        self.alone || self.from == Way::Single
    }

    fn bytes(&self) -> usize {
        let version = self.version.as_ref().map_or(0, |id| AROUND_VERSION + escaped(id));
        AROUND_KEY + escaped(&self.key) + version
    }
}

/// How many bytes a text takes in a document at most.
fn escaped(text: &str) -> usize {
    // An escaped character takes up to 8 bytes. U+0085 and U+2028 are escaped too; every byte that may be the first of theirs
    // (0xc2 and 0xe2) is counted as if it were.
    let is_escaped =
        |byte: &u8| matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'' | b'\r' | b'\n' | 0xc2 | 0xe2);
    text.len() + 5 * text.as_bytes().iter().filter(|byte| is_escaped(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_takes_no_more_of_a_body_than_it_says() {
        for text in ["a", "a&b<c>d", "'\"'", "\r\n", "é\u{85}\u{2028}x", "漢字😀"] {
            let escaped: usize = text
                .chars()
                .map(|char| match char {
                    '&' | '\r' | '\n' => 5,
                    '<' | '>' => 4,
                    '"' | '\'' => 6,
                    '\u{85}' => 6,
                    '\u{2028}' => 8,
                    other => other.len_utf8(),
                })
                .sum();
            let bytes = Deletable::new(text.to_owned(), None, 0, 1).bytes();
            assert!(bytes >= AROUND_KEY + escaped, "{text:?}");
            let version = Some(text.to_owned());
            let both = Deletable::new(text.to_owned(), version, 0, 1).bytes();
            assert!(both >= AROUND_KEY + AROUND_VERSION + 2 * escaped, "{text:?}");
        }
        assert_eq!(Deletable::new("a/b".to_owned(), None, 0, 1).bytes(), AROUND_KEY + 3);
    }
}
