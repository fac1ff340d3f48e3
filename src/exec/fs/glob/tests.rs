//! Patterns, with what they match and what not.

use super::*;

fn wanted(pattern: &str) -> Result<Wanted, String> {
    Wanted::new(&[pattern.to_owned()])
}

fn ignored(pattern: &str) -> Ignored {
    Ignored::new(&[pattern.to_owned()]).unwrap()
}

#[test]
fn patterns_match_by_characters_as_those_of_other_tools_do() {
    let table: &[(&str, &[&str], &[&str])] = &[
        (
            "?.txt",
            &["a.txt", "é.txt", "日.txt", "\u{1f600}.txt"],
            &["ab.txt", ".txt", "\0.a.txt", "a/b.txt"],
        ),
        ("[é].txt", &["é.txt"], &["e.txt", "è.txt"]),
        ("[!a].txt", &["é.txt", "b.txt"], &["a.txt", "bb.txt"]),
        ("[^a-c].txt", &["d.txt"], &["b.txt", "/.txt"]),
        ("[]a].x", &["].x", "a.x"], &["b.x"]),
        ("[a-].x", &["-.x", "a.x"], &["b.x"]),
        ("[а-я]*.md", &["привет.md"], &["hello.md"]),
        ("[[:digit:]].x", &["7.x"], &["d.x"]),
        ("[\\]]x", &["]x"], &["\\x"]),
        ("[!\\]]x", &["ax"], &["]x"]),
        ("[&~].x", &["&.x", "~.x"], &["a.x"]),
        ("*{,.test}.js", &["a.js", "a.test.js"], &["a.ts", "\0.js"]),
        ("{a,b{c,d}}.x", &["a.x", "bc.x", "bd.x"], &["b.x"]),
        ("{a/b,c}/d", &["a/b/d", "c/d"], &["a/d"]),
        ("f{1..3}", &["f1", "f2", "f3"], &["f4", "f{1..3}"]),
        ("f{08..10}", &["f08", "f09", "f10"], &["f8"]),
        ("{c..a}x", &["ax", "bx", "cx"], &["dx"]),
        ("f{0..10..5}", &["f0", "f5", "f10"], &["f1"]),
        ("{a}", &["{a}"], &["a"]),
        ("x{a,}y{}", &["xay{}", "xy{}"], &["xy"]),
        ("@(a|b).js", &["a.js", "b.js"], &["ab.js", "c.js"]),
        ("?(a)b", &["b", "ab"], &["aab"]),
        ("*(a|b)c", &["c", "ababc"], &["xc"]),
        ("+(a)c", &["ac", "aac"], &["c"]),
        ("@(.a|b)", &["\0.a", "b"], &[".b", "\0.b"]),
        ("a@(b|c@(d|e))", &["ab", "acd", "ace"], &["ac"]),
        ("**/*.md", &["a.md", "x/y/a.md"], &["\0.git/a.md", "x/\0.a.md"]),
        ("**", &["a", "x/y"], &["x/\0.y"]),
        ("a/**", &["a/b", "a/b/c"], &["a", "ab"]),
        ("a/**/b", &["a/b", "a/x/y/b"], &["ab", "a/xb"]),
        ("a**b", &["ab", "axb"], &["a/b"]),
        (".github/*.yml", &["\0.github/a.yml", ".github/a.yml"], &["\0.git/a.yml"]),
        ("**/.env", &["\0.env", "a/\0.env"], &["a/env"]),
        ("\\*", &["*"], &["a"]),
        ("a+(b", &[], &[]),
        ("a.b+c(d)", &["a.b+c(d)"], &["aXb+c(d)"]),
        ("x^$", &["x^$"], &["x"]),
        ("app/(group)/*", &["app/(group)/a"], &["app/group/a"]),
        ("a\\|b", &["a|b"], &["a", "b"]),
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
