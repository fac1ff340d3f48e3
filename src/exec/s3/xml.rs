//! A scanner for the small XML that S3 answers with.
//!
//! It reads elements and text and nothing else, borrows whatever it can, and never trims: a key may consist of blanks. A
//! document that is cut off or malformed anywhere is an error, because it says nothing reliable.

use std::borrow::Cow;

/// What is wrong with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// The next thing in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// An element begins.
    Open(&'a [u8]),
    /// The innermost element ends.
    Close,
    /// Text as it stands there.
    Text(&'a [u8]),
}

/// Reads one document from front to end.
pub struct Scanner<'a> {
    rest: &'a [u8],
    depth: usize,
    /// The element just begun was an empty one.
    is_empty: bool,
    started: bool,
}

impl<'a> Scanner<'a> {
    /// Begins to read `document`.
    pub fn new(document: &'a [u8]) -> Self {
        let rest = document.strip_prefix(b"\xef\xbb\xbf").unwrap_or(document);
        Self { rest, depth: 0, is_empty: false, started: false }
    }

    /// The next token, or nothing when the outermost element has ended.
    pub fn token(&mut self) -> Result<Option<Token<'a>>, Malformed> {
        if self.is_empty {
            self.is_empty = false;
            return self.close();
        }
        loop {
            if self.depth == 0 && self.started {
                return Ok(None);
            }
            let at = memchr::memchr(b'<', self.rest).ok_or(Malformed)?;
            if at > 0 {
                let (text, rest) = self.rest.split_at(at);
                self.rest = rest;
                if self.depth > 0 {
                    return Ok(Some(Token::Text(text)));
                }
                continue;
            }
            if self.skip(b"<?", b"?>")? || self.skip(b"<!--", b"-->")? {
                continue;
            }
            let end = memchr::memchr(b'>', self.rest).ok_or(Malformed)?;
            let (tag, rest) = (&self.rest[1..end], &self.rest[end + 1..]);
            self.rest = rest;
            match tag {
                [b'!', ..] if self.depth == 0 => continue,
                [] | [b'!', ..] => return Err(Malformed),
                [b'/', ..] => return self.close(),
                [name @ .., b'/'] => {
                    self.is_empty = true;
                    return self.open(name);
                }
                name => return self.open(name),
            }
        }
    }

    /// The text of the element just begun; elements inside are passed over.
    pub fn text(&mut self) -> Result<Cow<'a, str>, Malformed> {
        let depth = self.depth;
        let mut text: Cow<'a, str> = Cow::Borrowed("");
        while let Some(token) = self.token()? {
            match token {
                Token::Text(raw) if self.depth == depth => {
                    let more = unescape(raw)?;
                    if text.is_empty() {
                        text = more;
                    } else {
                        text.to_mut().push_str(&more);
                    }
                }
                Token::Close if self.depth < depth => break,
                _ => {}
            }
        }
        Ok(text)
    }

    fn open(&mut self, tag: &'a [u8]) -> Result<Option<Token<'a>>, Malformed> {
        let name = tag.split(u8::is_ascii_whitespace).next().unwrap_or(tag);
        // A name may carry the prefix of a namespace.
        let name = memchr::memchr(b':', name).map_or(name, |at| &name[at + 1..]);
        self.depth += 1;
        self.started = true;
        Ok(Some(Token::Open(name)))
    }

    fn close(&mut self) -> Result<Option<Token<'a>>, Malformed> {
        self.depth = self.depth.checked_sub(1).ok_or(Malformed)?;
        Ok(Some(Token::Close))
    }

    fn skip(&mut self, from: &[u8], to: &[u8]) -> Result<bool, Malformed> {
        if !self.rest.starts_with(from) {
            return Ok(false);
        }
        let end = memchr::memmem::find(self.rest, to).ok_or(Malformed)?;
        self.rest = &self.rest[end + to.len()..];
        Ok(true)
    }
}

fn unescape(raw: &[u8]) -> Result<Cow<'_, str>, Malformed> {
    let raw = std::str::from_utf8(raw).map_err(|_| Malformed)?;
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
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

/// A boolean of XML, in any case.
pub fn boolean(text: &str) -> Result<bool, Malformed> {
    let text = text.trim();
    if text == "1" || text.eq_ignore_ascii_case("true") {
        Ok(true)
    } else if text == "0" || text.eq_ignore_ascii_case("false") {
        Ok(false)
    } else {
        Err(Malformed)
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

    fn leaf(document: &str) -> Result<String, Malformed> {
        let mut scanner = Scanner::new(document.as_bytes());
        while let Some(token) = scanner.token()? {
            if token == Token::Open(b"Key") {
                let text = scanner.text()?.into_owned();
                while scanner.token()?.is_some() {}
                return Ok(text);
            }
        }
        Err(Malformed)
    }

    #[test]
    fn text_comes_as_it_is() {
        let table = [
            ("<a><Key> x </Key></a>", " x "),
            ("<a><Key>\n</Key></a>", "\n"),
            ("<a><Key/></a>", ""),
            ("<?xml version='1.0'?>\n<!DOCTYPE a><a>\n  <Key>b</Key>\n</a>\n", "b"),
            ("<a><Key>&lt;&amp;amp;&gt;&quot;&apos;&#10;&#x1F600;</Key></a>", "<&amp;>\"'\n😀"),
            ("<a xmlns='urn:x'><Key a='1'>é</Key></a>", "é"),
            ("<x:a><x:Key>1</x:Key></x:a>", "1"),
            ("<a><Key>1<!-- > -->2</Key></a>", "12"),
            ("\u{feff}<a><Key>1</Key></a>", "1"),
        ];
        for (document, text) in table {
            assert_eq!(leaf(document).as_deref(), Ok(text), "{document}");
        }
    }

    #[test]
    fn every_document_that_is_cut_off_is_malformed() {
        let whole = "<?xml version='1.0'?><a><b><Key>1&amp;</Key></b><c/></a>";
        for end in 0..whole.len() {
            assert_eq!(leaf(&whole[..end]), Err(Malformed), "{}", &whole[..end]);
        }
        for document in ["", "gateway", "<a><Key>&nbsp;</Key></a>", "<a><Key>&#xD800;</Key></a>"] {
            assert_eq!(leaf(document), Err(Malformed), "{document}");
        }
    }

    #[test]
    fn booleans_come_in_any_case_and_as_digits() {
        for text in ["true", "True", "TRUE", " true\n", "1"] {
            assert_eq!(boolean(text), Ok(true), "{text:?}");
        }
        for text in ["false", "False", "FALSE", "0"] {
            assert_eq!(boolean(text), Ok(false), "{text:?}");
        }
        for text in ["", "yes", "2", "truee"] {
            assert_eq!(boolean(text), Err(Malformed), "{text:?}");
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
