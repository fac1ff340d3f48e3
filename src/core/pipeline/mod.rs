//! The bounded pipeline: source → window → (limit per key) → permits → executor.
//!
//! # How it works
//!
//! A [`Pipeline`] holds no tasks and runs nothing. Its driver tells it what happened (a task was
//! pulled, a task finished, the source ended) and does what each answer says: pull another, start
//! this one, be done. The driver keeps its tasks under the small integers given out here, which are
//! recycled, so that an array of the window's size is enough.
//!
//! * At most `window` tasks are pulled and unfinished, and one pull is outstanding at a time.
//! * A task first takes the permit of its key, then one of the permits for execution. Both are the
//!   semaphores of this crate, whose waiters are the tasks' integers. So a task whose key is busy
//!   waits aside, and those of other keys pass it while the window has room.
//! * A key's limit may also live outside, shared with others. Then the task is pulled
//!   [gated](Pipeline::pulled_gated), and the driver [opens](Pipeline::opened) the task when the driver has the permit.
//! * A pipeline may [give results](Pipeline::giving_results). Then a task that has [settled](Pipeline::settled)
//!   gives its permits back, but keeps its slot in the window until its result is [taken](Pipeline::take): so a
//!   slow consumer holds the source up. In which order results can be taken is decided here.
//!
//! One event frees at most one permit for execution, so one answer starts at most one task.

use std::sync::Arc;

use crate::core::limit::Limit;
use crate::core::locks::keyed::{KeyedSemaphores, Lease};
use crate::core::locks::queue::{Place, Queue};
use crate::core::locks::semaphore::{Semaphore, Stage};
use crate::core::slab::Slab;

/// A task's place in the window: the integer that stands for the task from when it is pulled until it is finished, or until
/// its result is taken.
pub type Slot = u32;

/// What a pipeline is bounded by.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Tasks pulled and unfinished.
    pub window: Limit,
    /// Tasks running.
    pub execution: Limit,
    /// Tasks running or chosen to run next that have the same key.
    pub per_key: Limit,
}

/// In which order results are given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As the source gave the tasks.
    Source,
    /// As the tasks end.
    Completion,
}

/// What the driver does next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Start this task.
    pub start: Option<Slot>,
    /// Ask the source for another one.
    pub pull: bool,
    /// The run is over: nothing else will be pulled or started. Results may still be there to take after an abort.
    pub done: bool,
}

/// How far a pipeline has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tasks taken from the source.
    pub pulled: u64,
    /// Tasks running now.
    pub running: u32,
    /// Tasks that ended well.
    pub done: u64,
    /// Tasks that failed.
    pub failed: u64,
}

#[derive(Default)]
struct Task {
    key: Option<Lease<Slot>>,
    stage: TaskStage,
    /// The place of its result in the queue of results.
    place: Option<Place>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum TaskStage {
    #[default]
    Waiting,
    Running,
    Settled,
}

/// The tasks whose results are to come, in the order in which the results are given.
struct Results {
    order: Order,
    queue: Queue<Slot>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Tasks are pulled.
    Open,
    /// The source has ended; what was pulled runs.
    Draining,
    /// What runs ends; nothing else starts.
    Aborted,
}

/// The state of one run.
pub struct Pipeline {
    window: Limit,
    execution: Semaphore<Slot>,
    keys: Arc<KeyedSemaphores<Slot>>,
    per_key: Limit,
    tasks: Slab<Task>,
    results: Option<Results>,
    pulling: bool,
    phase: Phase,
    counts: Counts,
}

impl Pipeline {
    /// A pipeline that has pulled nothing yet; call [`begin`](Self::begin) first.
    pub fn new(bounds: Bounds) -> Self {
        Self {
            window: bounds.window,
            execution: Semaphore::new(bounds.execution),
            keys: KeyedSemaphores::new(),
            per_key: bounds.per_key,
            tasks: Slab::default(),
            results: None,
            pulling: false,
            phase: Phase::Open,
            counts: Counts::default(),
        }
    }

    /// A pipeline whose tasks have results, which are [taken](Self::take) one by one.
    pub fn giving_results(bounds: Bounds, order: Order) -> Self {
        let results = Some(Results { order, queue: Queue::default() });
        Self { results, ..Self::new(bounds) }
    }

    /// How far the run has come.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The first pull.
    pub fn begin(&mut self) -> Answer {
        self.answer(None)
    }

    /// The source gave a task.
    pub fn pulled(&mut self) -> (Slot, Answer) {
        let slot = self.take_in(Task::default());
        let start = self.admit(slot);
        (slot, self.answer(start))
    }

    /// The source gave a task that counts against the limit of `key`.
    pub fn pulled_keyed(&mut self, key: &[u16]) -> (Slot, Answer) {
        let slot = self.take_in(Task::default());
        let lease = self.keys.lease(key, self.per_key);
        let start = if lease.acquire(slot).is_ok() { self.admit(slot) } else { None };
        if let Some(task) = self.tasks.get_mut(slot) {
            task.key = Some(lease);
        }
        (slot, self.answer(start))
    }

    /// The source gave a task that waits for a permit kept elsewhere.
    pub fn pulled_gated(&mut self) -> (Slot, Answer) {
        let slot = self.take_in(Task::default());
        (slot, self.answer(None))
    }

    /// A gated task has its permit.
    pub fn opened(&mut self, slot: Slot) -> Answer {
        let start = self.admit(slot);
        self.answer(start)
    }

    /// A task that was started has ended, and there is no result to take. In a debug build it panics when the task was not
    /// started, as do [`settled`](Self::settled) and [`dropped`](Self::dropped).
    pub fn finished(&mut self, slot: Slot, success: bool) -> Answer {
        self.count(success);
        self.leave(slot)
    }

    /// A task that was started has ended, and its result (or its error) waits to be taken.
    pub fn settled(&mut self, slot: Slot, success: bool) -> Answer {
        self.count(success);
        let Some(task) = self.tasks.get_mut(slot) else {
            debug_assert!(false, "a task settled that was not there");
            return self.answer(None);
        };
        debug_assert!(task.stage == TaskStage::Running, "a task settled that had not started");
        task.stage = TaskStage::Settled;
        let key = task.key.take();
        if let Some(Results { order: Order::Completion, queue }) = &mut self.results {
            task.place = Some(queue.push(slot));
        }
        let start = self.free(key);
        self.answer(start)
    }

    /// Whether there is a result to take.
    pub fn has_result(&self) -> bool {
        let next = self.results.as_ref().and_then(|results| results.queue.first());
        next.and_then(|slot| self.tasks.get(*slot))
            .is_some_and(|task| task.stage == TaskStage::Settled)
    }

    /// For how many more tasks the window has room.
    pub fn room(&self) -> u32 {
        self.window.room(self.tasks.len() as u32)
    }

    /// Takes the next result in the order asked for, if that result is there. Its task leaves the window.
    pub fn take(&mut self) -> Option<(Slot, Answer)> {
        if !self.has_result() {
            return None;
        }
        let slot = self.results.as_mut()?.queue.pop()?;
        self.tasks.remove(slot);
        Some((slot, self.answer(None)))
    }

    /// A task that was to be started never was, and is forgotten: it counts neither as done nor as failed.
    pub fn dropped(&mut self, slot: Slot) -> Answer {
        self.leave(slot)
    }

    /// The source has no more tasks, or failed.
    pub fn source_ended(&mut self) -> Answer {
        self.pulling = false;
        if self.phase == Phase::Open {
            self.phase = Phase::Draining;
        }
        self.answer(None)
    }

    /// Nothing else is pulled or started. Tasks pulled and not started are forgotten.
    pub fn abort(&mut self) -> Answer {
        self.phase = Phase::Aborted;
        self.answer(None)
    }

    fn take_in(&mut self, task: Task) -> Slot {
        self.pulling = false;
        self.counts.pulled += 1;
        let slot = self.tasks.insert(task);
        if let Some(Results { order: Order::Source, queue }) = &mut self.results
            && let Some(task) = self.tasks.get_mut(slot)
        {
            task.place = Some(queue.push(slot));
        }
        slot
    }

    fn count(&mut self, success: bool) {
        *(if success { &mut self.counts.done } else { &mut self.counts.failed }) += 1;
    }

    /// The task needs nothing but a permit for execution. Returns the task, if it is to start.
    fn admit(&mut self, slot: Slot) -> Option<Slot> {
        self.execution.acquire(slot).ok()?;
        self.start(slot)
    }

    fn start(&mut self, slot: Slot) -> Option<Slot> {
        if self.phase == Phase::Aborted {
            return None;
        }
        self.tasks.get_mut(slot)?.stage = TaskStage::Running;
        self.counts.running += 1;
        Some(slot)
    }

    fn leave(&mut self, slot: Slot) -> Answer {
        let Some(task) = self.tasks.remove(slot) else {
            debug_assert!(false, "a task ended that was not there");
            return self.answer(None);
        };
        debug_assert!(task.stage == TaskStage::Running, "a task ended that had not started");
        if let (Some(results), Some(place)) = (&mut self.results, task.place) {
            results.queue.remove(place);
        }
        let start = self.free(task.key);
        self.answer(start)
    }

    /// Gives a task's permits back, and returns the task that one of them starts.
    fn free(&mut self, key: Option<Lease<Slot>>) -> Option<Slot> {
        self.counts.running -= 1;
        // Tasks that have the permit of their key already come first.
        let first = self.execution.release(Stage::Admitted).and_then(|slot| self.start(slot));
        let freed = key.and_then(|lease| lease.release(Stage::Admitted));
        let second = freed.and_then(|slot| self.admit(slot));
        debug_assert!(first.is_none() || second.is_none(), "one permit started two tasks");
        first.or(second)
    }

    fn answer(&mut self, start: Option<Slot>) -> Answer {
        let in_flight = self.tasks.len() as u32;
        let pull = self.phase == Phase::Open && !self.pulling && self.window.admits(in_flight);
        self.pulling |= pull;
        let done = match self.phase {
            Phase::Open => false,
            Phase::Draining => in_flight == 0,
            Phase::Aborted => self.counts.running == 0,
        };
        Answer { start, pull, done }
    }
}

#[cfg(test)]
mod tests;
