//! What a native job has for JavaScript, in order, with a bound on what waits there.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

use super::jobs::{IntoJs, Notifier, Taken};
use crate::core::sync::Mutex;

/// A queue from Tokio to JavaScript.
pub struct Outlet<T> {
    state: Mutex<State<T>>,
    room: Semaphore,
    notifier: Notifier,
}

struct State<T> {
    chunks: VecDeque<Chunk<T>>,
    /// JavaScript found nothing, and waits to be told.
    is_awaited: bool,
    work: Option<AbortHandle>,
}

/// Whether the chunk has taken room, which is free again when it was taken.
struct Chunk<T> {
    content: T,
    is_bounded: bool,
}

impl<T: IntoJs + Send + 'static> Outlet<T> {
    /// An outlet with room for so many chunks.
    pub fn new(room: usize, notifier: Notifier) -> Arc<Self> {
        let state = State { chunks: VecDeque::new(), is_awaited: false, work: None };
        Arc::new(Self { state: Mutex::new(state), room: Semaphore::new(room), notifier })
    }

    /// What is dropped at once when JavaScript wants no more.
    pub fn set_work(&self, work: AbortHandle) {
        self.state.lock().work = Some(work);
    }

    /// Puts a chunk in when there is room.
    pub async fn put(&self, content: T) {
        // Without a permit the outlet was closed, and nobody takes what is put in.
        if let Ok(permit) = self.room.acquire().await {
            permit.forget();
        }
        self.push(Chunk { content, is_bounded: true });
    }

    /// Puts a chunk in, of which there can't be many.
    pub fn put_now(&self, content: T) {
        self.push(Chunk { content, is_bounded: false });
    }

    fn push(&self, chunk: Chunk<T>) {
        let is_awaited = {
            let mut state = self.state.lock();
            state.chunks.push_back(chunk);
            std::mem::take(&mut state.is_awaited)
        };
        if is_awaited {
            self.notifier.notify();
        }
    }

    /// What [`Job::take`](super::jobs::Job::take) gives.
    pub fn take(&self) -> Taken {
        let mut state = self.state.lock();
        if let Some(Chunk { content, is_bounded }) = state.chunks.pop_front() {
            self.room.add_permits(usize::from(is_bounded));
            return Taken::Chunk(Box::new(content));
        }
        state.is_awaited = true;
        Taken::Nothing
    }

    /// JavaScript wants no more: the work is dropped, and nothing waits for room.
    pub fn close(&self) {
        self.room.close();
        if let Some(work) = self.state.lock().work.take() {
            work.abort();
        }
    }
}
