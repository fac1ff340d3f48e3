//! Deletes what it is given, from any number of calls, by as few requests as there can be.
//!
//! # How it works
//!
//! One task owns all state, and everything that happens reaches it as a message: a call, a finished request, a permit, the
//! end. After each message it sends whatever the [`Batcher`] lets it, as long as a request slot is free. So calls that are
//! pending together share requests, and no call waits for others while there is room.
//!
//! A call is over when all of its keys are settled: gone, or refused for good.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::answer::Deletion;
use super::client::{Client, Fallback, Target, Way};
use super::fault::Fault;
use super::object::{Doomed, Object};
use super::progress::{Progress, add, take};
use super::request::Proof;
use super::verdict::{Verdict, faults_of, verdict};
use crate::core::batch::pace::Moment;
use crate::core::batch::{Batch, Batcher, Grouping, LaneId, Next, Outcome, Plan, Ticket};
use crate::core::limit::Limit;
use crate::exec::caught::caught;
use crate::exec::stop::Stop;
use crate::faults;

/// How keys are deleted.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where they are.
    pub target: Target,
    /// How many go by one request.
    pub batch_size: usize,
    /// How many requests are in flight.
    pub requests: Limit,
    /// Which keys share a request.
    pub grouping: Grouping,
}

/// A key that stayed.
#[derive(Clone, Debug, PartialEq)]
pub struct Stayed {
    /// The key, exactly.
    pub key: String,
    /// The version, where one was meant.
    pub version: Option<String>,
    /// Why, in a word.
    pub code: String,
    /// Why.
    pub message: String,
}

/// How a call ended.
#[derive(Debug, Default)]
pub struct Settled {
    /// How many went.
    pub gone: u64,
    /// Those that stayed.
    pub stayed: Vec<Stayed>,
    /// How many were not tried, because the job was stopped.
    pub untried: u64,
}

/// Permits for prefixes that are kept elsewhere.
pub trait Gate: Send + Sync {
    /// Waits for a permit of this prefix, which is WTF-8; it is given back when it is dropped.
    fn acquire(&self, prefix: &[u8])
    -> Pin<Box<dyn Future<Output = Result<Permit, Fault>> + Send>>;
}

/// A permit of a gate.
pub type Permit = Box<dyn Send>;

/// Deletes what it is given.
#[derive(Clone)]
pub struct Deleter {
    inbox: mpsc::UnboundedSender<Message>,
    stop: Stop,
    fatal: Arc<std::sync::OnceLock<Fault>>,
}

enum Message {
    Call { objects: Vec<Object>, done: oneshot::Sender<Settled> },
    Finished { ticket: Ticket, items: Vec<Doomed>, way: Way, result: Result<Deletion, Fault> },
    Permit { lane: LaneId, permit: Result<Permit, Fault> },
    Stop,
}

impl Deleter {
    /// Starts to wait for calls. `stop` ends it: requests in flight finish, and the rest is not tried.
    pub fn new(
        client: Arc<Client>,
        options: Options,
        gate: Option<Arc<dyn Gate>>,
        progress: Arc<Progress>,
        stop: Stop,
    ) -> Self {
        let (inbox, messages) = mpsc::unbounded_channel();
        let fatal = Arc::new(std::sync::OnceLock::new());
        let plan = Plan {
            grouping: options.grouping.clone(),
            batch_size: options.batch_size,
            batch_bytes: usize::MAX,
            patience: client.config().throttle_timeout,
        };
        let state = State {
            sender: Sender {
                client,
                target: Arc::new(options.target),
                progress,
                makes_no_markers: Arc::default(),
            },
            slots: options.requests,
            batcher: Batcher::new(plan),
            calls: HashMap::new(),
            last_call: 0,
            running: 0,
            gate,
            permits: HashMap::new(),
            started: Instant::now(),
            stop: stop.clone(),
            fatal: Arc::clone(&fatal),
            inbox: inbox.downgrade(),
        };
        let stopper = inbox.downgrade();
        let stopped = stop.clone();
        tokio::spawn(async move {
            stopped.stopped().await;
            if let Some(inbox) = stopper.upgrade() {
                let _ = inbox.send(Message::Stop);
            }
        });
        let (stopping, failing) = (stop.clone(), Arc::clone(&fatal));
        tokio::spawn(async move {
            if let Err(panic) = caught(state.work(messages)).await {
                let _ = failing.set(Fault::of_panic(&*panic));
                stopping.stop();
            }
        });
        Self { inbox, stop, fatal }
    }

    /// Deletes these objects.
    pub async fn delete(&self, objects: Vec<Object>) -> Settled {
        let untried = objects.len() as u64;
        let (done, settled) = oneshot::channel();
        if !self.stop.is_stopped() {
            // Without somebody to take it there is no answer either.
            let _ = self.inbox.send(Message::Call { objects, done });
            if let Ok(settled) = settled.await {
                return settled;
            }
            // It panicked, and is about to say so.
            self.stop.stopped().await;
        }
        Settled { untried, ..Settled::default() }
    }

    /// The fault that made all other keys pointless, if there was one.
    pub fn fatal(&self) -> Option<&Fault> {
        self.fatal.get()
    }
}

struct Call {
    open: usize,
    settled: Settled,
    done: oneshot::Sender<Settled>,
}

struct State {
    sender: Sender,
    slots: Limit,
    batcher: Batcher<Doomed>,
    calls: HashMap<u64, Call>,
    last_call: u64,
    running: u32,
    gate: Option<Arc<dyn Gate>>,
    permits: HashMap<LaneId, Permit>,
    started: Instant,
    stop: Stop,
    fatal: Arc<std::sync::OnceLock<Fault>>,
    inbox: mpsc::WeakUnboundedSender<Message>,
}

impl State {
    async fn work(mut self, mut messages: mpsc::UnboundedReceiver<Message>) {
        // Requests and permits under way hold the other end, so it ends when those have, and the owner too.
        let mut wake = None;
        loop {
            let message = match wake {
                Some(at) => timeout_at(self.started + at, messages.recv()).await,
                None => Ok(messages.recv().await),
            };
            match message {
                Ok(None) => return,
                Ok(Some(message)) => self.take(message),
                Err(_) => {}
            }
            // A burst of calls is seen whole before it is cut.
            while let Ok(message) = messages.try_recv() {
                self.take(message);
            }
            wake = self.send();
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Call { objects, done } => self.call(objects, done),
            Message::Finished { ticket, items, way, result } => {
                self.finished(&ticket, items, way, result)
            }
            Message::Permit { lane, permit } => match permit {
                // Nobody will use it any more.
                _ if self.stop.is_stopped() => {}
                Ok(permit) => {
                    self.permits.insert(lane, permit);
                    self.batcher.opened(lane);
                }
                Err(fault) => self.give_up(fault),
            },
            Message::Stop => self.drop_waiting(),
        }
    }

    fn now(&self) -> Moment {
        self.started.elapsed()
    }

    fn call(&mut self, objects: Vec<Object>, done: oneshot::Sender<Settled>) {
        let open = objects.len();
        if open == 0 || self.stop.is_stopped() {
            let _ = done.send(Settled { untried: open as u64, ..Settled::default() });
            return;
        }
        self.last_call += 1;
        let number = self.last_call;
        self.calls.insert(number, Call { open, settled: Settled::default(), done });
        let now = self.now();
        let items = objects
            .into_iter()
            .map(|object| Doomed::new(object.key, object.version, object.size, number));
        self.batcher.push(items, now);
    }

    /// Sends what can be sent, and says when there will be more.
    fn send(&mut self) -> Option<Duration> {
        while self.slots.admits(self.running) && !self.stop.is_stopped() {
            if self.sender.client.ways.current() == Way::Single {
                self.batcher.set_batch_size(1);
            }
            let inbox = self.inbox.upgrade()?;
            match self.batcher.next(self.now()) {
                Next::Send(Batch { items, ticket }) => {
                    self.running += 1;
                    let permit = self.permits.remove(&ticket.lane);
                    let sender = self.sender.clone();
                    add(&sender.progress.in_flight, 1);
                    tokio::spawn(async move {
                        let way = sender.client.ways.current();
                        let result = caught(sender.send(way, &items)).await;
                        let result = result.unwrap_or_else(|panic| Err(Fault::of_panic(&*panic)));
                        take(&sender.progress.in_flight, 1);
                        drop(permit);
                        let _ = inbox.send(Message::Finished { ticket, items, way, result });
                    });
                }
                Next::Ask(lane, prefix) => {
                    let Some(gate) = &self.gate else { return None };
                    let permit = gate.acquire(&prefix);
                    tokio::spawn(async move {
                        let permit = permit.await;
                        let _ = inbox.send(Message::Permit { lane, permit });
                    });
                }
                Next::Release(lane) => drop(self.permits.remove(&lane)),
                Next::Wait(until) => return until,
            }
        }
        None
    }

    fn finished(
        &mut self,
        ticket: &Ticket,
        items: Vec<Doomed>,
        way: Way,
        result: Result<Deletion, Fault>,
    ) {
        faults::pass("s3 finished");
        self.running -= 1;
        let mut outcome = Outcome::default();
        match result {
            Ok(deletion) => {
                self.sender.learn(way, &deletion, &items);
                add(&self.sender.progress.markers, deletion.markers as usize);
                self.sort(items, deletion, ticket, &mut outcome);
            }
            Err(fault) if fault.is_about_the_way() && !items[0].alone => {
                match self.sender.client.ways.refused(way) {
                    Fallback::Retry => {
                        add(&self.sender.progress.retries, 1);
                        outcome.resend = items;
                    }
                    Fallback::Report => self.stay(items, &with_remedy(fault, way)),
                }
            }
            Err(fault) => self.settle_fault(items, fault, ticket, &mut outcome),
        }
        if !outcome.throttled.is_empty() {
            add(&self.sender.progress.throttled, 1);
        }
        if !outcome.throttled.is_empty() || !outcome.failed.is_empty() {
            add(&self.sender.progress.retries, 1);
        }
        let given_up = self.batcher.finish(ticket, outcome, self.now(), fastrand::f64());
        if !given_up.is_empty() {
            let message = "The store kept throttling: nothing got through for as long as throttleTimeout allows";
            self.stay(given_up, &Fault::passing("SlowDown", message.to_owned()));
        }
        if self.stop.is_stopped() {
            self.drop_waiting();
        }
    }

    /// Sorts the keys of an answered request: gone, again or stayed.
    fn sort(
        &mut self,
        items: Vec<Doomed>,
        deletion: Deletion,
        ticket: &Ticket,
        outcome: &mut Outcome<Doomed>,
    ) {
        if deletion.stayed.is_empty() && deletion.unnamed.is_none() {
            outcome.deleted = items.len();
            return self.gone(items);
        }
        let faults = faults_of(&items, &deletion);
        let mut gone = Vec::new();
        for (item, fault) in items.into_iter().zip(faults) {
            match fault {
                None => gone.push(item),
                Some(fault) => self.settle_fault(vec![item], fault, ticket, outcome),
            }
        }
        outcome.deleted = gone.len();
        self.gone(gone);
    }

    /// Decides about items that all have the same fault.
    fn settle_fault(
        &mut self,
        items: Vec<Doomed>,
        fault: Fault,
        ticket: &Ticket,
        outcome: &mut Outcome<Doomed>,
    ) {
        match verdict(&fault, ticket.tries, self.sender.client.config().max_attempts) {
            Verdict::Throttled => outcome.throttled.extend(items),
            Verdict::Again => outcome.failed.extend(items),
            Verdict::Report => self.stay(items, &fault),
            Verdict::GiveUp => {
                self.stay(items, &fault);
                self.give_up(fault);
            }
        }
    }

    /// What waits has no better prospects, and is told the same.
    fn give_up(&mut self, fault: Fault) {
        let waiting = self.batcher.clear();
        self.stay(waiting, &fault);
        let _ = self.fatal.set(fault);
        self.stop.stop();
    }

    fn gone(&mut self, items: Vec<Doomed>) {
        let progress = Arc::clone(&self.sender.progress);
        add(&progress.deleted, items.len());
        add(&progress.bytes, items.iter().map(|item| item.size as usize).sum());
        self.settle(items, |settled, _| settled.gone += 1);
    }

    fn stay(&mut self, items: Vec<Doomed>, fault: &Fault) {
        add(&self.sender.progress.failed, items.len());
        self.settle(items, |settled, item| {
            let Doomed { key, version, .. } = item;
            let (code, message) = (fault.code.clone(), fault.message.clone());
            settled.stayed.push(Stayed { key, version, code, message });
        });
    }

    fn drop_waiting(&mut self) {
        let waiting = self.batcher.clear();
        self.settle(waiting, |settled, _| settled.untried += 1);
        self.permits.clear();
    }

    fn settle(&mut self, items: Vec<Doomed>, note: impl Fn(&mut Settled, Doomed)) {
        for item in items {
            let number = item.call;
            let Some(call) = self.calls.get_mut(&number) else { continue };
            note(&mut call.settled, item);
            call.open -= 1;
            if call.open == 0
                && let Some(call) = self.calls.remove(&number)
            {
                let _ = call.done.send(call.settled);
            }
        }
    }
}

fn with_remedy(fault: Fault, way: Way) -> Fault {
    let remedy = match way {
        Way::Checksum => "deleteMode: 'md5' or deleteMode: 'single'",
        Way::Md5 => "deleteMode: 'single'",
        Way::Single => return fault,
    };
    let message = format!(
        "{} (if the store can't delete many keys in this way, set {remedy})",
        fault.message
    );
    Fault { message, ..fault }
}

/// What a request needs.
#[derive(Clone)]
struct Sender {
    client: Arc<Client>,
    target: Arc<Target>,
    progress: Arc<Progress>,
    /// Whether plain deletes are known to make no markers, so that nothing needs to be said of them.
    makes_no_markers: Arc<AtomicBool>,
}

impl Sender {
    async fn send(&self, way: Way, items: &[Doomed]) -> Result<Deletion, Fault> {
        faults::pass("s3 delete");
        let Self { client, target, progress, .. } = self;
        match (way, items) {
            (Way::Single, [item]) => client.delete_one(target, item, progress).await,
            (_, [item]) if item.alone => client.delete_one(target, item, progress).await,
            _ => {
                let quiet = self.makes_no_markers.load(Ordering::Relaxed);
                let proof = if way == Way::Checksum { Proof::Checksum } else { Proof::Md5 };
                client.delete_many(target, items, proof, quiet, progress).await
            }
        }
    }

    /// What an answer says about the store.
    fn learn(&self, way: Way, deletion: &Deletion, items: &[Doomed]) {
        if !items[0].alone {
            self.client.ways.worked(way);
        }
        let is_plain = items.iter().all(|item| item.version.is_none());
        if is_plain && deletion.markers == 0 && deletion.stayed.is_empty() {
            self.makes_no_markers.store(true, Ordering::Relaxed);
        }
    }
}
