//! What becomes of the keys of a request that was answered, or was not: pure decisions.

use std::collections::HashMap;

use super::answer::Deletion;
use super::fault::{Fault, Kind};
use super::object::Doomed;

/// What becomes of keys that have a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They came too fast: again, later, as often as it takes.
    Throttled,
    /// Again, and it counts as a try.
    Again,
    /// They stay.
    Report,
    /// They stay, and so does everything else.
    GiveUp,
}

/// What becomes of keys with this fault, after `tries` tries before this one.
pub fn verdict(fault: &Fault, tries: u32, max_attempts: u32) -> Verdict {
    match fault.kind {
        Kind::Throttled => Verdict::Throttled,
        Kind::Passing if tries + 1 < max_attempts => Verdict::Again,
        Kind::Passing | Kind::Refused => Verdict::Report,
        Kind::Fatal | Kind::Expired => Verdict::GiveUp,
    }
}

/// For each item of an answered request its fault, or nothing when it went.
pub fn faults_of(items: &[Doomed], deletion: &Deletion) -> Vec<Option<Fault>> {
    let Deletion { stayed, unnamed, .. } = deletion;
    let mut named: HashMap<(&str, Option<&str>), &Fault> = HashMap::new();
    for (key, version, fault) in stayed {
        named.insert((key, version.as_deref()), fault);
    }
    let is_known = |key: &str| items.iter().any(|item| item.key == key);
    // An error that fits none of the keys may be about any of them.
    let stray = || {
        let (key, _, fault) = stayed.iter().find(|(key, ..)| !is_known(key))?;
        let message = format!(
            "The store reports {} for {key:?}, which it was not asked to delete",
            fault.code
        );
        Some(Fault::passing("MalformedAnswer", message))
    };
    let others = unnamed.clone().or_else(stray);
    let fault = |item: &Doomed| {
        let key = item.key.as_str();
        // Some stores leave the version out of what they refuse.
        let named = named.get(&(key, item.version.as_deref())).or_else(|| named.get(&(key, None)));
        named.copied().or(others.as_ref()).cloned()
    };
    items.iter().map(fault).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(kind: Kind) -> Fault {
        Fault { kind, status: Some(200), code: "Code".to_owned(), message: String::new() }
    }

    #[test]
    fn faults_have_their_verdicts() {
        // kind, tries before, tries allowed, verdict
        let table = [
            (Kind::Throttled, 0, 1, Verdict::Throttled),
            (Kind::Throttled, 1000, 1, Verdict::Throttled),
            (Kind::Passing, 0, 1, Verdict::Report),
            (Kind::Passing, 0, 2, Verdict::Again),
            (Kind::Passing, 1, 2, Verdict::Report),
            (Kind::Passing, 3, 5, Verdict::Again),
            (Kind::Passing, 4, 5, Verdict::Report),
            (Kind::Refused, 0, 5, Verdict::Report),
            (Kind::Fatal, 0, 5, Verdict::GiveUp),
            (Kind::Expired, 0, 5, Verdict::GiveUp),
        ];
        for (kind, tries, allowed, expected) in table {
            assert_eq!(
                verdict(&fault(kind), tries, allowed),
                expected,
                "{kind:?} after {tries} of {allowed}"
            );
        }
    }

    /// The codes that the items get; `-` for one that went.
    fn codes(
        items: &[(&str, Option<&str>)],
        stayed: &[(&str, Option<&str>, &str)],
        unnamed: Option<&str>,
    ) -> Vec<String> {
        let items: Vec<_> = items
            .iter()
            .map(|(key, version)| Doomed::new((*key).to_owned(), version.map(str::to_owned), 0, 1))
            .collect();
        let stayed = stayed.iter().map(|(key, version, code)| {
            let fault = Fault::of_key(code, String::new());
            ((*key).to_owned(), version.map(str::to_owned), fault)
        });
        let deletion = Deletion {
            stayed: stayed.collect(),
            unnamed: unnamed.map(|code| Fault::passing(code, String::new())),
            ..Deletion::default()
        };
        let code = |fault: Option<Fault>| fault.map_or("-".to_owned(), |fault| fault.code);
        faults_of(&items, &deletion).into_iter().map(code).collect()
    }

    #[test]
    fn each_key_gets_its_own_fault() {
        let (a, b) = (("a", None), ("b", None));
        let (a1, a2) = (("a", Some("1")), ("a", Some("2")));
        assert_eq!(codes(&[a, b], &[], None), ["-", "-"]);
        assert_eq!(codes(&[a, b], &[("b", None, "AccessDenied")], None), ["-", "AccessDenied"]);
        assert_eq!(
            codes(&[a, a], &[("a", None, "AccessDenied")], None),
            ["AccessDenied"; 2],
            "a key that is named twice stayed twice"
        );
        assert_eq!(
            codes(&[a1, a2], &[("a", Some("2"), "AccessDenied")], None),
            ["-", "AccessDenied"]
        );
        assert_eq!(
            codes(&[a1, a2, b], &[("a", None, "AccessDenied")], None),
            ["AccessDenied", "AccessDenied", "-"],
            "the version is left out"
        );
    }

    #[test]
    fn an_error_about_no_key_in_particular_claims_no_success() {
        let (a, b) = (("a", None), ("b", None));
        assert_eq!(
            codes(&[a, b], &[("c", None, "AccessDenied")], None),
            ["MalformedAnswer"; 2],
            "another key is named"
        );
        assert_eq!(
            codes(&[a, b], &[("a", None, "AccessDenied")], Some("InternalError")),
            ["AccessDenied", "InternalError"]
        );
    }
}
