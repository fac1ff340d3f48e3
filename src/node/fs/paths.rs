//! Paths on their way to and from JavaScript: in one piece, each ended by a NUL.

use std::path::{Path, PathBuf};

use napi::bindgen_prelude::{BufferSlice, Either, JsValue, ToNapiValue};
use napi::{Env, Result, sys};

/// A string, or bytes where a path is no UTF-8.
pub type Bytes<'a> = Either<String, BufferSlice<'a>>;

/// The paths in one piece.
pub fn to_paths(bytes: &Bytes<'_>) -> Vec<PathBuf> {
    let bytes = match bytes {
        Either::A(text) => text.as_bytes(),
        Either::B(buffer) => buffer,
    };
    let mut paths: Vec<_> = bytes.split(|byte| *byte == 0).map(to_path).collect();
    // What is after the last NUL is nothing.
    paths.pop();
    paths
}

#[cfg(unix)]
fn to_path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// Adds a path to the piece.
#[cfg(unix)]
pub fn append_path(bytes: &mut Vec<u8>, path: &Path) {
    use std::os::unix::ffi::OsStrExt;
    bytes.extend_from_slice(path.as_os_str().as_bytes());
    bytes.push(0);
}

/// Adds a path to the piece.
#[cfg(not(unix))]
pub fn append_path(bytes: &mut Vec<u8>, path: &Path) {
    bytes.extend_from_slice(path.to_string_lossy().as_bytes());
    bytes.push(0);
}

/// One path on its way to JavaScript.
pub struct PathBytes(Vec<u8>);

impl PathBytes {
    pub fn of(path: &Path) -> Self {
        let mut bytes = Vec::new();
        append_path(&mut bytes, path);
        Self(bytes)
    }
}

impl ToNapiValue for PathBytes {
    unsafe fn to_napi_value(env: sys::napi_env, path: Self) -> Result<sys::napi_value> {
        Ok(BufferSlice::copy_from(&Env::from_raw(env), path.0)?.raw())
    }
}
