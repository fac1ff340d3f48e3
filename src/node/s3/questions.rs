//! Questions of native work to JavaScript that wait for an answer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::oneshot;

use crate::core::sync::Mutex;

/// The questions of one kind that a job has asked.
pub struct Questions<T> {
    last: AtomicU32,
    open: Mutex<HashMap<u32, oneshot::Sender<T>>>,
}

impl<T> Default for Questions<T> {
    fn default() -> Self {
        Self { last: AtomicU32::new(0), open: Mutex::new(HashMap::new()) }
    }
}

impl<T> Questions<T> {
    /// A new question: its number, and where the answer will come.
    pub fn ask(&self) -> (u32, oneshot::Receiver<T>) {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (answer, receiver) = oneshot::channel();
        self.open.lock().insert(number, answer);
        (number, receiver)
    }

    /// Hands an answer to whoever asked.
    pub fn answer(&self, number: u32, answer: T) {
        let question = self.open.lock().remove(&number);
        if let Some(question) = question {
            // Sending fails when nobody waits for the answer any more.
            let _ = question.send(answer);
        }
    }

    /// Nobody will answer any more.
    pub fn close(&self) {
        let questions = std::mem::take(&mut *self.open.lock());
        drop(questions);
    }
}
