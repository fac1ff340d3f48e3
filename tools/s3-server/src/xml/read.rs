//! Reads a request's XML document strictly: what is not well-formed XML 1.0 is refused, and so is a document type.
//!
//! quick-xml splits the document into events and checks names of end tags, comments and references. The rest of
//! well-formedness that it leaves to its caller is checked here: one root, nothing unclosed, no text beside elements,
//! and only characters that XML 1.0 allows (so `&#x1;` is refused, and a key that holds it can't be sent in XML).

use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};

use super::{NAMESPACE, is_xml_char};
use crate::error::{S3Error, S3Result};

/// An element with either children or text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    pub name: String,
    pub children: Vec<Element>,
    pub text: String,
}

impl Element {
    /// The text of an element that may hold nothing else.
    pub fn leaf_text(&self) -> S3Result<&str> {
        if self.children.is_empty() { Ok(&self.text) } else { Err(S3Error::malformed_xml()) }
    }
}

/// The root element of the document. Any fault is MalformedXML.
pub fn parse(document: &[u8]) -> S3Result<Element> {
    let document = std::str::from_utf8(document).map_err(|_| S3Error::malformed_xml())?;
    let document = document.strip_prefix('\u{FEFF}').unwrap_or(document);
    read_root(document).ok_or_else(S3Error::malformed_xml)
}

/// The root, or nothing when the document is not well-formed.
fn read_root(document: &str) -> Option<Element> {
    let mut reader = Reader::from_str(document);
    reader.config_mut().enable_all_checks(true);
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    let mut at_start = true;
    loop {
        match reader.read_event().ok()? {
            Event::Decl(_) if at_start => {}
            Event::Start(tag) if root.is_none() => open.push(start(&tag, open.is_empty())?),
            Event::Empty(tag) if root.is_none() => {
                let element = start(&tag, open.is_empty())?;
                close(element, &mut open, &mut root)?;
            }
            Event::End(_) => {
                let element = open.pop()?;
                close(element, &mut open, &mut root)?;
            }
            Event::Text(text) => {
                // Only the characters themselves tell a forbidden end of CDATA.
                let text = text.xml10_content();
                (!text.contains("]]>")).then_some(())?;
                add_text(&text, &mut open)?;
            }
            Event::CData(text) if !open.is_empty() => add_text(&text.xml10_content(), &mut open)?,
            Event::GeneralRef(reference) => {
                let mut buffer = [0; 4];
                let text = match reference.resolve_char_ref().ok()? {
                    Some(c) => &*c.encode_utf8(&mut buffer),
                    None => resolve_xml_entity(&reference)?,
                };
                open.last()?;
                add_text(text, &mut open)?;
            }
            Event::Comment(_) | Event::PI(_) => {}
            Event::Eof if open.is_empty() => return root,
            _ => return None,
        }
        at_start = false;
    }
}

fn start(tag: &BytesStart, is_root: bool) -> Option<Element> {
    for attribute in tag.attributes() {
        let attribute = attribute.ok()?;
        // S3 knows no attribute but the namespace of the root.
        let known =
            is_root && attribute.key.as_ref() == "xmlns" && attribute.value.as_ref() == NAMESPACE;
        known.then_some(())?;
    }
    Some(Element { name: tag.name().as_ref().to_owned(), ..Element::default() })
}

fn close(element: Element, open: &mut [Element], root: &mut Option<Element>) -> Option<()> {
    let has_both = !element.children.is_empty() && !is_blank(&element.text);
    (!has_both).then_some(())?;
    match open.last_mut() {
        Some(parent) => parent.children.push(element),
        None => *root = Some(element),
    }
    Some(())
}

fn add_text(text: &str, open: &mut [Element]) -> Option<()> {
    text.chars().all(is_xml_char).then_some(())?;
    match open.last_mut() {
        Some(element) => element.text.push_str(text),
        None => is_blank(text).then_some(())?,
    }
    Some(())
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(document: &str) -> String {
        parse(document.as_bytes()).unwrap().text
    }

    #[test]
    fn reads_nested_elements() {
        let root = parse(
            format!("<?xml version=\"1.0\"?>\n<A xmlns=\"{NAMESPACE}\">\n <B>x</B><!-- y --><C/>\n</A>\n").as_bytes(),
        );
        let root = root.unwrap();
        let names: Vec<_> =
            root.children.iter().map(|child| (&*child.name, &*child.text)).collect();
        assert_eq!((&*root.name, names), ("A", vec![("B", "x"), ("C", "")]));
    }

    #[test]
    fn text_is_kept_exactly() {
        assert_eq!(text_of("<A> a\t</A>"), " a\t");
        assert_eq!(text_of("<A>&lt;&amp;&gt;&quot;&apos;</A>"), "<&>\"'");
        assert_eq!(text_of("<A>&#13;&#x0A;&#x1F600;é</A>"), "\r\n\u{1F600}é");
        assert_eq!(text_of("<A><![CDATA[<a> & b]]></A>"), "<a> & b");
        assert_eq!(text_of("<A>a\r\nb\rc</A>"), "a\nb\nc", "raw line ends become line feeds");
    }

    #[test]
    fn what_is_not_well_formed_is_refused() {
        for bad in [
            "",
            "text",
            "<A>",
            "<A></B>",
            "<A></A><B></B>",
            "<A></A>text",
            "<A/><A/>",
            "text<A></A>",
            "<A>&#x1;</A>",
            "<A>\u{1}</A>",
            "<A>&#xFFFF;</A>",
            "<A>\u{FFFF}</A>",
            "<A>&#xD800;</A>",
            "<A>&nbsp;</A>",
            "<A>a & b</A>",
            "<A>a < b</A>",
            "<A>]]></A>",
            "<A x=\"1\"></A>",
            "<A xmlns=\"urn:other\"></A>",
            "<A><B>x</B>text</A>",
            "<!DOCTYPE A [<!ENTITY e \"x\">]><A>&e;</A>",
            "<A><!-- a -- b --></A>",
            " <?xml version=\"1.0\"?><A></A>",
            "<A></A>&#32;",
        ] {
            assert_eq!(
                parse(bad.as_bytes()).map_err(|e| e.code),
                Err("MalformedXML".into()),
                "{bad:?}"
            );
        }
        assert!(parse(b"<A>\xff</A>").is_err());
    }
}
