//! What is to be deleted, and what follows from each answer: the state of a deleter, without I/O and without a clock.
//!
//! A call brings objects, and is settled when each of them is deleted, failed or untried. The [`Batcher`] cuts requests from
//! the objects of all calls. The way in which a request is sent is decided when it is cut, and belongs to it from then on,
//! because other jobs of the client may learn of another way meanwhile.

use std::sync::Arc;
use std::time::Duration;

use super::super::answer::Deletion;
use super::super::fault::Fault;
use super::super::object::{Deletable, Object};
use super::super::progress::{Progress, add};
use super::super::way::{Way, Ways};
use super::calls::{Calls, Settled};
use super::step::{Answered, Form, Request, Step};
use super::verdict::{Told, Verdict, may_pass, told, verdict, with_remedy};
use crate::core::batch::pace::Moment;
use crate::core::batch::{Batch, Batcher, Grouping, Item, LaneId, Next, Outcome, Plan, Ticket};
use crate::test_hooks;

/// The bytes of a body that objects may take. Servers with default settings deny bodies of more than 1 MB.
const BODY: usize = 1_000_000 - 500;
/// When a connection breaks twice under a body of at least so many bytes, the size may be the reason.
const LARGE: usize = 128 * 1024;

/// What a machine is made with.
pub struct Settings {
    /// Which keys share a request.
    pub grouping: Grouping,
    /// How many keys go by one request.
    pub batch_size: usize,
    /// How long a prefix may be throttled without anything getting through.
    pub throttle_timeout: Duration,
    /// How many times a request is tried.
    pub max_attempts: u32,
}

/// The state of a deleter.
pub struct Machine {
    settings: Settings,
    ways: Arc<Ways>,
    batcher: Batcher<Deletable>,
    batch_bytes: usize,
    calls: Calls,
    /// Whether the store was seen to confirm plain deletes and to make no markers, so that requests ask for failures alone.
    is_quiet: bool,
    /// An answer to a quiet request contradicted itself, so that none is sent any more.
    is_doubted: bool,
    is_stopped: bool,
    fatal: Option<Fault>,
}

impl Machine {
    /// A machine that has nothing to do yet.
    pub fn new(settings: Settings, ways: Arc<Ways>, progress: Arc<Progress>) -> Self {
        let plan = Plan {
            grouping: settings.grouping.clone(),
            batch_size: settings.batch_size,
            batch_bytes: BODY,
            patience: settings.throttle_timeout,
        };
        Self {
            settings,
            ways,
            batcher: Batcher::new(plan),
            batch_bytes: BODY,
            calls: Calls::new(progress),
            is_quiet: false,
            is_doubted: false,
            is_stopped: false,
            fatal: None,
        }
    }

    /// The fault that made all other keys pointless, if there was one.
    pub fn fatal(&self) -> Option<&Fault> {
        self.fatal.as_ref()
    }

    /// The calls that were settled since the last time, by their numbers.
    pub fn take_settled(&mut self) -> Vec<(u64, Settled)> {
        self.calls.take_settled()
    }

    /// Takes a call in, and returns its number.
    pub fn call(&mut self, objects: Vec<Object>, now: Moment) -> u64 {
        let number = self.calls.open(objects.len());
        let new = |object: Object| Deletable::new(object.key, object.version, object.size, number);
        let items = objects.into_iter().map(new);
        if self.is_stopped {
            self.calls.untried(items.collect());
        } else {
            self.batcher.push(items, now);
        }
        number
    }

    /// What to do now.
    pub fn next(&mut self, now: Moment) -> Step {
        if self.is_stopped {
            return Step::Wait(None);
        }
        let current = self.ways.current();
        self.batcher.set_batch_size(match current {
            Way::Single => 1,
            Way::Multi(_) => self.settings.batch_size,
        });
        match self.batcher.next(now) {
            Next::Send(Batch { items, ticket }) => {
                let from = items.iter().map(|item| item.from).max().unwrap_or_default();
                let is_alone = items.iter().any(|item| item.alone);
                let way = if is_alone { Way::Single } else { from.max(current) };
                let quiet = self.is_quiet && !self.is_doubted;
                Step::Send(Request { items, form: Form { way, quiet }, ticket })
            }
            Next::Ask(lane, prefix) => Step::Ask(lane, prefix),
            Next::Release(lane) => Step::Release(lane),
            Next::Wait(until) => Step::Wait(until),
        }
    }

    /// The permit for this lane has come.
    pub fn opened(&mut self, lane: LaneId) {
        self.batcher.opened(lane);
    }

    /// A request has come to its end.
    pub fn finished(
        &mut self,
        request: Request,
        result: Result<Answered, Fault>,
        now: Moment,
        random: f64,
    ) {
        test_hooks::pass("s3 finished");
        let Request { items, form, ticket } = request;
        let mut outcome = Outcome::default();
        match result {
            Ok(Answered::One { made_marker }) => {
                add(&self.calls.progress().markers, usize::from(made_marker));
                if !items[0].alone {
                    self.ways.worked(form.way);
                }
                self.deleted(items, &mut outcome);
            }
            Ok(Answered::Each(deletion)) => {
                self.answered(items, form, &deletion, &ticket, &mut outcome);
            }
            Err(fault) => self.faulted(items, form, fault, &ticket, &mut outcome),
        }
        let progress = self.calls.progress();
        if !outcome.throttled.is_empty() {
            add(&progress.throttled, 1);
        }
        if !(outcome.throttled.is_empty() && outcome.failed.is_empty() && outcome.resend.is_empty())
        {
            add(&progress.retries, 1);
        }
        let given_up = self.batcher.finish(&ticket, outcome, now, random);
        if !given_up.is_empty() {
            let message = "The store kept throttling: nothing got through for as long as throttleTimeout allows";
            self.calls.failed(given_up, &Fault::passing("SlowDown", message.to_owned()));
        }
        if self.is_stopped {
            self.drop_waiting();
        }
    }

    /// Nothing more is sent; waiting keys are untried.
    pub fn stop(&mut self) {
        self.is_stopped = true;
        self.drop_waiting();
    }

    /// Nothing can be deleted any more: waiting keys have failed by this fault.
    pub fn give_up(&mut self, fault: Fault) {
        self.is_stopped = true;
        let waiting = self.batcher.clear();
        self.calls.failed(waiting, &fault);
        self.fatal.get_or_insert(fault);
    }

    /// Settles all calls as they are, when no request is in flight any more. A panic may have lost some of their keys.
    pub fn close(&mut self) {
        self.is_stopped = true;
        self.calls.close();
    }

    fn drop_waiting(&mut self) {
        let waiting = self.batcher.clear();
        self.calls.untried(waiting);
    }

    fn deleted(&mut self, items: Vec<Deletable>, outcome: &mut Outcome<Deletable>) {
        outcome.deleted += items.len();
        self.calls.deleted(items);
    }

    /// A multi-delete was answered, which decides about each key on its own.
    fn answered(
        &mut self,
        items: Vec<Deletable>,
        form: Form,
        deletion: &Deletion,
        ticket: &Ticket,
        outcome: &mut Outcome<Deletable>,
    ) {
        let is_plain = |item: &Deletable| item.version.is_none();
        // Deleting a marker by its version is told in the same words as making one.
        let made =
            deletion.deleted.iter().filter(|entry| entry.made_marker && entry.version.is_none());
        let markers = made.count();
        let Some(told) = told(&items, deletion, form.quiet) else {
            self.ways.worked(form.way);
            self.is_quiet |= markers == 0 && items.iter().all(is_plain);
            add(&self.calls.progress().markers, markers);
            return self.deleted(items, outcome);
        };
        if !form.quiet
            && deletion.unnamed.is_none()
            && told.iter().all(|told| *told == Told::Nothing)
        {
            let fault = Fault::not_confirmed("the answer names none of the keys");
            return self.faulted(items, form, fault, ticket, outcome);
        }
        self.ways.worked(form.way);
        add(&self.calls.progress().markers, markers);
        let mut deleted = Vec::new();
        for (item, told) in items.into_iter().zip(told) {
            match told {
                Told::Deleted => deleted.push(item),
                Told::Fault(fault) => self.sort(vec![item], fault, ticket, outcome),
                Told::Nothing => match &deletion.unnamed {
                    Some(fault) if may_pass(fault, ticket.tries, self.settings.max_attempts) => {
                        self.sort(vec![item], fault.clone(), ticket, outcome);
                    }
                    _ => self.ask_again(vec![item], form, outcome),
                },
            }
        }
        self.deleted(deleted, outcome);
    }

    /// Sends again the keys that an answer did not name: after a quiet request by one whose answer names every key, and after that
    /// one by one.
    fn ask_again(
        &mut self,
        mut items: Vec<Deletable>,
        form: Form,
        outcome: &mut Outcome<Deletable>,
    ) {
        self.is_doubted |= form.quiet;
        for item in &mut items {
            item.alone |= !form.quiet;
        }
        outcome.resend.append(&mut items);
    }

    /// A request as a whole had a fault.
    fn faulted(
        &mut self,
        mut items: Vec<Deletable>,
        form: Form,
        fault: Fault,
        ticket: &Ticket,
        outcome: &mut Outcome<Deletable>,
    ) {
        if form.way == Way::Single {
            let fault = if fault.is_too_large() { with_remedy(fault, form.way) } else { fault };
            return self.sort(items, fault, ticket, outcome);
        }
        if fault.is_not_confirmed() && form.quiet {
            return self.ask_again(items, form, outcome);
        }
        let bytes: usize = items.iter().map(Item::bytes).sum();
        if fault.is_too_large() {
            if items.len() > 1 {
                self.bound(bytes / 2);
                return outcome.resend.append(&mut items);
            }
            if !self.ways.is_told() {
                return self.ask_again(items, Form { quiet: false, ..form }, outcome);
            }
            return self.sort(items, with_remedy(fault, form.way), ticket, outcome);
        }
        if fault.is_broken_connection() && items.len() > 1 && bytes >= LARGE && ticket.tries > 0 {
            self.bound(bytes / 2);
        }
        let is_about_the_way = fault.is_about_the_way();
        if (is_about_the_way || fault.is_not_confirmed())
            && let Some(way) = self.ways.after(form.way)
        {
            items.iter_mut().for_each(|item| item.from = item.from.max(way));
            return outcome.resend.append(&mut items);
        }
        // One key that a store does not take makes it refuse all others of the batch.
        let may_be_one_key = fault.is_about_a_key() && !self.ways.is_told();
        if fault.is_not_confirmed() || may_be_one_key {
            return self.ask_again(items, Form { quiet: false, ..form }, outcome);
        }
        let fault = if is_about_the_way { with_remedy(fault, form.way) } else { fault };
        self.sort(items, fault, ticket, outcome);
    }

    /// Bounds the bodies of later requests.
    fn bound(&mut self, bytes: usize) {
        self.batch_bytes = self.batch_bytes.min(bytes);
        self.batcher.set_batch_bytes(self.batch_bytes);
    }

    /// Decides about items that all have the same fault.
    fn sort(
        &mut self,
        mut items: Vec<Deletable>,
        fault: Fault,
        ticket: &Ticket,
        outcome: &mut Outcome<Deletable>,
    ) {
        match verdict(&fault, ticket.tries, self.settings.max_attempts) {
            Verdict::Throttled => {
                outcome.retry_after = outcome.retry_after.max(fault.retry_after);
                outcome.throttled.append(&mut items);
            }
            Verdict::Retried => outcome.failed.append(&mut items),
            Verdict::Failed => self.calls.failed(items, &fault),
            Verdict::GiveUp => {
                self.calls.failed(items, &fault);
                self.give_up(fault);
            }
        }
    }
}
