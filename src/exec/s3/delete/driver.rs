//! Drives the [`Machine`] of a deleter: sends its requests, brings it the answers and the time, and tells the calls.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use tokio::sync::{OnceCell, mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::calls::Settled;
use super::gate::{Gate, Permit};
use super::machine::{Machine, Settings};
use super::options::Options;
use super::sender::Sender;
use super::step::{Answered, Request, Step};
use crate::core::batch::LaneId;
use crate::core::batch::pace::Moment;
use crate::core::limit::Limit;
use crate::exec::s3::client::Client;
use crate::exec::s3::fault::Fault;
use crate::exec::s3::object::Object;
use crate::exec::s3::progress::{Progress, add, take};
use crate::exec::stop::Stop;
use crate::panics::caught;

/// What the driver is told.
pub enum Message {
    /// Objects are to be deleted.
    Call {
        /// Which.
        objects: Vec<Object>,
        /// Where to tell what became of them.
        done: oneshot::Sender<Settled>,
    },
    /// A request has come to its end.
    Finished(Box<Request>, Result<Answered, Fault>),
    /// A permit has come for a lane, or will not come.
    Permit(LaneId, Result<Permit, Fault>),
    /// The job was stopped.
    Stop,
}

struct Driver {
    machine: Machine,
    sender: Arc<Sender>,
    slots: Limit,
    running: u32,
    calls: HashMap<u64, oneshot::Sender<Settled>>,
    gate: Option<Arc<dyn Gate>>,
    permits: HashMap<LaneId, Permit>,
    started: Instant,
    stop: Stop,
    fatal: Arc<OnceLock<Fault>>,
    /// The machine panicked, so that keys may be lost in it.
    is_broken: bool,
    inbox: mpsc::WeakUnboundedSender<Message>,
}

/// Starts a driver, and returns the channel of its messages. The driver ends when all senders of the channel are dropped.
pub fn start(
    client: Arc<Client>,
    options: Options,
    gate: Option<Arc<dyn Gate>>,
    progress: Arc<Progress>,
    stop: Stop,
    fatal: Arc<OnceLock<Fault>>,
) -> mpsc::UnboundedSender<Message> {
    let (inbox, messages) = mpsc::unbounded_channel();
    let Options { target, scope, batch_size, requests, grouping } = options;
    let settings = Settings {
        grouping,
        batch_size,
        throttle_timeout: client.config().throttle_timeout,
        max_attempts: client.config().max_attempts,
    };
    let machine = Machine::new(settings, Arc::clone(&client.ways), Arc::clone(&progress));
    let bucket = OnceCell::new();
    let sender = Sender { client, target, scope, progress, stop: stop.clone(), bucket };
    let driver = Driver {
        machine,
        sender: Arc::new(sender),
        slots: requests,
        running: 0,
        calls: HashMap::new(),
        gate,
        permits: HashMap::new(),
        started: Instant::now(),
        stop: stop.clone(),
        fatal: Arc::clone(&fatal),
        is_broken: false,
        inbox: inbox.downgrade(),
    };
    let (stopper, stopped) = (inbox.downgrade(), stop.clone());
    tokio::spawn(async move {
        stopped.stopped().await;
        if let Some(inbox) = stopper.upgrade() {
            let _ = inbox.send(Message::Stop);
        }
    });
    tokio::spawn(async move {
        if let Err(panic) = caught(driver.work(messages)).await {
            let _ = fatal.set(Fault::of_panic(&*panic));
            stop.stop();
        }
    });
    inbox
}

impl Driver {
    async fn work(mut self, mut messages: mpsc::UnboundedReceiver<Message>) {
        // Requests in flight and waits for permits hold senders too, so the channel closes after the last of them has ended.
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
            // All messages that are there are taken before requests are cut, so that calls made together share requests.
            while let Ok(message) = messages.try_recv() {
                self.take(message);
            }
            wake = self.send();
            self.tell();
        }
    }

    fn take(&mut self, message: Message) {
        let now = self.now();
        match message {
            Message::Call { objects, done } => {
                if let Some(number) = self.decide(|machine| machine.call(objects, now)) {
                    self.calls.insert(number, done);
                }
            }
            Message::Finished(request, result) => {
                self.running -= 1;
                self.decide(|machine| machine.finished(*request, result, now, fastrand::f64()));
            }
            // The job was stopped: dropping the permit gives it back.
            Message::Permit(..) if self.stop.is_stopped() => {}
            Message::Permit(lane, Ok(permit)) => {
                self.permits.insert(lane, permit);
                self.decide(|machine| machine.opened(lane));
            }
            Message::Permit(_, Err(fault)) => drop(self.decide(|machine| machine.give_up(fault))),
            Message::Stop => {
                self.permits.clear();
                self.decide(Machine::stop);
            }
        }
    }

    /// Lets the machine decide something. If the machine panics the job is over, but requests in flight are still awaited.
    fn decide<T>(&mut self, decide: impl FnOnce(&mut Machine) -> T) -> Option<T> {
        let decided = catch_unwind(AssertUnwindSafe(|| decide(&mut self.machine)));
        let panic = match decided {
            Ok(value) => return Some(value),
            Err(panic) => panic,
        };
        self.is_broken = true;
        let _ = self.fatal.set(Fault::of_panic(&*panic));
        self.stop.stop();
        None
    }

    fn now(&self) -> Moment {
        self.started.elapsed()
    }

    /// Sends what can be sent now, and returns when to look again without a message.
    fn send(&mut self) -> Option<Moment> {
        while self.slots.admits(self.running) && !self.stop.is_stopped() {
            let inbox = self.inbox.upgrade()?;
            let now = self.now();
            match self.decide(|machine| machine.next(now))? {
                Step::Send(request) => {
                    self.running += 1;
                    let permit = self.permits.remove(&request.ticket.lane);
                    let sender = Arc::clone(&self.sender);
                    add(&sender.progress.in_flight, 1);
                    tokio::spawn(async move {
                        let result = caught(sender.send(&request)).await;
                        let result = result.unwrap_or_else(|panic| Err(Fault::of_panic(&*panic)));
                        take(&sender.progress.in_flight, 1);
                        drop(permit);
                        let _ = inbox.send(Message::Finished(Box::new(request), result));
                    });
                }
                Step::Ask(lane, prefix) => {
                    let gate = self.gate.clone()?;
                    tokio::spawn(async move {
                        let permit = caught(async { gate.acquire(&prefix).await }).await;
                        let permit = permit.unwrap_or_else(|panic| Err(Fault::of_panic(&*panic)));
                        let _ = inbox.send(Message::Permit(lane, permit));
                    });
                }
                Step::Release(lane) => drop(self.permits.remove(&lane)),
                Step::Wait(until) => return until,
            }
        }
        None
    }

    /// Answers the calls that are settled. The fatal fault is noted first, because the callers look for it.
    fn tell(&mut self) {
        if let Some(fault) = self.machine.fatal() {
            let _ = self.fatal.set(fault.clone());
            self.stop.stop();
        }
        if self.is_broken && self.running == 0 {
            self.decide(|machine| {
                machine.stop();
                machine.close();
            });
        }
        for (number, settled) in self.machine.take_settled() {
            if let Some(done) = self.calls.remove(&number) {
                // The caller may have dropped its call.
                let _ = done.send(settled);
            }
        }
    }
}
