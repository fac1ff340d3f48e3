//! I/O in bulk: drives the core with native ends, on threads of its own. It knows no JavaScript.

pub mod fs;
