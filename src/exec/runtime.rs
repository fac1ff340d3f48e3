//! The one Tokio runtime of the process, made when the first native job starts.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

/// Two threads keep hundreds of requests in flight; more would take the cores that JavaScript needs.
const THREADS: usize = 2;

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

/// The runtime that native jobs run on.
///
/// # Panics
///
/// When the operating system gives no more threads.
pub fn handle() -> &'static Handle {
    let make = || {
        Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("ya-syn-native")
            .enable_all()
            .build()
            .expect("the operating system gives no thread for native jobs")
    };
    RUNTIME.get_or_init(make).handle()
}
