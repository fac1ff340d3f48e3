//! What of one reading job is in flight, and which outcome is given next: decisions alone, without lock, clock or I/O.
//!
//! A file is admitted, claimed by a reader, and settled with its outcome, which waits until it is taken. The pipeline
//! of the core bounds how many files are in flight, and orders the outcomes. The window also bounds the bytes in flight
//! (being read, or read and not taken): a reader reserves the size of a large file, and a file that does not fit is put back
//! to the head of the line until enough was taken. The file that the consumer needs next always fits, or the reader and the
//! consumer would wait for each other for ever.
//!
//! A [`Claim`] holds good until it is settled, put back, timed out or cancelled. After that its reader can do nothing with
//! it: readers can be stuck for any time, and come back when the slot has long been another file's.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::failure::Failure;
use super::known::Known;
use crate::core::limit::Limit;
use crate::core::locks::queue::{Place, Queue};
use crate::core::pipeline::{self, Order, Pipeline, Slot};

/// Outcomes are worth a crossing when there are so many of them,
const WORTH: usize = 64;
/// or when they have so many bytes,
const WORTH_BYTES: u64 = 1 << 20;
/// or when they have waited for so long, or when nothing else is on its way.
const MOMENT: Duration = Duration::from_millis(10);
/// Outcomes in one chunk.
const MOST: usize = 256;
/// Bytes in one chunk, beyond which nothing is added.
const MOST_BYTES: u64 = 8 << 20;

/// What a window is bounded by.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// In which order outcomes are given.
    pub order: Order,
    /// Files in flight.
    pub max_files: Limit,
    /// Bytes in flight.
    pub max_bytes: u64,
    /// The longest time that one file may take from its claim on; without one, any time.
    pub timeout: Option<Duration>,
}

/// What became of one file.
#[derive(Debug)]
pub struct Outcome {
    /// How many paths were admitted before this one.
    pub index: u64,
    /// The path, as it was given.
    pub path: Arc<Path>,
    /// Its bytes, or why there are none.
    pub result: Result<Vec<u8>, Failure>,
}

/// The right to read one file and to settle it.
#[derive(Clone, Debug)]
pub struct Claim {
    slot: Slot,
    place: Place,
    /// The path, as it was given.
    pub path: Arc<Path>,
    /// What was found out before the file was put back.
    pub known: Option<Known>,
}

/// What became of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reservation {
    /// The file may be read.
    Granted,
    /// There is no room: the file waits again, and the claim is void.
    PutBack,
    /// The claim was void already.
    Void,
}

struct File {
    index: u64,
    path: Arc<Path>,
    /// How many of the bytes in flight are those of this file.
    bytes: u64,
    result: Option<Result<Vec<u8>, Failure>>,
}

struct Reading {
    slot: Slot,
    since: Instant,
}

/// The state of one job.
pub struct Window {
    bounds: Bounds,
    run: Pipeline,
    files: Vec<Option<File>>,
    /// Files that nobody reads yet, and what is known of the first ones.
    waiting: VecDeque<(Slot, Option<Known>)>,
    /// Claims that hold good, the oldest first.
    reading: Queue<Reading>,
    admitted: u64,
    /// How many outcomes were taken. In the order of the source this is also the index of the file that is needed next.
    taken: u64,
    settled: usize,
    settled_bytes: u64,
    settled_since: Option<Instant>,
    bytes: u64,
    /// The first waiting file does not fit.
    full: bool,
    ended: bool,
    cancelled: bool,
}

impl Window {
    /// A window without files.
    pub fn new(bounds: Bounds) -> Self {
        let limits = pipeline::Bounds {
            window: bounds.max_files,
            execution: Limit::UNLIMITED,
            per_key: Limit::UNLIMITED,
        };
        let mut run = Pipeline::giving_results(limits, bounds.order);
        run.begin();
        Self {
            bounds,
            run,
            files: Vec::new(),
            waiting: VecDeque::new(),
            reading: Queue::default(),
            admitted: 0,
            taken: 0,
            settled: 0,
            settled_bytes: 0,
            settled_since: None,
            bytes: 0,
            full: false,
            ended: false,
            cancelled: false,
        }
    }

    /// How many more files may be admitted.
    pub fn room(&self) -> u32 {
        if self.cancelled { 0 } else { self.run.room() }
    }

    /// Takes a path in. The caller keeps to the [`room`](Self::room).
    pub fn admit(&mut self, path: PathBuf) {
        if self.cancelled {
            return;
        }
        let (slot, _) = self.run.pulled();
        let file = File { index: self.admitted, path: path.into(), bytes: 0, result: None };
        self.admitted += 1;
        if self.files.len() <= slot as usize {
            self.files.resize_with(slot as usize + 1, || None);
        }
        self.files[slot as usize] = Some(file);
        self.waiting.push_back((slot, None));
    }

    /// There are no more paths.
    pub fn end(&mut self) {
        self.ended = true;
        self.run.source_ended();
    }

    /// The next file to read.
    pub fn claim(&mut self, now: Instant) -> Option<Claim> {
        if !self.has_work() {
            return None;
        }
        let (slot, known) = self.waiting.pop_front()?;
        let path = Arc::clone(&self.files[slot as usize].as_ref()?.path);
        let place = self.reading.push(Reading { slot, since: now });
        Some(Claim { slot, place, path, known })
    }

    /// Whether the claim still holds good.
    pub fn holds(&self, claim: &Claim) -> bool {
        self.reading.get(claim.place).is_some()
    }

    /// Makes room for a large file, or puts it back.
    pub fn reserve(&mut self, claim: &Claim, known: Known) -> Reservation {
        if !self.holds(claim) {
            return Reservation::Void;
        }
        let Some(file) = self.files[claim.slot as usize].as_mut() else { return Reservation::Void };
        let others = self.bytes - file.bytes;
        let is_needed_next = match self.bounds.order {
            Order::Source => self.taken == file.index,
            Order::Completion => others == 0,
        };
        let wanted = others.saturating_add(known.size);
        if is_needed_next || wanted <= self.bounds.max_bytes {
            self.bytes = wanted;
            file.bytes = known.size;
            return Reservation::Granted;
        }
        // The file may have reserved before, when its size was smaller.
        self.bytes = others;
        file.bytes = 0;
        let index = file.index;
        self.reading.remove(claim.place);
        self.full = true;
        let place = self.place_of(index);
        self.waiting.insert(place, (claim.slot, Some(known)));
        Reservation::PutBack
    }

    /// Keeps the outcome of a file.
    ///
    /// # Errors
    ///
    /// The outcome, when the claim is void: the caller drops it, under no lock.
    pub fn settle(
        &mut self,
        claim: &Claim,
        result: Result<Vec<u8>, Failure>,
        now: Instant,
    ) -> Result<(), Result<Vec<u8>, Failure>> {
        match self.reading.remove(claim.place) {
            Some(_) => {
                self.keep(claim.slot, result, now);
                Ok(())
            }
            None => Err(result),
        }
    }

    /// Ends the files that took too long.
    pub fn expire(&mut self, now: Instant) {
        let Some(timeout) = self.bounds.timeout else { return };
        while let Some(first) = self.reading.first()
            && now.saturating_duration_since(first.since) >= timeout
        {
            let slot = first.slot;
            self.reading.pop();
            self.keep(slot, Err(Failure::Timeout), now);
        }
    }

    /// The outcomes that come next, as many as fit in one chunk.
    pub fn take(&mut self, now: Instant) -> Vec<Outcome> {
        let mut outcomes = Vec::with_capacity(self.settled.min(MOST));
        let mut bytes = 0;
        while outcomes.len() < MOST && bytes < MOST_BYTES {
            let Some((slot, _)) = self.run.take() else { break };
            let Some(File { index, path, bytes: size, result: Some(result) }) =
                self.files[slot as usize].take()
            else {
                break;
            };
            bytes += size;
            outcomes.push(Outcome { index, path, result });
        }
        self.taken += outcomes.len() as u64;
        self.settled -= outcomes.len();
        self.settled_bytes -= bytes;
        self.bytes -= bytes;
        self.full &= outcomes.is_empty();
        self.settled_since = (self.settled > 0).then_some(now);
        outcomes
    }

    /// Nobody wants the rest: all claims are void, and no file is admitted any more. The window before is returned, for the
    /// caller to drop under no lock.
    pub fn cancel(&mut self) -> Self {
        let mut cancelled = Self::new(self.bounds);
        cancelled.cancelled = true;
        std::mem::replace(self, cancelled)
    }

    /// Whether there are outcomes, and enough of them for a crossing.
    pub fn is_worth_taking(&self, now: Instant) -> bool {
        self.run.has_result()
            && (self.settled >= WORTH
                || self.settled_bytes >= WORTH_BYTES
                || self.is_idle()
                || self
                    .settled_since
                    .is_some_and(|since| now.saturating_duration_since(since) >= MOMENT))
    }

    /// Whether everything was taken, and nothing comes.
    pub fn is_over(&self) -> bool {
        self.cancelled || (self.ended && self.admitted == self.taken)
    }

    /// Whether there is a file to claim.
    pub fn has_work(&self) -> bool {
        let Some((first, _)) = self.waiting.front() else { return false };
        // A later file that was put back does not stand before the one that is needed next.
        !self.full || (self.bounds.order == Order::Source && self.is_needed(*first))
    }

    /// Whether nothing is being read, nor can be before something was taken or admitted.
    pub fn is_idle(&self) -> bool {
        self.reading.is_empty() && !self.has_work()
    }

    fn is_needed(&self, slot: Slot) -> bool {
        self.files[slot as usize].as_ref().is_some_and(|file| file.index == self.taken)
    }

    fn keep(&mut self, slot: Slot, result: Result<Vec<u8>, Failure>, now: Instant) {
        let Some(file) = self.files[slot as usize].as_mut() else { return };
        let size = result.as_ref().map_or(0, |data| data.len() as u64);
        self.bytes = self.bytes - file.bytes + size;
        file.bytes = size;
        let success = result.is_ok();
        file.result = Some(result);
        self.settled += 1;
        self.settled_bytes += size;
        self.settled_since.get_or_insert(now);
        self.run.settled(slot, success);
    }

    /// Where a file that was put back belongs among those that wait.
    fn place_of(&self, index: u64) -> usize {
        let is_earlier = |(slot, _): &&(Slot, Option<Known>)| {
            self.files[*slot as usize].as_ref().is_some_and(|file| file.index < index)
        };
        self.waiting.iter().take_while(is_earlier).count()
    }
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
