//! What kind of store a seed stands for: one that errs once, one with a habit, one that errs now and then, or much of it all.

use serde::{Deserialize, Serialize};

use super::dice::Dice;
use super::mutation::{Kind, Mutation};

/// How a store errs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Profile {
    /// In every answer that they fit.
    pub habits: Vec<Mutation>,
    /// In so many answers of a hundred, by up to `most` mutations.
    pub chance: usize,
    pub most: usize,
    /// Once, in the request of this number among those that it fits.
    pub once: Option<(Mutation, u64)>,
}

const KINDS: [Kind; 4] = [Kind::Objects, Kind::Versions, Kind::DeleteMany, Kind::DeleteOne];

impl Profile {
    /// The store of this seed. `versions` says what the job lists, so that a lone mutation is not one that it never meets.
    pub fn of_seed(seed: u64, versions: bool) -> Self {
        let mut dice = Dice::new(seed, "profile", 0);
        let one = |dice: &mut Dice| {
            let listing = if versions { Kind::Versions } else { Kind::Objects };
            let kind =
                dice.pick(&[listing, listing, Kind::DeleteMany, Kind::DeleteMany, Kind::DeleteOne]);
            dice.pick(&kind.menu())
        };
        match dice.below(100) {
            0..25 => {
                let mutation = one(&mut dice);
                Self { once: Some((mutation, dice.pick(&[1, 1, 2, 3]))), ..Self::default() }
            }
            25..32 => Self { habits: vec![Mutation::RawPlus], ..Self::default() },
            32..60 => Self { habits: vec![one(&mut dice)], ..Self::default() },
            60..70 => Self { habits: vec![one(&mut dice), one(&mut dice)], ..Self::default() },
            70..90 => Self { chance: dice.pick(&[10, 20, 40]), most: 1, ..Self::default() },
            _ => Self {
                habits: vec![one(&mut dice)],
                chance: dice.pick(&[30, 80]),
                most: 3,
                once: None,
            },
        }
    }

    /// Whether the mutation may come now and then. How a blank is encoded may not: a store that writes it as `+` here and as `%20`
    /// there does not say what its pluses are, and no client can find out. Nor may names be encoded in silence on some pages and be given
    /// as they are on others.
    fn is_open_to(&self, mutation: Mutation) -> bool {
        const BLANKS: [Mutation; 2] = [Mutation::PercentBlank, Mutation::EncodeAll];
        const SILENT: [Mutation; 2] = [Mutation::HideEncoding, Mutation::RawNames];
        const ENCODINGS: [Mutation; 4] =
            [Mutation::LowerHex, Mutation::EncodingCase, Mutation::BadEscape, Mutation::RawNames];
        let has = |some: &[Mutation]| self.habits.iter().any(|habit| some.contains(habit));
        let is_settled = has(&BLANKS) || has(&SILENT);
        let is_mixed = mutation == Mutation::HideEncoding && (self.chance > 0 || is_settled);
        !(BLANKS.contains(&mutation) || is_mixed || ENCODINGS.contains(&mutation) && is_settled)
    }

    /// The mutations for the request of this number of its kind; each with whether it is a habit.
    pub fn draw(&self, kind: Kind, number: u64, dice: &mut Dice) -> Vec<(Mutation, bool)> {
        let menu = kind.menu();
        let fits = |mutation: &Mutation| {
            menu.contains(mutation) || (*mutation == Mutation::RawPlus && kind.is_listing())
        };
        let mut drawn: Vec<_> =
            self.habits.iter().copied().filter(fits).map(|mutation| (mutation, true)).collect();
        if let Some((mutation, nth)) = self.once
            && fits(&mutation)
            && number == nth
            && self.is_open_to(mutation)
        {
            drawn.push((mutation, false));
        }
        if dice.percent(self.chance) {
            for _ in 0..=dice.below(self.most) {
                let mutation = dice.pick(&menu);
                if self.is_open_to(mutation) {
                    drawn.push((mutation, false));
                }
            }
        }
        drawn.sort_unstable();
        drawn.dedup_by_key(|(mutation, _)| *mutation);
        drawn
    }
}

/// All kinds, for those who count requests by kind.
pub fn number_of(kind: Kind) -> usize {
    KINDS.iter().position(|known| *known == kind).expect("all kinds are there")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_stand_for_stores_of_every_kind() {
        let profiles: Vec<_> = (0..2000).map(|seed| Profile::of_seed(seed, false)).collect();
        let count = |matches: fn(&Profile) -> bool| profiles.iter().filter(|p| matches(p)).count();
        assert!(count(|profile| profile.once.is_some()) > 300);
        assert!(count(|profile| profile.habits.len() == 1 && profile.chance == 0) > 300);
        assert!(count(|profile| profile.chance > 0) > 300);
        assert_eq!(Profile::of_seed(5, true), Profile::of_seed(5, true));
    }

    #[test]
    fn raw_plus_is_never_one_of_several() {
        for seed in 0..2000 {
            let profile = Profile::of_seed(seed, true);
            if profile.habits.contains(&Mutation::RawPlus) {
                assert_eq!((profile.habits.len(), profile.chance, profile.once), (1, 0, None));
            }
        }
    }

    #[test]
    fn what_is_drawn_fits_the_request() {
        let profile = Profile {
            habits: vec![Mutation::DropError],
            once: Some((Mutation::Html, 2)),
            ..Profile::default()
        };
        let mut dice = Dice::new(0, "", 0);
        let draw = |kind, number, dice: &mut Dice| profile.draw(kind, number, dice);
        assert_eq!(draw(Kind::Objects, 1, &mut dice), []);
        assert_eq!(draw(Kind::Objects, 2, &mut dice), [(Mutation::Html, false)]);
        assert_eq!(draw(Kind::DeleteMany, 1, &mut dice), [(Mutation::DropError, true)]);
    }
}
