//! Sets the linker up for a Node.js addon; the core alone needs nothing.
fn main() {
    #[cfg(feature = "node")]
    napi_build::setup();
}
