//! Makes an outcome of a panic, so that whoever waits for the work is told.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// What `work` gives, or what it panicked with.
pub async fn caught<T>(work: impl Future<Output = T>) -> Result<T, Box<dyn Any + Send>> {
    let mut work = pin!(work);
    // What panicked is not polled again.
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::runtime;

    #[test]
    fn gives_the_value_or_the_panic() {
        runtime::handle().block_on(async {
            assert_eq!(caught(async { 1 }).await.unwrap(), 1);
            let panic = caught(async {
                tokio::task::yield_now().await;
                panic!("provoked")
            });
            assert_eq!(
                *panic.await.map(|(): ()| ()).unwrap_err().downcast::<&str>().unwrap(),
                "provoked"
            );
        });
    }
}
