//! Reads what a delete did.
//!
//! A store has to name what it deleted. A key that the answer does not name is not known to be deleted.

use super::document::Answer;
use crate::exec::s3::fault::Fault;
use crate::exec::s3::xml::{Malformed, Scanner, boolean};

/// What a multi-delete did, as far as the answer says.
#[derive(Debug, Default, PartialEq)]
pub struct Deletion {
    /// What was deleted.
    pub deleted: Vec<Deleted>,
    /// What failed: key, version, fault.
    pub failed: Vec<(String, Option<String>, Fault)>,
    /// A fault that names no key, so that it may be about any of them.
    pub unnamed: Option<Fault>,
}

/// An object that an answer says was deleted.
#[derive(Debug, PartialEq)]
pub struct Deleted {
    /// The key.
    pub key: String,
    /// The version, if the answer names one.
    pub version: Option<String>,
    /// Whether the delete made a delete marker. An entry for a marker that was deleted by its version says the same.
    pub made_marker: bool,
}

/// What a single delete did.
#[derive(Debug, PartialEq)]
pub enum Single {
    /// The object is deleted.
    Deleted {
        /// Whether there is a delete marker now.
        made_marker: bool,
    },
    /// Something was not found, and the answer does not say whether that is the object or the bucket.
    NotFound(Fault),
}

/// The names of the outermost element; some stores have names of their own for it.
const ROOTS: [&[u8]; 3] = [b"DeleteResult", b"DeleteObjectsResult", b"DeleteObjectsOutput"];

impl Answer<'_> {
    /// The result of a multi-delete.
    ///
    /// # Errors
    ///
    /// The fault that was answered; [`Fault::not_confirmed`] for a success without a document; a passing fault for a
    /// document that says nothing of a delete.
    pub fn deletion(&self) -> Result<Deletion, Fault> {
        if (200..300).contains(&self.status) && self.body.trim_ascii().is_empty() {
            return Err(Fault::not_confirmed("the answer to the request is empty"));
        }
        match self.root() {
            Some(root) if ROOTS.contains(&root) || root == b"Error" => {
                self.expect(&ROOTS, read_deletion)
            }
            // A document of another name is one of a delete if there are entries of a delete in it.
            Some(root) => {
                let deletion = self.expect(&[root], read_deletion)?;
                let is_empty = deletion.deleted.is_empty() && deletion.failed.is_empty();
                let is_named_so =
                    root.get(..6).is_some_and(|name| name.eq_ignore_ascii_case(b"Delete"));
                match (is_empty, is_named_so) {
                    (false, _) => Ok(deletion),
                    (true, true) => Err(Fault::not_confirmed("the answer to the request is empty")),
                    (true, false) => self.expect(&ROOTS, read_deletion),
                }
            }
            None => self.expect(&ROOTS, read_deletion),
        }
    }

    /// The result of a single delete, of a version or not.
    ///
    /// # Errors
    ///
    /// The fault that was answered; [`Fault::not_confirmed`] for a success with a document that is no error.
    pub fn single(&self, of_version: bool) -> Result<Single, Fault> {
        let is_empty = self.body.trim_ascii().is_empty();
        match self.status {
            200..=299 if is_empty => {
                // After the delete of a version, the header says that the version was a marker.
                Ok(Single::Deleted { made_marker: self.made_marker && !of_version })
            }
            200..=299 if self.root() != Some(b"Error") => Err(Fault::not_confirmed(
                "the answer to the request has a document of another kind",
            )),
            404 | 410 if is_empty => Ok(Single::NotFound(self.fault())),
            // What does not exist need not be deleted. A missing bucket is told by a code of its own.
            404 | 410 if self.fault().says_deleted() => Ok(Single::Deleted { made_marker: false }),
            _ => Err(self.fault()),
        }
    }
}

fn read_deletion(scanner: &mut Scanner<'_>) -> Result<Deletion, Malformed> {
    let mut deletion = Deletion::default();
    while let Some(name) = scanner.child()? {
        match name {
            b"Deleted" => {
                let Fields { key, version, made_marker, .. } = read_fields(scanner)?;
                // An entry that can't be read confirms nothing.
                if let (Some(key), Ok(made_marker)) = (key, made_marker) {
                    deletion.deleted.push(Deleted { key, version, made_marker });
                }
            }
            b"Error" => {
                let Fields { key, version, code, message, .. } = read_fields(scanner)?;
                let fault = Fault::of_key(&code, message);
                match key {
                    Some(key) => deletion.failed.push((key, version, fault)),
                    None => deletion.unnamed = Some(fault),
                }
            }
            _ => drop(scanner.text()?),
        }
    }
    Ok(deletion)
}

struct Fields {
    key: Option<String>,
    version: Option<String>,
    code: String,
    message: String,
    made_marker: Result<bool, Malformed>,
}

fn read_fields(scanner: &mut Scanner<'_>) -> Result<Fields, Malformed> {
    let mut fields = Fields {
        key: None,
        version: None,
        code: String::new(),
        message: String::new(),
        made_marker: Ok(false),
    };
    while let Some(element) = scanner.child()? {
        // An empty key or version names nothing.
        let mut name = || Ok(Some(scanner.text()?.into_owned()).filter(|name| !name.is_empty()));
        match element {
            b"Key" => fields.key = name()?,
            b"VersionId" => fields.version = name()?,
            b"Code" => fields.code = scanner.text()?.into_owned(),
            b"Message" => fields.message = scanner.text()?.into_owned(),
            b"DeleteMarker" => fields.made_marker = boolean(&scanner.text()?),
            _ => drop(scanner.text()?),
        }
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::s3::fault::Kind;

    fn ok(body: &str) -> Answer<'_> {
        Answer { status: 200, made_marker: false, body: body.as_bytes() }
    }

    fn deleted(key: &str, version: Option<&str>, made_marker: bool) -> Deleted {
        Deleted { key: key.to_owned(), version: version.map(str::to_owned), made_marker }
    }

    #[test]
    fn a_deletion_names_what_was_deleted_and_what_was_not() {
        let body = "<DeleteResult><Deleted><Key>a</Key></Deleted>
            <Deleted><Key>b</Key><DeleteMarker>true</DeleteMarker><DeleteMarkerVersionId>1</DeleteMarkerVersionId></Deleted>
            <Deleted><Key>c</Key><VersionId>2</VersionId><DeleteMarker>TRUE</DeleteMarker></Deleted>
            <Deleted><Key></Key></Deleted><Deleted/>
            <Deleted><Key>d</Key><VersionId/><DeleteMarker>perhaps</DeleteMarker></Deleted>
            <Error><Key> &amp; </Key><VersionId>3</VersionId><Code>AccessDenied</Code><Message>no</Message></Error>
            <Error><Key/><Code>InternalError</Code></Error></DeleteResult>";
        let deletion = ok(body).deletion().unwrap();
        assert_eq!(
            deletion.deleted,
            [deleted("a", None, false), deleted("b", None, true), deleted("c", Some("2"), true)]
        );
        let denied = Fault::of_key("AccessDenied", "no".to_owned());
        assert_eq!(deletion.failed, [(" & ".to_owned(), Some("3".to_owned()), denied)]);
        assert_eq!(deletion.unnamed.unwrap().code, "InternalError");
    }

    #[test]
    fn only_a_document_of_a_delete_says_what_was_deleted() {
        for root in ["DeleteResult", "DeleteObjectsResult", "s3:DeleteResult", "Anything"] {
            let body = format!("<{root}><Deleted><Key>a</Key></Deleted></{root}>");
            assert_eq!(ok(&body).deletion().unwrap().deleted, [deleted("a", None, false)]);
        }
        for body in ["<DeleteResult/>", "<?xml version='1.0'?><DeleteObjectsResult/>"] {
            assert_eq!(ok(body).deletion().unwrap(), Deletion::default());
        }
        for (body, code) in [
            ("", "NotConfirmed"),
            (" \r\n", "NotConfirmed"),
            ("<DeleteMultipleObjectsResult/>", "NotConfirmed"),
            ("<deleteResult></deleteResult>", "NotConfirmed"),
            ("<Anything/>", "MalformedAnswer"),
            (
                "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>",
                "MalformedAnswer",
            ),
            ("<html><body>Deleted</body></html>", "MalformedAnswer"),
            ("Deleted", "MalformedAnswer"),
            ("<DeleteResult><Deleted><Key>a</Key></Deleted>", "MalformedAnswer"),
        ] {
            let fault = ok(body).deletion().unwrap_err();
            assert_eq!((fault.code.as_str(), fault.kind), (code, Kind::Passing), "{body}");
        }
    }

    #[test]
    fn a_single_delete_says_what_it_did() {
        enum Said {
            Deleted(bool),
            NotFound,
            Fault(&'static str),
        }
        use Said::*;
        let table = [
            (204, "", false, Deleted(true)),
            (204, "", true, Deleted(false)),
            (200, "\n", false, Deleted(true)),
            (404, "<Error><Code>NoSuchKey</Code></Error>", false, Deleted(false)),
            (404, "<Error><Code>NoSuchVersion</Code></Error>", true, Deleted(false)),
            (410, "<Error><Code>NoSuchKey</Code></Error>", false, Deleted(false)),
            (404, "", false, NotFound),
            (410, "", true, NotFound),
            (404, "<Error><Code>NoSuchBucket</Code></Error>", false, Fault("NoSuchBucket")),
            (404, "<html>not here</html>", false, Fault("Http404")),
            (200, "<Error><Code>SlowDown</Code></Error>", false, Fault("SlowDown")),
            (200, "<html>please log in</html>", false, Fault("NotConfirmed")),
            (200, "<ListBucketResult/>", false, Fault("NotConfirmed")),
            (403, "<Error><Code>AccessDenied</Code></Error>", false, Fault("AccessDenied")),
        ];
        for (status, body, of_version, said) in table {
            let answer = Answer { status, made_marker: true, body: body.as_bytes() };
            match (answer.single(of_version), said) {
                (Ok(Single::Deleted { made_marker }), Deleted(expected)) => {
                    assert_eq!(made_marker, expected, "{status} {body}");
                }
                (Ok(Single::NotFound(_)), NotFound) => {}
                (Err(fault), Fault(code)) => assert_eq!(fault.code, code, "{status} {body}"),
                (other, _) => panic!("{status} {body}: {other:?}"),
            }
        }
    }
}
