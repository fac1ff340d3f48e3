//! XML in both directions: a strict reader for requests and the writer of answers.

pub mod read;
pub mod write;

/// The namespace of S3's documents.
pub const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";

/// Whether XML 1.0 can carry the character at all, be it raw or as a reference.
fn is_xml_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}
