//! Which prefix of a key counts: a number of UTF-16 code units, as JavaScript's `slice` counts, or up to a delimiter.
//!
//! A cut may go through the middle of a character that takes two code units. The prefix then ends in half of it, as it does
//! in JavaScript, so prefixes are kept as [WTF-8](https://simonsapin.github.io/wtf-8/): UTF-8 that may hold such halves.

use std::borrow::Cow;

/// Where a key's prefix ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// After so many UTF-16 code units.
    Length(usize),
    /// After the first delimiter behind the first `base` bytes; a key without one has those bytes as its prefix.
    Delimiter {
        /// Bytes of the key that all keys share.
        base: usize,
        /// What ends the prefix.
        delimiter: String,
    },
}

impl Cut {
    /// The prefix of `key`, as WTF-8.
    pub fn prefix<'a>(&self, key: &'a str) -> Cow<'a, [u8]> {
        match self {
            Self::Length(units) => by_units(key, *units),
            Self::Delimiter { base, delimiter } => {
                let base = key.floor_char_boundary(*base);
                let end = key[base..]
                    .find(delimiter.as_str())
                    .map_or(base, |at| base + at + delimiter.len());
                Cow::Borrowed(&key.as_bytes()[..end])
            }
        }
    }
}

fn by_units(key: &str, units: usize) -> Cow<'_, [u8]> {
    if let Some(start) = key.as_bytes().get(..units)
        && start.is_ascii()
    {
        return Cow::Borrowed(start);
    }
    let mut left = units;
    for (at, char) in key.char_indices() {
        if left == 0 {
            return Cow::Borrowed(&key.as_bytes()[..at]);
        }
        if left < char.len_utf16() {
            let mut prefix = key.as_bytes()[..at].to_vec();
            let half = char.encode_utf16(&mut [0; 2])[0];
            prefix.extend([
                0xe0 | (half >> 12) as u8,
                0x80 | (half >> 6 & 0x3f) as u8,
                0x80 | (half & 0x3f) as u8,
            ]);
            return Cow::Owned(prefix);
        }
        left -= char.len_utf16();
    }
    Cow::Borrowed(key.as_bytes())
}

/// The UTF-16 code units of a prefix, which is WTF-8: the prefix as JavaScript has it.
pub fn to_utf16(prefix: &[u8]) -> Vec<u16> {
    match std::str::from_utf8(prefix) {
        Ok(text) => text.encode_utf16().collect(),
        Err(error) => {
            let (text, half) = prefix.split_at(error.valid_up_to());
            let mut units: Vec<u16> = String::from_utf8_lossy(text).encode_utf16().collect();
            if let [first, second, third] = *half {
                let bits = |byte: u8, mask: u8| u16::from(byte & mask);
                units.push(bits(first, 0x0f) << 12 | bits(second, 0x3f) << 6 | bits(third, 0x3f));
            }
            units
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `key.slice(0, units)` is in JavaScript.
    fn slice(key: &str, units: usize) -> Vec<u16> {
        key.encode_utf16().take(units).collect()
    }

    #[test]
    fn lengths_count_as_slice_does() {
        for key in ["", "a", "abc", "aé漢😀b", "😀😀", "é😀"] {
            for units in 0..8 {
                let prefix = Cut::Length(units).prefix(key);
                assert_eq!(to_utf16(&prefix), slice(key, units), "{key:?} {units}");
            }
        }
    }

    #[test]
    fn a_delimiter_ends_the_prefix_behind_the_base() {
        let table = [
            (0, "/", "a/b/c", "a/"),
            (2, "/", "a/b/c", "a/b/"),
            (2, "/", "a/b", "a/"),
            (0, "/", "abc", ""),
            (0, "--", "a-b--c", "a-b--"),
            (1, "/", "é/b/", "é/"),
        ];
        for (base, delimiter, key, prefix) in table {
            let cut = Cut::Delimiter { base, delimiter: delimiter.to_owned() };
            assert_eq!(cut.prefix(key), prefix.as_bytes(), "{key} from {base}");
        }
    }
}
