//! How a key space is split: pure plans for questions to the store, and what their answers mean.
//!
//! A range is the keys after one and up to another. Every string is a right place to cut, because each key then belongs to
//! exactly one side; good places are those with keys on both. Where folders exist their names are such places. Where not,
//! one key of the range is known, and two rounds of questions find others:
//!
//! 1. Up to which position do the rest of the keys agree with it? "What is the first key behind all that begin like this
//!    one up to position `i`?" has an answer exactly from the position on where they differ, so some positions at a time
//!    are asked, and then some between those.
//! 2. Which characters stand at that position? A small alphabet is asked, spread over what comes after the known one.

/// A key can't be longer, in bytes, and no store has to take a longer place to begin at.
const LONGEST_KEY: usize = 1024;
/// Questions that are asked at once.
pub const MOST_PROBES: usize = 32;

/// A place behind all keys that begin so.
pub fn behind(start: &str) -> String {
    format!("{start}\u{10ffff}")
}

/// The ends of the parts of `key` that the other keys may agree with: from behind `base` bytes to the end.
pub fn positions(key: &str, base: usize) -> Vec<usize> {
    let ends = key.char_indices().map(|(at, char)| at + char.len_utf8());
    ends.filter(|end| *end > base && end + 4 <= LONGEST_KEY).collect()
}

/// Some of the positions, evenly spread, with the last one.
pub fn spread<T: Clone>(all: &[T], most: usize) -> Vec<T> {
    if all.len() <= most {
        return all.to_vec();
    }
    (1..=most).map(|n| all[n * all.len() / most - 1].clone()).collect()
}

/// Characters to ask for where `known` stands in one key and `other` in another, later one.
pub fn alphabet(known: char, other: Option<char>) -> Vec<char> {
    let after = |class: &[std::ops::RangeInclusive<char>]| -> Vec<char> {
        class.iter().cloned().flatten().filter(|char| *char > known).collect()
    };
    // Where digits stand, the letters of hexadecimal numbers may follow.
    if known.is_ascii_hexdigit() && other.is_some_and(|other| other.is_ascii_hexdigit()) {
        return after(&['0'..='9', 'A'..='F', 'a'..='f']);
    }
    let common = after(&[' '..='~']);
    let beyond = [
        '\u{a0}',
        '\u{400}',
        '\u{3000}',
        '\u{4e00}',
        '\u{6000}',
        '\u{8000}',
        '\u{ac00}',
        '\u{1f300}',
    ];
    let beyond = beyond.into_iter().filter(|char| *char > known);
    spread(&common, MOST_PROBES - 8).into_iter().chain(beyond).collect()
}

/// Of the places found, at most `most` to cut at, evenly spread, in order, and strictly inside the range.
pub fn cuts(mut found: Vec<String>, after: &str, until: Option<&str>, most: usize) -> Vec<String> {
    found
        .retain(|place| place.as_str() > after && until.is_none_or(|until| place.as_str() < until));
    found.sort_unstable();
    found.dedup();
    if found.len() <= most {
        return found;
    }
    let step = found.len() as f64 / (most + 1) as f64;
    (1..=most).map(|n| found[(n as f64 * step) as usize].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_ends_of_characters_behind_the_base() {
        assert_eq!(positions("p/é1", 2), [4, 5]);
        assert_eq!(positions("p/", 2), [0; 0]);
        assert!(positions(&"x".repeat(1024), 0).iter().all(|end| end + 4 <= 1024));
    }

    #[test]
    fn spreads_evenly_and_keeps_the_last() {
        let all: Vec<usize> = (1..=100).collect();
        assert_eq!(spread(&all, 4), [25, 50, 75, 100]);
        assert_eq!(spread(&all[..3], 4), [1, 2, 3]);
        assert_eq!(spread(&all, MOST_PROBES).len(), MOST_PROBES);
    }

    #[test]
    fn asks_for_what_may_stand_there() {
        assert_eq!(String::from_iter(alphabet('8', Some('9'))), "9ABCDEFabcdef");
        assert_eq!(String::from_iter(alphabet('D', Some('E'))), "EFabcdef");
        for (known, other) in [('a', Some('z')), (' ', None), ('漢', None), ('\u{10ffff}', None)] {
            let chars = alphabet(known, other);
            assert!(
                chars.len() <= MOST_PROBES && chars.iter().all(|char| *char > known),
                "{known}"
            );
            assert!(chars.is_sorted());
        }
    }

    #[test]
    fn cuts_lie_inside_in_order_and_spread() {
        let found = |names: &str| names.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(cuts(found("c a b b d"), "a", Some("d"), 9), ["b", "c"]);
        assert_eq!(cuts(found("a b c d e f g"), "", None, 3), ["b", "d", "f"]);
        assert_eq!(cuts(found("a"), "b", None, 3), [""; 0]);
    }
}
