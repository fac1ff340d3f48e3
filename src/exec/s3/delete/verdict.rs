//! What becomes of the keys of a request: what an answer says of each key, and what follows from a fault.

use std::collections::{HashMap, HashSet};

use super::super::answer::{Deleted, Deletion};
use super::super::fault::{Fault, Kind};
use super::super::object::Deletable;
use super::super::way::{Proof, Way};

/// What becomes of keys that have a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They are tried again later, as often as it takes.
    Throttled,
    /// They are tried again, and that counts as a try.
    Retried,
    /// They failed.
    Failed,
    /// They failed, and so does everything else.
    GiveUp,
}

/// What becomes of keys with this fault, after `tries` tries before this one.
pub fn verdict(fault: &Fault, tries: u32, max_attempts: u32) -> Verdict {
    match fault.kind {
        Kind::Throttled => Verdict::Throttled,
        Kind::Passing if tries + 1 < max_attempts => Verdict::Retried,
        Kind::Passing | Kind::Denied => Verdict::Failed,
        Kind::Fatal | Kind::Expired => Verdict::GiveUp,
    }
}

/// Whether keys with this fault are tried again.
pub fn may_pass(fault: &Fault, tries: u32, max_attempts: u32) -> bool {
    matches!(verdict(fault, tries, max_attempts), Verdict::Throttled | Verdict::Retried)
}

/// The fault of keys that were sent in this way, with what the user can do about it.
pub fn with_remedy(fault: Fault, way: Way) -> Fault {
    let remedy = match way {
        _ if fault.is_too_large() => {
            "the request is too large for it: set a smaller batchSize, or deleteMode: 'single'"
        }
        Way::Multi(Proof::Checksum) => {
            "if the store can't delete many keys in this way, set deleteMode: 'md5' or deleteMode: 'single'"
        }
        Way::Multi(Proof::Md5) => {
            "if the store can't delete many keys in this way, set deleteMode: 'single'"
        }
        Way::Single => return fault,
    };
    let message = format!("{} ({remedy})", fault.message);
    Fault { message: message.trim_start().to_owned(), ..fault }
}

/// What an answer says of one key.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// The key is deleted.
    Deleted,
    /// It is not.
    Fault(Fault),
    /// Nothing.
    Nothing,
}

/// What the answer says of each item, or `None` where it says of all that they are deleted.
///
/// The answer to a `quiet` request names failures alone. So there what is not named is deleted, unless something else in the
/// answer shows that it is not to be trusted.
pub fn told(items: &[Deletable], deletion: &Deletion, quiet: bool) -> Option<Vec<Told>> {
    let Deletion { deleted, failed, unnamed } = deletion;
    let is_plain = failed.is_empty() && unnamed.is_none();
    // Most answers are in the order of the request.
    let in_order = |(item, deleted): (&Deletable, &Deleted)| {
        item.key == deleted.key && item.version == deleted.version
    };
    if is_plain && deleted.len() == items.len() && items.iter().zip(deleted).all(in_order) {
        return None;
    }
    if is_plain && quiet && deleted.is_empty() {
        return None;
    }
    let faults: HashMap<(&str, Option<&str>), &Fault> = failed
        .iter()
        .map(|(key, version, fault)| ((key.as_str(), version.as_deref()), fault))
        .collect();
    let mut named = Named::new(deleted);
    let told = |item: &Deletable| {
        let (key, version) = (item.key.as_str(), item.version.as_deref());
        // Some stores leave the version out of what they refuse.
        let fault = faults.get(&(key, version)).or_else(|| faults.get(&(key, None)));
        match fault {
            Some(fault) if fault.says_deleted() => Told::Deleted,
            Some(fault) => Told::Fault((*fault).clone()),
            None if named.confirm(key, version) => Told::Deleted,
            None => Told::Nothing,
        }
    };
    let mut all: Vec<_> = items.iter().map(told).collect();
    if quiet && deleted.is_empty() && unnamed.is_none() {
        let asked: HashSet<&str> = items.iter().map(|item| item.key.as_str()).collect();
        let is_about_these = failed.iter().all(|(key, ..)| asked.contains(key.as_str()));
        for told in all.iter_mut().filter(|told| is_about_these && **told == Told::Nothing) {
            *told = Told::Deleted;
        }
    }
    Some(all)
}

/// What an answer names as deleted.
struct Named<'a> {
    exact: HashSet<(&'a str, Option<&'a str>)>,
    /// For each key that is named, how many entries name no version of it.
    by_key: HashMap<&'a str, usize>,
}

impl<'a> Named<'a> {
    fn new(deleted: &'a [Deleted]) -> Self {
        let mut named = Self { exact: HashSet::new(), by_key: HashMap::new() };
        for Deleted { key, version, made_marker } in deleted {
            named.exact.insert((key.as_str(), version.as_deref()));
            // An entry that made a marker says that the object is hidden now, not that a version was deleted.
            let without_version = usize::from(version.is_none() && !made_marker);
            *named.by_key.entry(key).or_default() += without_version;
        }
        named
    }

    fn confirm(&mut self, key: &str, version: Option<&str>) -> bool {
        if self.exact.contains(&(key, version)) {
            return true;
        }
        let Some(without_version) = self.by_key.get_mut(key) else { return false };
        match version {
            // Some stores name a version where none was meant, such as `null`.
            None => true,
            // Others name none where one was meant: as many entries as there are versions.
            Some(_) if *without_version > 0 => {
                *without_version -= 1;
                true
            }
            Some(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_their_verdicts() {
        // kind, tries before, tries allowed, verdict
        let table = [
            (Kind::Throttled, 0, 1, Verdict::Throttled),
            (Kind::Throttled, 1000, 1, Verdict::Throttled),
            (Kind::Passing, 0, 1, Verdict::Failed),
            (Kind::Passing, 0, 2, Verdict::Retried),
            (Kind::Passing, 1, 2, Verdict::Failed),
            (Kind::Passing, 3, 5, Verdict::Retried),
            (Kind::Passing, 4, 5, Verdict::Failed),
            (Kind::Denied, 0, 5, Verdict::Failed),
            (Kind::Fatal, 0, 5, Verdict::GiveUp),
            (Kind::Expired, 0, 5, Verdict::GiveUp),
        ];
        for (kind, tries, allowed, expected) in table {
            let fault = Fault { kind, ..Fault::passing("Code", String::new()) };
            assert_eq!(verdict(&fault, tries, allowed), expected, "{kind:?} {tries} {allowed}");
        }
    }

    /// `key` or `key@version`, and what follows a blank.
    fn parse(text: &str) -> (String, Option<String>, &str) {
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (key, version) = name.split_once('@').map_or((name, None), |(k, v)| (k, Some(v)));
        (key.to_owned(), version.map(str::to_owned), rest)
    }

    /// What is told of `items`: `+` deleted, `?` nothing, or a code.
    fn says(items: &str, deleted: &[&str], failed: &[&str], unnamed: bool, quiet: bool) -> String {
        let items: Vec<_> = items
            .split(' ')
            .map(|item| {
                let (key, version, _) = parse(item);
                Deletable::new(key, version, 0, 1)
            })
            .collect();
        let deleted = deleted.iter().map(|entry| {
            let (key, version, rest) = parse(entry);
            Deleted { key, version, made_marker: rest == "marker" }
        });
        let failed = failed.iter().map(|entry| {
            let (key, version, code) = parse(entry);
            (key, version, Fault::of_key(code, String::new()))
        });
        let unnamed = unnamed.then(|| Fault::of_key("InternalError", String::new()));
        let deletion = Deletion { deleted: deleted.collect(), failed: failed.collect(), unnamed };
        let all = told(&items, &deletion, quiet).unwrap_or(vec![Told::Deleted; items.len()]);
        let word = |told: &Told| match told {
            Told::Deleted => "+".to_owned(),
            Told::Nothing => "?".to_owned(),
            Told::Fault(fault) => fault.code.clone(),
        };
        all.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_key_is_deleted_when_the_answer_names_it() {
        // items, named as deleted, named as failed, said
        let table: [(&str, &[&str], &[&str], &str); 17] = [
            ("a b", &["a", "b"], &[], "+ +"),
            ("a b", &["b", "a"], &[], "+ +"),
            ("a b c", &["b"], &[], "? + ?"),
            ("a b", &[], &[], "? ?"),
            ("a a b", &["a", "b"], &[], "+ + +"),
            ("a b", &["a"], &["b AccessDenied"], "+ AccessDenied"),
            ("a b", &["a", "b"], &["b AccessDenied"], "+ AccessDenied"),
            ("a a", &[], &["a AccessDenied"], "AccessDenied AccessDenied"),
            ("a b", &["b"], &["a NoSuchKey"], "+ +"),
            ("a@1 b", &["b"], &["a@1 NoSuchVersion"], "+ +"),
            ("a b", &["a"], &["c AccessDenied"], "+ ?"),
            ("a b", &["a"], &["b "], "+ UnknownError"),
            ("a@1 a@2", &["a@1"], &["a@2 AccessDenied"], "+ AccessDenied"),
            ("a@1 a@2", &[], &["a AccessDenied"], "AccessDenied AccessDenied"),
            ("a@1 a@2 b@1", &["a", "b marker"], &[], "+ ? ?"),
            ("a@1", &["a@2"], &[], "?"),
            ("a", &["a@null"], &[], "+"),
        ];
        for (items, deleted, failed, expected) in table {
            let said = says(items, deleted, failed, false, false);
            assert_eq!(said, expected, "{items}: {deleted:?} {failed:?}");
        }
        assert_eq!(says("a b", &["a"], &[], true, false), "+ ?", "a fault of any key");
    }

    #[test]
    fn an_answer_to_a_quiet_request_is_believed_when_nothing_contradicts_it() {
        type Row =
            (&'static str, &'static [&'static str], &'static [&'static str], bool, &'static str);
        let table: [Row; 7] = [
            ("a b", &[], &[], false, "+ +"),
            ("a b", &["a", "b"], &[], false, "+ +"),
            ("a b", &[], &["b AccessDenied"], false, "+ AccessDenied"),
            ("a b", &[], &["b NoSuchKey"], false, "+ +"),
            ("a b", &["a"], &[], false, "+ ?"),
            ("a b", &[], &["c AccessDenied"], false, "? ?"),
            ("a b", &[], &["a AccessDenied"], true, "AccessDenied ?"),
        ];
        for (items, deleted, failed, unnamed, expected) in table {
            let said = says(items, deleted, failed, unnamed, true);
            assert_eq!(said, expected, "{items}: {deleted:?} {failed:?} {unnamed}");
        }
    }
}
