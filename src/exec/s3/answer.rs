//! Reads the answers of S3: listings, results of multi-deletes, errors.
//!
//! A success status alone says little: the body may be an error document, or cut off. So every answer is read to its end,
//! and anything but the expected document is a [`Fault`].

use std::borrow::Cow;

use super::fault::Fault;
use super::object::Object;
use super::xml::{Malformed, Scanner, Token};

/// What was answered, as bytes.
pub struct Answer<'a> {
    /// The status.
    pub status: u16,
    /// The header that a single delete answers with when it made a marker.
    pub made_marker: bool,
    /// The body.
    pub body: &'a [u8],
}

/// A page of a listing.
#[derive(Debug, Default, PartialEq)]
pub struct Listing {
    /// The objects, or versions and markers, in the store's order.
    pub objects: Vec<Object>,
    /// The common prefixes, if they were asked for.
    pub prefixes: Vec<String>,
    /// Whether more follow.
    pub is_truncated: bool,
    /// Where the next page begins.
    pub next: Option<Place>,
}

/// Where a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Behind this token.
    Token(String),
    /// Behind this version of this key, or all of its versions.
    Marker(String, Option<String>),
}

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
    /// A page of objects or of versions. Without `details` only what names an object is read.
    pub fn listing(&self, details: bool) -> Result<Listing, Fault> {
        self.expect(&[b"ListBucketResult", b"ListVersionsResult"], |scanner| {
            read_listing(scanner, details)
        })
    }

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

fn read_listing(scanner: &mut Scanner<'_>, details: bool) -> Result<Listing, Malformed> {
    let mut listing = Listing::default();
    let (mut token, mut key_marker, mut version_marker) = (None, None, None);
    let mut is_encoded = false;
    while let Some(next) = scanner.token()? {
        match next {
            Token::Open(b"Contents" | b"Version") => {
                listing.objects.push(read_object(scanner, details)?);
            }
            Token::Open(b"DeleteMarker") => {
                let object = read_object(scanner, details)?;
                listing.objects.push(Object { is_marker: true, ..object });
            }
            Token::Open(b"CommonPrefixes") => {
                while let Some(next) = scanner.token()? {
                    match next {
                        Token::Open(b"Prefix") => {
                            listing.prefixes.push(scanner.text()?.into_owned())
                        }
                        Token::Open(_) => drop(scanner.text()?),
                        Token::Close => break,
                        Token::Text(_) => {}
                    }
                }
            }
            Token::Open(b"IsTruncated") => listing.is_truncated = scanner.text()?.trim() == "true",
            Token::Open(b"EncodingType") => is_encoded = scanner.text()?.trim() == "url",
            Token::Open(b"NextContinuationToken") => token = Some(scanner.text()?.into_owned()),
            Token::Open(b"NextKeyMarker") => key_marker = Some(scanner.text()?.into_owned()),
            Token::Open(b"NextVersionIdMarker") => {
                version_marker = Some(scanner.text()?.into_owned())
            }
            Token::Open(_) => drop(scanner.text()?),
            Token::Close | Token::Text(_) => {}
        }
    }
    if is_encoded {
        let names = listing.objects.iter_mut().map(|object| &mut object.key);
        for name in names.chain(&mut listing.prefixes).chain(&mut key_marker) {
            url_decode(name)?;
        }
    }
    listing.next = token.filter(|token| !token.is_empty()).map(Place::Token).or_else(|| {
        let version = version_marker.filter(|version| !version.is_empty());
        key_marker.filter(|key| !key.is_empty()).map(|key| Place::Marker(key, version))
    });
    Ok(listing)
}

fn read_object(scanner: &mut Scanner<'_>, details: bool) -> Result<Object, Malformed> {
    let mut object = Object::default();
    while let Some(token) = scanner.token()? {
        match token {
            Token::Open(b"Key") => object.key = scanner.text()?.into_owned(),
            Token::Open(b"VersionId") => object.version = Some(scanner.text()?.into_owned()),
            Token::Open(b"Size") => {
                object.size = scanner.text()?.trim().parse().map_err(|_| Malformed)?
            }
            Token::Open(b"LastModified") if details => {
                object.modified = scanner.text()?.into_owned()
            }
            Token::Open(b"ETag") if details => object.etag = scanner.text()?.into_owned(),
            Token::Open(_) => drop(scanner.text()?),
            Token::Close => break,
            Token::Text(_) => {}
        }
    }
    Ok(object)
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

/// Undoes what `encoding-type=url` does: `%xx` is a byte, `+` a blank.
fn url_decode(name: &mut String) -> Result<(), Malformed> {
    if !name.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Ok(());
    }
    let mut bytes = std::mem::take(name).into_bytes();
    let (mut from, mut to) = (0, 0);
    while let Some(&byte) = bytes.get(from) {
        let (decoded, length) = match byte {
            b'+' => (b' ', 1),
            b'%' => {
                let digits = bytes.get(from + 1..from + 3).ok_or(Malformed)?;
                let digits = std::str::from_utf8(digits).map_err(|_| Malformed)?;
                (u8::from_str_radix(digits, 16).map_err(|_| Malformed)?, 3)
            }
            other => (other, 1),
        };
        bytes[to] = decoded;
        from += length;
        to += 1;
    }
    bytes.truncate(to);
    *name = String::from_utf8(bytes).map_err(|_| Malformed)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::s3::fault::Kind;

    fn ok(body: &str) -> Answer<'_> {
        Answer { status: 200, made_marker: false, body: body.as_bytes() }
    }

    #[test]
    fn keys_are_decoded_only_when_the_answer_says_they_are_encoded() {
        let table = [
            ("a+b", "a b"),
            ("a%2Bb", "a+b"),
            ("100%25", "100%"),
            ("%2520", "%20"),
            ("a%2Fb", "a/b"),
            ("%F0%9F%98%80", "😀"),
            ("%01%0d", "\u{1}\r"),
            ("+", " "),
        ];
        for (encoded, decoded) in table {
            let page = |extra: &str| {
                let body = format!(
                    "<ListBucketResult><Contents><Key>{encoded}</Key></Contents>{extra}</ListBucketResult>"
                );
                ok(&body).listing(false).unwrap().objects[0].key.clone()
            };
            assert_eq!(page("<EncodingType>url</EncodingType>"), decoded);
            assert_eq!(page(""), encoded);
        }
    }

    #[test]
    fn a_listing_is_read_whole() {
        let body = "<ListBucketResult><IsTruncated>true</IsTruncated>
            <Contents><Key> a </Key><Size>3</Size><LastModified>2024-01-02T03:04:05.000Z</LastModified>
              <ETag>&quot;e&quot;</ETag><Owner><ID>x</ID><DisplayName>Key</DisplayName></Owner></Contents>
            <CommonPrefixes><Prefix>b/</Prefix></CommonPrefixes>
            <NextContinuationToken>t+</NextContinuationToken></ListBucketResult>";
        let listing = ok(body).listing(true).unwrap();
        assert!(listing.is_truncated);
        assert_eq!(listing.next, Some(Place::Token("t+".to_owned())));
        assert_eq!(listing.prefixes, ["b/"]);
        let object = &listing.objects[0];
        assert_eq!((object.key.as_str(), object.size, object.etag.as_str()), (" a ", 3, "\"e\""));
        assert_eq!(object.modified, "2024-01-02T03:04:05.000Z");
    }

    #[test]
    fn versions_and_markers_come_in_one_page() {
        let body = "<ListVersionsResult><EncodingType>url</EncodingType><NextKeyMarker>a+b</NextKeyMarker>
            <NextVersionIdMarker>v+1</NextVersionIdMarker>
            <Version><Key>a</Key><VersionId>1</VersionId><Size>7</Size></Version>
            <DeleteMarker><Key>a</Key><VersionId>null</VersionId></DeleteMarker></ListVersionsResult>";
        let listing = ok(body).listing(false).unwrap();
        assert_eq!(listing.next, Some(Place::Marker("a b".to_owned(), Some("v+1".to_owned()))));
        let found: Vec<_> = listing
            .objects
            .iter()
            .map(|o| (o.version.as_deref().unwrap(), o.is_marker, o.size))
            .collect();
        assert_eq!(found, [("1", false, 7), ("null", true, 0)]);
    }

    #[test]
    fn a_success_that_is_none_is_a_fault() {
        let table = [
            ("<Error><Code>SlowDown</Code></Error>", "SlowDown", Kind::Throttled),
            ("<Error><Code>InternalError</Code></Error>", "InternalError", Kind::Passing),
            ("<DeleteResult><Deleted><Key>a</Key>", "MalformedAnswer", Kind::Passing),
            ("<html></html>", "MalformedAnswer", Kind::Passing),
            ("<Error/>", "MalformedAnswer", Kind::Passing),
            ("", "MalformedAnswer", Kind::Passing),
        ];
        for (body, code, kind) in table {
            for fault in [ok(body).deletion().unwrap_err(), ok(body).listing(false).unwrap_err()] {
                assert_eq!((fault.code.as_str(), fault.kind), (code, kind), "{body}");
            }
        }
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
