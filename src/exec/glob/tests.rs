//! Patterns, with what they match and what not: first those that mean the same for paths and for keys.

use super::*;

const BOTH: [Names; 2] = [Names::Paths, Names::Keys];

/// A pattern, names that it matches, and names that it does not match.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

fn check(names: Names, table: &[Row]) {
    for (pattern, matching, others) in table {
        let regex = one(pattern, names).unwrap_or_else(|what| panic!("{pattern}: {what}"));
        for name in *matching {
            assert!(regex.is_match(name), "{names:?}: {pattern} does not match {name}");
        }
        for name in *others {
            assert!(!regex.is_match(name), "{names:?}: {pattern} matches {name}");
        }
    }
}

#[test]
fn patterns_match_by_characters_and_mean_the_same_for_paths_and_keys() {
    let table: &[Row] = &[
        ("*.log", &["a.log", "日本.log"], &["a/b.log", "a.txt"]),
        ("*", &["a", "a\nb"], &["a/b"]),
        ("x", &["x"], &["xx", "x/", "/x"]),
        ("?.txt", &["a.txt", "é.txt", "日.txt", "\u{1f600}.txt"], &["ab.txt", ".txt", "a/b.txt"]),
        ("a?c", &["abc"], &["a/c", "ac"]),
        ("[é].txt", &["é.txt"], &["e.txt", "è.txt"]),
        ("[a-c]x", &["bx"], &["dx", "x"]),
        ("[!a].txt", &["é.txt", "b.txt"], &["a.txt", "bb.txt"]),
        ("[^a-c].txt", &["d.txt"], &["b.txt", "/.txt"]),
        ("[!a-c]x", &["dx"], &["bx", "/x"]),
        ("[+-9]x", &["5x"], &["/x"]),
        ("[]a].x", &["].x", "a.x"], &["b.x"]),
        ("[a-].x", &["-.x", "a.x"], &["b.x"]),
        ("[а-я]*.md", &["привет.md"], &["hello.md"]),
        ("[[:digit:]].x", &["7.x"], &["d.x"]),
        ("[\\]]x", &["]x"], &["\\x"]),
        ("[!\\]]x", &["ax"], &["]x"]),
        ("[&~].x", &["&.x", "~.x"], &["a.x"]),
        ("{a,b*}.txt", &["bcd.txt", "a.txt"], &["c.txt"]),
        ("{a,b{c,d}}.x", &["a.x", "bc.x", "bd.x"], &["b.x"]),
        ("{a/b,c}/d", &["a/b/d", "c/d"], &["a/d"]),
        ("f{1..3}", &["f1", "f2", "f3"], &["f4", "f{1..3}", "f1..3"]),
        ("f{08..10}", &["f08", "f09", "f10"], &["f8"]),
        ("{c..a}x", &["ax", "bx", "cx"], &["dx"]),
        ("f{0..10..5}", &["f0", "f5", "f10"], &["f1"]),
        ("{a}", &["{a}"], &["a"]),
        ("x{a,}y{}", &["xay{}", "xy{}"], &["xy"]),
        ("@(a|b).js", &["a.js", "b.js"], &["ab.js", "c.js", "@(a|b).js"]),
        ("?(a)b", &["b", "ab"], &["aab"]),
        ("*(a|b)c", &["c", "ababc"], &["xc"]),
        ("+(a)c", &["ac", "aac"], &["c"]),
        ("a@(b|c@(d|e))", &["ab", "acd", "ace"], &["ac"]),
        ("**/*.md", &["a.md", "x/y/a.md"], &["a.md/", "a.mdx"]),
        ("**", &["a", "x/y"], &[]),
        ("a/**", &["a/b", "a/b/c"], &["a", "ab"]),
        ("a/**/b", &["a/b", "a/x/y/b"], &["ab", "a/xb"]),
        ("a**/b", &["a/b", "ax/b"], &["ab"]),
        ("\\*", &["*"], &["a"]),
        ("(x)+.", &["(x)+."], &["x."]),
        ("a.b+c(d)", &["a.b+c(d)"], &["aXb+c(d)"]),
        ("x^$", &["x^$"], &["x"]),
        ("app/(group)/*", &["app/(group)/a"], &["app/group/a"]),
        ("a\\|b", &["a|b"], &["a", "b"]),
        ("\\!a", &["!a"], &["a"]),
    ];
    for names in BOTH {
        check(names, table);
    }
}

#[test]
fn any_characters_of_a_key_may_be_matched_and_two_stars_cross_slashes_anywhere() {
    check(
        Names::Keys,
        &[
            ("**.log", &["a.log", "a/b.log", ".log"], &["a.logs"]),
            ("a**b", &["ab", "a/b", "a/x/b"], &["b"]),
            ("a/**", &["a/", "a//", "a/.b"], &["a"]),
            ("**/b", &["b", "/b", "a//b", "a/.x/b"], &["ab"]),
            ("*", &["", ".a", "\0"], &["/"]),
            ("?", &[".", "\0"], &["/", ""]),
            ("[!a]", &[".", "\0"], &["/"]),
            ("a//b/./../c/", &["a//b/./../c/"], &["a/b/c/"]),
            ("", &[""], &["a"]),
        ],
    );
}

#[test]
fn names_that_start_with_a_dot_match_where_a_pattern_for_paths_says_the_dot() {
    check(
        Names::Paths,
        &[
            ("**.log", &["a.log"], &["a/b.log", "\0.log"]),
            ("a**b", &["ab", "axb"], &["a/b"]),
            ("a/**", &["a/b"], &["a/", "a/\0.b"]),
            ("[!a]", &["b"], &["\0"]),
            ("{.a,b}", &["\0.a", ".a", "b"], &["a"]),
        ],
    );
}

#[test]
fn what_is_not_supported_is_refused_by_its_name() {
    let table = [
        ("!x", "'!'"),
        ("!(a|b)", "'!(...)'"),
        ("a!(b)", "'!(...)'"),
        ("a[", "'['"),
        ("[a/b]", "'['"),
        ("{a,b", "'{'"),
        ("@(a|b", "'('"),
        ("@(a/b)", "'('"),
        ("(a|b)", "'@(a|b)'"),
        ("@((a)b)", "'('"),
        ("a\\", "'\\'"),
        ("{1..9999}", "1000"),
        ("[z-a]", "[z-a]"),
        ("{1..9}{1..9}{1..9}{1..9}", "1000"),
    ];
    for names in BOTH {
        for (pattern, named) in table {
            let what = one(pattern, names).err().unwrap_or_else(|| panic!("{pattern} is taken"));
            assert!(what.contains(named), "{names:?}: {pattern}: {what}");
        }
    }
    for pattern in ["../a", "a/./b", "a//b", "a/"] {
        assert!(one(pattern, Names::Paths).is_err(), "{pattern}");
    }
}
