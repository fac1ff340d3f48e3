//! HTTP: connections, requests, answers, and the paths for tests.

mod admin;
pub mod answer;
pub mod server;
pub(crate) mod service;
