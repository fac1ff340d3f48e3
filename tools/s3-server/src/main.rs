//! An S3-compatible server over memory, for the demo and the tests.
fn main() {}
