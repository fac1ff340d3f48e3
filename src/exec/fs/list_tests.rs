//! Listings of small trees, and what must not be entered.

use super::*;
use std::cell::{Cell, RefCell};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::{AtomicU32, Ordering};

/// A tree of its own for each test, deleted at the end.
struct Tree(PathBuf);

impl Tree {
    fn new(files: &[&str]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ya-syn-tree-{}-{number}", std::process::id());
        let tree = Self(std::env::temp_dir().join(name));
        for file in files {
            let path = tree.0.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        tree
    }

    fn list(&self, options: &Options) -> Vec<String> {
        let listing = Listing::new(Base::new(self.0.clone()), ".".into(), options).unwrap();
        let found = Found::default();
        listing.walk(&found).unwrap();
        found.paths.into_inner()
    }

    /// How many folders are entered below the root.
    fn entered(&self, options: &Options) -> u32 {
        let listing = Listing::new(Base::new(self.0.clone()), ".".into(), options).unwrap();
        let found = Found::default();
        listing.walk(&found).unwrap();
        found.entered.get()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[derive(Default)]
struct Found {
    paths: RefCell<Vec<String>>,
    /// It is asked after each folder.
    entered: Cell<u32>,
}

impl Finder for Found {
    fn found(&self, path: PathBuf) -> bool {
        self.paths.borrow_mut().push(path.strip_prefix(".").unwrap().to_str().unwrap().to_owned());
        true
    }

    fn is_wanted(&self) -> bool {
        self.entered.set(self.entered.get() + 1);
        true
    }
}

fn glob(pattern: &str) -> Options {
    Options { glob: vec![pattern.to_owned()], ..Options::default() }
}

fn ignore(pattern: &str) -> Options {
    Options { ignore: vec![pattern.to_owned()], ..Options::default() }
}

#[test]
fn files_come_in_the_order_of_their_names_folder_by_folder() {
    let tree = Tree::new(&["b/z", "b/a/x", "b.txt", "a", "é", "B"]);
    assert_eq!(tree.list(&Options::default()), ["B", "a", "b/a/x", "b/z", "b.txt", "é"]);
}

#[test]
fn hidden_names_are_listed_where_the_pattern_says_their_dot() {
    let tree = Tree::new(&[".github/a.yml", ".git/b.yml", "c.yml", "d/.e.yml"]);
    assert_eq!(tree.list(&Options::default()), ["c.yml"]);
    assert_eq!(tree.list(&glob("**/*.yml")), ["c.yml"]);
    assert_eq!(tree.list(&glob(".github/*.yml")), [".github/a.yml"]);
    assert_eq!(tree.list(&Options { hidden: true, ..glob("**/*.yml") }).len(), 4);
}

#[test]
fn a_folder_that_no_pattern_can_match_below_is_not_entered() {
    let tree = Tree::new(&["src/a.ts", "closed/b.ts"]);
    let closed = tree.0.join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    for options in [glob("src/*.ts"), ignore("closed/**"), ignore("closed/"), ignore("cl*")] {
        assert_eq!(tree.list(&options), ["src/a.ts"]);
        assert_eq!(tree.entered(&options), 1);
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn links_below_the_root_are_followed_on_request_and_loops_end() {
    let tree = Tree::new(&["a/x", "b/y"]);
    symlink("..", tree.0.join("a/up")).unwrap();
    symlink("../b", tree.0.join("a/b")).unwrap();
    symlink("nowhere", tree.0.join("a/n")).unwrap();
    symlink("self", tree.0.join("self")).unwrap();
    symlink("a/x", tree.0.join("z")).unwrap();
    assert_eq!(tree.list(&Options::default()), ["a/x", "b/y"]);
    let followed = Options { follow_symlinks: true, ..Options::default() };
    assert_eq!(tree.list(&followed), ["a/b/y", "a/x", "b/y", "z"]);
}
