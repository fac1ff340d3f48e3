//! Reads the answers of S3: [listings](listing), with the [names](names) in them and the [question](question) that they answer,
//! results of [deletes](deletion), errors.
//!
//! A success status alone says little: the body may be an error document, or cut off. So every answer is read to its end,
//! and anything but the expected document is a [`Fault`].

mod deletion;
mod listing;
pub mod names;
mod question;

use super::fault::Fault;
use super::xml::{Malformed, Scanner, Token};

pub use deletion::{Deleted, Deletion, Single};
pub use listing::{Page, Place};
pub use question::{ListRequest, Listing};

/// What was answered, as bytes.
pub struct Answer<'a> {
    /// The status.
    pub status: u16,
    /// The header that a single delete answers with when it made a marker.
    pub made_marker: bool,
    /// The body.
    pub body: &'a [u8],
}

impl Fault {
    /// What a store told of its keys can't be trusted: `what` continues "The store".
    pub fn invalid_listing(what: &str) -> Self {
        Self::fatal("InvalidListing", format!("The store {what}"))
    }
}

impl Answer<'_> {
    fn expect<'s, T>(
        &'s self,
        roots: &[&[u8]],
        read: impl FnOnce(&mut Scanner<'s>) -> Result<T, Malformed>,
    ) -> Result<T, Fault> {
        if !(200..300).contains(&self.status) {
            return Err(self.fault());
        }
        let mut scanner = Scanner::new(self.body);
        let value = match scanner.token() {
            Ok(Some(Token::Open(root))) if roots.contains(&root) => read(&mut scanner),
            Ok(Some(Token::Open(b"Error"))) => return Err(self.fault()),
            _ => Err(Malformed),
        };
        value.map_err(|Malformed| {
            let message =
                format!("The answer (status {}) is cut off or no S3 document", self.status);
            Fault::passing("MalformedAnswer", message)
        })
    }

    /// The error that the body tells, as far as it does.
    fn fault(&self) -> Fault {
        let (code, message) = read_error(self.body).unwrap_or_default();
        if code.is_empty() && (200..300).contains(&self.status) {
            return Fault::passing(
                "MalformedAnswer",
                "The answer is an error that names no code".to_owned(),
            );
        }
        Fault::answered(self.status, &code, message)
    }
}

fn read_error(body: &[u8]) -> Result<(String, String), Malformed> {
    let mut scanner = Scanner::new(body);
    let (mut code, mut message) = (String::new(), String::new());
    // What was read before the document broke off is worth having.
    while let Ok(Some(token)) = scanner.token() {
        match token {
            Token::Open(b"Code") => code = scanner.text()?.into_owned(),
            Token::Open(b"Message") => message = scanner.text()?.into_owned(),
            _ => {}
        }
    }
    Ok((code, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::s3::fault::Kind;

    fn ok(body: &str) -> Answer<'_> {
        Answer { status: 200, made_marker: false, body: body.as_bytes() }
    }

    #[test]
    fn a_success_that_is_none_is_a_fault() {
        let table = [
            ("<Error><Code>SlowDown</Code></Error>", "SlowDown", Kind::Throttled),
            ("<Error><Code>InternalError</Code></Error>", "InternalError", Kind::Passing),
            ("<DeleteResult><Deleted><Key>a</Key>", "MalformedAnswer", Kind::Passing),
            ("<html></html>", "MalformedAnswer", Kind::Passing),
            ("<Error/>", "MalformedAnswer", Kind::Passing),
        ];
        for (body, code, kind) in table {
            for fault in [
                ok(body).deletion().unwrap_err(),
                ok(body).page(&ListRequest::default()).unwrap_err(),
            ] {
                assert_eq!((fault.code.as_str(), fault.kind), (code, kind), "{body}");
            }
        }
    }
}
