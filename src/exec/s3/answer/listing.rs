//! Reads a page of a listing. A page that contradicts itself is a fault.
//!
//! Whether the page answers the question is decided in [`question`](super::question), what its names mean in
//! [`names`](super::names).

use super::document::Answer;
use super::page::{ListRequest, Page, Place};
use crate::exec::s3::fault::Fault;
use crate::exec::s3::object::Object;
use crate::exec::s3::xml::{Malformed, Scanner, Token, boolean};

const PLAIN: &[u8] = b"ListBucketResult";
const VERSIONS: &[u8] = b"ListVersionsResult";
/// The elements that a page is read from. In upper or lower case where S3 has the other, they are refused and not passed over.
const KNOWN: [&[u8]; 12] = [
    b"CommonPrefixes",
    b"Contents",
    b"DeleteMarker",
    b"EncodingType",
    b"IsTruncated",
    b"KeyCount",
    b"NextContinuationToken",
    b"NextKeyMarker",
    b"NextMarker",
    b"NextVersionIdMarker",
    b"Prefix",
    b"Version",
];

/// Why a page can't be used.
#[derive(Debug)]
enum Wrong {
    /// The document can't be read; another try may give a better one.
    Malformed,
    /// The page contradicts itself or the question.
    Invalid(String),
}

impl From<Malformed> for Wrong {
    fn from(Malformed: Malformed) -> Self {
        Self::Malformed
    }
}

fn wrong<T>(what: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong::Invalid(what.into()))
}

impl Answer<'_> {
    /// A page of objects or of versions, as the request wants.
    pub fn page(&self, request: &ListRequest) -> Result<Page, Fault> {
        let is_versions = self.root() == Some(VERSIONS);
        let read = |scanner: &mut Scanner<'_>| match read_page(scanner, is_versions, request) {
            Ok(page) => Ok(Ok(page)),
            Err(Wrong::Malformed) => Err(Malformed),
            Err(Wrong::Invalid(what)) => Ok(Err(Fault::invalid_listing(&what))),
        };
        self.expect(&[PLAIN, VERSIONS], read)?
    }
}

/// The texts that may stand in a page once.
#[derive(Default)]
struct Once {
    is_truncated: Option<String>,
    encoding: Option<String>,
    token: Option<String>,
    marker: Option<String>,
    key_marker: Option<String>,
    version_marker: Option<String>,
    count: Option<String>,
    prefix: Option<String>,
}

fn read_page(
    scanner: &mut Scanner<'_>,
    is_versions: bool,
    request: &ListRequest,
) -> Result<Page, Wrong> {
    match (request.versions, is_versions) {
        (true, false) => return wrong("answers a listing of versions with one of objects"),
        (false, true) => return wrong("answers a listing of objects with one of versions"),
        _ => {}
    }
    let entry = if is_versions { b"Version".as_slice() } else { b"Contents" };
    let (mut page, mut once) = (Page::default(), Once::default());
    while let Some(name) = scanner.child()? {
        let text = match name {
            _ if name == entry => {
                page.objects.push(read_object(scanner, request, request.sizes)?);
                continue;
            }
            b"DeleteMarker" if is_versions => {
                // A marker has no size.
                let object = read_object(scanner, request, false)?;
                page.objects.push(Object { is_marker: true, ..object });
                continue;
            }
            b"CommonPrefixes" => {
                read_prefixes(scanner, &mut page.prefixes)?;
                continue;
            }
            b"IsTruncated" => &mut once.is_truncated,
            b"EncodingType" => &mut once.encoding,
            b"NextContinuationToken" => &mut once.token,
            b"NextMarker" => &mut once.marker,
            b"NextKeyMarker" => &mut once.key_marker,
            b"NextVersionIdMarker" => &mut once.version_marker,
            b"KeyCount" => &mut once.count,
            b"Prefix" => &mut once.prefix,
            _ => {
                pass_over(scanner, name)?;
                continue;
            }
        };
        if text.replace(scanner.text()?.into_owned()).is_some() {
            return wrong(format!("says {} twice on one page", String::from_utf8_lossy(name)));
        }
    }
    once.finish(page)
}

impl Once {
    fn finish(self, page: Page) -> Result<Page, Wrong> {
        let is_truncated = match self.is_truncated {
            None => None,
            Some(text) => match boolean(&text) {
                Ok(is_truncated) => Some(is_truncated),
                Err(Malformed) => {
                    return wrong(format!("does not say readably whether more follows: {text:?}"));
                }
            },
        };
        let is_encoded = match self.encoding.as_deref().map(str::trim) {
            None | Some("") => false,
            Some(encoding) if encoding.eq_ignore_ascii_case("url") => true,
            Some(other) => return wrong(format!("encodes names in an unknown way: {other:?}")),
        };
        let told = |text: Option<String>| text.filter(|text| !text.is_empty());
        let version = told(self.version_marker);
        let next = told(self.token)
            .map(Place::Token)
            .or_else(|| told(self.key_marker).map(|key| Place::Marker(key, version)))
            .or_else(|| told(self.marker).map(|key| Place::Marker(key, None)));
        // The count is not needed, so it may be unreadable.
        let count = self.count.map(|count| count.trim().parse().unwrap_or(0));
        Ok(Page { is_truncated, is_encoded, next, count, prefix: self.prefix, ..page })
    }
}

fn read_object(
    scanner: &mut Scanner<'_>,
    request: &ListRequest,
    needs_size: bool,
) -> Result<Object, Wrong> {
    let mut object = Object::default();
    let (mut has_key, mut size) = (false, None);
    while let Some(name) = scanner.child()? {
        match name {
            b"Key" => {
                if std::mem::replace(&mut has_key, true) {
                    return wrong("names an object by two keys");
                }
                object.key = scanner.text()?.into_owned();
            }
            // In a plain listing a version would make another operation of the delete.
            b"VersionId" if request.versions => {
                if object.version.replace(scanner.text()?.into_owned()).is_some() {
                    return wrong("names a version by two ids");
                }
            }
            b"Size" => {
                if size.replace(scanner.text()?.trim().parse().ok()).is_some() {
                    return wrong("gives an object two sizes");
                }
            }
            b"LastModified" if request.details => {
                object.modified = scanner.text()?.into_owned();
            }
            b"ETag" if request.details => object.etag = scanner.text()?.into_owned(),
            _ => drop(scanner.text()?),
        }
    }
    if object.key.is_empty() {
        return wrong("names an object without a key");
    }
    if request.versions && object.version.as_ref().is_none_or(String::is_empty) {
        return wrong(format!("names a version without an id, of the key {:?}", object.key));
    }
    match size.flatten() {
        Some(size) => object.size = size,
        None if needs_size => {
            return wrong(format!("does not say readably how large {:?} is", object.key));
        }
        None => {}
    }
    Ok(object)
}

fn read_prefixes(scanner: &mut Scanner<'_>, prefixes: &mut Vec<String>) -> Result<(), Wrong> {
    while let Some(name) = scanner.child()? {
        match name {
            b"Prefix" => prefixes.push(scanner.text()?.into_owned()),
            _ => drop(scanner.text()?),
        }
    }
    Ok(())
}

/// Passes over an element that S3 does not have here, unless keys or what decides about them may be in it.
fn pass_over(scanner: &mut Scanner<'_>, name: &[u8]) -> Result<(), Wrong> {
    if KNOWN.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        let name = String::from_utf8_lossy(name);
        return wrong(format!("has an element <{name}> where S3 has none"));
    }
    let mut depth = 1;
    while depth > 0 {
        match scanner.token()? {
            Some(Token::Open(inner)) if inner.eq_ignore_ascii_case(b"Key") => {
                let name = String::from_utf8_lossy(name);
                return wrong(format!(
                    "names a key in an element <{name}>, which S3 does not have"
                ));
            }
            Some(Token::Open(_)) => depth += 1,
            Some(Token::Close) => depth -= 1,
            Some(Token::Text(_)) => {}
            None => return Err(Wrong::Malformed),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(body: &str, request: &ListRequest) -> Result<Page, Fault> {
        Answer { status: 200, made_marker: false, body: body.as_bytes() }.page(request)
    }

    fn versions() -> ListRequest {
        ListRequest { versions: true, ..ListRequest::default() }
    }

    #[test]
    fn a_page_is_read_whole() {
        let body = "<ListBucketResult><Prefix> </Prefix><KeyCount>1</KeyCount><IsTruncated> True </IsTruncated>
            <Contents><Key> a </Key><VersionId>1</VersionId><Size>3</Size><LastModified>2024-01-02T03:04:05.000Z</LastModified>
              <ETag>&quot;e&quot;</ETag><Owner><ID>x</ID><DisplayName>Key</DisplayName></Owner></Contents>
            <CommonPrefixes><Prefix>b/</Prefix></CommonPrefixes><Extension><Name>x</Name></Extension>
            <NextContinuationToken>t+</NextContinuationToken></ListBucketResult>";
        let page = page(body, &ListRequest { details: true, ..ListRequest::default() }).unwrap();
        let object = Object {
            key: " a ".to_owned(),
            size: 3,
            etag: "\"e\"".to_owned(),
            modified: "2024-01-02T03:04:05.000Z".to_owned(),
            ..Object::default()
        };
        assert_eq!(
            page,
            Page {
                objects: vec![object],
                prefixes: vec!["b/".to_owned()],
                is_truncated: Some(true),
                next: Some(Place::Token("t+".to_owned())),
                prefix: Some(" ".to_owned()),
                count: Some(1),
                is_encoded: false,
            },
            "a plain listing has no versions"
        );
    }

    #[test]
    fn versions_and_markers_come_in_one_page() {
        let body = "<v:ListVersionsResult><v:EncodingType>URL</v:EncodingType><NextKeyMarker>a+b</NextKeyMarker>
            <NextVersionIdMarker>v+1</NextVersionIdMarker>
            <Version><Key>a</Key><VersionId>1</VersionId><Size>7</Size></Version>
            <v:DeleteMarker><v:Key>a</v:Key><VersionId>null</VersionId></v:DeleteMarker></v:ListVersionsResult>";
        let page = page(body, &ListRequest { sizes: true, ..versions() }).unwrap();
        assert!(page.is_encoded);
        assert_eq!(page.next, Some(Place::Marker("a+b".to_owned(), Some("v+1".to_owned()))));
        let found: Vec<_> = page
            .objects
            .iter()
            .map(|o| (o.version.as_deref().unwrap(), o.is_marker, o.size))
            .collect();
        assert_eq!(found, [("1", false, 7), ("null", true, 0)]);
    }

    #[test]
    fn what_does_not_fit_together_is_no_listing() {
        let plain = ListRequest::default();
        let sizes = ListRequest { sizes: true, ..ListRequest::default() };
        let table = [
            (&plain, "<Contents><Size>1</Size></Contents>", "without a key"),
            (&plain, "<Contents><Key/></Contents>", "without a key"),
            (&plain, "<Contents><key>a</key></Contents>", "without a key"),
            (&plain, "<Contents><Key>a</Key><Key>b</Key></Contents>", "two keys"),
            (&plain, "<contents><Key>a</Key></contents>", "<contents>"),
            (&plain, "<Content><Key>a</Key></Content>", "<Content>"),
            (&plain, "<Things><Thing><key>a</key></Thing></Things>", "<Things>"),
            (&plain, "<encodingtype>url</encodingtype>", "<encodingtype>"),
            (&plain, "<Version><Key>a</Key><VersionId>1</VersionId></Version>", "<Version>"),
            (&plain, "<DeleteMarker><Key>a</Key></DeleteMarker>", "<DeleteMarker>"),
            (&plain, "<EncodingType>base64</EncodingType>", "base64"),
            (&plain, "<IsTruncated>maybe</IsTruncated>", "maybe"),
            (&plain, "<IsTruncated/>", "whether more follows"),
            (
                &plain,
                "<IsTruncated>true</IsTruncated><IsTruncated>false</IsTruncated>",
                "IsTruncated twice",
            ),
            (&sizes, "<Contents><Key>a</Key></Contents>", "how large"),
            (&sizes, "<Contents><Key>a</Key><Size/></Contents>", "how large"),
            (&sizes, "<Contents><Key>a</Key><Size>-1</Size></Contents>", "how large"),
            (&sizes, "<Contents><Key>a</Key><Size>12.0</Size></Contents>", "how large"),
            (&sizes, "<Contents><Key>a</Key><Size>1</Size><Size>2</Size></Contents>", "two sizes"),
        ];
        for (request, inside, what) in table {
            let fault = page(&format!("<ListBucketResult>{inside}</ListBucketResult>"), request)
                .unwrap_err();
            assert_eq!(fault.code, "InvalidListing", "{inside}");
            assert!(fault.message.contains(what), "{inside}: {}", fault.message);
        }
        let table = [
            ("<Version><Key>a</Key></Version>", "without an id"),
            ("<Version><Key>a</Key><VersionId/></Version>", "without an id"),
            (
                "<Version><Key>a</Key><VersionId>1</VersionId><VersionId>2</VersionId></Version>",
                "two ids",
            ),
            ("<DeleteMarker><Key>a</Key></DeleteMarker>", "without an id"),
            ("<Contents><Key>a</Key></Contents>", "<Contents>"),
        ];
        for (inside, what) in table {
            let body = format!("<ListVersionsResult>{inside}</ListVersionsResult>");
            let fault = page(&body, &versions()).unwrap_err();
            assert!(fault.message.contains(what), "{inside}: {}", fault.message);
        }
        for (body, request) in
            [("<ListBucketResult/>", versions()), ("<ListVersionsResult/>", ListRequest::default())]
        {
            assert_eq!(page(body, &request).unwrap_err().code, "InvalidListing", "{body}");
        }
    }

    #[test]
    fn sizes_that_nobody_needs_may_be_unreadable() {
        for size in ["", "<Size/>", "<Size>-1</Size>", "<Size>12.0</Size>"] {
            let body = format!(
                "<ListBucketResult><Contents><Key>a</Key>{size}</Contents></ListBucketResult>"
            );
            assert_eq!(page(&body, &ListRequest::default()).unwrap().objects[0].size, 0, "{size}");
        }
    }
}
