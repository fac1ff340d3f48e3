//! Reads what a delete did.

use std::borrow::Cow;

use super::Answer;
use crate::exec::s3::fault::Fault;
use crate::exec::s3::xml::{Malformed, Scanner, Token};

/// What a multi-delete did.
#[derive(Debug, Default, PartialEq)]
pub struct Deletion {
    /// Keys that stayed: key, version, fault.
    pub stayed: Vec<(String, Option<String>, Fault)>,
    /// A fault that names no key, and so may be about any.
    pub unnamed: Option<Fault>,
    /// Markers that were made, as far as the answer says.
    pub markers: u64,
}
impl Answer<'_> {
    /// The result of a multi-delete.
    pub fn deletion(&self) -> Result<Deletion, Fault> {
        self.expect(&[b"DeleteResult"], read_deletion)
    }

    /// The result of a single delete, of a version or not.
    pub fn single(&self, of_version: bool) -> Result<Deletion, Fault> {
        match self.status {
            // It was gone before: so it is as if it were deleted. A missing bucket says so.
            404 if self.fault().code == "NoSuchKey" => Ok(Deletion::default()),
            200..=299 if self.body.is_empty() => {
                // Of a version it says whether that was a marker.
                let markers = u64::from(self.made_marker && !of_version);
                Ok(Deletion { markers, ..Deletion::default() })
            }
            _ => Err(self.fault()),
        }
    }
}

fn read_deletion(scanner: &mut Scanner<'_>) -> Result<Deletion, Malformed> {
    let mut deletion = Deletion::default();
    while let Some(token) = scanner.token()? {
        match token {
            Token::Open(b"Deleted") => {
                let deleted = read_fields(scanner)?;
                // Deleting a marker by its version is told in the same words as making one.
                deletion.markers += u64::from(deleted.made_marker && deleted.version.is_none());
            }
            Token::Open(b"Error") => {
                let Fields { key, version, code, message, .. } = read_fields(scanner)?;
                let fault = Fault::of_key(&code, message);
                match key {
                    Some(key) => deletion.stayed.push((key, version, fault)),
                    None => deletion.unnamed = Some(fault),
                }
            }
            Token::Open(_) => drop(scanner.text()?),
            Token::Close | Token::Text(_) => {}
        }
    }
    Ok(deletion)
}

#[derive(Default)]
struct Fields {
    key: Option<String>,
    version: Option<String>,
    code: String,
    message: String,
    made_marker: bool,
}

fn read_fields(scanner: &mut Scanner<'_>) -> Result<Fields, Malformed> {
    let mut fields = Fields::default();
    while let Some(token) = scanner.token()? {
        match token {
            Token::Open(b"Key") => fields.key = Some(scanner.text()?.into_owned()),
            Token::Open(b"VersionId") => {
                fields.version =
                    Some(scanner.text()?).filter(|id| !id.is_empty()).map(Cow::into_owned);
            }
            Token::Open(b"Code") => fields.code = scanner.text()?.into_owned(),
            Token::Open(b"Message") => fields.message = scanner.text()?.into_owned(),
            Token::Open(b"DeleteMarker") => fields.made_marker = scanner.text()?.trim() == "true",
            Token::Open(_) => drop(scanner.text()?),
            Token::Close => break,
            Token::Text(_) => {}
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

    #[test]
    fn a_deletion_names_what_stayed() {
        let body = "<DeleteResult><Deleted><Key>a</Key></Deleted>
            <Deleted><Key>b</Key><DeleteMarker>true</DeleteMarker><DeleteMarkerVersionId>1</DeleteMarkerVersionId></Deleted>
            <Deleted><Key>c</Key><VersionId>2</VersionId><DeleteMarker>true</DeleteMarker></Deleted>
            <Error><Key> &amp; </Key><VersionId>3</VersionId><Code>AccessDenied</Code><Message>no</Message></Error>
            <Error><Code>InternalError</Code></Error></DeleteResult>";
        let deletion = ok(body).deletion().unwrap();
        assert_eq!(deletion.markers, 1);
        let denied = Fault::of_key("AccessDenied", "no".to_owned());
        assert_eq!(deletion.stayed, [(" & ".to_owned(), Some("3".to_owned()), denied)]);
        assert_eq!(deletion.unnamed.unwrap().code, "InternalError");
    }

    #[test]
    fn a_single_delete_of_what_is_gone_is_done() {
        let answer = |status, body: &'static str| Answer {
            status,
            made_marker: true,
            body: body.as_bytes(),
        };
        assert_eq!(answer(204, "").single(false).unwrap().markers, 1);
        assert_eq!(answer(204, "").single(true).unwrap().markers, 0);
        assert!(answer(404, "<Error><Code>NoSuchKey</Code></Error>").single(false).is_ok());
        let fault =
            answer(404, "<Error><Code>NoSuchBucket</Code></Error>").single(false).unwrap_err();
        assert_eq!(fault.code, "NoSuchBucket");
        assert_eq!(
            answer(200, "<Error><Code>SlowDown</Code></Error>").single(false).unwrap_err().kind,
            Kind::Throttled
        );
    }
}
