//! One bucket of a hostile store: what its seed decides, and a ledger of what was asked and done.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde::Serialize;

use super::dice::Dice;
use super::effects::{Effects, Item};
use super::mutation::{Kind, Mutation};
use super::profile::{Profile, number_of};

/// More requests than this are only counted.
const MOST_ENTRIES: usize = 20_000;

/// A bucket with its seed.
pub struct Case {
    pub seed: u64,
    pub profile: Profile,
    /// Real keys outside of what the job asks for.
    pub decoys: Vec<String>,
    /// What was in the bucket at first: all versions, or the keys of a bucket without.
    pub initial: Vec<Item>,
    /// Whether the job is about versions.
    pub versions: bool,
    counters: Mutex<Counters>,
    ledger: Mutex<Ledger>,
}

#[derive(Default)]
struct Counters {
    by_kind: [u64; 4],
    by_request: HashMap<String, u64>,
}

/// What happened.
#[derive(Debug, Default)]
pub struct Ledger {
    pub requests: Vec<Entry>,
    pub effects: Effects,
}

/// A request.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    pub method: String,
    pub uri: String,
    /// Nothing when the request is none that the server knows.
    pub operation: Option<String>,
    /// What it wants deleted.
    pub items: Vec<Item>,
    pub mutations: Vec<Mutation>,
    /// How many of the items it deleted.
    pub performed: usize,
    /// 0 for none.
    pub status: u16,
}

impl Case {
    pub fn new(
        seed: u64,
        profile: Profile,
        decoys: Vec<String>,
        versions: bool,
        initial: Vec<Item>,
    ) -> Self {
        let (counters, ledger) = Default::default();
        Self { seed, profile, decoys, initial, versions, counters, ledger }
    }

    /// What is amiss in the answer to this request, each with the dice that decide its details.
    ///
    /// A habit is the same in every answer. All else depends on the request and on how often it came, so that the order of
    /// concurrent requests matters little.
    pub fn draw(&self, kind: Kind, identity: &str) -> Vec<(Mutation, Dice)> {
        let (number, nth) = {
            let mut counters = self.counters.lock();
            let number = &mut counters.by_kind[number_of(kind)];
            *number += 1;
            let number = *number;
            let nth = counters.by_request.entry(identity.to_owned()).or_default();
            *nth += 1;
            (number, *nth)
        };
        let drawn = self.profile.draw(kind, number, &mut Dice::new(self.seed, identity, nth));
        let details = |(mutation, is_habit): (Mutation, bool)| {
            let subject =
                if is_habit { format!("{mutation:?}") } else { format!("{mutation:?} {identity}") };
            (mutation, Dice::new(self.seed, &subject, if is_habit { 0 } else { nth }))
        };
        drawn.into_iter().map(details).collect()
    }

    /// Notes a request that is about to be answered; its place in the ledger.
    pub fn note(&self, entry: Entry) -> usize {
        let mut ledger = self.ledger.lock();
        if ledger.requests.len() < MOST_ENTRIES {
            ledger.requests.push(entry);
        }
        ledger.requests.len() - 1
    }

    /// Notes what became of a request.
    pub fn done(&self, place: usize, change: impl FnOnce(&mut Entry)) {
        change(&mut self.ledger.lock().requests[place]);
    }

    pub fn excuse(&self, effects: Effects) {
        self.ledger.lock().effects.add(effects);
    }

    /// Everything, as JSON; `remaining` is what is in the bucket now.
    pub fn report(&self, remaining: &[Item]) -> serde_json::Value {
        let ledger = self.ledger.lock();
        let Effects { hidden, phantoms, doubled, unordered } = &ledger.effects;
        serde_json::json!({
            "seed": self.seed,
            "profile": self.profile,
            "initial": self.initial,
            "remaining": remaining,
            "requests": ledger.requests,
            "hidden": hidden,
            "phantoms": phantoms,
            "doubled": doubled,
            "unordered": unordered,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(profile: Profile) -> Case {
        Case::new(3, profile, Vec::new(), false, Vec::new())
    }

    fn drawn(case: &Case, identity: &str) -> Vec<(Mutation, Vec<usize>)> {
        let details = |mut dice: Dice| (0..4).map(|_| dice.below(100)).collect();
        case.draw(Kind::Objects, identity).into_iter().map(|(m, dice)| (m, details(dice))).collect()
    }

    #[test]
    fn what_a_request_meets_does_not_depend_on_the_order_of_others() {
        let profile = Profile { chance: 50, most: 3, ..Profile::default() };
        let (one, other) = (case(profile.clone()), case(profile));
        let forth: Vec<_> = (0..50).map(|i| drawn(&one, &format!("{i}"))).collect();
        let mut back: Vec<_> = (0..50).rev().map(|i| drawn(&other, &format!("{i}"))).collect();
        back.reverse();
        assert_eq!(forth, back);
        assert_ne!(
            forth[0..20],
            (0..20).map(|i| drawn(&one, &format!("{i}"))).collect::<Vec<_>>()[..]
        );
    }

    #[test]
    fn a_habit_is_the_same_in_every_answer() {
        let case = case(Profile { habits: vec![Mutation::WrongStatus], ..Profile::default() });
        assert_eq!(drawn(&case, "a"), drawn(&case, "b"));
        assert_eq!(drawn(&case, "a"), drawn(&case, "a"));
    }

    #[test]
    fn a_lone_mutation_comes_once() {
        let case = case(Profile { once: Some((Mutation::Html, 2)), ..Profile::default() });
        let counts: Vec<_> = (0..4).map(|_| drawn(&case, "a").len()).collect();
        assert_eq!(counts, [0, 1, 0, 0]);
    }
}
