//! What a native source and a native executor are.

use std::future::Future;

/// Gives tasks one after the other.
pub trait Source: Send {
    /// What the source gives.
    type Task: Send + 'static;
    /// Why the source can't give any more.
    type Error: Send + 'static;

    /// The next task; nothing when there are no more.
    fn next(&mut self) -> impl Future<Output = Option<Result<Self::Task, Self::Error>>> + Send;
}

/// Carries tasks out.
pub trait Executor<T>: Send + Sync + 'static {
    /// What is told of a task that failed.
    type Failure: Send + 'static;

    /// Carries out one task.
    fn execute(&self, task: T) -> impl Future<Output = Result<(), Self::Failure>> + Send;
}
