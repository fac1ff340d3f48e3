//! Reads the answers of S3: [listings](listing), with the [names](names) in them and the [question](question) that they answer,
//! results of [deletes](deletion), errors.
//!
//! A success status alone says little: the body may be an error document, or cut off. So every answer is read to its end,
//! and anything but the expected document is a [`Fault`].

mod deletion;
mod document;
mod listing;
pub mod names;
mod page;
mod question;
pub mod undeclared;

pub use deletion::{Deleted, Deletion, Single};
pub use document::Answer;
pub use page::{ListRequest, Listing, Page, Place};

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
