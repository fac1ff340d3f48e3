//! HTTP: connections, requests, answers, and the paths for tests.

mod admin;
pub mod answer;
pub mod server;
mod service;
pub(crate) mod state;
