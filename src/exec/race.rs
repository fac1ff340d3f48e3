//! Waits for the first of two things.

use std::future::Future;
use std::pin::pin;

pub use futures::future::Either;
use futures::future::select;

/// Waits for `left` or `right`, and drops the other. If both are ready, `left` wins.
pub async fn race<A, B>(
    left: impl Future<Output = A>,
    right: impl Future<Output = B>,
) -> Either<A, B> {
    match select(pin!(left), pin!(right)).await {
        Either::Left((value, _)) => Either::Left(value),
        Either::Right((value, _)) => Either::Right(value),
    }
}
