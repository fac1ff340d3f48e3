//! The one dialect of globs, for files and for keys of S3: a pattern becomes a regular expression that matches by characters.
//!
//! | pattern | is |
//! |---|---|
//! | `*` | any characters but a slash |
//! | `?` | one character but a slash |
//! | `**` | between slashes: any number of folders, or all that is below; elsewhere it is `*` in a path, and any characters in a key |
//! | `[a-z]`, `[!a]`, `[^a]`, `[[:digit:]]` | one character of a class, or one outside of it, but a slash |
//! | `{a,b}`, `{1..3}`, `{a..e}`, `{0..10..5}` | each of these in its turn; braces around neither are text |
//! | `@(a|b)`, `?(a)`, `*(a)`, `+(a)` | one of these; it or nothing; any number of times; at least once |
//! | `\` | takes its meaning from the next character |
//!
//! Whatever else other tools take for a pattern (`!x`, `!(a)`, a `|` outside of a group) is refused by its name, and never taken
//! for text. [`Names`] tells the few differences between paths and keys.

mod braces;
mod names;
mod segment;

use regex::Regex;

pub use names::{Names, SAY_DOT};
pub use segment::Segment;

/// The parts of all patterns without braces that `pattern` stands for.
///
/// # Errors
///
/// What is wrong with the pattern, without the pattern.
pub fn parse(pattern: &str, names: Names) -> Result<Vec<Vec<Segment>>, String> {
    if pattern.starts_with('!') && !pattern.starts_with("!(") {
        return Err(format!("it starts with '!': {}", names.instead_of_not()));
    }
    let alternatives = braces::expand(pattern)?;
    alternatives.iter().map(|path| segment::split(path, names)).collect()
}

/// What the whole of a path or a key is matched against.
pub fn whole(segments: &[Segment], names: Names) -> String {
    let mut regex = String::new();
    for (n, segment) in segments.iter().enumerate() {
        let is_last = n + 1 == segments.len();
        match segment {
            Segment::Globstar if is_last => regex.push_str(names.all_below()),
            Segment::Globstar => regex.push_str(names.folders()),
            Segment::Name(name) => {
                regex.push_str(name);
                if !is_last {
                    regex.push('/');
                }
            }
        }
    }
    regex
}

/// Compiles what matches one of these from its beginning to its end; without any, nothing matches.
///
/// # Errors
///
/// What is wrong with one of them.
pub fn compile(alternatives: &[String]) -> Result<Regex, String> {
    // A class that has nothing matches nothing.
    let all = if alternatives.is_empty() { "[a&&b]".to_owned() } else { alternatives.join("|") };
    Regex::new(&format!("(?s)\\A(?:{all})\\z")).map_err(|error| error.to_string())
}

/// What matches whole names of one pattern.
///
/// # Errors
///
/// What is wrong with the pattern, without the pattern.
pub fn one(pattern: &str, names: Names) -> Result<Regex, String> {
    let wholes: Vec<_> = parse(pattern, names)?.iter().map(|parts| whole(parts, names)).collect();
    compile(&wholes)
}

#[cfg(test)]
mod tests;
