//! The ways of deleting that a store may take, and what is known of them. One such knowledge belongs to one client, and is
//! shared by all of its jobs.
//!
//! A refusal may be about the store, or about what was in the request. So a refused batch tries the next way alone, and the
//! client changes its way only when the next one has worked.

use std::sync::atomic::{AtomicU8, Ordering};

/// How keys are deleted; each one is what is tried when the store refuses the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Way {
    /// Many at a time, with the SDK's checksum.
    #[default]
    Checksum = 0,
    /// Many at a time, with `Content-MD5`.
    Md5 = 1,
    /// One at a time.
    Single = 2,
}

const WAYS: [Way; 3] = [Way::Checksum, Way::Md5, Way::Single];

impl Way {
    fn next(self) -> Option<Self> {
        WAYS.get(self as usize + 1).copied()
    }
}

/// The way of deleting that a store takes, as far as it is known.
#[derive(Debug)]
pub struct Ways {
    /// The way, whether it has worked, and whether it was told.
    state: AtomicU8,
}

const PROVEN: u8 = 0x80;
const TOLD: u8 = 0x40;

impl Ways {
    /// Nothing is known, or `told` is the way to take whatever the store answers.
    pub fn new(told: Option<Way>) -> Self {
        Self { state: AtomicU8::new(told.map_or(0, |way| way as u8 | PROVEN | TOLD)) }
    }

    /// The way to take now.
    pub fn current(&self) -> Way {
        WAYS[usize::from(self.state.load(Ordering::Relaxed) & !(PROVEN | TOLD))]
    }

    /// Whether the user chose the way.
    pub fn is_told(&self) -> bool {
        self.state.load(Ordering::Relaxed) & TOLD != 0
    }

    /// The store took this way. The first one that works is kept.
    pub fn worked(&self, way: Way) {
        let keep = |state| (state & PROVEN == 0).then_some(way as u8 | PROVEN);
        let _ = self.state.fetch_update(Ordering::Relaxed, Ordering::Relaxed, keep);
    }

    /// The way in which a batch is sent that the store refused in this one, if there is any.
    pub fn after(&self, way: Way) -> Option<Way> {
        let current = self.current();
        if current > way {
            return Some(current);
        }
        let is_known = self.state.load(Ordering::Relaxed) & PROVEN != 0;
        // A way that has worked for others: the refusal is about these keys.
        if is_known { None } else { way.next() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_tries_way_after_way_and_the_first_that_works_is_kept() {
        let ways = Ways::new(None);
        assert_eq!(ways.after(Way::Checksum), Some(Way::Md5));
        assert_eq!(ways.current(), Way::Checksum, "nothing has worked yet");
        assert_eq!(ways.after(Way::Md5), Some(Way::Single));
        assert_eq!(ways.after(Way::Single), None);
        assert_eq!(ways.current(), Way::Checksum, "no way worked, so it was about the batch");
        ways.worked(Way::Md5);
        assert_eq!(ways.current(), Way::Md5);
        assert_eq!(ways.after(Way::Checksum), Some(Way::Md5), "it was in flight meanwhile");
        assert_eq!(ways.after(Way::Md5), None, "it works, so these keys are refused");
    }

    #[test]
    fn a_way_that_has_worked_stays() {
        let ways = Ways::new(None);
        ways.worked(Way::Checksum);
        ways.worked(Way::Single);
        assert_eq!(ways.current(), Way::Checksum);
    }

    #[test]
    fn a_way_that_was_told_is_kept() {
        for way in WAYS {
            let ways = Ways::new(Some(way));
            assert!(ways.is_told());
            assert_eq!(ways.after(way), None);
            ways.worked(Way::Single);
            assert_eq!(ways.current(), way);
        }
    }
}
