//! The calls of a deleter: how many of their keys are open, and what became of the others.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::fault::Fault;
use super::super::object::Deletable;
use super::super::progress::{Progress, add};

/// A key that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    /// The key, exactly.
    pub key: String,
    /// The version, where one was meant.
    pub version: Option<String>,
    /// The code of the fault.
    pub code: String,
    /// What the store, or this library, says about it.
    pub message: String,
}

/// What became of the keys of a call.
#[derive(Debug, Default, PartialEq)]
pub struct Settled {
    /// How many were deleted.
    pub deleted: u64,
    /// Those that failed.
    pub failed: Vec<Failed>,
    /// How many were not tried, because the job was stopped.
    pub untried: u64,
}

/// Calls that are not settled yet, and those that just were.
pub struct Calls {
    open: HashMap<u64, Call>,
    settled: Vec<(u64, Settled)>,
    last: u64,
    progress: Arc<Progress>,
}

#[derive(Default)]
struct Call {
    open: usize,
    settled: Settled,
}

impl Calls {
    /// No calls yet.
    pub fn new(progress: Arc<Progress>) -> Self {
        Self { open: HashMap::new(), settled: Vec::new(), last: 0, progress }
    }

    /// What the job has done.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// A call of so many objects; one without any is settled at once.
    pub fn open(&mut self, objects: usize) -> u64 {
        self.last += 1;
        if objects == 0 {
            self.settled.push((self.last, Settled::default()));
        } else {
            self.open.insert(self.last, Call { open: objects, ..Call::default() });
        }
        self.last
    }

    /// These are deleted.
    pub fn deleted(&mut self, items: Vec<Deletable>) {
        add(&self.progress.deleted, items.len());
        add(&self.progress.bytes, items.iter().map(|item| item.size as usize).sum());
        self.note(items, |settled, _| settled.deleted += 1);
    }

    /// These failed.
    pub fn failed(&mut self, items: Vec<Deletable>, fault: &Fault) {
        add(&self.progress.failed, items.len());
        self.note(items, |settled, item| {
            let Deletable { key, version, .. } = item;
            let (code, message) = (fault.code.clone(), fault.message.clone());
            settled.failed.push(Failed { key, version, code, message });
        });
    }

    /// These were not tried.
    pub fn untried(&mut self, items: Vec<Deletable>) {
        self.note(items, |settled, _| settled.untried += 1);
    }

    /// The keys that are open are not tried any more.
    pub fn close(&mut self) {
        for (number, Call { open, mut settled }) in self.open.drain() {
            settled.untried += open as u64;
            self.settled.push((number, settled));
        }
    }

    /// The calls that were settled since the last time, by their numbers.
    pub fn take_settled(&mut self) -> Vec<(u64, Settled)> {
        std::mem::take(&mut self.settled)
    }

    fn note(&mut self, items: Vec<Deletable>, note: impl Fn(&mut Settled, Deletable)) {
        for item in items {
            let number = item.call;
            let Some(call) = self.open.get_mut(&number) else { continue };
            note(&mut call.settled, item);
            call.open -= 1;
            if call.open == 0
                && let Some(call) = self.open.remove(&number)
            {
                self.settled.push((number, call.settled));
            }
        }
    }
}
