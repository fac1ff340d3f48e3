//! Writes an answer's XML document the way S3 does.
//!
//! Characters that XML 1.0 can't carry come out as numeric references (`&#x1;`), which is what S3 sends for such keys
//! when the listing does not ask for url encoding: not well-formed, and strict parsers choke on it.

use std::fmt::Write;

use super::{NAMESPACE, is_xml_char};

/// A document under construction.
pub struct Xml {
    out: String,
    open: Vec<&'static str>,
    pretty: bool,
    /// Whether the innermost open element has a child, so that its end tag goes on a line of its own.
    has_child: bool,
}

impl Xml {
    /// Begins a document in S3's namespace.
    pub fn new(root: &'static str, pretty: bool) -> Self {
        Self::begin(root, &format!(" xmlns=\"{NAMESPACE}\""), pretty)
    }

    /// Begins an error document, which has no namespace.
    pub fn new_error(pretty: bool) -> Self {
        Self::begin("Error", "", pretty)
    }

    fn begin(root: &'static str, attributes: &str, pretty: bool) -> Self {
        let out = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{root}{attributes}>");
        Self { out, open: vec![root], pretty, has_child: false }
    }

    /// Begins an element.
    pub fn open(&mut self, name: &'static str) -> &mut Self {
        self.new_line();
        write!(self.out, "<{name}>").expect("a string takes all writes");
        self.open.push(name);
        self.has_child = false;
        self
    }

    /// Ends the innermost open element.
    pub fn close(&mut self) -> &mut Self {
        let name = self.open.pop().expect("an element is open");
        if self.has_child {
            self.new_line();
        }
        write!(self.out, "</{name}>").expect("a string takes all writes");
        self.has_child = true;
        self
    }

    /// An element with text.
    pub fn leaf(&mut self, name: &'static str, text: &str) -> &mut Self {
        self.new_line();
        write!(self.out, "<{name}>").expect("a string takes all writes");
        escape(text, &mut self.out);
        write!(self.out, "</{name}>").expect("a string takes all writes");
        self.has_child = true;
        self
    }

    /// An element with text, when there is a text.
    pub fn maybe(&mut self, name: &'static str, text: Option<&str>) -> &mut Self {
        if let Some(text) = text {
            self.leaf(name, text);
        }
        self
    }

    /// Ends all open elements and gives the document out.
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }

    fn new_line(&mut self) {
        if self.pretty {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("  ", self.open.len()));
        }
    }
}

/// Writes text as XML.
pub fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Raw, a parser would turn it into a line feed.
            '\r' => out.push_str("&#13;"),
            c if is_xml_char(c) => out.push(c),
            c => write!(out, "&#x{:x};", u32::from(c)).expect("a string takes all writes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_and_pretty() {
        let write = |pretty| {
            let mut xml = Xml::new_error(pretty);
            xml.leaf("Code", "a<b")
                .open("X")
                .leaf("Y", " ")
                .close()
                .open("Z")
                .close()
                .maybe("N", None);
            xml.finish()
        };
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        assert_eq!(
            write(false),
            format!("{head}<Error><Code>a&lt;b</Code><X><Y> </Y></X><Z></Z></Error>")
        );
        assert_eq!(
            write(true),
            format!(
                "{head}<Error>\n  <Code>a&lt;b</Code>\n  <X>\n    <Y> </Y>\n  </X>\n  <Z></Z>\n</Error>"
            )
        );
    }

    #[test]
    fn odd_characters() {
        let mut out = String::new();
        escape("\u{0}\u{1}\t\n\r&<>\"'\u{7f}\u{ffff}é😀", &mut out);
        assert_eq!(out, "&#x0;&#x1;\t\n&#13;&amp;&lt;&gt;&quot;'\u{7f}&#xffff;é😀");
    }
}
