//! How errors, URLs and bodies of answers are shown in the message of a fault.

use std::error::Error;

/// How many characters of a text a message shows.
pub const SHOWN: usize = 120;

/// An error with all that caused it, in one line.
pub fn chain(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.ends_with(&text) {
            message.push_str(": ");
            message.push_str(&text);
        }
        cause = error.source();
    }
    message
}

/// A URL as an error may show it.
pub fn without_user(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((before, host)) => {
            let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
            format!("{scheme}://...@{host}")
        }
        None => text.to_owned(),
    }
}

/// A URL without its query, which may hold a signature, and without a user.
pub fn shown_url(text: &str) -> String {
    let bare = text.split(['?', '#']).next().unwrap_or_default();
    words(&without_user(bare))
}

/// The text between tags, without what scripts and styles hold.
pub fn without_tags(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        text.push(' ');
        let lower = after.get(..6).unwrap_or_default().to_ascii_lowercase();
        let end = match lower.as_str() {
            "script" => "</script",
            name if name.starts_with("style") => "</style",
            _ => "",
        };
        let behind = match (end.is_empty(), after.to_ascii_lowercase().find(end)) {
            // Lowering ASCII letters moves no byte.
            (false, Some(at)) => &after[at..],
            (false, None) => "",
            (true, _) => after,
        };
        rest = behind.split_once('>').map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    text
}

/// The first words, on one line and without what can't be printed.
pub fn words(text: &str) -> String {
    let clean = text.split(|char: char| char.is_whitespace() || char.is_control());
    let joined = clean.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if joined.chars().count() <= SHOWN {
        return joined;
    }
    joined.chars().take(SHOWN).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_its_user() {
        assert_eq!(without_user("http://u:p@ss@h/x"), "http://...@h/x");
        assert_eq!(without_user("http://h/x"), "http://h/x");
    }
}
