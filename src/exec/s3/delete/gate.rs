//! Permits for prefixes that are kept elsewhere, such as by the locks of JavaScript.

use std::future::Future;
use std::pin::Pin;

use crate::exec::s3::fault::Fault;

/// Permits for prefixes that are kept elsewhere.
pub trait Gate: Send + Sync {
    /// Waits for a permit of this prefix, which is in WTF-8. Dropping the permit gives it back.
    fn acquire(&self, prefix: &[u8])
    -> Pin<Box<dyn Future<Output = Result<Permit, Fault>> + Send>>;
}

/// A permit of a gate.
pub type Permit = Box<dyn Send>;
