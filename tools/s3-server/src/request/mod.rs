//! From an HTTP request to what it asks for.

pub mod deletion;
pub mod input;
pub mod listing;
pub mod query;
pub mod route;

use hyper::header::{HeaderMap, HeaderName};

/// The value of a header when there is one and it is text.
pub fn header(headers: &HeaderMap, name: impl AsRef<str>) -> Option<&str> {
    let name = HeaderName::from_bytes(name.as_ref().as_bytes()).ok()?;
    headers.get(name)?.to_str().ok()
}
