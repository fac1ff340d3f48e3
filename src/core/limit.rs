//! How much may run at once: the one place where a limit given as a number is checked.

use std::fmt;

/// A limit of at least one, or none at all.
///
/// ```
/// use ya_syn_native::core::limit::Limit;
///
/// assert_eq!(Limit::from_f64(2.0).unwrap().get(), 2);
/// assert!(Limit::from_f64(1e300).unwrap().is_unlimited());
/// assert!(Limit::from_f64(0.5).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(u32);

/// A number that is no limit: below one, fractional, infinite or not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InvalidLimit(
    /// The number that was refused.
    pub f64,
);

impl Limit {
    /// One at a time.
    pub const ONE: Self = Self(1);

    /// No limit.
    pub const UNLIMITED: Self = Self(u32::MAX);

    /// A limit from a JavaScript number.
    ///
    /// # Errors
    ///
    /// Any number that is not an integer of at least 1. An integer beyond what can be counted here
    /// can't be reached either, and so means unlimited.
    pub fn from_f64(number: f64) -> Result<Self, InvalidLimit> {
        if !number.is_finite() || number.fract() != 0.0 || number < 1.0 {
            return Err(InvalidLimit(number));
        }
        // `as` saturates, and the largest value is the one that means unlimited.
        Ok(Self(number as u32))
    }

    /// The limit as a count; [`u32::MAX`] when there is none.
    pub fn get(self) -> u32 {
        self.0
    }

    /// Whether there is no limit.
    pub fn is_unlimited(self) -> bool {
        self == Self::UNLIMITED
    }

    /// Whether one more fits beside `used`.
    pub(crate) fn admits(self, used: u32) -> bool {
        used < self.0
    }
}

impl fmt::Display for InvalidLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not an integer of at least 1", self.0)
    }
}

impl std::error::Error for InvalidLimit {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_integers_from_one_on() {
        for (number, limit) in [(1.0, 1), (2.0, 2), (4_294_967_294.0, u32::MAX - 1)] {
            assert_eq!(Limit::from_f64(number), Ok(Limit(limit)));
        }
    }

    #[test]
    fn takes_what_exceeds_its_range_as_unlimited() {
        for number in [4_294_967_295.0, 4_294_967_297.0, 2f64.powi(40), f64::MAX] {
            assert_eq!(Limit::from_f64(number), Ok(Limit::UNLIMITED));
        }
    }

    #[test]
    fn refuses_everything_else() {
        for number in [0.0, -0.0, -1.0, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Limit::from_f64(number).is_err(), "{number} was taken");
        }
    }
}
