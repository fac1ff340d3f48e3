//! The folder that relative paths are meant in: the working folder at the time of a call, even if the
//! working folder is another one later.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A folder from which relative paths start.
#[derive(Clone, Debug, Default)]
pub struct Base(PathBuf);

impl Base {
    /// A base with this folder, which is absolute, or empty when the working folder was deleted: then nothing is found under a
    /// relative path.
    pub fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// The working folder of the process, or the empty one.
    pub fn current() -> Self {
        Self(std::env::current_dir().unwrap_or_default())
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// The path that the system is asked for. An empty path stays empty: no file has this name.
    pub fn resolve<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        if path.is_absolute() || path.as_os_str().is_empty() {
            return Cow::Borrowed(path);
        }
        if self.0.as_os_str().is_empty() {
            return Cow::Owned(PathBuf::new());
        }
        Cow::Owned(self.0.join(path))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_is_found_below_the_folder_and_nowhere_else() {
        let base = Base::new(PathBuf::from("/base"));
        for (path, resolved) in [("a/b", "/base/a/b"), ("/a", "/a"), ("", ""), ("..", "/base/..")] {
            assert_eq!(base.resolve(Path::new(path)), Path::new(resolved));
        }
        let deleted = Base::default();
        assert_eq!(deleted.resolve(Path::new("/a")), Path::new("/a"));
        assert_eq!(deleted.resolve(Path::new("a")), Path::new(""));
    }
}
