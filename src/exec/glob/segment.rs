//! What stands between two slashes of a pattern without braces, as part of a regular expression.

use super::braces::class_end;
use super::names::{Names, SAY_DOT};

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// `**`: any number of folders, or all that is below.
    Globstar,
    /// One name, or of a key with `**` in it several, as a regular expression.
    Name(String),
}

/// The parts of a pattern.
///
/// # Errors
///
/// What is not supported.
pub fn split(pattern: &str, names: Names) -> Result<Vec<Segment>, String> {
    let mut segments = Vec::new();
    for text in pattern.split('/') {
        let segment = match text {
            "" | "." | ".." if names == Names::Paths => {
                return Err(format!("a part of it is '{text}', which no listed path has"));
            }
            "**" => Segment::Globstar,
            _ => Segment::Name(Translation::of(text, names)?),
        };
        // Any number of any number of folders is any number of folders.
        if segment != Segment::Globstar || segments.last() != Some(&segment) {
            segments.push(segment);
        }
    }
    Ok(segments)
}

struct Translation<'a> {
    rest: &'a str,
    names: Names,
    regex: String,
    /// What the groups that are open end with.
    groups: Vec<&'static str>,
}

impl<'a> Translation<'a> {
    fn of(text: &'a str, names: Names) -> Result<String, String> {
        let mut translation = Self { rest: text, names, regex: String::new(), groups: Vec::new() };
        // Whether what comes next is the beginning of the name.
        let mut is_first = true;
        while let Some(char) = translation.next() {
            is_first = translation.add(char, is_first)?;
        }
        if translation.groups.is_empty() {
            Ok(translation.regex)
        } else {
            Err("a '(' is not closed before the next '/'".to_owned())
        }
    }

    fn next(&mut self) -> Option<char> {
        let char = self.rest.chars().next()?;
        self.rest = &self.rest[char.len_utf8()..];
        Some(char)
    }

    /// Adds what `char` and what belongs to it mean; whether the beginning of the name still is to come.
    fn add(&mut self, char: char, is_first: bool) -> Result<bool, String> {
        match char {
            '!' if self.rest.starts_with('(') => {
                return Err(format!("'!(...)' is not supported: {}", self.names.instead_of_not()));
            }
            '@' | '?' | '*' | '+' if self.rest.starts_with('(') => {
                self.next();
                self.regex.push_str("(?:");
                self.groups.push(match char {
                    '@' => ")",
                    '?' => ")?",
                    '*' => ")*",
                    _ => ")+",
                });
                return Ok(is_first);
            }
            '|' if !self.groups.is_empty() => {
                self.regex.push('|');
                // The group may stand at the beginning; a dot that must be said is there only then.
                return Ok(true);
            }
            ')' if !self.groups.is_empty() => {
                self.regex.push_str(self.groups.pop().unwrap_or_default());
            }
            '|' => {
                return Err(
                    "a '|' outside of a group such as '@(a|b)'; as text it is '\\|'".to_owned()
                );
            }
            '(' if !self.groups.is_empty() => {
                return Err("a '(' in a group; as text it is '\\('".to_owned());
            }
            '*' => {
                let rest = self.skip_stars();
                let is_single = rest.len() == self.rest.len();
                self.rest = rest;
                self.regex.push_str(self.names.stars(is_single));
            }
            '?' => self.regex.push_str(self.names.one()),
            '[' => self.class()?,
            '\\' => {
                let char = self.next().ok_or("there is nothing after its last '\\'")?;
                self.literal(char, is_first);
            }
            char => self.literal(char, is_first),
        }
        Ok(false)
    }

    /// More stars mean no more, but the last may begin a group.
    fn skip_stars(&self) -> &'a str {
        let rest = self.rest.trim_start_matches('*');
        if rest.starts_with('(') && rest.len() < self.rest.len() {
            &self.rest[self.rest.len() - rest.len() - 1..]
        } else {
            rest
        }
    }

    fn literal(&mut self, char: char, is_first: bool) {
        if char == '.' && is_first && self.names == Names::Paths {
            self.regex.push(SAY_DOT);
            self.regex.push('?');
        }
        self.regex.push_str(&regex::escape(char.encode_utf8(&mut [0; 4])));
    }

    /// Its bracket was taken.
    fn class(&mut self) -> Result<(), String> {
        let text = format!("[{}", self.rest);
        let end = class_end(&text)
            .ok_or("a [ is not closed before the next '/'; '[' as text is '\\['")?;
        let mut inner = &text[1..end];
        self.rest = &self.rest[end..];
        let negated = inner.strip_prefix(['!', '^']);
        inner = negated.unwrap_or(inner);
        self.regex.push_str(if negated.is_some() { "[^" } else { "[[" });
        let start = self.regex.len();
        let mut is_range = false;
        while let Some(char) = inner.chars().next() {
            if inner.starts_with("[:")
                && let Some(named) = inner.find(":]")
            {
                self.regex.push_str(&inner[..named + 2]);
                inner = &inner[named + 2..];
                continue;
            }
            inner = &inner[char.len_utf8()..];
            let is_between =
                char == '-' && self.regex.len() > start && !inner.is_empty() && !is_range;
            if is_between {
                self.regex.push('-');
                is_range = true;
                continue;
            }
            is_range = false;
            let char = match char {
                '\\' => {
                    let escaped =
                        inner.chars().next().ok_or("a '\\' in its '[...]' escapes nothing")?;
                    inner = &inner[escaped.len_utf8()..];
                    escaped
                }
                char => char,
            };
            // Nothing in a class of a glob has the meaning that it has in a class of a regular expression.
            if char.is_ascii_punctuation() {
                self.regex.push('\\');
            }
            self.regex.push(char);
        }
        // A class matches nothing that a `?` does not match, such as a slash.
        let never = self.names.never();
        self.regex.push_str(&match negated {
            Some(_) => format!("{never}]"),
            None => format!("]&&[^{never}]]"),
        });
        Ok(())
    }
}
