//! Who sent the request, and whether it arrived as it was sent.

pub mod checksum;
pub mod chunked;
pub mod credentials;
pub mod payload;
pub mod signature;
