//! Mutations of listings. Names in the tree are decoded; [`encode`](super::encoding) writes them again.

use super::dice::Dice;
use super::effects::{Effects, item_of};
use super::mutation::Mutation;
use crate::xml::read::Element;

/// What is known of the question.
pub struct Question<'a> {
    pub versions: bool,
    pub prefix: &'a str,
    /// The token or marker that the page was asked for by.
    pub token: Option<&'a str>,
    /// Real keys that were not asked about.
    pub decoys: &'a [String],
    /// How many items follow after this page.
    pub follows: &'a [(String, Option<String>)],
}

/// Changes the page, and notes what no client can find out.
pub fn mutate(
    root: &mut Element,
    mutation: Mutation,
    question: &Question,
    dice: &mut Dice,
    effects: &mut Effects,
) {
    match mutation {
        Mutation::BooleanCase
        | Mutation::BooleanGarbage
        | Mutation::DropTruncated
        | Mutation::NotTruncated
        | Mutation::DropToken
        | Mutation::EmptyToken
        | Mutation::DoubleToken
        | Mutation::RepeatToken
        | Mutation::GarbageToken
        | Mutation::DropVersionMarker => paging(root, mutation, question, dice, effects),
        _ => entries(root, mutation, question, dice, effects),
    }
}

pub fn is_entry(element: &Element) -> bool {
    matches!(&*element.name, "Contents" | "Version" | "DeleteMarker")
}

fn entries(
    root: &mut Element,
    mutation: Mutation,
    question: &Question,
    dice: &mut Dice,
    effects: &mut Effects,
) {
    let all: Vec<usize> =
        (0..root.children.len()).filter(|at| is_entry(&root.children[*at])).collect();
    if all.is_empty() {
        return;
    }
    let at = dice.pick(&all);
    match mutation {
        Mutation::NoEntries => {
            effects.hide(root.children.iter().filter(|child| is_entry(child)));
            root.children.retain(|child| !is_entry(child));
        }
        Mutation::DropEntry => {
            effects.hide([&root.children[at]]);
            root.children.remove(at);
        }
        Mutation::DoubleEntry => {
            let entry = root.children[at].clone();
            root.children.insert(at, entry);
            effects.doubled += 1;
        }
        Mutation::ReverseEntries => {
            let mut entries: Vec<_> =
                all.iter().map(|at| root.children[*at].clone()).rev().collect();
            for at in all {
                root.children[at] = entries.remove(0);
            }
            effects.unordered = true;
        }
        Mutation::RenameEntries => {
            let name = root.children[at].name.clone();
            for child in root.children.iter_mut().filter(|child| child.name == name) {
                effects.hide([&*child]);
                child.name = "Object".to_owned();
            }
        }
        Mutation::LowerCaseKeys => {
            let keys = root.children[at].children.iter_mut().filter(|field| field.name == "Key");
            keys.for_each(|key| key.name = "key".to_owned());
        }
        Mutation::EmptyKey => root.children[at].set("Key", ""),
        Mutation::DropKey => root.children[at].drop_all("Key"),
        Mutation::ForeignKey => {
            let mut entry = root.children[at].clone();
            entry.set("Key", decoy(question, dice));
            root.children.insert(at + dice.below(2), entry);
        }
        Mutation::RenamedKey => {
            effects.hide([&root.children[at]]);
            let decoy = decoy(question, dice).to_owned();
            root.children[at].set("Key", &decoy);
        }
        Mutation::SecondKey => {
            effects.hide([&root.children[at]]);
            let second = Element::leaf("Key", decoy(question, dice));
            let fields = &mut root.children[at].children;
            let place = if dice.percent(50) { 0 } else { fields.len() };
            fields.insert(place, second);
        }
        Mutation::PhantomKey => {
            let mut entry = root.children[at].clone();
            let key = format!("{}!", entry.text_of("Key").unwrap_or(question.prefix));
            entry.set("Key", &key);
            effects.phantoms.insert(item_of(&entry));
            effects.unordered = true;
            root.children.insert(at + 1, entry);
        }
        Mutation::DropSize => root.children[at].drop_all("Size"),
        Mutation::BadSize => {
            root.children[at].set("Size", dice.pick(&["", "-1", "1e3", "99999999999999999999"]))
        }
        Mutation::DropTimes => root.children[at].drop_all("LastModified"),
        Mutation::BadTimes => root.children[at]
            .set("LastModified", dice.pick(&["", "yesterday", "2026-02-31T00:00:00Z"])),
        Mutation::DropVersionId => root.children[at].drop_all("VersionId"),
        Mutation::EmptyVersionId => root.children[at].set("VersionId", ""),
        Mutation::AddVersionId => {
            let id = dice.pick(&["null", "1", ""]);
            root.children[at].children.push(Element::leaf("VersionId", id));
        }
        _ => {}
    }
}

/// The marker of the next page, where it is the last key of this one, so that anybody can see whether it is encoded.
pub fn marker_of_last(root: &Element) -> Option<String> {
    let last = root.children.iter().rev().find(|child| is_entry(child))?;
    let marker = root.text_of("NextKeyMarker")?;
    (last.text_of("Key") == Some(marker)).then(|| marker.to_owned())
}

fn decoy<'a>(question: &Question<'a>, dice: &mut Dice) -> &'a str {
    if question.decoys.is_empty() {
        "decoy"
    } else {
        &question.decoys[dice.below(question.decoys.len())]
    }
}

const TOKENS: [&str; 3] = ["NextContinuationToken", "NextKeyMarker", "NextVersionIdMarker"];

fn paging(
    root: &mut Element,
    mutation: Mutation,
    question: &Question,
    dice: &mut Dice,
    effects: &mut Effects,
) {
    let is_truncated = root.text_of("IsTruncated") == Some("true");
    match mutation {
        Mutation::BooleanCase => {
            let words = if is_truncated {
                ["TRUE", "True", "1", " true\n"]
            } else {
                ["FALSE", "False", "0", " false\n"]
            };
            root.set("IsTruncated", dice.pick(&words));
            for entry in root.children.iter_mut().filter(|child| is_entry(child)) {
                let latest = entry.text_of("IsLatest").map(str::to_uppercase);
                latest.iter().for_each(|word| entry.set("IsLatest", word));
            }
        }
        Mutation::BooleanGarbage => root.set("IsTruncated", dice.pick(&["yes", "", "truee", "2"])),
        Mutation::DropTruncated => root.drop_all("IsTruncated"),
        // Whoever says in so many words that nothing follows is believed, token or not.
        Mutation::NotTruncated => {
            root.set("IsTruncated", "false");
            effects.hidden.extend(question.follows.iter().cloned());
        }
        Mutation::DropToken => TOKENS.iter().for_each(|name| root.drop_all(name)),
        Mutation::EmptyToken => TOKENS.iter().for_each(|name| root.set(name, "")),
        Mutation::DoubleToken => {
            let tokens: Vec<_> = root
                .children
                .iter()
                .filter(|child| TOKENS.contains(&&*child.name))
                .cloned()
                .collect();
            root.children.extend(tokens);
        }
        Mutation::RepeatToken => {
            if let Some(token) = question.token {
                root.set(
                    if question.versions { "NextKeyMarker" } else { "NextContinuationToken" },
                    token,
                );
                if question.versions {
                    // Behind all versions of the key that the page began at, which is where some of this page are.
                    root.drop_all("NextVersionIdMarker");
                }
                effects.unordered = true;
                effects.doubled += root.children.iter().filter(|child| is_entry(child)).count();
            }
        }
        Mutation::GarbageToken => root.set("NextContinuationToken", "garbage"),
        Mutation::DropVersionMarker => {
            root.drop_all("NextVersionIdMarker");
            // The next page then begins behind all versions of the key.
            let key = root.text_of("NextKeyMarker").unwrap_or_default();
            effects.hidden.extend(question.follows.iter().filter(|(name, _)| name == key).cloned());
        }
        _ => {}
    }
    // Without a word of more to come nothing shows that there is more.
    let says_more = root.text_of("IsTruncated").is_some_and(|word| !is_false(word))
        || TOKENS.iter().any(|name| root.text_of(name).is_some_and(|token| !token.is_empty()));
    if !says_more {
        effects.hidden.extend(question.follows.iter().cloned());
    }
}

fn is_false(word: &str) -> bool {
    let word = word.trim();
    word.eq_ignore_ascii_case("false") || word == "0"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Element {
        let entry = |key: &str| {
            Element::of("Contents", vec![Element::leaf("Key", key), Element::leaf("Size", "1")])
        };
        Element::of(
            "ListBucketResult",
            vec![
                Element::leaf("IsTruncated", "true"),
                Element::leaf("NextContinuationToken", "t"),
                entry("p/a"),
                entry("p/b"),
            ],
        )
    }

    fn mutated(mutation: Mutation, seed: u64) -> (Element, Effects) {
        let (decoys, follows) = (["q".to_owned()], [("p/c".to_owned(), None)]);
        let question = Question {
            versions: false,
            prefix: "p/",
            token: Some("before"),
            decoys: &decoys,
            follows: &follows,
        };
        let (mut root, mut effects) = (page(), Effects::default());
        mutate(&mut root, mutation, &question, &mut Dice::new(seed, "", 0), &mut effects);
        (root, effects)
    }

    fn keys(root: &Element) -> Vec<&str> {
        root.children
            .iter()
            .filter(|child| is_entry(child))
            .map(|entry| entry.text_of("Key").unwrap_or("-"))
            .collect()
    }

    #[test]
    fn what_is_left_out_in_silence_is_excused() {
        let (root, effects) = mutated(Mutation::DropEntry, 1);
        assert_eq!((keys(&root).len(), effects.hidden.len()), (1, 1));
        let (_, effects) = mutated(Mutation::RenameEntries, 1);
        assert_eq!(effects.hidden.len(), 2);
        let (_, effects) = mutated(Mutation::NotTruncated, 1);
        assert!(effects.hidden.contains(&("p/c".to_owned(), None)));
    }

    #[test]
    fn what_shows_is_not_excused() {
        for mutation in [
            Mutation::EmptyKey,
            Mutation::DropKey,
            Mutation::LowerCaseKeys,
            Mutation::BooleanCase,
            Mutation::BooleanGarbage,
            Mutation::DropTruncated,
            Mutation::DropToken,
            Mutation::EmptyToken,
            Mutation::ForeignKey,
        ] {
            for seed in 0..20 {
                let (root, effects) = mutated(mutation, seed);
                assert_eq!(effects, Effects::default(), "{mutation:?}");
                assert_ne!(root, page(), "{mutation:?}");
            }
        }
    }

    #[test]
    fn a_page_says_more_in_other_words() {
        let words: std::collections::BTreeSet<_> = (0..50)
            .map(|seed| {
                mutated(Mutation::BooleanCase, seed).0.text_of("IsTruncated").unwrap().to_owned()
            })
            .collect();
        assert_eq!(words.len(), 4, "{words:?}");
        assert_eq!(
            mutated(Mutation::RepeatToken, 0).0.text_of("NextContinuationToken"),
            Some("before")
        );
    }

    #[test]
    fn a_page_may_name_what_was_not_asked_for() {
        let (root, _) = mutated(Mutation::ForeignKey, 3);
        assert!(keys(&root).contains(&"q"), "{root:?}");
        let (root, effects) = mutated(Mutation::PhantomKey, 3);
        assert_eq!((keys(&root).len(), effects.phantoms.len()), (3, 1));
    }
}
