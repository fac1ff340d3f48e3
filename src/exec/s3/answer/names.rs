//! What the names in a listing mean that `encoding-type=url` encodes.
//!
//! Stores agree on `%xx`. Some write a blank as `+`, as in forms, and a plus as `%2B`; others write a blank as `%20`, and a plus as
//! itself. With the wrong reading, another key than the listed one would be deleted for `a+b`. So neither reading is assumed: what
//! the names of a store show is [remembered](Evidence), and where a `+` comes before any evidence the store is asked for both keys
//! that it may mean. Whether names are encoded at all where a page does not say so is found out in [`undeclared`](super::undeclared).

use std::sync::atomic::{AtomicU8, Ordering};

use super::page::{Page, Place};

/// A store was seen to write a blank as `%20`, so that `+` is a plus.
const BLANK_ESCAPED: u8 = 1;
/// A store was seen to write a plus as `%2B`, so that `+` is a blank.
const PLUS_ESCAPED: u8 = 2;
/// A store was seen to encode names at all.
pub(super) const ENCODES: u8 = 4;
/// A store was found to encode names without saying so.
pub(super) const HIDES: u8 = 8;
/// A store that says nothing of an encoding was found to give names as they are, and names without a `%` at least.
pub(super) const RAW: u8 = 16;
pub(super) const RAW_PLUS: u8 = 32;
/// How many names are kept to ask for: an object that is asked for may be deleted meanwhile.
pub(super) const MOST_DOUBTS: usize = 3;

/// What a `+` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plus {
    /// A plus.
    Plus,
    /// A blank.
    Blank,
}

/// How a store encodes names, as far as it has shown.
#[derive(Debug, Default)]
pub struct Evidence(pub(super) AtomicU8);

/// What came of decoding a page.
#[derive(Debug, PartialEq)]
pub enum Decoded {
    /// The page, with its names as they are.
    Page(Page),
    /// The page as it was, as nothing has shown yet what `+` is, and names in it that tell it.
    Open(Page, Vec<String>),
}

impl Evidence {
    /// Remembers what the store means by `+`.
    pub fn learn(&self, plus: Plus) {
        self.add(match plus {
            Plus::Plus => BLANK_ESCAPED,
            Plus::Blank => PLUS_ESCAPED,
        });
    }

    pub(super) fn add(&self, seen: u8) -> u8 {
        self.0.fetch_or(seen, Ordering::Relaxed) | seen
    }

    /// Decodes the names of a page, if it has them encoded.
    ///
    /// # Errors
    ///
    /// What the store does, in words that continue "The store".
    pub fn decode(&self, mut page: Page) -> Result<Decoded, String> {
        let (mut seen, mut raw) = (0, Vec::new());
        let mut is_plain = true;
        for name in entries(&mut page) {
            let bytes = name.as_bytes();
            let mut has_plus = false;
            for at in memchr::memchr2_iter(b'%', b'+', bytes) {
                is_plain = false;
                match bytes.get(at..at + 3) {
                    _ if bytes[at] == b'+' => has_plus = true,
                    Some(b"%20") => seen |= BLANK_ESCAPED,
                    Some(b"%2B" | b"%2b") => seen |= PLUS_ESCAPED,
                    _ => {}
                }
            }
            if has_plus && raw.len() < MOST_DOUBTS {
                raw.push(name.clone());
            }
        }
        if !page.is_encoded {
            let has_encoded = self.0.load(Ordering::Relaxed) & ENCODES != 0;
            return if has_encoded && !is_plain {
                Err("encodes the names of one page and not of another".to_owned())
            } else {
                Ok(Decoded::Page(page))
            };
        }
        // What the last key is called in the answer.
        let last = page.objects.last().map(|object| object.key.clone());
        if let Some(marker) = marker(&mut page).filter(|marker| marker.contains('+'))
            && !last.as_ref().is_some_and(|last| is_about(marker, last))
            && raw.len() < MOST_DOUBTS
        {
            raw.push(marker.clone());
        }
        let seen = self.add(seen | ENCODES) & (BLANK_ESCAPED | PLUS_ESCAPED);
        let plus = match seen {
            _ if raw.is_empty() => Plus::Plus,
            BLANK_ESCAPED => Plus::Plus,
            PLUS_ESCAPED => Plus::Blank,
            0 => return Ok(Decoded::Open(page, raw)),
            _ => {
                return Err(format!(
                    "encodes blanks as %20 and pluses as %2B, and yet names {:?}",
                    raw[0]
                ));
            }
        };
        if !is_plain {
            for name in entries(&mut page) {
                if memchr::memchr2(b'%', b'+', name.as_bytes()).is_some() {
                    *name = decode(name, plus)?;
                }
            }
        }
        let key = page.objects.last().map(|object| object.key.clone());
        if let Some(marker) = marker(&mut page) {
            // Some stores, such as Ceph, encode keys and leave the marker as it is. Decoded it would be another place.
            let is_raw = key.as_ref() == Some(marker) && last.as_ref() != Some(marker);
            if !is_raw {
                *marker = decode(marker, plus)?;
            }
        }
        Ok(Decoded::Page(page))
    }
}

/// The names of what is in a page, which the store may have encoded.
pub(super) fn entries(page: &mut Page) -> impl Iterator<Item = &mut String> {
    page.objects.iter_mut().map(|object| &mut object.key).chain(&mut page.prefixes)
}

/// The key that the next page begins behind. It shows nothing of how names are encoded, as it may not be encoded itself.
fn marker(page: &mut Page) -> Option<&mut String> {
    match &mut page.next {
        Some(Place::Marker(key, _)) => Some(key),
        _ => None,
    }
}

/// Whether a marker is the last key of its page, encoded as that is or not at all.
fn is_about(marker: &str, last: &str) -> bool {
    marker == last
        || [Plus::Plus, Plus::Blank].iter().any(|plus| decode(last, *plus).as_deref() == Ok(marker))
}

/// What `+` is in these names, as far as the prefix that they were asked for by decides it.
///
/// # Errors
///
/// What the store does, in words that continue "The store".
pub fn conclude_by_prefix(names: &[String], prefix: &str) -> Result<Option<Plus>, String> {
    for name in names {
        let fits = |plus| Ok::<_, String>(decode(name, plus)?.starts_with(prefix));
        match (fits(Plus::Plus)?, fits(Plus::Blank)?) {
            (true, true) => {}
            (true, false) => return Ok(Some(Plus::Plus)),
            (false, true) => return Ok(Some(Plus::Blank)),
            (false, false) => {
                return Err(format!("names a key outside of the prefix {prefix:?}: {name:?}"));
            }
        }
    }
    Ok(None)
}

/// What a name is if `+` is this.
///
/// # Errors
///
/// What the store does, in words that continue "The store".
pub fn decode(name: &str, plus: Plus) -> Result<String, String> {
    let unreadable = || format!("encodes a name in a way that can't be read: {name:?}");
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some(at) = memchr::memchr2(b'%', b'+', rest) {
        let (byte, length) = first(&rest[at..], plus);
        bytes.extend_from_slice(&rest[..at]);
        bytes.push(byte.ok_or_else(unreadable)?);
        rest = &rest[at + length..];
    }
    bytes.extend_from_slice(rest);
    String::from_utf8(bytes).map_err(|_| unreadable())
}

/// The first byte of an encoded name that is not empty, and how many it takes there; none if the escape is malformed.
fn first(name: &[u8], plus: Plus) -> (Option<u8>, usize) {
    match name[0] {
        b'+' if plus == Plus::Blank => (Some(b' '), 1),
        b'%' => (name.get(1..3).and_then(escaped), name.len().min(3)),
        other => (Some(other), 1),
    }
}

fn escaped(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(digits[at]).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

/// How a store writes the pluses or blanks of a name that it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As `+`.
    Raw,
    /// Escaped.
    Escaped,
    /// It has no such name, or did not understand.
    None,
}

/// What `+` is to a store that was asked for a name, `asked`, as it is if `+` is a plus, and as it is if `+` is a blank, and
/// that answered with these names. Nothing if that can't be told from them.
pub fn conclude(plus: (&str, Option<&str>), blank: (&str, Option<&str>)) -> Option<Plus> {
    match (form(plus, Plus::Plus), form(blank, Plus::Blank)) {
        (Form::Raw, Form::None | Form::Escaped) | (Form::None, Form::Escaped) => Some(Plus::Plus),
        (Form::None | Form::Escaped, Form::Raw) | (Form::Escaped, Form::None) => Some(Plus::Blank),
        _ => None,
    }
}

fn form((asked, answered): (&str, Option<&str>), plus: Plus) -> Form {
    let Some(name) = answered else { return Form::None };
    let mut rest = name.as_bytes();
    for asked in asked.bytes() {
        if rest.is_empty() {
            return Form::None;
        }
        let (byte, length) = first(rest, plus);
        // A store that answers with another name does not keep to prefixes.
        if byte != Some(asked) {
            return Form::None;
        }
        rest = &rest[length..];
    }
    let head = &name.as_bytes()[..name.len() - rest.len()];
    if head.contains(&b'+') { Form::Raw } else { Form::Escaped }
}

/// Whether a prefix that an answer says it is about is surely another one than that asked for.
///
/// Stores echo a prefix in many ways; only what has nothing to do with it in any of them is held against an answer.
pub fn contradict(echoed: &str, asked: &str) -> bool {
    let readings = [Ok(echoed.to_owned()), decode(echoed, Plus::Plus), decode(echoed, Plus::Blank)];
    let asked = asked.trim_matches('/');
    !readings.into_iter().flatten().any(|reading| {
        let reading = reading.trim_matches('/');
        reading.starts_with(asked) || asked.starts_with(reading)
    })
}

#[cfg(test)]
mod tests;
