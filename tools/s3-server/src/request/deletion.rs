//! The document of a DeleteObjects request, read and checked.

use super::route::{MAX_KEY_BYTES, MAX_KEYS};
use crate::error::{S3Error, S3Result};
use crate::store::VersionId;
use crate::xml::read::{Element, parse};

/// The document of a DeleteObjects request.
#[derive(Debug, PartialEq, Eq)]
pub struct MultiDelete {
    pub objects: Vec<DeleteEntry>,
    pub quiet: bool,
}

/// One object to delete. The version's id is kept as it was sent: a bad one is an error of this key alone.
#[derive(Debug, PartialEq, Eq)]
pub struct DeleteEntry {
    pub key: String,
    pub version: Option<String>,
}

/// Reads the document.
pub(super) fn multi_delete(body: &[u8]) -> S3Result<MultiDelete> {
    let root = parse(body)?;
    if root.name != "Delete" {
        return Err(S3Error::malformed_xml());
    }
    let mut delete = MultiDelete { objects: Vec::new(), quiet: false };
    let mut quiet_seen = false;
    for child in &root.children {
        match &*child.name {
            "Object" => delete.objects.push(delete_entry(child)?),
            "Quiet" if !std::mem::replace(&mut quiet_seen, true) => {
                delete.quiet = match child.leaf_text()? {
                    "true" => true,
                    "false" => false,
                    _ => return Err(S3Error::malformed_xml()),
                };
            }
            _ => return Err(S3Error::malformed_xml()),
        }
    }
    if (1..=MAX_KEYS).contains(&delete.objects.len()) {
        Ok(delete)
    } else {
        Err(S3Error::malformed_xml())
    }
}

fn delete_entry(element: &Element) -> S3Result<DeleteEntry> {
    let (mut key, mut version) = (None, None);
    for child in &element.children {
        let slot = match &*child.name {
            "Key" => &mut key,
            "VersionId" => &mut version,
            _ => return Err(S3Error::malformed_xml()),
        };
        if slot.replace(child.leaf_text()?.to_owned()).is_some() {
            return Err(S3Error::malformed_xml());
        }
    }
    match key {
        Some(key) if !key.is_empty() => Ok(DeleteEntry { key, version }),
        _ => Err(S3Error::malformed_xml()),
    }
}

/// Why S3 would refuse to delete this key, though the request as a whole is fine.
pub fn check_entry(entry: &DeleteEntry) -> S3Result<Option<VersionId>> {
    if entry.key.len() > MAX_KEY_BYTES {
        return Err(S3Error::new(400, "KeyTooLongError", "Your key is too long"));
    }
    let no_such_version =
        || S3Error::new(404, "NoSuchVersion", "The specified version does not exist.");
    entry
        .version
        .as_deref()
        .map(|text| VersionId::parse(text).ok_or_else(no_such_version))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delete(body: &str) -> Result<MultiDelete, String> {
        multi_delete(body.as_bytes()).map_err(|error| error.code.into_owned())
    }

    #[test]
    fn reads_a_multi_delete() {
        let parsed = delete(
            "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>\
             <Object><Key> a\u{d}&#13;</Key></Object>\n<Object><Key>b</Key><VersionId>null</VersionId></Object></Delete>",
        );
        let entry = |key: &str, version: Option<&str>| DeleteEntry {
            key: key.into(),
            version: version.map(Into::into),
        };
        assert_eq!(
            parsed,
            Ok(MultiDelete {
                objects: vec![entry(" a\n\r", None), entry("b", Some("null"))],
                quiet: true
            })
        );
    }

    #[test]
    fn one_to_a_thousand_keys_are_taken() {
        let body =
            |count| format!("<Delete>{}</Delete>", "<Object><Key>k</Key></Object>".repeat(count));
        assert!(delete(&body(1)).is_ok());
        assert!(delete(&body(1000)).is_ok());
        for count in [0, 1001] {
            assert_eq!(delete(&body(count)), Err("MalformedXML".into()), "{count}");
        }
    }

    #[test]
    fn documents_off_the_schema_are_refused() {
        for inner in [
            "<Object></Object>",
            "<Object><Key></Key></Object>",
            "<Object><Key>a</Key><Key>b</Key></Object>",
            "<Object><Key><X/></Key></Object>",
            "<Object><Name>a</Name></Object>",
            "<Key>a</Key>",
            "<Object><Key>a</Key></Object><Quiet>yes</Quiet>",
            "<Object><Key>a</Key></Object><Quiet>true</Quiet><Quiet>true</Quiet>",
            "<Object><Key>&#x1;</Key></Object>",
        ] {
            assert_eq!(
                delete(&format!("<Delete>{inner}</Delete>")),
                Err("MalformedXML".into()),
                "{inner}"
            );
        }
        assert_eq!(
            delete("<Deletes><Object><Key>a</Key></Object></Deletes>"),
            Err("MalformedXML".into())
        );
    }
}
