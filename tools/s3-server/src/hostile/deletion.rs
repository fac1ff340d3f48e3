//! Mutations of the answers to deletes.
//!
//! The document names every key: those that were deleted, and those that were not with an error. What a quiet request is
//! not told is taken out at last. A key that is not deleted is never confirmed: where the absence of an error is an answer (a quiet
//! request), errors stay, and where it is none, they may go.

use super::dice::Dice;
use super::mutation::Mutation;
use crate::request::deletion::DeleteEntry;
use crate::xml::read::Element;

/// Codes for keys that stay. Other stores than S3 have codes of their own.
pub const CODES: [&str; 16] = [
    "AccessDenied",
    "InternalError",
    "SlowDown",
    "ServiceUnavailable",
    "ExceedAccountQPSLimit",
    "QpsLimitExceeded",
    "ServerBusy",
    "429",
    "503",
    "ObjectLocked",
    "InvalidArgument",
    "OperationAborted",
    "RequestTimeout",
    "MalformedXML",
    "SomethingNew",
    "NoSuchBucket",
];

/// Codes for a request in which a key is not taken.
const POISONS: [&str; 5] = [
    "KeyTooLongError",
    "XMinioInvalidObjectName",
    "InvalidObjectName",
    "MalformedXML",
    "InvalidArgument",
];

/// Codes that say that the key is not there.
const GONE: [&str; 2] = ["NoSuchKey", "NoSuchVersion"];

/// The error of a key that is not deleted.
pub fn refusal(key: &str, version: Option<&str>, code: &str) -> Element {
    let mut fields = vec![Element::leaf("Key", key)];
    fields.extend(version.map(|version| Element::leaf("VersionId", version)));
    fields.extend([Element::leaf("Code", code), Element::leaf("Message", "It is not deleted.")]);
    Element::of("Error", fields)
}

/// What a request is refused with as a whole, if there is a key in it that the store does not take in such a request.
pub fn poison(entries: &[DeleteEntry], mut dice: Dice) -> Option<&'static str> {
    let salt = dice.below(usize::MAX) as u64;
    // By the key, so that the store takes all others.
    let bad = entries.iter().find(|entry| Dice::new(salt, &entry.key, 0).percent(20))?;
    Some(Dice::new(salt, &bad.key, 1).pick(&POISONS))
}

/// Changes the document, which still names every key.
pub fn mutate(
    root: &mut Element,
    mutation: Mutation,
    quiet: bool,
    decoys: &[String],
    dice: &mut Dice,
) {
    let of = |name: &str, root: &Element| -> Vec<usize> {
        (0..root.children.len()).filter(|at| root.children[*at].name == name).collect()
    };
    let (deleted, errors) = (of("Deleted", root), of("Error", root));
    let one = |places: &[usize], dice: &mut Dice| (!places.is_empty()).then(|| dice.pick(places));
    match mutation {
        Mutation::GoneCodes => {
            if let Some(at) = one(&deleted, dice) {
                let field = |name| root.children[at].text_of(name).map(str::to_owned);
                let (key, version) = (field("Key").unwrap_or_default(), field("VersionId"));
                root.children[at] = refusal(&key, version.as_deref(), dice.pick(&GONE));
            }
        }
        Mutation::DropDeleted => {
            if let Some(at) = one(&deleted, dice) {
                root.children.remove(at);
            }
        }
        Mutation::DropError if !quiet => {
            if let Some(at) = one(&errors, dice) {
                root.children.remove(at);
            }
        }
        Mutation::EmptyCode => errors.iter().for_each(|at| root.children[*at].set("Code", "")),
        Mutation::DropCode => errors.iter().for_each(|at| root.children[*at].drop_all("Code")),
        Mutation::EmptyErrorKey => errors.iter().for_each(|at| root.children[*at].set("Key", "")),
        Mutation::DropErrorKey => errors.iter().for_each(|at| root.children[*at].drop_all("Key")),
        Mutation::SpuriousError => {
            let key = dice.pick(&["", "no such key was sent"]);
            let code = dice.pick(&["", "InternalError", "AccessDenied", "NoSuchKey"]);
            root.children.push(refusal(key, None, code));
        }
        Mutation::ForeignDeleted => {
            let key = if decoys.is_empty() { "decoy" } else { &decoys[dice.below(decoys.len())] };
            root.children.insert(0, Element::of("Deleted", vec![Element::leaf("Key", key)]));
        }
        Mutation::RenameRoot => {
            let name =
                dice.pick(&["DeleteObjectsResult", "DeleteMultipleObjectsResult", "deleteResult"]);
            root.name = name.to_owned();
        }
        Mutation::RenameDeleted => {
            deleted.iter().for_each(|at| root.children[*at].name = "DeletedObject".to_owned());
        }
        Mutation::ReverseResults => root.children.reverse(),
        Mutation::DoubleResults => {
            let again = root.children.clone();
            root.children.extend(again);
        }
        Mutation::EncodedResults => {
            for child in &mut root.children {
                let key =
                    child.text_of("Key").map(|key| crate::text::encode_for_signature(key, true));
                key.iter().for_each(|key| child.set("Key", key));
            }
        }
        // With the version of an error gone too, a result without one could be about any version of its key.
        Mutation::DropResultVersion if errors.is_empty() => {
            deleted.iter().for_each(|at| root.children[*at].drop_all("VersionId"));
        }
        Mutation::MarkerCase => {
            for at in deleted {
                root.children[at].set("DeleteMarker", dice.pick(&["True", "TRUE", "1", "yes"]));
            }
        }
        _ => {}
    }
}

/// Takes out what a quiet request is not told.
pub fn make_quiet(root: &mut Element) {
    root.children.retain(|child| child.name == "Error");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result() -> Element {
        let deleted = |key: &str| Element::of("Deleted", vec![Element::leaf("Key", key)]);
        Element::of(
            "DeleteResult",
            vec![deleted("a"), deleted("b c"), refusal("d", None, "AccessDenied")],
        )
    }

    fn all() -> Vec<Mutation> {
        super::super::mutation::Kind::DeleteMany.menu()
    }

    #[test]
    fn a_request_is_refused_for_some_keys_and_never_for_others() {
        let entry = |i: usize| DeleteEntry { key: format!("k{i}"), version: None };
        let dice = || Dice::new(7, "", 0);
        let bad: Vec<_> = (0..100).filter(|i| poison(&[entry(*i)], dice()).is_some()).collect();
        assert!((5..40).contains(&bad.len()), "{bad:?}");
        assert!(poison(&(0..100).map(entry).collect::<Vec<_>>(), dice()).is_some());
        let good = (0..100).filter(|i| !bad.contains(i)).map(entry);
        assert_eq!(poison(&good.collect::<Vec<_>>(), dice()), None);
    }

    #[test]
    fn a_key_that_stays_is_never_confirmed() {
        for mutation in all() {
            for quiet in [true, false] {
                for seed in 0..50 {
                    let mut root = result();
                    let decoys = ["q".to_owned()];
                    mutate(&mut root, mutation, quiet, &decoys, &mut Dice::new(seed, "", 0));
                    let confirmed = root
                        .children
                        .iter()
                        .any(|child| child.name == "Deleted" && child.text_of("Key") == Some("d"));
                    assert!(!confirmed, "{mutation:?}");
                    if quiet {
                        make_quiet(&mut root);
                        assert!(
                            !root.children.is_empty(),
                            "{mutation:?}: silence would confirm it"
                        );
                    }
                    let says_gone = root.children.iter().any(|child| {
                        child.text_of("Key") == Some("d")
                            && child.text_of("Code").is_some_and(|code| GONE.contains(&code))
                    });
                    assert!(!says_gone, "{mutation:?}");
                }
            }
        }
    }

    #[test]
    fn a_verbose_answer_may_pass_over_keys() {
        let mut root = result();
        mutate(&mut root, Mutation::DropDeleted, false, &[], &mut Dice::new(0, "", 0));
        mutate(&mut root, Mutation::DropError, false, &[], &mut Dice::new(0, "", 0));
        assert_eq!(root.children.len(), 1);
    }
}
