//! Pages of keys and of versions.
//!
//! Both listings walk the keys in byte order from a starting point, roll keys that share a prefix up to the delimiter into
//! one common prefix, and stop at the page's limit, looking one entry ahead to know whether the page is the last one. A
//! common prefix costs one step however many keys it holds.

use std::ops::Bound;
use std::sync::Arc;

use super::bucket::{Bucket, Version, VersionId};

/// What ListObjectsV2 asks for.
#[derive(Clone, Debug, Default)]
pub struct ListingQuery {
    pub prefix: String,
    pub delimiter: Option<String>,
    pub max_keys: usize,
    pub start: Position,
}

/// Where a listing of keys begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Position {
    #[default]
    Start,
    /// Behind this key.
    AfterKey(String),
    /// Behind all keys that begin with this common prefix.
    AfterPrefix(String),
}

/// A page of keys.
#[derive(Debug, Default)]
pub struct ObjectPage {
    pub objects: Vec<(Arc<str>, Version)>,
    pub common_prefixes: Vec<String>,
    /// Where the next page begins, when there is one.
    pub next: Option<Position>,
}

/// What ListObjectVersions asks for.
#[derive(Clone, Debug, Default)]
pub struct VersionsQuery {
    pub prefix: String,
    pub delimiter: Option<String>,
    pub max_keys: usize,
    pub marker: Option<VersionMarker>,
}

/// Behind this key, or behind this version of it, or behind the common prefix that this is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionMarker {
    pub key: String,
    pub version: Option<VersionId>,
}

/// A page of versions and delete markers, each with whether it is its key's newest.
#[derive(Debug, Default)]
pub struct VersionPage {
    pub versions: Vec<(Arc<str>, Version, bool)>,
    pub common_prefixes: Vec<String>,
    pub next: Option<VersionMarker>,
}

impl Bucket {
    /// A page of the keys whose newest version is no delete marker.
    pub fn list_objects(&self, query: &ListingQuery) -> ObjectPage {
        let mut page = ObjectPage::default();
        let mut from = Some(match &query.start {
            Position::Start => Bound::Included(query.prefix.clone()),
            Position::AfterKey(key) => later(query.prefix.clone(), Bound::Excluded(key.clone())),
            Position::AfterPrefix(prefix) => match behind(prefix) {
                Some(key) => later(query.prefix.clone(), Bound::Included(key)),
                None => return page,
            },
        });
        let mut last = Position::Start;
        let mut count = 0;
        while let Some(start) = from.take() {
            for (key, versions) in self.keys.range::<str, _>((as_str(&start), Bound::Unbounded)) {
                if !key.starts_with(&query.prefix) {
                    break;
                }
                let newest = &versions[0];
                if newest.is_marker() {
                    continue;
                }
                if count == query.max_keys {
                    page.next = (count > 0).then_some(last);
                    return page;
                }
                count += 1;
                if let Some(group) = group_of(key, &query.prefix, query.delimiter.as_deref()) {
                    page.common_prefixes.push(group.to_owned());
                    last = Position::AfterPrefix(group.to_owned());
                    from = behind(group).map(Bound::Included);
                    break;
                }
                page.objects.push((key.clone(), newest.clone()));
                last = Position::AfterKey(key.to_string());
            }
        }
        page
    }

    /// A page of all versions and delete markers, newest first within a key.
    pub fn list_versions(&self, query: &VersionsQuery) -> VersionPage {
        let mut page = VersionPage::default();
        let marker = query.marker.as_ref();
        let mut from = Some(match marker {
            None => Bound::Included(query.prefix.clone()),
            Some(VersionMarker { key, version: None }) => {
                later(query.prefix.clone(), Bound::Excluded(key.clone()))
            }
            Some(VersionMarker { key, version: Some(_) }) => {
                later(query.prefix.clone(), Bound::Included(key.clone()))
            }
        });
        let mut last = VersionMarker { key: String::new(), version: None };
        let mut count = 0;
        while let Some(start) = from.take() {
            for (key, versions) in self.keys.range::<str, _>((as_str(&start), Bound::Unbounded)) {
                if !key.starts_with(&query.prefix) {
                    break;
                }
                if let Some(group) = group_of(key, &query.prefix, query.delimiter.as_deref()) {
                    // A marker inside the group means that an earlier page has shown it.
                    if !marker.is_some_and(|marker| marker.key.starts_with(group)) {
                        if count == query.max_keys {
                            page.next = (count > 0).then_some(last);
                            return page;
                        }
                        count += 1;
                        page.common_prefixes.push(group.to_owned());
                        last = VersionMarker { key: group.to_owned(), version: None };
                    }
                    from = behind(group).map(Bound::Included);
                    break;
                }
                let skipped = marker.map_or(0, |marker| already_listed(key, versions, marker));
                for (index, version) in versions.iter().enumerate().skip(skipped) {
                    if count == query.max_keys {
                        page.next = (count > 0).then_some(last);
                        return page;
                    }
                    count += 1;
                    page.versions.push((key.clone(), version.clone(), index == 0));
                    last = VersionMarker { key: key.to_string(), version: Some(version.id()) };
                }
            }
        }
        page
    }
}

/// How many of a key's versions an earlier page has listed. The version that the marker names may be deleted by now, so a
/// number is compared with those left. A `null` version has no number: when it is gone, the key is listed from its start.
fn already_listed(key: &str, versions: &[Version], marker: &VersionMarker) -> usize {
    if key != marker.key {
        return 0;
    }
    match marker.version {
        None => 0,
        Some(VersionId::Number(number)) => {
            versions.iter().take_while(|version| version.sequence >= number).count()
        }
        Some(VersionId::Null) => versions
            .iter()
            .position(|version| version.id() == VersionId::Null)
            .map_or(0, |index| index + 1),
    }
}

/// The common prefix that the key rolls up into, if it does.
fn group_of<'a>(key: &'a str, prefix: &str, delimiter: Option<&str>) -> Option<&'a str> {
    let delimiter = delimiter?;
    let found = key[prefix.len()..].find(delimiter)?;
    Some(&key[..prefix.len() + found + delimiter.len()])
}

/// The first string, in byte order, that is behind all strings with this prefix.
fn behind(prefix: &str) -> Option<String> {
    let mut text = prefix.to_owned();
    while let Some(last) = text.pop() {
        // Stepping over the surrogates, which are no characters; U+10FFFF has no successor.
        let next =
            if last == '\u{D7FF}' { Some('\u{E000}') } else { char::from_u32(u32::from(last) + 1) };
        if let Some(next) = next {
            text.push(next);
            return Some(text);
        }
    }
    None
}

/// The later of the prefix's beginning and another starting point.
fn later(prefix: String, start: Bound<String>) -> Bound<String> {
    match &start {
        Bound::Included(key) | Bound::Excluded(key) if *key >= prefix => start,
        _ => Bound::Included(prefix),
    }
}

fn as_str(bound: &Bound<String>) -> Bound<&str> {
    match bound {
        Bound::Included(key) => Bound::Included(key),
        Bound::Excluded(key) => Bound::Excluded(key),
        Bound::Unbounded => Bound::Unbounded,
    }
}

#[cfg(test)]
mod tests {
    use super::super::bucket::{Object, Versioning};
    use super::*;
    use bytes::Bytes;

    fn bucket(versioning: Versioning, keys: &[&str]) -> Bucket {
        let object = Arc::new(Object::new(Bytes::new(), None));
        let mut bucket = Bucket { versioning, ..Bucket::default() };
        for key in keys {
            bucket.put(key, object.clone(), 0);
        }
        bucket
    }

    /// All pages of a listing, each with its keys and common prefixes.
    fn pages(bucket: &Bucket, mut query: ListingQuery) -> Vec<Vec<String>> {
        let mut pages = Vec::new();
        loop {
            let page = bucket.list_objects(&query);
            let keys = page.objects.iter().map(|(key, _)| key.to_string());
            pages.push(keys.chain(page.common_prefixes.iter().map(|p| format!("[{p}]"))).collect());
            match page.next {
                Some(next) => query.start = next,
                None => return pages,
            }
        }
    }

    fn query(prefix: &str, delimiter: Option<&str>, max_keys: usize) -> ListingQuery {
        ListingQuery {
            prefix: prefix.into(),
            delimiter: delimiter.map(Into::into),
            max_keys,
            start: Position::Start,
        }
    }

    #[test]
    fn pages_come_in_byte_order_and_end_exactly() {
        let bucket = bucket(Versioning::Never, &["b", "a", "é", "😀", "\u{FFFD}", "B"]);
        let all = pages(&bucket, query("", None, 1000)).concat();
        assert_eq!(all, ["B", "a", "b", "é", "\u{FFFD}", "😀"], "UTF-8 order, not UTF-16 order");
        for size in 1..7 {
            let pages = pages(&bucket, query("", None, size));
            assert_eq!(pages.concat(), all);
            assert_eq!(pages.len(), 6_usize.div_ceil(size), "no empty page at the end");
        }
    }

    #[test]
    fn a_page_of_nothing_is_the_last_one() {
        let page = bucket(Versioning::Never, &["a"]).list_objects(&query("", None, 0));
        assert!(page.objects.is_empty() && page.next.is_none());
    }

    #[test]
    fn a_prefix_is_literal() {
        let bucket = bucket(Versioning::Never, &["foo", "foo/1", "foo2/1", "fop"]);
        assert_eq!(pages(&bucket, query("foo", None, 10)).concat(), ["foo", "foo/1", "foo2/1"]);
        assert_eq!(pages(&bucket, query("foo/", None, 10)).concat(), ["foo/1"]);
        assert_eq!(pages(&bucket, query("g", None, 10)).concat(), [""; 0]);
    }

    #[test]
    fn delimiters_roll_keys_up_across_pages() {
        let bucket = bucket(Versioning::Never, &["/x", "a/1", "a/2", "a0", "b//1", "b/1", "c"]);
        for size in 1..7 {
            let mut all = pages(&bucket, query("", Some("/"), size)).concat();
            all.sort();
            assert_eq!(all, ["[/]", "[a/]", "[b/]", "a0", "c"], "pages of {size}");
        }
        assert_eq!(pages(&bucket, query("b/", Some("/"), 10)).concat(), ["b/1", "[b//]"]);
        assert_eq!(
            pages(&bucket, query("", Some("//"), 10)).concat(),
            ["/x", "a/1", "a/2", "a0", "b/1", "c", "[b//]"]
        );
    }

    #[test]
    fn starting_behind_a_key() {
        let bucket = bucket(Versioning::Never, &["a/1", "a/2", "b"]);
        let after = |key: &str, delimiter| ListingQuery {
            start: Position::AfterKey(key.into()),
            ..query("", delimiter, 10)
        };
        assert_eq!(pages(&bucket, after("a/1", None)).concat(), ["a/2", "b"]);
        assert_eq!(pages(&bucket, after("a/1", Some("/"))).concat(), ["b", "[a/]"]);
        assert_eq!(pages(&bucket, after("a/2", Some("/"))).concat(), ["b"]);
        assert_eq!(pages(&bucket, after("a\u{10FFFF}", None)).concat(), ["b"]);
        assert_eq!(pages(&bucket, after("b", None)).concat(), [""; 0]);
    }

    #[test]
    fn behind_a_prefix() {
        assert_eq!(behind("a/").as_deref(), Some("a0"));
        assert_eq!(behind("a\u{10FFFF}").as_deref(), Some("b"));
        assert_eq!(behind("\u{D7FF}").as_deref(), Some("\u{E000}"));
        assert_eq!(behind("\u{10FFFF}"), None);
    }

    #[test]
    fn keys_behind_delete_markers_are_hidden() {
        let mut bucket = bucket(Versioning::Enabled, &["a", "b", "c"]);
        bucket.delete("b", None, 0);
        assert_eq!(pages(&bucket, query("", None, 10)).concat(), ["a", "c"]);
    }

    /// All pages of a listing of versions: `key:index` counted from the oldest, `!` behind delete markers.
    fn version_pages(bucket: &Bucket, max_keys: usize, delimiter: Option<&str>) -> Vec<String> {
        let mut query = VersionsQuery {
            max_keys,
            delimiter: delimiter.map(Into::into),
            ..VersionsQuery::default()
        };
        let mut all = Vec::new();
        loop {
            let page = bucket.list_versions(&query);
            all.extend(page.versions.iter().map(|(key, version, latest)| {
                let sequence = version.sequence;
                format!(
                    "{key}:{sequence}{}{}",
                    if version.is_marker() { "!" } else { "" },
                    if *latest { "*" } else { "" }
                )
            }));
            all.extend(page.common_prefixes.iter().map(|prefix| format!("[{prefix}]")));
            match page.next {
                Some(next) => query.marker = Some(next),
                None => return all,
            }
        }
    }

    #[test]
    fn versions_and_markers_come_mixed_and_paged_by_two_markers() {
        let mut bucket = bucket(Versioning::Enabled, &["a", "b", "a", "c/1", "c/2"]);
        bucket.delete("a", None, 0);
        bucket.put("a", Arc::new(Object::new(Bytes::new(), None)), 0);
        for size in 1..9 {
            let all = version_pages(&bucket, size, None);
            assert_eq!(
                all,
                ["a:7*", "a:6!", "a:3", "a:1", "b:2*", "c/1:4*", "c/2:5*"],
                "pages of {size}"
            );
            let mut rolled = version_pages(&bucket, size, Some("/"));
            rolled.sort();
            assert_eq!(rolled, ["[c/]", "a:1", "a:3", "a:6!", "a:7*", "b:2*"], "pages of {size}");
        }
    }

    #[test]
    fn paging_goes_on_when_the_marked_version_is_gone() {
        let mut bucket = bucket(Versioning::Enabled, &["a", "a", "a", "b"]);
        let mut query = VersionsQuery { max_keys: 2, ..VersionsQuery::default() };
        let first = bucket.list_versions(&query);
        for (key, version, _) in &first.versions {
            bucket.delete(key, Some(version.id()), 0);
        }
        query.marker = first.next;
        let second = bucket.list_versions(&query);
        let rest: Vec<_> =
            second.versions.iter().map(|(key, version, _)| (&**key, version.sequence)).collect();
        assert_eq!(rest, [("a", 1), ("b", 4)]);
    }
}
