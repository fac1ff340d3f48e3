//! What a page of a listing is asked for, and whether an answer is one to it.
//!
//! A store, or a proxy before it, may ignore any part of a question. A page is used as a whole or not at all, and only if every
//! key in it was asked for.

use super::names;
use super::page::{ListRequest, Listing, Page, Place};
use crate::exec::s3::object::Object;

/// Where the names of folders end.
const DELIMITER: char = '/';

impl ListRequest {
    /// The key to begin behind, if that leaves anything out. Some stores, such as SeaweedFS, find nothing behind a key that comes before
    /// all that have the prefix.
    pub fn start(&self) -> Option<String> {
        let leaves_out = self.after.as_bytes() >= self.prefix.as_bytes();
        Some(self.after.clone()).filter(|after| !after.is_empty() && leaves_out)
    }

    /// The page, whose names are decoded, as the answer to this.
    ///
    /// # Errors
    ///
    /// What the store does, in words that continue "The store".
    pub fn accept(&self, page: Page) -> Result<Listing, String> {
        let outside = page.objects.iter().find(|object| !object.key.starts_with(&self.prefix));
        if let Some(Object { key, .. }) = outside {
            return Err(format!("names a key outside of the prefix {:?}: {key:?}", self.prefix));
        }
        self.check_prefixes(&page.prefixes)?;
        self.check_place(&page.objects)?;
        if page.objects.is_empty() && page.prefixes.is_empty() {
            if page.count.is_some_and(|count| count > 0) {
                return Err("says that a page has keys, and names none".to_owned());
            }
            if let Some(prefix) =
                page.prefix.filter(|prefix| names::contradict(prefix, &self.prefix))
            {
                return Err(format!("answers about {prefix:?} when asked about {:?}", self.prefix));
            }
        }
        let next = match page.is_truncated {
            Some(false) => None,
            is_truncated => match page.next {
                Some(told) => Some(self.told(told, page.objects.last())),
                None => self.next(&page.objects, page.count.is_some(), is_truncated.is_some())?,
            },
        };
        Ok(Listing { objects: page.objects, prefixes: page.prefixes, next })
    }

    fn check_prefixes(&self, prefixes: &[String]) -> Result<(), String> {
        let wrong = prefixes.iter().find(|name| {
            let inside = name.strip_prefix(&self.prefix);
            !self.folders || !inside.is_some_and(|inside| inside.ends_with(DELIMITER))
        });
        match wrong {
            None => Ok(()),
            Some(_) if !self.folders => Err("groups keys though that was not asked for".to_owned()),
            Some(name) => {
                Err(format!("groups keys by {name:?}, which is no folder in {:?}", self.prefix))
            }
        }
    }

    /// Whether a page that begins behind a key does.
    fn check_place(&self, objects: &[Object]) -> Result<(), String> {
        let (marker, version) = match &self.place {
            Some(Place::Marker(marker, version)) => (marker, version.as_ref()),
            Some(Place::After(marker)) => (marker, None),
            _ => return Ok(()),
        };
        let is_before = |object: &Object| match version {
            Some(_) => object.key < *marker,
            None => object.key <= *marker,
        };
        match objects.iter().find(|object| is_before(object)) {
            None => Ok(()),
            Some(Object { key, .. }) => {
                Err(format!("names {key:?} on a page that was to begin behind {marker:?}"))
            }
        }
    }

    /// Where the next page begins, if the store says so.
    fn told(&self, told: Place, last: Option<&Object>) -> Place {
        match (told, last) {
            // Without a version, the next page would begin behind all versions of the key.
            (Place::Marker(key, None), Some(last)) if self.versions && last.key == key => {
                Place::Marker(key, last.version.clone())
            }
            (told, _) => told,
        }
    }

    /// Where the next page begins, if the store does not say so.
    fn next(
        &self,
        objects: &[Object],
        is_second_version: bool,
        is_truncated: bool,
    ) -> Result<Option<Place>, String> {
        match objects.last() {
            _ if self.folders => Ok(None),
            None if !is_truncated => Ok(None),
            Some(last) if objects.is_sorted_by(|one, other| one.key <= other.key) => {
                let key = last.key.clone();
                Ok(Some(match (self.versions, is_second_version) {
                    (false, true) => Place::After(key),
                    _ => Place::Marker(key, last.version.clone()),
                }))
            }
            _ => Err("does not say where the next page begins".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(keys: &[&str]) -> Vec<Object> {
        let object = |key: &&str| {
            let (key, version) =
                key.split_once('@').map_or((*key, None), |(key, id)| (key, Some(id)));
            Object { key: key.to_owned(), version: version.map(str::to_owned), ..Object::default() }
        };
        keys.iter().map(object).collect()
    }

    fn token() -> Place {
        Place::Token("t".to_owned())
    }

    fn marker(key: &str, version: Option<&str>) -> Place {
        Place::Marker(key.to_owned(), version.map(str::to_owned))
    }

    #[test]
    fn a_page_that_contradicts_the_question_is_refused() {
        let request = ListRequest { prefix: "tmp/".to_owned(), ..ListRequest::default() };
        let folders = ListRequest { folders: true, ..request.clone() };
        let behind = ListRequest { place: Some(marker("tmp/b", None)), ..request.clone() };
        let version = ListRequest { place: Some(marker("tmp/b", Some("1"))), ..request.clone() };
        let keys = |keys: &[&str]| Page { objects: objects(keys), ..Page::default() };
        let prefixes = |names: &[&str]| Page {
            prefixes: names.iter().map(|name| (*name).to_owned()).collect(),
            ..Page::default()
        };
        let about = |prefix: &str| Page { prefix: Some(prefix.to_owned()), ..Page::default() };
        let table = [
            (&request, keys(&["tmp/a", "prod/a"]), Some("outside of the prefix")),
            (&request, keys(&["tmp"]), Some("outside of the prefix")),
            (&request, keys(&["tmp/", "tmp/a"]), None),
            (&request, prefixes(&["tmp/a/"]), Some("groups keys though")),
            (&folders, prefixes(&["tmp/a/", "tmp/"]), Some("no folder")),
            (&folders, prefixes(&["tmp/a"]), Some("no folder")),
            (&folders, prefixes(&["prod/a/"]), Some("no folder")),
            (&folders, prefixes(&["tmp/a/"]), None),
            (&behind, keys(&["tmp/c", "tmp/b"]), Some("to begin behind")),
            (&behind, keys(&["tmp/c"]), None),
            (&version, keys(&["tmp/a"]), Some("to begin behind")),
            (&version, keys(&["tmp/b"]), None),
            (&request, Page { count: Some(1), ..Page::default() }, Some("names none")),
            (&request, about("prod/"), Some("answers about")),
            (&request, about("tmp%2F"), None),
            (&request, about("/tmp"), None),
            (&request, about(""), None),
        ];
        for (request, page, expected) in table {
            let shown = format!("{page:?}");
            match (request.accept(page), expected) {
                (Ok(_), None) => {}
                (Err(what), Some(expected)) => assert!(what.contains(expected), "{shown}: {what}"),
                (other, _) => panic!("{shown}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_place_before_the_prefix_is_none() {
        for (prefix, after, start) in [
            ("", "", None),
            ("", "a", Some("a")),
            ("p/", "", None),
            ("p/", "a", None),
            ("p/", "p", None),
            ("p/", "p/", Some("p/")),
            ("p/", "p/a", Some("p/a")),
            ("p/", "q", Some("q")),
        ] {
            let (prefix, after) = (prefix.to_owned(), after.to_owned());
            let request = ListRequest { prefix, after, ..ListRequest::default() };
            assert_eq!(request.start().as_deref(), start, "{request:?}");
        }
    }

    #[test]
    fn a_listing_goes_on_until_it_is_said_readably_that_it_ends() {
        let plain = ListRequest::default();
        let versions = ListRequest { versions: true, ..ListRequest::default() };
        let (yes, no) = (Some(true), Some(false));
        let last = Some(marker("b", None));
        let lost = Err("does not say where the next page begins".to_owned());
        let table = [
            (&plain, yes, Some(token()), ["a", "b"].as_slice(), Ok(Some(token()))),
            (&plain, None, Some(token()), &[], Ok(Some(token()))),
            (&plain, no, None, &["a"], Ok(None)),
            (&plain, no, Some(token()), &["a"], Ok(None)),
            (&plain, yes, last.clone(), &["a", "b"], Ok(last.clone())),
            (&plain, yes, None, &["a", "b"], Ok(last.clone())),
            (&plain, None, None, &["a", "b"], Ok(last)),
            (&plain, None, None, &[], Ok(None)),
            (&plain, yes, None, &[], lost.clone()),
            (&plain, yes, None, &["b", "a"], lost.clone()),
            (&plain, None, None, &["b", "a"], lost),
            (&versions, yes, None, &["a@1", "b@2"], Ok(Some(marker("b", Some("2"))))),
            (&versions, yes, Some(marker("b", None)), &["b@2"], Ok(Some(marker("b", Some("2"))))),
            (&versions, yes, Some(marker("c", None)), &["b@2"], Ok(Some(marker("c", None)))),
        ];
        for (request, is_truncated, next, keys, expected) in table {
            let shown = format!("{is_truncated:?} {next:?} {keys:?}");
            let page = Page { objects: objects(keys), is_truncated, next, ..Page::default() };
            assert_eq!(request.accept(page).map(|listing| listing.next), expected, "{shown}");
        }
        let second =
            Page { objects: objects(&["a"]), is_truncated: yes, count: Some(1), ..Page::default() };
        assert_eq!(plain.accept(second).unwrap().next, Some(Place::After("a".to_owned())));
    }
}
