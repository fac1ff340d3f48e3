//! The ranges of the keys that are listed at once: pure decisions on what follows from each page.
//!
//! A listing begins with one range. A range that is cut keeps its beginning, and a page that is on its way for it is cut off at
//! the new end. So each key comes once, however ranges are cut.
//!
//! The end of a range and the beginning of the next one come from two pages, and the store may order its keys in another way than
//! earlier pages showed. So a range does not end where it was cut, but at the first key that the next range found. A range that
//! reaches the cut before that key is known [waits](Stage::Waiting) with the objects behind the cut.

mod range;

use self::range::{Range, Stage};
use crate::exec::s3::answer::{Listing, Place};
use crate::exec::s3::object::Object;

/// A range is worth cutting when about so many pages are to come, and is looked at again so many pages after it was cut.
const LARGE: u32 = 4;
/// A range in which no place to cut was found is looked at again after so many pages.
const RECONSIDER: u32 = 16;
/// How often the search for places may fail.
const MOST_FAILURES: u32 = 3;

/// A page to ask for.
#[derive(Debug, PartialEq)]
pub struct Next {
    /// The range that it belongs to.
    pub number: u64,
    /// Only keys after this one.
    pub after: String,
    /// Where the page begins, if it is not the first of its range.
    pub place: Option<Place>,
}

/// A range to find places in to cut it at.
#[derive(Debug, PartialEq)]
pub struct Candidate {
    /// The range.
    pub number: u64,
    /// A key at its beginning.
    pub after: String,
    /// The end of the range, if it has one.
    pub until: Option<String>,
    /// How many places are wanted.
    pub want: usize,
}

/// All ranges of a listing that have not ended.
#[derive(Debug)]
pub struct Ranges {
    parallel: usize,
    ranges: Vec<Range>,
    last_number: u64,
    can_split: bool,
    was_split: bool,
    is_splitting: bool,
    failures: u32,
    /// Ranges that ended, and the pages they had.
    ended: (u32, u32),
}

impl Ranges {
    /// All keys after this one, listed by so many at once, if they can be.
    pub fn new(after: String, parallel: usize, can_split: bool) -> Self {
        Self {
            parallel,
            ranges: vec![Range { after, ..Range::default() }],
            last_number: 0,
            can_split: can_split && parallel > 1,
            was_split: false,
            is_splitting: false,
            failures: 0,
            ended: (0, 0),
        }
    }

    /// Whether everything was listed.
    pub fn is_over(&self) -> bool {
        self.ranges.is_empty()
    }

    /// A page to ask for now.
    pub fn next(&mut self) -> Option<Next> {
        if self.listing() == self.parallel {
            return None;
        }
        let range = self.ranges.iter_mut().find(|range| range.stage == Stage::Idle)?;
        range.stage = Stage::Listing;
        let (after, place) = (range.after.clone(), range.place.clone());
        Some(Next { number: range.number, after, place })
    }

    /// A range that is worth cutting, now that some listers have nothing to do or will have.
    pub fn candidate(&mut self) -> Option<Candidate> {
        let listing = self.listing();
        if !self.can_split || self.is_splitting || listing == self.parallel {
            return None;
        }
        let is_whole = !self.was_split;
        let typical = self.ended.1 / self.ended.0.max(1);
        // The range with the most pages so far is likely to have the most to come.
        let candidates = self.ranges.iter_mut().filter(|range| {
            range.pages >= range.reconsider.max(1)
                && !matches!(range.stage, Stage::Waiting(_))
                && (is_whole || is_large(range.pages, typical))
        });
        let range = candidates.max_by_key(|range| range.pages)?;
        range.reconsider = range.pages + RECONSIDER;
        self.is_splitting = true;
        let after = range.last_key().unwrap_or(&range.after).to_owned();
        let (number, until) = (range.number, range.until.clone());
        Some(Candidate { number, after, until, want: 2 * self.parallel - listing })
    }

    /// Takes a page in, and returns the objects of it that come now.
    ///
    /// # Errors
    ///
    /// What the store does, in words that continue "The store". Nothing of the page may be used then.
    pub fn take(&mut self, number: u64, listing: Listing) -> Result<Vec<Object>, String> {
        let Some(at) = self.ranges.iter().position(|range| range.number == number) else {
            return Ok(Vec::new());
        };
        let Listing { mut objects, next, .. } = listing;
        let range = &mut self.ranges[at];
        let begins_with = objects.first().cloned();
        let is_sorted = range.sort_out(&mut objects);
        if !is_sorted {
            if self.was_split {
                return Err(
                    "lists keys in another order than that of their bytes; set parallelListing: 1"
                        .to_owned(),
                );
            }
            self.can_split = false;
        }
        // What comes twice where two pages meet is no circle, unless nothing else comes.
        range.see(objects.first().or(begins_with.as_ref()), next.is_some())?;
        range.go_on(next)?;
        range.note_last(&objects);
        let is_before = |object: &Object| !range.after.is_empty() && object.key <= range.after;
        if !is_sorted || objects.first().is_some_and(is_before) {
            // The store ignores where the range begins: the keys before that belong to other ranges, or were not asked for.
            objects.retain(|object| object.key > range.after);
        }
        if range.first.is_none() {
            // What lies behind its end is none of its keys, though the next one has found it before, and it may be deleted by now.
            let is_own =
                |object: &&Object| range.bound.as_ref().is_none_or(|end| object.key < *end);
            range.first = objects.first().filter(is_own).map(|object| object.key.clone());
        }
        let number = range.number;
        let mut found = self.settle(number, objects);
        self.tell_neighbours(&mut found);
        Ok(found)
    }

    /// Cuts a range at these places, which are in order; with a fault, `is_final` says whether asking again is of no use.
    pub fn cut(&mut self, number: u64, cuts: Result<Vec<String>, bool>) {
        self.is_splitting = false;
        let cuts = match cuts {
            Ok(cuts) => cuts,
            Err(is_final) => {
                // The ranges that there are list all keys, so that a search which fails is no error.
                self.failures += 1;
                self.can_split &= !is_final && self.failures < MOST_FAILURES;
                return;
            }
        };
        let Some(range) = self.ranges.iter_mut().find(|range| range.number == number) else {
            return;
        };
        let inside = |cut: &String| {
            range.last_key().is_none_or(|last| cut.as_str() > last)
                && range.until.as_ref().is_none_or(|until| cut < until)
        };
        let cuts: Vec<String> = cuts.into_iter().filter(inside).collect();
        let Some(first) = cuts.first() else { return };
        if !self.can_split || matches!(range.stage, Stage::Waiting(_)) {
            return;
        }
        self.was_split = true;
        range.reconsider = range.pages + LARGE;
        let until = range.until.replace(first.clone());
        let mut bound = range.bound.take();
        let ends: Vec<_> = cuts.iter().skip(1).cloned().map(Some).chain([until]).collect();
        let last = ends.len() - 1;
        for (at, (after, until)) in cuts.into_iter().zip(ends).enumerate() {
            self.last_number += 1;
            let bound = if at == last { bound.take() } else { None };
            let number = self.last_number;
            self.ranges.push(Range { number, after, until, bound, ..Range::default() });
        }
    }

    fn listing(&self) -> usize {
        self.ranges.iter().filter(|range| range.stage == Stage::Listing).count()
    }

    /// The objects of a range that come now. The range goes on, waits, or ends.
    fn settle(&mut self, number: u64, mut objects: Vec<Object>) -> Vec<Object> {
        let Some(at) = self.ranges.iter().position(|range| range.number == number) else {
            return Vec::new();
        };
        let range = &mut self.ranges[at];
        let last = range.last_key().unwrap_or_default();
        let is_past = range.until.as_deref().is_some_and(|until| last > until);
        let mut is_over = range.is_last;
        let mut stage = Stage::Idle;
        if is_past {
            let end = range.bound.as_ref().or(range.until.as_ref()).expect("it has an end");
            let is_known = range.bound.is_some();
            is_over |= is_known && last >= end.as_str();
            let split = objects.partition_point(|object| match is_known {
                true => object.key < *end,
                false => object.key <= *end,
            });
            let rest = objects.split_off(split);
            if !is_known {
                stage = Stage::Waiting(rest);
                is_over = false;
            }
        }
        range.stage = stage;
        if is_over {
            let ended = self.ranges.remove(at);
            self.ended.0 += 1;
            self.ended.1 += ended.pages;
            // The range before learns the first key of the one that ended, or takes over the end of one without keys.
            let before = self
                .ranges
                .iter_mut()
                .find(|range| range.bound.is_none() && range.until.as_ref() == Some(&ended.after));
            if let Some(before) = before {
                match ended.first {
                    Some(first) => before.bound = Some(first),
                    None => (before.until, before.bound) = (ended.until, ended.bound),
                }
            }
        }
        objects
    }

    /// Tells each range the first key of the next one, and adds the objects of ranges that waited for it.
    fn tell_neighbours(&mut self, found: &mut Vec<Object>) {
        if !self.was_split {
            return;
        }
        loop {
            for at in 0..self.ranges.len() {
                let range = &self.ranges[at];
                if range.bound.is_some() || range.until.is_none() {
                    continue;
                }
                let next =
                    self.ranges.iter().find(|next| range.until.as_ref() == Some(&next.after));
                let first = next.and_then(|next| next.first.clone());
                self.ranges[at].bound = first;
            }
            let ready = self.ranges.iter_mut().find(|range| {
                matches!(range.stage, Stage::Waiting(_))
                    && (range.bound.is_some()
                        || range
                            .until
                            .as_deref()
                            .is_none_or(|until| range.last_key() <= Some(until)))
            });
            let Some(range) = ready else { return };
            let Stage::Waiting(rest) = std::mem::take(&mut range.stage) else { return };
            let number = range.number;
            found.extend(self.settle(number, rest));
        }
    }
}

/// Whether much is to come of a range with so many pages so far, where those that ended had `typical` pages.
fn is_large(pages: u32, typical: u32) -> bool {
    // Either most of a typical range is still to come, or this range has turned out larger than those that ended.
    pages + LARGE <= typical || pages >= LARGE.max(typical + 1)
}

#[cfg(test)]
mod tests;
