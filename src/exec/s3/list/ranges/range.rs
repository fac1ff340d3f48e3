//! One range of the keys that are listed, and what a page of it shows: pages that come again, circles, keys out of order.

use std::collections::HashSet;

use crate::exec::s3::answer::Place;
use crate::exec::s3::object::Object;

/// So many pages in a row may be empty: stores skip over what was deleted, a thousand keys a page and more.
pub(super) const MOST_EMPTY: u32 = 10_000;

/// What a range waits for.
#[derive(Debug, Default, PartialEq)]
pub enum Stage {
    /// A lister.
    #[default]
    Idle,
    /// Its next page.
    Listing,
    /// The first key of the next range. These objects belong to this range if they come before that key.
    Waiting(Vec<Object>),
}

/// Keys after one, and up to another.
#[derive(Debug, Default)]
pub struct Range {
    pub(super) number: u64,
    pub(super) after: String,
    /// The place at which it was cut off.
    pub(super) until: Option<String>,
    /// The first key of the next range, once it is known.
    pub(super) bound: Option<String>,
    pub(super) stage: Stage,
    pub(super) place: Option<Place>,
    /// The place of an earlier page, by which circles are found.
    pub(super) mark: Option<Place>,
    /// The first object of one of the pages before, with its version: pages that come again are found by it.
    pub(super) landmark: Option<(String, Option<String>)>,
    /// How many pages were empty since the last object came.
    pub(super) empty: u32,
    /// The store has no page after the last one of this range.
    pub(super) is_last: bool,
    /// Its first key.
    pub(super) first: Option<String>,
    /// The last key found, with its version.
    pub(super) last: Option<(String, Option<String>)>,
    /// The versions of that key which were found.
    pub(super) seen: HashSet<String>,
    pub(super) pages: u32,
    /// The number of pages at which the range is looked at again for places to cut.
    pub(super) reconsider: u32,
}

impl Range {
    pub(super) fn last_key(&self) -> Option<&str> {
        self.last.as_ref().map(|(key, _)| key.as_str())
    }

    /// Keeps in mind how far it came.
    pub(super) fn note_last(&mut self, objects: &[Object]) {
        let Some(last) = objects.last() else { return };
        if self.last_key() != Some(&last.key) {
            self.seen.clear();
        }
        let of_last = objects.iter().rev().take_while(|object| object.key == last.key);
        self.seen.extend(of_last.filter_map(|object| object.version.clone()));
        self.last = Some((last.key.clone(), last.version.clone()));
    }

    /// Removes objects that come twice, and returns whether all keys are in order.
    pub(super) fn sort_out(&self, objects: &mut Vec<Object>) -> bool {
        let begins =
            |object: &Object| self.last_key().is_none_or(|last| object.key.as_str() > last);
        if objects.first().is_none_or(begins)
            && objects.is_sorted_by(|one, other| one.key < other.key)
        {
            return true;
        }
        objects.dedup_by(|one, other| one.key == other.key && one.version == other.version);
        // A store that was told to go on behind a version which is deleted by now may begin its key again.
        let mut is_beginning = true;
        objects.retain(|object| {
            is_beginning &= self.last_key() == Some(&object.key);
            let is_seen = object.version.as_ref().is_none_or(|version| self.seen.contains(version));
            !(is_beginning && is_seen)
        });
        let is_after =
            |object: &Object| self.last_key().is_none_or(|last| object.key.as_str() >= last);
        objects.first().is_none_or(is_after)
            && objects.is_sorted_by(|one, other| one.key <= other.key)
    }

    /// Notes what a page begins with, unless pages come again or never bring anything, whatever new places the store names.
    pub(super) fn see(
        &mut self,
        first: Option<&Object>,
        is_more_to_come: bool,
    ) -> Result<(), String> {
        let Some(Object { key, version, .. }) = first else {
            self.empty += 1;
            return match is_more_to_come && self.empty > MOST_EMPTY {
                true => Err(format!("gives empty pages without an end, {MOST_EMPTY} in a row")),
                false => Ok(()),
            };
        };
        self.empty = 0;
        if self.landmark.as_ref().is_some_and(|seen| seen.0 == *key && seen.1 == *version) {
            return Err(format!("lists {key:?} again on a later page"));
        }
        // As the marks of places, so that a circle of any length is found.
        if (self.pages + 1).is_power_of_two() || self.landmark.is_none() {
            self.landmark = Some((key.clone(), version.clone()));
        }
        Ok(())
    }

    /// Notes where the next page begins, unless that leads in a circle.
    pub(super) fn go_on(&mut self, next: Option<Place>) -> Result<(), String> {
        if next.is_some() {
            if self.place == next {
                return Err("says that the next page begins where this one did".to_owned());
            }
            if self.mark == next {
                return Err("says that the next page begins where one before did".to_owned());
            }
            // The distance between marks doubles, so that circles of any length are found.
            if (self.pages + 1).is_power_of_two() {
                self.mark.clone_from(&next);
            }
        }
        self.pages += 1;
        self.is_last = next.is_none();
        self.place = next;
        Ok(())
    }
}
