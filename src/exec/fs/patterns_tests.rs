//! Patterns of files, with what they match and what not; the table of what they have in common with those of keys is that of
//! [`glob`](crate::exec::glob).

use super::*;

fn wanted(pattern: &str) -> Result<Wanted, String> {
    Wanted::new(&[pattern.to_owned()])
}

fn ignored(pattern: &str) -> Ignored {
    Ignored::new(&[pattern.to_owned()]).unwrap()
}

#[test]
fn names_that_start_with_a_dot_match_where_a_pattern_says_the_dot() {
    let table: &[(&str, &[&str], &[&str])] = &[
        (
            "?.txt",
            &["a.txt", "é.txt", "日.txt", "\u{1f600}.txt"],
            &["ab.txt", ".txt", "\0.a.txt", "a/b.txt"],
        ),
        ("*{,.test}.js", &["a.js", "a.test.js"], &["a.ts", "\0.js"]),
        ("@(.a|b)", &["\0.a", "b"], &[".b", "\0.b"]),
        ("**/*.md", &["a.md", "x/y/a.md"], &["\0.git/a.md", "x/\0.a.md"]),
        ("**", &["a", "x/y"], &["x/\0.y"]),
        (".github/*.yml", &["\0.github/a.yml", ".github/a.yml"], &["\0.git/a.yml"]),
        ("**/.env", &["\0.env", "a/\0.env"], &["a/env"]),
        ("a+(b", &[], &[]),
    ];
    for (pattern, matching, others) in table {
        let Ok(wanted) = wanted(pattern) else {
            assert!(matching.is_empty(), "{pattern} is refused");
            continue;
        };
        for path in *matching {
            assert!(wanted.has_file(path), "{pattern} does not match {path}");
        }
        for path in *others {
            assert!(!wanted.has_file(path), "{pattern} matches {path}");
        }
    }
}

#[test]
fn folders_below_which_nothing_can_match_are_told() {
    let table: &[(&str, &[&str], &[&str])] = &[
        ("src/*.ts", &["src"], &["lib", "src/a", "srcs"]),
        ("*.ts", &[], &["a"]),
        ("a/b*/c/d", &["a", "a/b1", "a/b/c"], &["b", "a/c", "a/b/x", "a/b/c/d"]),
        ("a/**/b", &["a", "a/x", "a/x/y"], &["b", "a/\0.x"]),
        ("**/.github/*", &["x", "x/\0.github"], &["x/\0.git"]),
        ("{a,b/c}/d", &["a", "b", "b/c"], &["c", "a/d", "b/d"]),
        ("a/**", &["a", "a/b"], &["b"]),
    ];
    for (pattern, entered, passed_over) in table {
        let wanted = wanted(pattern).unwrap();
        for folder in *entered {
            assert!(wanted.may_be_below(folder), "{pattern} passes {folder} over");
        }
        for folder in *passed_over {
            assert!(!wanted.may_be_below(folder), "{pattern} enters {folder}");
        }
    }
}

#[test]
fn ignoring_all_that_is_in_a_folder_ignores_the_folder() {
    for pattern in ["dir", "dir/", "dir/**", "d?r", "**/dir/", "dir/**/**"] {
        assert!(ignored(pattern).has_folder("dir"), "{pattern}");
    }
    assert!(ignored("dir").has_file("dir"));
    for pattern in ["dir/", "dir/**", "dir/*"] {
        assert!(!ignored(pattern).has_file("dir"), "{pattern}");
    }
    assert!(!ignored("dir/*").has_folder("dir"));
    assert!(ignored("*").has_folder(".git") && ignored("**/x").has_file(".git/x"));
}

#[test]
fn what_is_not_supported_is_refused_by_its_name() {
    let table = [
        ("!x", "ignore"),
        ("!(a|b)", "'!(...)'"),
        ("a!(b)", "'!(...)'"),
        ("a[", "'['"),
        ("{a,b", "'{'"),
        ("@(a|b", "'('"),
        ("@(a/b)", "'('"),
        ("(a|b)", "'@(a|b)'"),
        ("@((a)b)", "'('"),
        ("../a", "'..'"),
        ("a/./b", "'.'"),
        ("a//b", "''"),
        ("a\\", "'\\'"),
        ("dir/", "'dir/**'"),
        ("{1..9999}", "1000"),
        ("[z-a]", "[z-a]"),
        ("{1..9}{1..9}{1..9}{1..9}", "1000"),
    ];
    for (pattern, named) in table {
        let fault = wanted(pattern).err().unwrap_or_else(|| panic!("{pattern} is taken"));
        assert!(fault.contains(pattern) && fault.contains(named), "{pattern}: {fault}");
    }
}
