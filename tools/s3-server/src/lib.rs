//! An S3-compatible server over memory: the ground truth that the demo, the tests and the benchmarks
//! of this repository run against. It is a tool for development and is never shipped.
//!
//! # What it is built of, and why
//!
//! hyper, an own check of Signature Version 4, and quick-xml behind a strict reader. The `s3s` crate
//! would bring the protocol ready-made, but what matters here lies below its abstractions: its writer
//! puts control characters of keys raw into listings and leaves url encoding to the backend, and an
//! answer that is cut off, never sent, or ends in a closed socket has no place in its traits.
//!
//! # The life of a request
//!
//! 1. `http::server` accepts the connection, `http::service` takes the request and reads its body.
//! 2. `request::route` tells the operation, the bucket and the key from method, path and query.
//! 3. `auth` verifies the signature, and `auth::payload` the digests of the body.
//! 4. `request::input` reads the operation's parameters; whatever S3 refuses is refused here.
//! 5. `load::faults` may have a scripted answer, `load::throttle` may answer SlowDown, and the
//!    imitated latency passes. A bucket of `hostile` answers by its seed instead. A request that the client got wrong never reaches this step, so no
//!    scripted fault can hide a fault of the client.
//! 6. `operations` does the work on `store` and writes the answer with `xml::write`.
//!
//! Paths under `/-/` are for tests: statistics, settings, faults, seeding (`http::admin`). No bucket
//! can have that name.
//!
//! Not imitated: virtual-hosted buckets, presigned URLs, signed chunks, multipart uploads, ranges, ACLs and version 1 of
//! ListObjects. All of them are refused by name with status 501.

mod auth;
mod error;
mod hostile;
mod http;
mod load;
mod operations;
mod request;
mod seed;
mod store;
mod text;
mod xml;

pub mod options;
pub use http::server::Server;
