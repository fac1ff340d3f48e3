//! Finds objects: page by page in order, or several ranges of the keys at once.
//!
//! # How it works
//!
//! One task owns the [ranges]. It begins with one, and with a listing that has more than a page it looks for
//! [places to cut](super::split) while it goes on, as long as some of its listers have nothing to do. The questions of
//! that search are [probes], which nothing waits for: they are dropped when everything is listed.
//!
//! Answers of a store are checked: a page that does not answer its question is an error, and so is a listing that can't go on or
//! that goes in a circle.

mod options;
mod probes;
mod ranges;

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use self::probes::Probes;
use self::ranges::{Candidate, Next, Ranges};
use super::answer::{ListRequest, Listing};
use super::client::Client;
use super::fault::{Fault, Kind};
use super::object::Object;
use super::progress::{Progress, add};
use super::split::{Whole, find_cuts};
use crate::exec::race::{Either, race};
use crate::exec::source::Source;
use crate::exec::stop::Stop;
use crate::panics::caught;
use crate::test_hooks;

pub use options::Options;

/// How many pages may wait to be taken.
const READY: usize = 2;
/// The end of the names of directory buckets, which list in no order and from no place.
const DIRECTORY: &str = "--x-s3";

/// Pages of objects.
pub struct Lister {
    pages: mpsc::Receiver<Result<Vec<Object>, Fault>>,
}

impl Lister {
    /// Starts to list. It ends when it is dropped, or stopped.
    pub fn new(client: Arc<Client>, options: Options, progress: Arc<Progress>, stop: Stop) -> Self {
        let (out, pages) = mpsc::channel(READY);
        let is_directory = options.target.bucket.ends_with(DIRECTORY);
        let state = State {
            ranges: Ranges::new(options.start_after.clone(), options.parallel, !is_directory),
            options: Arc::new(options),
            client,
            progress,
            stop: stop.clone(),
        };
        tokio::spawn(async move {
            let closed = out.clone();
            let unwanted = race(closed.closed(), stop.stopped());
            // A listing that broke off must not be taken for a complete one.
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

struct State {
    ranges: Ranges,
    options: Arc<Options>,
    client: Arc<Client>,
    progress: Arc<Progress>,
    stop: Stop,
}

enum Event {
    Page(u64, Result<Listing, Fault>),
    Cuts(u64, Result<Vec<String>, Fault>),
}

impl State {
    async fn work(mut self, out: mpsc::Sender<Result<Vec<Object>, Fault>>) {
        // Dropping the set ends the searches for places to cut.
        let mut events = JoinSet::new();
        while !self.ranges.is_over() {
            self.start(&mut events);
            let event =
                events.join_next().await.expect("a listing that is not over waits for a page");
            let page = match event {
                Ok(Event::Page(number, listing)) => {
                    listing.and_then(|listing| self.page(number, listing))
                }
                Ok(Event::Cuts(number, cuts)) => {
                    let may_pass =
                        |fault: &Fault| matches!(fault.kind, Kind::Throttled | Kind::Passing);
                    self.ranges.cut(number, cuts.map_err(|fault| !may_pass(&fault)));
                    continue;
                }
                Err(error) => Err(Fault::of_panic(&*error.into_panic())),
            };
            let page = page.map_err(|fault| fault.at(&self.options.target.place()));
            let is_over = page.is_err();
            // The next pages are on their way while this one waits to be taken.
            if !is_over {
                self.start(&mut events);
            }
            let is_empty = page.as_ref().is_ok_and(Vec::is_empty);
            if (!is_empty && out.send(page).await.is_err()) || is_over {
                return;
            }
        }
    }

    fn start(&mut self, events: &mut JoinSet<Event>) {
        while let Some(Next { number, after, place }) = self.ranges.next() {
            let Options { prefix, versions, page_size, details, filter, .. } = &*self.options;
            let request = ListRequest {
                prefix: prefix.clone(),
                versions: *versions,
                after,
                place,
                folders: false,
                max_keys: *page_size,
                details: *details || filter.needs_details(),
                sizes: *details || filter.needs_sizes(),
            };
            let (client, options) = (Arc::clone(&self.client), Arc::clone(&self.options));
            let (progress, stop) = (Arc::clone(&self.progress), self.stop.clone());
            events.spawn(async move {
                let listing = client.list(&options.target, &request, &progress, &stop).await;
                Event::Page(number, listing)
            });
        }
        if let Some(Candidate { number, after, until, want }) = self.ranges.candidate() {
            let (client, options) = (Arc::clone(&self.client), Arc::clone(&self.options));
            let progress = Arc::clone(&self.progress);
            let whole = Whole { prefix: options.prefix.clone(), after, until };
            let probes = Arc::new(Probes { client, options, progress });
            events.spawn(async move { Event::Cuts(number, find_cuts(probes, whole, want).await) });
        }
    }

    /// Takes a page in, and returns what is wanted of it.
    fn page(&mut self, number: u64, listing: Listing) -> Result<Vec<Object>, Fault> {
        test_hooks::pass("s3 page");
        let taken = self.ranges.take(number, listing);
        let mut objects = taken.map_err(|what| Fault::invalid_listing(&what))?;
        let filter = &self.options.filter;
        if !filter.is_open() {
            objects.retain(|object| filter.admits(object));
        }
        add(&self.progress.listed, objects.len());
        Ok(objects)
    }
}
