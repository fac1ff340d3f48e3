//! Whether names are encoded on a page that says nothing of an encoding.
//!
//! Every listing is asked for with `encoding-type=url`. A store that does not know it gives names as they are; some encode them and
//! leave out that they do, so that `a%20b` may be the name of a key or stand for `a b`. The wrong one would be deleted, and be
//! confirmed, as it is not there. So the store is asked for the key of that very name, once per client as a rule.

use std::sync::atomic::Ordering;

use super::names::{ENCODES, Evidence, HIDES, MOST_DOUBTS, Plus, RAW, RAW_PLUS, decode, entries};
use crate::exec::s3::answer::page::Page;

/// How the names of a page that says nothing of an encoding are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As they are.
    Raw,
    /// As they are if there is no `%` in them.
    RawPlus,
    /// They are encoded.
    Encoded,
}

impl Evidence {
    /// Reads a page that says nothing of an encoding as it is meant, or gives names that the store is to be asked for before.
    ///
    /// # Errors
    ///
    /// What the store does, in words that continue "The store".
    pub fn declare(&self, page: &mut Page) -> Result<Vec<String>, String> {
        let known = self.0.load(Ordering::Relaxed);
        // Of a store that says so on other pages, `decode` takes no such name.
        if page.is_encoded || known & (ENCODES | HIDES) == ENCODES {
            return Ok(Vec::new());
        }
        let (mut with_escape, mut with_plus, mut is_raw) = (Vec::new(), Vec::new(), false);
        for name in entries(page) {
            is_raw |= is_no_encoding(name);
            let doubts = if name.contains('%') { &mut with_escape } else { &mut with_plus };
            if name.contains(['%', '+']) && doubts.len() < MOST_DOUBTS {
                doubts.push(name.clone());
            }
        }
        let is_doubtful = match known & (HIDES | RAW | RAW_PLUS) {
            hides if hides & HIDES != 0 => {
                page.is_encoded = true;
                return match is_raw {
                    true => Err("encodes the names of one page and not of another".to_owned()),
                    false => Ok(Vec::new()),
                };
            }
            raw if raw & RAW != 0 => false,
            0 => !(with_escape.is_empty() && with_plus.is_empty()),
            _ => !with_escape.is_empty(),
        };
        if is_raw {
            self.found(Reading::Raw);
        }
        let doubts = if with_escape.is_empty() { with_plus } else { with_escape };
        Ok(if is_doubtful && !is_raw { doubts } else { Vec::new() })
    }

    /// A store that says nothing of an encoding was found to mean its names so.
    pub fn found(&self, reading: Reading) {
        self.add(match reading {
            Reading::Raw => RAW,
            Reading::RawPlus => RAW_PLUS,
            Reading::Encoded => HIDES,
        });
    }

    /// Whether the store encodes names without saying so.
    pub fn hides_encoding(&self) -> bool {
        self.0.load(Ordering::Relaxed) & HIDES != 0
    }
}

/// Whether no encoding gives this.
fn is_no_encoding(name: &str) -> bool {
    !name.bytes().all(|byte| byte.is_ascii_graphic()) || decode(name, Plus::Plus).is_err()
}

/// How a store means the name that it answers with, the first one that begins with `asked`. Nothing if that can't be told from it.
pub fn conclude_undeclared(asked: &str, answered: Option<&str>) -> Option<Reading> {
    let answered = answered?;
    let is_raw = answered.starts_with(asked);
    let means = |plus| decode(answered, plus).is_ok_and(|name| name.starts_with(asked));
    let is_encoding = !is_no_encoding(answered) && (means(Plus::Plus) || means(Plus::Blank));
    match (is_raw, is_encoding) {
        (true, false) => Some(Reading::Raw),
        (false, true) => Some(Reading::Encoded),
        // Then it is the name of a key in any case.
        (true, true) if !asked.contains('%') && asked.contains('+') => Some(Reading::RawPlus),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::s3::object::Object;

    fn page(names: &[&str]) -> Page {
        let object = |key: &&str| Object { key: (*key).to_owned(), ..Object::default() };
        Page { objects: names.iter().map(object).collect(), ..Page::default() }
    }

    #[test]
    fn the_store_is_asked_for_names_that_may_be_encoded_unless_it_has_shown_what_they_are() {
        let doubts = |evidence: &Evidence, names: &[&str]| evidence.declare(&mut page(names));
        let none = Ok(Vec::new());
        let open = Evidence::default();
        assert_eq!(doubts(&open, &["a", "b/~"]), none);
        assert_eq!(doubts(&open, &["a+b", "c%20d"]), Ok(vec!["c%20d".to_owned()]));
        assert_eq!(doubts(&open, &["a+b"]), Ok(vec!["a+b".to_owned()]));
        for shown in ["a b", "é", "100%", "%zz", "\n"] {
            let evidence = Evidence::default();
            assert_eq!(doubts(&evidence, &["c%20d", shown]), none, "{shown}");
            assert_eq!(doubts(&evidence, &["c%20d"]), none, "{shown} was seen");
        }
        let plus = Evidence::default();
        plus.found(Reading::RawPlus);
        assert_eq!(doubts(&plus, &["a+b"]), none);
        assert_eq!(doubts(&plus, &["a%2Bb"]), Ok(vec!["a%2Bb".to_owned()]));
    }

    #[test]
    fn names_are_decoded_where_the_store_was_found_to_encode_them_in_silence() {
        let evidence = Evidence::default();
        evidence.found(Reading::Encoded);
        let mut hidden = page(&["a%20b"]);
        assert_eq!(evidence.declare(&mut hidden), Ok(Vec::new()));
        assert!(hidden.is_encoded && evidence.hides_encoding());
        assert!(evidence.declare(&mut page(&["a b"])).is_err());
    }

    #[test]
    fn the_answer_to_a_name_tells_what_it_means() {
        use Reading::{Encoded, Raw, RawPlus};
        let table = [
            ("p/a%20b", Some("p/a%20b"), Some(Raw)),
            ("p/a%20b", Some("p/a%20b.bak"), Some(Raw)),
            ("p/a%20b", None, None),
            ("p/a%20b", Some("p/a%2520b"), Some(Encoded)),
            ("p/a b", Some("p/a%20b"), Some(Encoded)),
            ("p/a b", Some("p/a+b"), Some(Encoded)),
            ("p/a b", Some("p/a b"), Some(Raw)),
            ("p/a+b", Some("p/a+b"), Some(RawPlus)),
            ("p/a+b", Some("p/a%2Bb"), Some(Encoded)),
            ("100%25", Some("100%25"), Some(Raw)),
            ("100%", Some("100%25"), None),
            ("p/a%20b", Some("q"), None),
        ];
        for (asked, answered, reading) in table {
            assert_eq!(conclude_undeclared(asked, answered), reading, "{asked} {answered:?}");
        }
    }
}
