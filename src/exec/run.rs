//! Drives a native source into a native executor: the run loop.
//!
//! The decisions are those of the core's [`Pipeline`], as they are where JavaScript drives it; here the
//! pipeline's answers are carried out. Tasks run as Tokio tasks, so that they use all threads of the runtime.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::race::{Either, race};
use super::source::{Executor, Source};
use super::stop::Stop;
use crate::core::limit::Limit;
use crate::core::pipeline::{Bounds, Pipeline, Slot};

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End<E> {
    /// The source has ended, and so has every task.
    Done,
    /// The source failed; the tasks pulled before were carried out.
    SourceFailed(E),
    /// The run was stopped; the tasks that were running have ended.
    Stopped,
}

/// Runs `source` into `executor` with at most `window` tasks pulled and unfinished. Failures go to `failures`; a task is
/// unfinished until its failure was taken.
///
/// # Panics
///
/// With the panic of a task.
pub async fn run<S, X>(
    mut source: S,
    executor: Arc<X>,
    window: Limit,
    failures: mpsc::Sender<X::Failure>,
    stop: &Stop,
) -> End<S::Error>
where
    S: Source,
    X: Executor<S::Task>,
{
    let mut pipeline =
        Pipeline::new(Bounds { window, execution: Limit::UNLIMITED, per_key: Limit::UNLIMITED });
    let mut running: JoinSet<(Slot, bool)> = JoinSet::new();
    let mut answer = pipeline.begin();
    let mut wants = false;
    let mut failure = None;
    while !answer.done {
        wants |= answer.pull;
        let event = match (wants, running.is_empty()) {
            (true, true) => Event::Pulled(source.next().await),
            (true, false) => match race(source.next(), running.join_next()).await {
                Either::Left(task) => Event::Pulled(task),
                Either::Right(finished) => Event::Finished(finished),
            },
            (false, _) => Event::Finished(running.join_next().await),
        };
        if stop.is_stopped() {
            break;
        }
        answer = match event {
            Event::Pulled(Some(Ok(task))) => {
                wants = false;
                let (slot, answer) = pipeline.pulled();
                let (executor, failures) = (Arc::clone(&executor), failures.clone());
                running.spawn(async move {
                    let Err(failure) = executor.execute(task).await else { return (slot, true) };
                    // Sending fails when the job is being given up, and nobody takes failures any more.
                    let _ = failures.send(failure).await;
                    (slot, false)
                });
                answer
            }
            Event::Pulled(ended) => {
                wants = false;
                failure = ended.and_then(Result::err);
                pipeline.source_ended()
            }
            Event::Finished(Some(Ok((slot, success)))) => pipeline.finished(slot, success),
            Event::Finished(Some(Err(error))) => std::panic::resume_unwind(error.into_panic()),
            Event::Finished(None) => {
                unreachable!("the pipeline waits for a task that is not there")
            }
        };
    }
    drop(source);
    while running.join_next().await.is_some() {}
    match failure {
        _ if stop.is_stopped() => End::Stopped,
        Some(error) => End::SourceFailed(error),
        None => End::Done,
    }
}

enum Event<T, E> {
    Pulled(Option<Result<T, E>>),
    Finished(Option<Result<(Slot, bool), tokio::task::JoinError>>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::runtime;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Numbers(Vec<Result<u32, &'static str>>);

    impl Source for Numbers {
        type Task = u32;
        type Error = &'static str;

        async fn next(&mut self) -> Option<Result<u32, &'static str>> {
            if self.0.is_empty() { None } else { Some(self.0.remove(0)) }
        }
    }

    /// Fails odd numbers, and counts how many run at once.
    #[derive(Default)]
    struct Counting {
        running: AtomicUsize,
        peak: AtomicUsize,
    }

    impl Executor<u32> for Counting {
        type Failure = u32;

        async fn execute(&self, task: u32) -> Result<(), u32> {
            let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
            self.peak.fetch_max(running, Ordering::SeqCst);
            tokio::task::yield_now().await;
            self.running.fetch_sub(1, Ordering::SeqCst);
            if task % 2 == 1 { Err(task) } else { Ok(()) }
        }
    }

    fn run_all(
        tasks: Vec<Result<u32, &'static str>>,
        stop: &Stop,
    ) -> (End<&'static str>, Vec<u32>, usize) {
        let executor = Arc::new(Counting::default());
        let (sender, mut receiver) = mpsc::channel(1);
        runtime::handle().block_on(async {
            let collect = tokio::spawn(async move {
                let mut failed = Vec::new();
                while let Some(task) = receiver.recv().await {
                    failed.push(task);
                }
                failed.sort_unstable();
                failed
            });
            let window = Limit::from_f64(3.0).unwrap();
            let end = run(Numbers(tasks), Arc::clone(&executor), window, sender, stop).await;
            (end, collect.await.unwrap(), executor.peak.load(Ordering::SeqCst))
        })
    }

    #[test]
    fn runs_all_within_the_window_and_tells_failures() {
        let (end, failed, peak) = run_all((0..10).map(Ok).collect(), &Stop::new());
        assert_eq!((end, failed), (End::Done, vec![1, 3, 5, 7, 9]));
        assert!((1..=3).contains(&peak), "{peak} at once");
    }

    #[test]
    fn a_failing_source_lets_what_it_gave_run() {
        let (end, failed, _) = run_all(vec![Ok(1), Ok(3), Err("broken"), Ok(5)], &Stop::new());
        assert_eq!((end, failed), (End::SourceFailed("broken"), vec![1, 3]));
    }

    #[test]
    fn a_stopped_run_starts_nothing() {
        let stop = Stop::new();
        stop.stop();
        assert_eq!(run_all(vec![Ok(1)], &stop), (End::Stopped, vec![], 0));
    }
}
