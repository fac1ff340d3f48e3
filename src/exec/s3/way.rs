//! The ways in which a delete can be sent, and what a client knows of those that its store takes. All jobs of the client share
//! that knowledge.
//!
//! A store may deny a request because of the way in which it was sent, or because of the keys in it. So at first only the denied
//! batch is sent in the next way; the client changes its way when the next one has worked.

use std::sync::atomic::{AtomicU8, Ordering};

/// How a multi-delete proves that it arrived whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proof {
    /// By the checksum that the SDK sends.
    Checksum,
    /// By `Content-MD5`, and nothing else.
    Md5,
}

/// How a delete is sent. A store that denies one way is sent the next greater one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// Many keys by one request, with this proof.
    Multi(Proof),
    /// One key by one request.
    Single,
}

/// All ways, from the first that is tried to the last.
const WAYS: [Way; 3] = [Way::Multi(Proof::Checksum), Way::Multi(Proof::Md5), Way::Single];

impl Default for Way {
    fn default() -> Self {
        WAYS[0]
    }
}

impl Way {
    /// The place of this way in [`WAYS`].
    fn place(self) -> u8 {
        match self {
            Self::Multi(Proof::Checksum) => 0,
            Self::Multi(Proof::Md5) => 1,
            Self::Single => 2,
        }
    }

    fn next(self) -> Option<Self> {
        WAYS.get(usize::from(self.place()) + 1).copied()
    }
}

/// The way that a store takes, as far as it is known.
#[derive(Debug)]
pub struct Ways {
    /// The place of the way, with the bits [`PROVEN`] and [`TOLD`].
    state: AtomicU8,
}

/// The way has worked, or the user chose it.
const PROVEN: u8 = 0x80;
/// The user chose the way.
const TOLD: u8 = 0x40;

impl Ways {
    /// Nothing is known, or `told` is the way to take whatever the store answers.
    pub fn new(told: Option<Way>) -> Self {
        Self { state: AtomicU8::new(told.map_or(0, |way| way.place() | PROVEN | TOLD)) }
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
        let keep = |state| (state & PROVEN == 0).then_some(way.place() | PROVEN);
        let _ = self.state.fetch_update(Ordering::Relaxed, Ordering::Relaxed, keep);
    }

    /// The way in which a batch is sent next that the store denied in this one, if there is any.
    pub fn after(&self, way: Way) -> Option<Way> {
        let current = self.current();
        if current > way {
            return Some(current);
        }
        let is_known = self.state.load(Ordering::Relaxed) & PROVEN != 0;
        // The way has worked for other keys, so the store denied these keys and not the way.
        if is_known { None } else { way.next() }
    }
}

#[cfg(test)]
mod tests {
    use super::Proof::{Checksum, Md5};
    use super::*;

    #[test]
    fn a_batch_tries_way_after_way_and_the_first_that_works_is_kept() {
        let ways = Ways::new(None);
        assert_eq!(ways.after(Way::Multi(Checksum)), Some(Way::Multi(Md5)));
        assert_eq!(ways.current(), Way::Multi(Checksum), "nothing has worked yet");
        assert_eq!(ways.after(Way::Multi(Md5)), Some(Way::Single));
        assert_eq!(ways.after(Way::Single), None);
        assert_eq!(
            ways.current(),
            Way::Multi(Checksum),
            "no way worked, so it was about the batch"
        );
        ways.worked(Way::Multi(Md5));
        assert_eq!(ways.current(), Way::Multi(Md5));
        assert_eq!(
            ways.after(Way::Multi(Checksum)),
            Some(Way::Multi(Md5)),
            "it was in flight meanwhile"
        );
        assert_eq!(ways.after(Way::Multi(Md5)), None, "it works, so these keys are denied");
    }

    #[test]
    fn a_way_that_has_worked_is_kept_whatever_works_later() {
        let ways = Ways::new(None);
        ways.worked(Way::Multi(Checksum));
        ways.worked(Way::Single);
        assert_eq!(ways.current(), Way::Multi(Checksum));
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
