//! Lists and deletes objects in S3, by aws-sdk-s3.
//!
//! Pure decisions: [`fault`] (what an error means), [`ranges`] (how a key space is split),
//! [`filter`] (what is wanted), [`xml`] and [`answer`] (what was said). The rest does I/O: [`client`] sends one request at a time, [`list`] finds
//! objects, [`delete`] removes them, [`job`] does both at once.
//!
//! From the SDK come endpoints, signatures, credentials and connections. Answers are read here, because a
//! listing is most of the work and a success may hide a failure; and what is tried again is decided here, because a
//! throttled request is no failure.

pub mod answer;
pub mod client;
pub mod config;
mod connection;
pub mod credentials;
pub mod delete;
mod explain;
pub mod fault;
pub mod filter;
pub mod job;
pub mod kind;
pub mod list;
pub mod object;
pub mod progress;
pub mod ranges;
mod request;
pub mod scope;
mod shown;
mod split;
pub mod target;
pub mod way;
pub mod xml;
