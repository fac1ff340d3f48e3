//! Random decisions that follow from a seed and from what is decided about, not from the order of requests.

use crate::seed::scatter;

/// A generator of numbers (SplitMix64), for one decision after another.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The generator for one subject, such as "the second time that this page is asked for".
    pub fn new(seed: u64, subject: &str, nth: u64) -> Self {
        // FNV-1a: the standard library's hasher may change with its version, and a seed must mean the same for ever.
        let hash = subject.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        Self(scatter(scatter(seed) ^ hash).wrapping_add(scatter(nth)))
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(1);
        (scatter(self.0) % end as u64) as usize
    }

    /// Whether something happens that does in so many cases of a hundred.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of several, of which there is at least one.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(seed: u64, subject: &str, nth: u64) -> Vec<usize> {
        let mut dice = Dice::new(seed, subject, nth);
        (0..8).map(|_| dice.below(1000)).collect()
    }

    #[test]
    fn the_same_seed_and_subject_decide_the_same() {
        assert_eq!(numbers(7, "page", 1), numbers(7, "page", 1));
        assert_ne!(numbers(7, "page", 1), numbers(8, "page", 1));
        assert_ne!(numbers(7, "page", 1), numbers(7, "pages", 1));
        assert_ne!(numbers(7, "page", 1), numbers(7, "page", 2));
    }

    #[test]
    fn chances_are_about_what_they_say() {
        let mut dice = Dice::new(1, "", 0);
        let hits = (0..10_000).filter(|_| dice.percent(30)).count();
        assert!((2700..3300).contains(&hits), "{hits}");
        assert!(!Dice::new(1, "", 0).percent(0) && Dice::new(1, "", 0).percent(100));
    }
}
