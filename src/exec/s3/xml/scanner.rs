//! Reads a document from front to end, as the elements and the text in it.

use std::borrow::Cow;

use super::text::{Malformed, unescape};

/// Elements inside of each other; S3 needs five.
const DEEPEST: usize = 16;

/// The next thing in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// An element begins.
    Open(&'a [u8]),
    /// The innermost element ends.
    Close,
    /// Text as it stands there.
    Text(Text<'a>),
}

/// Text as it stands in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    raw: &'a [u8],
    /// It stands in a CDATA section, where `&` is nothing but itself.
    is_literal: bool,
}

/// Reads one document from front to end.
pub struct Scanner<'a> {
    rest: &'a [u8],
    /// The names of the elements that are open, as they stand in the document.
    open: Vec<&'a [u8]>,
    /// The element just begun was an empty one.
    is_empty: bool,
    started: bool,
}

impl<'a> Scanner<'a> {
    /// Begins to read `document`.
    pub fn new(document: &'a [u8]) -> Self {
        let rest = document.strip_prefix(b"\xef\xbb\xbf").unwrap_or(document);
        Self { rest, open: Vec::with_capacity(DEEPEST), is_empty: false, started: false }
    }

    /// The next token, or nothing when the outermost element has ended, and with it the document.
    pub fn token(&mut self) -> Result<Option<Token<'a>>, Malformed> {
        if self.is_empty {
            self.is_empty = false;
            self.open.pop();
            return Ok(Some(Token::Close));
        }
        loop {
            let is_inside = !self.open.is_empty();
            let Some(at) = memchr::memchr(b'<', self.rest) else {
                let is_whole = self.started && !is_inside && is_blank(self.rest);
                return if is_whole { Ok(None) } else { Err(Malformed) };
            };
            if at > 0 {
                let (raw, rest) = self.rest.split_at(at);
                self.rest = rest;
                if is_inside {
                    return Ok(Some(Token::Text(Text { raw, is_literal: false })));
                }
                if !is_blank(raw) {
                    return Err(Malformed);
                }
                continue;
            }
            match self.rest.get(1).ok_or(Malformed)? {
                b'/' => return self.close(),
                b'?' => is_readable(self.until(b"<?", b"?>")?)?,
                b'!' if self.rest.starts_with(b"<!--") => drop(self.until(b"<!--", b"-->")?),
                b'!' if is_inside => {
                    let raw = self.until(b"<![CDATA[", b"]]>")?;
                    return Ok(Some(Token::Text(Text { raw, is_literal: true })));
                }
                _ => return self.open(),
            }
        }
    }

    /// The name of the next element inside of the one just begun, or nothing when that one has ended. The caller reads each of
    /// them to its end, by [`text`](Self::text) for one. With the outermost element the document is read to its end as well.
    pub fn child(&mut self) -> Result<Option<&'a [u8]>, Malformed> {
        loop {
            match self.token()? {
                Some(Token::Open(name)) => return Ok(Some(name)),
                Some(Token::Text(_)) => {}
                Some(Token::Close) if self.open.is_empty() => {
                    return self.token()?.map_or(Ok(None), |_| Err(Malformed));
                }
                Some(Token::Close) | None => return Ok(None),
            }
        }
    }

    /// The text of the element just begun; elements inside are passed over.
    pub fn text(&mut self) -> Result<Cow<'a, str>, Malformed> {
        let depth = self.open.len();
        let mut text: Cow<'a, str> = Cow::Borrowed("");
        while let Some(token) = self.token()? {
            match token {
                Token::Text(raw) if self.open.len() == depth => {
                    let more = raw.read()?;
                    if text.is_empty() {
                        text = more;
                    } else {
                        text.to_mut().push_str(&more);
                    }
                }
                Token::Close if self.open.len() < depth => break,
                _ => {}
            }
        }
        Ok(text)
    }

    fn open(&mut self) -> Result<Option<Token<'a>>, Malformed> {
        if self.open.len() == DEEPEST || (self.started && self.open.is_empty()) {
            return Err(Malformed);
        }
        let end = end_of_tag(self.rest).ok_or(Malformed)?;
        let (tag, rest) = (&self.rest[1..end], &self.rest[end + 1..]);
        self.rest = rest;
        let (tag, is_empty) = tag.strip_suffix(b"/").map_or((tag, false), |tag| (tag, true));
        let name = tag.split(u8::is_ascii_whitespace).next().unwrap_or(tag);
        let is_name = |first: &u8| first.is_ascii_alphabetic() || *first == b'_' || *first >= 0x80;
        if !name.first().is_some_and(is_name) || memchr::memchr(b'<', tag).is_some() {
            return Err(Malformed);
        }
        self.open.push(name);
        (self.is_empty, self.started) = (is_empty, true);
        // A name may carry the prefix of a namespace.
        let local = memchr::memchr(b':', name).map_or(name, |at| &name[at + 1..]);
        Ok(Some(Token::Open(local)))
    }

    fn close(&mut self) -> Result<Option<Token<'a>>, Malformed> {
        let end = memchr::memchr(b'>', self.rest).ok_or(Malformed)?;
        let (name, rest) = (self.rest[2..end].trim_ascii_end(), &self.rest[end + 1..]);
        self.rest = rest;
        if self.open.pop() == Some(name) { Ok(Some(Token::Close)) } else { Err(Malformed) }
    }

    /// What stands between `from`, which comes next, and `to`; both are passed.
    fn until(&mut self, from: &[u8], to: &[u8]) -> Result<&'a [u8], Malformed> {
        let rest = self.rest.strip_prefix(from).ok_or(Malformed)?;
        let end = memchr::memmem::find(rest, to).ok_or(Malformed)?;
        self.rest = &rest[end + to.len()..];
        Ok(&rest[..end])
    }
}

impl<'a> Text<'a> {
    fn read(self) -> Result<Cow<'a, str>, Malformed> {
        let text = std::str::from_utf8(self.raw).map_err(|_| Malformed)?;
        if self.is_literal { Ok(Cow::Borrowed(text)) } else { unescape(text) }
    }
}

/// The place of the `>` that ends the tag at the beginning. One in the value of an attribute is none.
fn end_of_tag(rest: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr3(b'>', b'"', b'\'', &rest[from..])?;
        if rest[at] == b'>' {
            return Some(at);
        }
        from = at + 2 + memchr::memchr(rest[at], &rest[at + 1..])?;
    }
}

/// Refuses a declaration of another encoding than UTF-8, which every other would be taken for.
fn is_readable(instruction: &[u8]) -> Result<(), Malformed> {
    let Some(declaration) = instruction.strip_prefix(b"xml") else { return Ok(()) };
    let declaration = declaration.to_ascii_lowercase();
    let Some(at) = memchr::memmem::find(&declaration, b"encoding") else { return Ok(()) };
    let name = declaration[at + b"encoding".len()..].trim_ascii_start();
    let name = name.strip_prefix(b"=").ok_or(Malformed)?.trim_ascii_start();
    let (quote, name) = name.split_first().ok_or(Malformed)?;
    let name = name.split(|byte| byte == quote).next().unwrap_or(name);
    if [b"utf-8".as_slice(), b"utf8", b"us-ascii"].contains(&name) {
        Ok(())
    } else {
        Err(Malformed)
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_whitespace)
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
            (
                "<?xml version='1.0' encoding='UTF-8'?>\n<a>\n  <Key>b</Key>\n</a>\n<!-- end -->\n",
                "b",
            ),
            ("<a><Key>&lt;&amp;amp;&gt;&quot;&apos;&#10;&#x1F600;</Key></a>", "<&amp;>\"'\n😀"),
            ("<a xmlns='urn:x'><Key a='1'>é</Key ></a>", "é"),
            ("<a b='>' c=\"'/>\"><Key d='/'>1</Key></a>", "1"),
            ("<x:a><x:Key>1</x:Key></x:a>", "1"),
            ("<a><Key>1<!-- > -->2</Key></a>", "12"),
            ("<a><Key>1<![CDATA[<&amp;>]]>2</Key></a>", "1<&amp;>2"),
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
    }

    #[test]
    fn what_is_not_well_formed_is_refused() {
        let deep = format!("{}<Key>1</Key>{}", "<a>".repeat(40), "</a>".repeat(40));
        let documents = [
            "",
            "gateway",
            "<a><Key>&nbsp;</Key></a>",
            "<a><Key>&#xD800;</Key></a>",
            "<a><Key>&#0;</Key></a>",
            "<a><Key>&#+65;</Key></a>",
            "<a><Key>1 & 2</Key></a>",
            "<!DOCTYPE a><a><Key>1</Key></a>",
            "<a><!ENTITY x 'y'><Key>1</Key></a>",
            "<?xml version='1.0' encoding='ISO-8859-1'?><a><Key>1</Key></a>",
            "<?xml version='1.0' encoding=\"utf-16\"?><a><Key>1</Key></a>",
            "<a><Key>1</Kex></a>",
            "<a><Key>1</a></Key>",
            "<a><Key>1</Key></a></a>",
            "<a><Key>1</Key></a><b/>",
            "<a><Key>1</Key></a> garbage",
            "garbage <a><Key>1</Key></a>",
            "<a><Key>1<</Key></a>",
            "<a>< b/><Key>1</Key></a>",
            "<a><b c='1><Key>1</Key></a>",
            &deep,
        ];
        for document in documents {
            assert_eq!(leaf(document), Err(Malformed), "{document}");
        }
        let wide: Vec<u8> =
            "<a><Key>1</Key></a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(Scanner::new(&wide).token(), Err(Malformed));
        assert_eq!(Scanner::new(b"\xff\xfe<\0a\0>\0").token(), Err(Malformed));
    }
}
