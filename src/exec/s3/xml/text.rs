//! What the words of a document mean: entities, booleans, and which texts a document can hold at all.

use std::borrow::Cow;

/// What is wrong with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// What a boolean of XML says: `true` or `1`, `false` or `0`, in any case, with blanks around it.
///
/// # Errors
///
/// Anything else, which is never to be taken for either.
pub fn boolean(text: &str) -> Result<bool, Malformed> {
    let text = text.trim();
    let is = |words: [&str; 2]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(["true", "1"]) {
        Ok(true)
    } else if is(["false", "0"]) {
        Ok(false)
    } else {
        Err(Malformed)
    }
}

/// Text of a document with its entities replaced by what they stand for.
pub fn unescape(raw: &str) -> Result<Cow<'_, str>, Malformed> {
    if memchr::memchr(b'&', raw.as_bytes()).is_none() {
        return Ok(Cow::Borrowed(raw));
    }
    let mut text = String::with_capacity(raw.len());
    let mut parts = raw.split('&');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (name, rest) = part.split_once(';').ok_or(Malformed)?;
        text.push(entity(name).ok_or(Malformed)?);
        text.push_str(rest);
    }
    Ok(Cow::Owned(text))
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let (digits, radix) =
                number.strip_prefix(['x', 'X']).map_or((number, 10), |hex| (hex, 16));
            // The standard library would take a sign as well.
            let code = digits
                .chars()
                .all(|char| char.is_digit(radix))
                .then(|| u32::from_str_radix(digits, radix));
            char::from_u32(code?.ok()?).filter(|char| *char != '\0')
        }
    }
}

/// Whether a document can hold this text and every reader gives it back as it is.
///
/// XML has no way to write most control characters, and careless readers trim blanks at the ends.
pub fn can_carry(text: &str) -> bool {
    let is_legal = |char: char| match char {
        '\t' | '\n' | '\r' => true,
        '\u{0}'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => false,
        _ => true,
    };
    let is_blank = |char: char| matches!(char, ' ' | '\t' | '\n' | '\r');
    text.chars().all(is_legal) && !text.starts_with(is_blank) && !text.ends_with(is_blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boolean_is_read_in_every_form_or_not_at_all() {
        for text in ["true", "TRUE", "True", "1", " true\n"] {
            assert_eq!(boolean(text), Ok(true), "{text}");
        }
        for text in ["false", "FALSE", "0", " False "] {
            assert_eq!(boolean(text), Ok(false), "{text}");
        }
        for text in ["", "yes", "tru", "01", "2", "truefalse"] {
            assert_eq!(boolean(text), Err(Malformed), "{text}");
        }
    }

    #[test]
    fn knows_what_a_document_can_carry() {
        for text in ["a", "a b", "a\tb", "a\r\nb", "a\u{7f}\u{85}", "😀", "<&>\"'", ""] {
            assert!(can_carry(text), "{text:?}");
        }
        for text in
            ["\0", "a\u{1}", "\u{1f}b", "\u{fffe}", "a\u{ffff}", " ", " a", "a ", "\ta", "a\n"]
        {
            assert!(!can_carry(text), "{text:?}");
        }
    }
}
