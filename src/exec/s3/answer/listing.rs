//! Reads a page of a listing.

use super::Answer;
use crate::exec::s3::fault::Fault;
use crate::exec::s3::object::Object;
use crate::exec::s3::xml::{Malformed, Scanner, Token};

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
impl Answer<'_> {
    /// A page of objects or of versions. Without `details` only what names an object is read.
    pub fn listing(&self, details: bool) -> Result<Listing, Fault> {
        self.expect(&[b"ListBucketResult", b"ListVersionsResult"], |scanner| {
            read_listing(scanner, details)
        })
    }
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
}
