//! What was deleted of prefixes that were never throttled, to know the rate that they bear when they are
//! throttled first.

use std::collections::HashMap;

use super::pace::Moment;

/// How many prefixes are remembered at most.
const MOST: usize = 1024;

/// How much was deleted of a prefix, and since when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tally {
    pub since: Moment,
    pub deleted: u64,
}

/// The tallies of the prefixes that were used last.
///
/// There are two tables. A prefix that is counted is put into the recent one; when that is full, it becomes the older one,
/// and what was not counted since the last change is forgotten.
#[derive(Default)]
pub(super) struct Tallies {
    recent: HashMap<Box<[u8]>, Tally>,
    older: HashMap<Box<[u8]>, Tally>,
}

impl Tallies {
    /// So many items of a request that was sent at `sent` were deleted.
    pub fn count(&mut self, prefix: &[u8], deleted: usize, sent: Moment) {
        if let Some(tally) = self.recent.get_mut(prefix) {
            tally.deleted += deleted as u64;
            return;
        }
        let (prefix, mut tally) = self
            .older
            .remove_entry(prefix)
            .unwrap_or_else(|| (prefix.into(), Tally { since: sent, deleted: 0 }));
        tally.deleted += deleted as u64;
        if self.recent.len() >= MOST / 2 {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(prefix, tally);
    }

    /// Forgets a prefix, and returns what was counted for it.
    pub fn take(&mut self, prefix: &[u8]) -> Option<Tally> {
        self.recent.remove(prefix).or_else(|| self.older.remove(prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_prefix_is_counted_however_many_came_before_and_one_in_use_is_kept() {
        let mut tallies = Tallies::default();
        for number in 0..10 * MOST as u64 {
            let now = Moment::from_secs(number);
            tallies.count(b"used/", 1, now);
            tallies.count(&number.to_be_bytes(), 7, now);
            assert!(tallies.recent.len() + tallies.older.len() <= MOST);
        }
        let last = 10 * MOST as u64 - 1;
        let newest = Tally { since: Moment::from_secs(last), deleted: 7 };
        assert_eq!(tallies.take(&last.to_be_bytes()), Some(newest));
        assert_eq!(tallies.take(b"used/"), Some(Tally { since: Moment::ZERO, deleted: last + 1 }));
        assert_eq!(tallies.take(&0u64.to_be_bytes()), None, "the oldest is forgotten");
    }
}
