//! Tests of what names mean, page by page.

use super::*;
use crate::exec::s3::object::Object;

fn page(names: &[&str], is_encoded: bool) -> Page {
    let object = |key: &&str| Object { key: (*key).to_owned(), ..Object::default() };
    Page { objects: names.iter().map(object).collect(), is_encoded, ..Page::default() }
}

/// What the names of pages that come one after the other mean; `?` where the store is to be asked.
fn read(pages: &[&[&str]]) -> Result<Vec<String>, String> {
    let evidence = Evidence::default();
    let mut names = Vec::new();
    for found in pages {
        match evidence.decode(page(found, true))? {
            Decoded::Page(page) => names.extend(page.objects.into_iter().map(|object| object.key)),
            Decoded::Open(page, doubts) => {
                assert!(!doubts.is_empty() && page.objects.len() == found.len());
                names.push("?".to_owned());
            }
        }
    }
    Ok(names)
}

#[test]
fn names_are_decoded_as_the_store_was_seen_to_encode_them() {
    let table: [(&[&[&str]], &[&str]); 12] = [
        (&[&["a%2Bb", "a+b"]], &["a+b", "a b"]),
        (&[&["a%2bb", "+"]], &["a+b", " "]),
        (&[&["a%20b", "a+b"]], &["a b", "a+b"]),
        (&[&["a%20b"], &["a+b"]], &["a b", "a+b"]),
        (&[&["a%2Bb"], &["a+b"]], &["a+b", "a b"]),
        (&[&["a+b"]], &["?"]),
        (&[&["a%2520b", "a+b"]], &["?"]),
        (&[&["100%25", "%2520", "a%2Fb"]], &["100%", "%20", "a/b"]),
        (&[&["%F0%9F%98%80", "%01%0d"]], &["😀", "\u{1}\r"]),
        (&[&["a%20b", "a%2Bb"]], &["a b", "a+b"]),
        (&[&["é ~"]], &["é ~"]),
        (&[&["plain"]], &["plain"]),
    ];
    for (pages, expected) in table {
        assert_eq!(read(pages).unwrap(), expected, "{pages:?}");
    }
}

#[test]
fn names_that_can_not_be_read_are_no_listing() {
    for pages in [&["%zz"], &["a%2"], &["%"], &["%ff"], &["%+1"]] {
        let what = read(&[&["a%2Bb"], pages.as_slice()]).unwrap_err();
        assert!(what.contains("can't be read"), "{pages:?}: {what}");
    }
    let what = read(&[&["a%20b", "a%2Bb"], &["a+b"]]).unwrap_err();
    assert!(what.contains("%20") && what.contains("%2B"), "{what}");
}

#[test]
fn names_are_decoded_only_where_the_answer_says_that_they_are_encoded() {
    let evidence = Evidence::default();
    let raw = || page(&["a+b", "%20", "%zz"], false);
    assert_eq!(evidence.decode(raw()), Ok(Decoded::Page(raw())));
    evidence.decode(page(&["a"], true)).unwrap();
    assert!(evidence.decode(raw()).unwrap_err().contains("one page and not of another"));
    assert!(evidence.decode(page(&["a b"], false)).is_ok(), "nothing in it can be encoded");
}

#[test]
fn a_marker_that_is_not_encoded_as_the_keys_are_is_taken_as_it_is() {
    let table = [
        (["b", "a%257A"], "a%7A", Ok("a%7A")),
        (["b", "a%257A"], "a%257A", Ok("a%7A")),
        (["%2B", "a%2Bb"], "a+b", Ok("a+b")),
        (["%2B", "a+b"], "a+b", Ok("a b")),
        (["%2B", "a+b"], "a b", Ok("a b")),
        (["b", "a%25zz"], "a%zz", Ok("a%zz")),
        (["b", "a"], "c%2Fd", Ok("c/d")),
        (["b", "a"], "c%zz", Err(())),
    ];
    for (keys, told, expected) in table {
        let next = Some(Place::Marker(told.to_owned(), None));
        let decoded = Evidence::default().decode(Page { next, ..page(&keys, true) });
        let found = decoded.map(|decoded| match decoded {
            Decoded::Page(Page { next: Some(Place::Marker(key, _)), .. }) => key,
            other => panic!("{other:?}"),
        });
        assert_eq!(found.as_deref().map_err(drop), expected, "{keys:?} {told}");
    }
}

#[test]
fn a_marker_shows_nothing_of_how_names_are_encoded() {
    let evidence = Evidence::default();
    let next = Some(Place::Marker("a%20b".to_owned(), None));
    evidence.decode(Page { next, ..page(&["a%2520b"], true) }).unwrap();
    assert!(matches!(evidence.decode(page(&["a+b"], true)), Ok(Decoded::Open(..))));
}

#[test]
fn the_store_is_asked_for_both_keys_that_a_plus_may_mean() {
    let table = [
        (Some("a/1+1.txt"), None, Some(Plus::Plus)),
        (Some("a/1+1.txt"), Some("a/1%201.txt"), Some(Plus::Plus)),
        (None, Some("a/1%201.txt"), Some(Plus::Plus)),
        (None, Some("a/1+1.txt"), Some(Plus::Blank)),
        (Some("a/1%2B1.txt"), Some("a/1+1.txt"), Some(Plus::Blank)),
        (Some("a%2F1%2B1.txt.bak"), None, Some(Plus::Blank)),
        (Some("a/1+1.txt+more"), None, Some(Plus::Plus)),
        (Some("a/1+1.txt"), Some("a/1+1.txt"), None),
        (Some("a/1%2B1.txt"), Some("a/1%201.txt"), None),
        (Some("b"), Some("b"), None),
        (Some("a/1+1"), None, None),
        (None, None, None),
    ];
    for (plus, blank, expected) in table {
        let found = conclude(("a/1+1.txt", plus), ("a/1 1.txt", blank));
        assert_eq!(found, expected, "{plus:?} {blank:?}");
    }
}

#[test]
fn a_prefix_with_a_plus_or_a_blank_tells_what_a_plus_is() {
    let table = [
        ("a+b/", "a+b/c+d", Ok(Some(Plus::Plus))),
        ("a b/", "a+b/c+d", Ok(Some(Plus::Blank))),
        ("a", "a+b", Ok(None)),
        ("", "+", Ok(None)),
        ("b", "a+b", Err(())),
    ];
    for (prefix, name, expected) in table {
        let found = conclude_by_prefix(&[name.to_owned()], prefix);
        assert_eq!(found.map_err(drop), expected, "{prefix} {name}");
    }
}

#[test]
fn an_odd_echo_of_the_prefix_is_no_contradiction() {
    for echoed in ["a b/", "a+b/", "a%20b%2F", "/a b", "a", "a b/c"] {
        assert!(!contradict(echoed, "a b/"), "{echoed}");
    }
    for echoed in ["b", "a c/", "a+c"] {
        assert!(contradict(echoed, "a b/"), "{echoed}");
    }
}
