//! Lists and deletes objects in S3, by aws-sdk-s3.
//!
//! Pure decisions: [`fault`] and [`kind`] (what an error means), [`ranges`] (how a key space is split), [`filter`] (which objects
//! are wanted), [`scope`] (which keys may be deleted), [`way`] (how a delete is sent), [`xml`] and [`answer`] (what a store
//! answered). The rest does I/O: [`client`] sends single requests, [`list`] finds objects, [`delete`] deletes them, and [`job`] does both
//! at once.
//!
//! The SDK finds endpoints and credentials, signs requests and keeps connections. Answers are read here, because reading
//! listings is most of the work and because the body of a success may be an error. Retries are decided here, because a throttled
//! request does not count as a failed try.

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
