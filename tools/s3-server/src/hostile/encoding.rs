//! How the names of a listing stand in it: `encoding-type=url` as each store understands it.

use std::fmt::Write;

use super::dice::Dice;
use super::listing::is_entry;
use super::mutation::Mutation;
use crate::text::{decode_query, encode_for_listing};
use crate::xml::read::Element;

/// Gives each name of a listing to `change`.
fn for_each_name(root: &mut Element, mut change: impl FnMut(&mut String)) {
    for child in &mut root.children {
        match &*child.name {
            "Prefix" | "StartAfter" | "Delimiter" | "KeyMarker" | "NextKeyMarker" => {
                change(&mut child.text)
            }
            "Contents" | "Version" | "DeleteMarker" | "Object" | "CommonPrefixes" => {
                let names = child
                    .children
                    .iter_mut()
                    .filter(|field| matches!(&*field.name, "Key" | "key" | "Prefix"));
                names.for_each(|field| change(&mut field.text));
            }
            _ => {}
        }
    }
}

/// Decodes the names of a good answer, if they are encoded.
pub fn decode(root: &mut Element) {
    if root.text_of("EncodingType") == Some("url") {
        for_each_name(root, |name| *name = decode_query(name).expect("the server encoded it"));
    }
}

/// Encodes the names as the store does that has this mutation.
pub fn encode(root: &mut Element, mutation: Option<Mutation>, dice: &mut Dice) {
    if root.text_of("EncodingType") != Some("url") {
        return;
    }
    match mutation {
        Some(Mutation::RawNames) => return root.drop_all("EncodingType"),
        Some(Mutation::PercentBlank) => for_each_name(root, |name| *name = percent(name, b"/-._*")),
        Some(Mutation::RawPlus) => for_each_name(root, |name| *name = percent(name, b"/-._*+")),
        Some(Mutation::EncodeAll) => for_each_name(root, |name| *name = percent(name, b"")),
        Some(Mutation::LowerHex) => {
            for_each_name(root, |name| *name = lower_hex(&encode_for_listing(name)))
        }
        Some(Mutation::HideEncoding) => {
            for_each_name(root, |name| *name = encode_for_listing(name));
            root.drop_all("EncodingType");
        }
        _ => for_each_name(root, |name| *name = encode_for_listing(name)),
    }
    match mutation {
        Some(Mutation::EncodingCase) => {
            root.set("EncodingType", dice.pick(&["URL", "Url", " url "]))
        }
        Some(Mutation::BadEscape) => {
            let entries = root.children.iter_mut().filter(|child| is_entry(child));
            if let Some(entry) = entries.last() {
                let key = entry.text_of("Key").unwrap_or_default();
                let key = format!("{key}{}", dice.pick(&["%", "%4", "%zz", "%ff", "%+1"]));
                entry.set("Key", &key);
            }
        }
        _ => {}
    }
}

fn percent(text: &str, keep: &[u8]) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if keep.contains(&byte) || (!keep.is_empty() && byte.is_ascii_alphanumeric()) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("a string takes all writes");
        }
    }
    out
}

fn lower_hex(encoded: &str) -> String {
    let mut parts = encoded.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| format!("{out}%{}{}", part[..2].to_lowercase(), &part[2..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(key: &str, mutation: Option<Mutation>) -> String {
        let entry = Element::of("Contents", vec![Element::leaf("Key", key)]);
        let mut root =
            Element::of("ListBucketResult", vec![Element::leaf("EncodingType", "url"), entry]);
        encode(&mut root, mutation, &mut Dice::new(0, "", 0));
        root.child("Contents").unwrap().text_of("Key").unwrap().to_owned()
    }

    #[test]
    fn every_way_of_encoding() {
        let key = "a b+é/~";
        for (mutation, text) in [
            (None, "a+b%2B%C3%A9/%7E"),
            (Some(Mutation::PercentBlank), "a%20b%2B%C3%A9/%7E"),
            (Some(Mutation::RawPlus), "a%20b+%C3%A9/%7E"),
            (Some(Mutation::LowerHex), "a+b%2b%c3%a9/%7e"),
            (Some(Mutation::EncodeAll), "%61%20%62%2B%C3%A9%2F%7E"),
            (Some(Mutation::RawNames), key),
            (Some(Mutation::HideEncoding), "a+b%2B%C3%A9/%7E"),
        ] {
            assert_eq!(encoded(key, mutation), text, "{mutation:?}");
        }
    }
}
