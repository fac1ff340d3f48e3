//! Finds objects: page by page in order, or several ranges of the keys at once.
//!
//! # How it works
//!
//! One task owns the ranges. It begins with one, and with a listing that has more than a page it looks for
//! [places to cut](super::split) while it goes on, as long as there is nothing to do for some of its listers. A range that
//! is cut keeps its beginning; the page that is on its way for it is cut off at its new end. So each key comes once, however
//! ranges are cut and whatever a store makes of the places.
//!
//! What a store says is not taken on trust: a listing that can't go on, or does not, is an error.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::answer::{Listing, Place};
use super::client::{Client, ListRequest, Target};
use super::fault::Fault;
use super::filter::Filter;
use super::object::Object;
use super::progress::{Progress, add};
use super::split::{Asker, Whole, find_cuts};
use crate::exec::caught::caught;
use crate::exec::race::{Either, race};
use crate::exec::source::Source;
use crate::exec::stop::Stop;
use crate::faults;

/// Pages that are ready for whoever takes them.
const READY: usize = 2;
/// Cutting a range is worth it where so many pages are to come, and of one that was cut so many are waited for to see.
const LARGE: u32 = 4;
/// A range in which no place to cut was found is looked at again after so many pages.
const RECONSIDER: u32 = 16;
/// What the names of directory buckets end in; those know no order and no place to begin at.
const DIRECTORY: &str = "--x-s3";

/// What is listed.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where.
    pub target: Target,
    /// The keys' beginning.
    pub prefix: String,
    /// Only keys after this one.
    pub start_after: String,
    /// How many keys a page has at most.
    pub page_size: Option<i32>,
    /// Whether versions and markers are listed.
    pub versions: bool,
    /// Whether times and tags are wanted.
    pub details: bool,
    /// How many listing requests are in flight.
    pub parallel: usize,
    /// What is wanted.
    pub filter: Filter,
}

/// Pages of objects.
pub struct Lister {
    pages: mpsc::Receiver<Result<Vec<Object>, Fault>>,
}

impl Lister {
    /// Starts to list. It ends when it is dropped, or stopped.
    pub fn new(client: Arc<Client>, options: Options, progress: Arc<Progress>, stop: Stop) -> Self {
        let (out, pages) = mpsc::channel(READY);
        let is_directory = options.target.bucket.ends_with(DIRECTORY);
        let first = Range { after: options.start_after.clone(), ..Range::default() };
        let state = State {
            can_split: options.parallel > 1 && !is_directory,
            parallel: options.parallel,
            asker: Arc::new(Store {
                client,
                options,
                progress,
                stop,
                is_over: AtomicBool::new(false),
            }),
            ranges: vec![first],
            was_split: false,
            is_splitting: false,
            ended: (0, 0),
            last_range: 0,
        };
        tokio::spawn(async move {
            let closed = out.clone();
            let stop = state.asker.stop.clone();
            let unwanted = race(closed.closed(), stop.stopped());
            // A listing that broke off must not pass for a whole one.
            if let Either::Left(Err(panic)) = race(caught(state.work(out)), unwanted).await {
                let _ = closed.send(Err(Fault::of_panic(&*panic))).await;
            }
        });
        Self { pages }
    }
}

impl Source for Lister {
    type Task = Vec<Object>;
    type Error = Fault;

    async fn next(&mut self) -> Option<Result<Vec<Object>, Fault>> {
        self.pages.recv().await
    }
}

/// Keys after one, and up to another.
#[derive(Default)]
struct Range {
    number: u64,
    after: String,
    until: Option<String>,
    place: Option<Place>,
    /// One of the places before.
    mark: Option<Place>,
    /// The last key found.
    last: String,
    pages: u32,
    /// It is looked at again for places to cut when it has so many pages.
    reconsider: u32,
    is_listing: bool,
}

struct State {
    asker: Arc<Store>,
    parallel: usize,
    ranges: Vec<Range>,
    last_range: u64,
    can_split: bool,
    was_split: bool,
    is_splitting: bool,
    /// Ranges that ended, and the pages they had.
    ended: (u32, u32),
}

enum Event {
    Page(u64, Result<Listing, Fault>),
    Cuts(u64, Result<Vec<String>, Fault>),
}

impl State {
    async fn work(mut self, out: mpsc::Sender<Result<Vec<Object>, Fault>>) {
        let mut events = JoinSet::new();
        loop {
            self.start(&mut events);
            let Some(event) = events.join_next().await else { return };
            let page = match event {
                Ok(Event::Page(number, listing)) => {
                    listing.and_then(|listing| self.page(number, listing))
                }
                Ok(Event::Cuts(number, cuts)) => {
                    self.is_splitting = false;
                    // Looking is no need: a store that refuses to answer is listed as it is.
                    self.cut(number, cuts.unwrap_or_default());
                    continue;
                }
                Err(error) => Err(Fault::of_panic(&*error.into_panic())),
            };
            let is_over = page.is_err();
            // The next pages are on their way while this one waits to be taken.
            if !is_over {
                self.start(&mut events);
            }
            let is_empty = page.as_ref().is_ok_and(Vec::is_empty);
            if (!is_empty && out.send(page).await.is_err()) || is_over {
                return;
            }
            // Whoever looks for places to cut need ask nothing more; what was asked is answered, so that the counts are true.
            if self.ranges.is_empty() {
                self.asker.is_over.store(true, Ordering::Relaxed);
            }
        }
    }

    fn start(&mut self, events: &mut JoinSet<Event>) {
        let mut listing = self.ranges.iter().filter(|range| range.is_listing).count();
        for range in &mut self.ranges {
            if listing == self.parallel {
                return;
            }
            if range.is_listing {
                continue;
            }
            range.is_listing = true;
            listing += 1;
            let (asker, number) = (Arc::clone(&self.asker), range.number);
            let request = ListRequest {
                after: range.after.clone(),
                place: range.place.clone(),
                max_keys: asker.options.page_size,
                details: asker.options.details || asker.options.filter.needs_details(),
                ..asker.request()
            };
            events.spawn(async move { Event::Page(number, asker.list(&request).await) });
        }
        if !self.can_split || self.is_splitting {
            return;
        }
        let is_whole = !self.was_split;
        let typical = self.ended.1 / self.ended.0.max(1);
        // The range that has come furthest without an end is most likely to have much before it.
        let candidates = self.ranges.iter_mut().filter(|range| {
            range.pages >= range.reconsider.max(1) && (is_whole || is_large(range.pages, typical))
        });
        let Some(range) = candidates.max_by_key(|range| range.pages) else { return };
        range.reconsider = range.pages + RECONSIDER;
        self.is_splitting = true;
        let (asker, number) = (Arc::clone(&self.asker), range.number);
        let prefix = asker.options.prefix.clone();
        let whole = Whole { prefix, after: range.last.clone(), until: range.until.clone() };
        let want = 2 * self.parallel - listing;
        events.spawn(async move { Event::Cuts(number, find_cuts(asker, whole, want).await) });
    }

    /// Takes a page in, and returns what is wanted of it.
    fn page(&mut self, number: u64, listing: Listing) -> Result<Vec<Object>, Fault> {
        faults::pass("s3 page");
        let Listing { mut objects, is_truncated, next, .. } = listing;
        let Some(at) = self.ranges.iter().position(|range| range.number == number) else {
            return Ok(Vec::new());
        };
        let range = &mut self.ranges[at];
        let is_sorted = objects.is_sorted_by(|one, other| one.key <= other.key)
            && objects.first().is_none_or(|first| first.key >= range.last);
        if !is_sorted {
            if self.was_split {
                return Err(lie(
                    "lists keys in another order than that of their bytes; set parallelListing: 1",
                ));
            }
            self.can_split = false;
        }
        if is_truncated {
            let told = next
                .as_ref()
                .ok_or_else(|| lie("says that there is more, but not where it begins"))?;
            if range.place.as_ref() == Some(told) {
                return Err(lie("says that the next page begins where this one did"));
            }
            if range.mark.as_ref() == Some(told) {
                return Err(lie("says that the next page begins where one before did"));
            }
            // Marks ever farther apart find a circle of any length.
            if (range.pages + 1).is_power_of_two() {
                range.mark.clone_from(&next);
            }
        }
        if let Some(last) = objects.last() {
            range.last.clone_from(&last.key);
        }
        let is_past = range.until.as_ref().is_some_and(|until| range.last > *until);
        if !range.after.is_empty() {
            let after = &range.after;
            objects.retain(|object| object.key > *after);
        }
        if let Some(until) = range.until.as_ref().filter(|_| is_past) {
            objects.retain(|object| object.key <= *until);
        }
        range.is_listing = false;
        range.pages += 1;
        range.place = next;
        if !is_truncated || is_past {
            self.ended.0 += 1;
            self.ended.1 += range.pages;
            self.ranges.remove(at);
        }
        let filter = &self.asker.options.filter;
        if !filter.is_open() {
            objects.retain(|object| filter.admits(object));
        }
        add(&self.asker.progress.listed, objects.len());
        Ok(objects)
    }

    fn cut(&mut self, number: u64, cuts: Vec<String>) {
        let Some(range) = self.ranges.iter_mut().find(|range| range.number == number) else {
            return;
        };
        let cuts: Vec<String> = cuts.into_iter().filter(|cut| *cut > range.last).collect();
        let Some(first) = cuts.first() else { return };
        if !self.can_split {
            return;
        }
        self.was_split = true;
        range.reconsider = range.pages + LARGE;
        let until = range.until.replace(first.clone());
        let ends: Vec<_> = cuts.iter().skip(1).cloned().map(Some).chain([until]).collect();
        for (after, until) in cuts.into_iter().zip(ends) {
            self.last_range += 1;
            self.ranges.push(Range { number: self.last_range, after, until, ..Range::default() });
        }
    }
}

/// Whether much is to come of a range with so many pages so far, where those that ended had `typical` pages.
fn is_large(pages: u32, typical: u32) -> bool {
    // It has just begun, and what is to come is worth the questions; or it turned out larger than the others.
    pages + LARGE <= typical || pages >= LARGE.max(typical + 1)
}

fn lie(what: &str) -> Fault {
    Fault::fatal("InvalidListing", format!("The store {what}"))
}

/// The store, for questions.
struct Store {
    client: Arc<Client>,
    options: Options,
    progress: Arc<Progress>,
    stop: Stop,
    /// Everything is listed.
    is_over: AtomicBool,
}

impl Store {
    fn request(&self) -> ListRequest {
        let Options { prefix, versions, .. } = &self.options;
        ListRequest { prefix: prefix.clone(), versions: *versions, ..ListRequest::default() }
    }

    async fn list(&self, request: &ListRequest) -> Result<Listing, Fault> {
        self.client.list(&self.options.target, request, &self.progress, &self.stop).await
    }
}

impl Asker for Store {
    async fn first_after(&self, place: String) -> Result<Option<String>, Fault> {
        if self.is_over.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let listing =
            self.list(&ListRequest { after: place, max_keys: Some(1), ..self.request() }).await?;
        Ok(listing.objects.into_iter().next().map(|object| object.key))
    }

    async fn names_after(&self, folder: String, place: String) -> Result<Vec<String>, Fault> {
        if self.is_over.load(Ordering::Relaxed) {
            return Ok(Vec::new());
        }
        let request =
            ListRequest { prefix: folder, after: place.clone(), folders: true, ..self.request() };
        let listing = self.list(&request).await?;
        let keys = listing.objects.into_iter().map(|object| object.key);
        Ok(keys.chain(listing.prefixes).filter(|name| *name > place).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_cut_where_much_is_to_come() {
        // Nothing has ended yet: four pages show that there is much.
        // Others ended after ten: one that just began has as much before it, one that is as far is about to end, and one that
        // came further is larger.
        let table = [
            (0, [(1, false), (3, false), (4, true)].as_slice()),
            (1, &[(1, false), (3, false), (4, true)]),
            (6, &[(1, true), (2, true), (3, false), (6, false), (7, true)]),
            (10, &[(1, true), (6, true), (7, false), (10, false), (11, true)]),
        ];
        for (typical, pages) in table {
            for (pages, expected) in pages {
                assert_eq!(is_large(*pages, typical), *expected, "{pages} of {typical}");
            }
        }
    }
}
