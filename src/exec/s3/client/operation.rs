//! What the operations of the SDK have in common. Their builders share no trait, so macros write it once.

use std::future::Future;
use std::pin::Pin;

use crate::exec::s3::fault::Fault;

/// A request on its way.
pub type Sending<T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + Send>>;

/// An operation on the bucket of a target.
macro_rules! addressed {
    ($operation:expr, $target:expr) => {
        $operation
            .bucket(&$target.bucket)
            .set_expected_bucket_owner($target.expected_owner.clone())
            .set_request_payer($target.payer())
    };
}

/// Sends a customized operation, whose answer the capture reads.
macro_rules! sending {
    ($operation:expr, $capture:expr) => {{
        let capture = $capture;
        let operation = $operation.interceptor(capture.clone());
        Box::pin(async move { capture.take(operation.send().await) })
    }};
}

pub(super) use {addressed, sending};
