//! Wakes JavaScript on an environment's own thread from any other thread.

pub mod bell;
mod uv;
