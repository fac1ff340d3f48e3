//! Catches panics where they would end more than the work that they happened in, and reads what they say.

use std::any::Any;
#[cfg(feature = "tokio")]
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[cfg(feature = "tokio")]
use futures::FutureExt;

use crate::test_hooks;

/// Does `work` where nothing else would catch a panic, and the process or the thread would end with it. The panic hook has
/// printed the message by the time that the panic is caught here, and there is nobody else to tell.
///
/// `place` is its name among the [`test_hooks`].
pub fn contain(place: &str, work: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        test_hooks::pass(place);
        work();
    }));
}

/// What `work` gives, or what it panicked with, so that whoever waits for the work can be told.
#[cfg(feature = "tokio")]
pub async fn caught<T>(work: impl Future<Output = T>) -> Result<T, Box<dyn Any + Send>> {
    // A future that panicked is not polled again, so nobody sees what it left half done.
    AssertUnwindSafe(work).catch_unwind().await
}

/// The message of a panic.
pub fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message")
}

#[cfg(all(test, feature = "tokio"))]
mod tests {
    use super::*;

    #[test]
    fn gives_the_value_or_the_panic() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
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
