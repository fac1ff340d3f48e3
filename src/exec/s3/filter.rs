//! Which of the listed objects are wanted.

/// What a glob becomes.
pub use regex::Regex as Glob;
/// What a regular expression of the user becomes. Its classes are those of ASCII, which regex-lite has without tables.
pub use regex_lite::Regex;

use super::object::Object;
use crate::exec::glob::{self, Names};

/// Conditions that all have to hold.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Last modified before this time, in milliseconds since 1970.
    pub modified_before: Option<f64>,
    /// At least so many bytes.
    pub min_size: Option<f64>,
    /// At most so many bytes.
    pub max_size: Option<f64>,
    /// The key ends so.
    pub suffix: Option<String>,
    /// The whole key matches all of these.
    pub globs: Vec<Glob>,
    /// A part of the key matches each of these.
    pub regexes: Vec<Regex>,
}

impl Filter {
    /// Whether every object passes.
    pub fn is_open(&self) -> bool {
        self.modified_before.is_none()
            && self.min_size.is_none()
            && self.max_size.is_none()
            && self.suffix.is_none()
            && self.globs.is_empty()
            && self.regexes.is_empty()
    }

    /// Whether the time of an object has to be known.
    pub fn needs_details(&self) -> bool {
        self.modified_before.is_some()
    }

    /// Whether the size of an object has to be known.
    pub fn needs_sizes(&self) -> bool {
        self.min_size.is_some() || self.max_size.is_some()
    }

    /// Whether an object is wanted. An object whose time can't be read does not pass `modified_before`.
    pub fn admits(&self, object: &Object) -> bool {
        let size = object.size as f64;
        self.suffix.as_ref().is_none_or(|suffix| object.key.ends_with(suffix))
            && self.min_size.is_none_or(|min| size >= min)
            && self.max_size.is_none_or(|max| size <= max)
            && self
                .modified_before
                .is_none_or(|before| milliseconds(&object.modified).is_some_and(|at| at < before))
            && self.globs.iter().all(|glob| glob.is_match(&object.key))
            && self.regexes.iter().all(|regex| regex.is_match(&object.key))
    }
}

/// Milliseconds since 1970 of a time such as `2024-05-06T07:08:09.123Z`.
fn milliseconds(text: &str) -> Option<f64> {
    let time =
        aws_smithy_types::DateTime::from_str(text, aws_smithy_types::date_time::Format::DateTime)
            .ok()?;
    time.to_millis().ok().map(|ms| ms as f64)
}

/// A regular expression, which any part of a key may match.
///
/// # Errors
///
/// What is wrong with the pattern.
pub fn regex(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| error.to_string())
}

/// A glob that the whole key has to match, in the dialect of [`glob`](crate::exec::glob).
///
/// # Errors
///
/// What is wrong with the pattern.
pub fn glob(pattern: &str) -> Result<Glob, String> {
    glob::one(pattern, Names::Keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_whole_keys() {
        let table = [
            ("*.log", "a.log", true),
            ("*.log", "a/b.log", false),
            ("**.log", "a/b.log", true),
            ("**/*.log", "b.log", true),
            ("**/*.log", "a/b/c.log", true),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]x]", "]", true),
            ("{a,b*}.txt", "bcd.txt", true),
            ("{a,b}.txt", "c.txt", false),
            ("a\\*", "a*", true),
            ("a\\*", "ab", false),
            ("(x)+.", "(x)+.", true),
            ("x", "xx", false),
            ("*", "\n", true),
        ];
        for (pattern, key, expected) in table {
            assert_eq!(glob(pattern).unwrap().is_match(key), expected, "{pattern} {key}");
        }
        assert!(glob("[a").is_err());
        assert!(glob("{a,b").is_err());
    }

    #[test]
    fn all_conditions_have_to_hold() {
        let object = Object {
            key: "a/b.log".to_owned(),
            size: 10,
            modified: "2024-01-01T00:00:00.500Z".to_owned(),
            ..Object::default()
        };
        let at = 1_704_067_200_500.0;
        let filter = |modified_before, min_size, suffix: &str| Filter {
            modified_before: Some(modified_before),
            min_size: Some(min_size),
            suffix: Some(suffix.to_owned()),
            ..Filter::default()
        };
        assert!(filter(at + 1.0, 10.0, ".log").admits(&object));
        assert!(!filter(at, 10.0, ".log").admits(&object));
        assert!(!filter(at + 1.0, 11.0, ".log").admits(&object));
        assert!(!filter(at + 1.0, 10.0, ".txt").admits(&object));
        let unknown = Object { modified: String::new(), ..object };
        assert!(!filter(f64::MAX, 0.0, "").admits(&unknown));
    }
}
