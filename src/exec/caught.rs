//! Makes an outcome of a panic, so that whoever waits for the work is told.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;

/// What `work` gives, or what it panicked with.
pub async fn caught<T>(work: impl Future<Output = T>) -> Result<T, Box<dyn Any + Send>> {
    // What panicked is not polled again.
    AssertUnwindSafe(work).catch_unwind().await
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
