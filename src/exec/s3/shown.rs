//! How errors and URLs are shown in the message of a fault.

use std::error::Error;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_its_user() {
        assert_eq!(without_user("http://u:p@ss@h/x"), "http://...@h/x");
        assert_eq!(without_user("http://h/x"), "http://h/x");
    }
}
