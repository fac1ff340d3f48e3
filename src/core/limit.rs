//! How much may run at once: the one place where a limit given as a number is checked.

use std::fmt;

/// How much may run at once: an integer of at least 1. It is kept as it was given, and one that is too large to be reached
/// limits nothing.
///
/// ```
/// use ya_syn_native::core::limit::Limit;
///
/// assert_eq!(Limit::from_f64(2.0).unwrap().get(), 2.0);
/// assert!(Limit::from_f64(1e300).is_ok());
/// assert!(Limit::from_f64(0.5).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit(f64);

/// A number that is no limit: below one, fractional, infinite or not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InvalidLimit(
    /// The number.
    pub f64,
);

impl Limit {
    /// One at a time.
    pub const ONE: Self = Self(1.0);

    /// More than can ever be counted.
    pub const UNLIMITED: Self = Self(f64::MAX);

    /// A limit from a JavaScript number.
    ///
    /// # Errors
    ///
    /// Any number that is not an integer of at least 1.
    pub fn from_f64(number: f64) -> Result<Self, InvalidLimit> {
        if !number.is_finite() || number.fract() != 0.0 || number < 1.0 {
            return Err(InvalidLimit(number));
        }
        Ok(Self(number))
    }

    /// The limit as the number that it was made from.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Whether one more fits where `used` are.
    pub(crate) fn admits(self, used: u32) -> bool {
        f64::from(used) < self.0
    }

    /// How many more fit where `used` are; 0 when there are too many.
    pub(crate) fn room(self, used: u32) -> u32 {
        // `as` turns what is below 0 into 0, and what is too large into the largest.
        (self.0 - f64::from(used)) as u32
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
    fn accepts_integers_from_one_on_and_never_wraps() {
        for number in [1.0, 2.0, 4_294_967_297.0, 2f64.powi(40), f64::MAX] {
            let limit = Limit::from_f64(number).unwrap();
            assert_eq!(limit.get(), number);
            assert!(limit.admits(0));
            assert_eq!(limit.admits(u32::MAX), number > f64::from(u32::MAX));
        }
        assert!(!Limit::ONE.admits(1));
    }

    #[test]
    fn refuses_everything_else() {
        for number in [0.0, -0.0, -1.0, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Limit::from_f64(number).is_err(), "{number} was taken");
        }
    }
}
