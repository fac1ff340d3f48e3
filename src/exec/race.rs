//! Waits for the first of two things.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// Which of the two came first.
#[derive(Debug, PartialEq, Eq)]
pub enum First<A, B> {
    /// The first one.
    Left(A),
    /// The second one.
    Right(B),
}

/// Waits for `left` or `right`, and drops the other. If both are there, `left` wins.
pub async fn race<A, B>(
    left: impl Future<Output = A>,
    right: impl Future<Output = B>,
) -> First<A, B> {
    let (mut left, mut right) = (pin!(left), pin!(right));
    poll_fn(|context| {
        if let Poll::Ready(value) = left.as_mut().poll(context) {
            return Poll::Ready(First::Left(value));
        }
        right.as_mut().poll(context).map(First::Right)
    })
    .await
}
