//! Documents as trees that can be changed and written in the ways that stores and their readers differ in.

use super::dice::Dice;
use super::mutation::Mutation;
use crate::xml::NAMESPACE;
use crate::xml::read::Element;
use crate::xml::write::escape;

impl Element {
    /// An element with text.
    pub fn leaf(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), text: text.to_owned(), children: Vec::new() }
    }

    /// An element of elements.
    pub fn of(name: &str, children: Vec<Element>) -> Self {
        Self { name: name.to_owned(), children, text: String::new() }
    }

    /// The first child of this name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The text of the first child of this name.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| &*child.text)
    }

    /// Gives all children of this name this text.
    pub fn set(&mut self, name: &str, text: &str) {
        for child in self.children.iter_mut().filter(|child| child.name == name) {
            text.clone_into(&mut child.text);
        }
    }

    /// Takes all children of this name away.
    pub fn drop_all(&mut self, name: &str) {
        self.children.retain(|child| child.name != name);
    }
}

/// Writes the document in the style of these mutations.
pub fn write(root: &Element, style: &[Mutation], dice: &mut Dice) -> String {
    let has = |mutation| style.contains(&mutation);
    let mut out = String::new();
    if has(Mutation::ByteOrderMark) {
        out.push('\u{FEFF}');
    }
    if dice.percent(80) {
        out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    }
    if has(Mutation::Doctype) {
        out.push_str(&format!("<!DOCTYPE {}>\n<!-- a > comment -->", root.name));
    }
    let writer = Writer {
        pretty: has(Mutation::Pretty),
        prefix: if has(Mutation::Namespaced) { "s3:" } else { "" },
        cdata: has(Mutation::Cdata),
        extra: has(Mutation::ExtraElements),
    };
    writer.write(root, 0, &mut out);
    out
}

struct Writer {
    pretty: bool,
    prefix: &'static str,
    cdata: bool,
    extra: bool,
}

impl Writer {
    fn write(&self, element: &Element, depth: usize, out: &mut String) {
        let Self { prefix, .. } = self;
        let name = &element.name;
        let namespace = match (depth, *prefix) {
            (0, "") => format!(" xmlns=\"{NAMESPACE}\""),
            (0, _) => format!(" xmlns:s3=\"{NAMESPACE}\""),
            _ => String::new(),
        };
        if element.children.is_empty() && element.text.is_empty() && self.pretty {
            out.push_str(&format!("<{prefix}{name}{namespace} />"));
            return;
        }
        out.push_str(&format!("<{prefix}{name}{namespace}>"));
        if element.children.is_empty() {
            // A CDATA section can't hold its own end, and a carriage return in it would become a line feed.
            if self.cdata && !element.text.contains("]]>") && element.text.chars().all(|c| c >= ' ')
            {
                out.push_str(&format!("<![CDATA[{}]]>", element.text));
            } else {
                escape(&element.text, out);
            }
        }
        for child in &element.children {
            self.new_line(depth + 1, out);
            self.write(child, depth + 1, out);
        }
        if !element.children.is_empty() {
            if self.extra {
                let extra = Element::of(
                    "Extra",
                    vec![Element::leaf("Note", "extra"), Element::leaf("Deeper", "")],
                );
                Writer { extra: false, ..*self }.write(&extra, depth + 1, out);
            }
            self.new_line(depth, out);
        }
        out.push_str(&format!("</{prefix}{name}>"));
    }

    fn new_line(&self, depth: usize, out: &mut String) {
        if self.pretty {
            out.push('\n');
            out.push_str(&"\t".repeat(depth));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml::read::parse;

    #[test]
    fn a_document_keeps_its_meaning_in_every_harmless_style() {
        let root = Element::of(
            "A",
            vec![Element::leaf("B", " x & <y> "), Element::of("C", vec![Element::leaf("D", "")])],
        );
        for style in [&[][..], &[Mutation::Pretty], &[Mutation::Cdata]] {
            let document = write(&root, style, &mut Dice::new(0, "", 0));
            let read = parse(document.as_bytes()).unwrap();
            assert_eq!(read.text_of("B"), Some(" x & <y> "), "{document}");
            assert_eq!(read.child("C").unwrap().text_of("D"), Some(""));
        }
        let document = write(&root, &[Mutation::Namespaced], &mut Dice::new(0, "", 0));
        assert!(document.contains("<s3:B> x &amp;") && document.ends_with("</s3:A>"), "{document}");
    }
}
