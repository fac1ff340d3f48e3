//! A table of recycled integers: a small integer stands for a value until the value is removed.
//!
//! JavaScript arrays are indexed by these integers, so an integer that is free is used again (the one that was freed last
//! comes first) before the table grows. There are never more integers than there were values at the same time. A table of
//! more than 1,024 integers gives its memory back when the last value is removed, and starts again from 0.

/// A table that grew no larger than this keeps its memory when it empties: it will likely fill again.
const KEEP: usize = 1024;

enum Entry<T> {
    Used(T),
    /// The integer that was freed before this one, or `NONE`.
    Free(u32),
}

const NONE: u32 = u32::MAX;

/// A table of values under recycled integers.
pub struct Slab<T> {
    entries: Vec<Entry<T>>,
    free: u32,
    len: usize,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), free: NONE, len: 0 }
    }
}

impl<T> Slab<T> {
    /// How many values are in the table.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the table holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Takes a value in, and returns the integer that stands for the value until it is [removed](Self::remove).
    ///
    /// # Panics
    ///
    /// When the table holds 2³² - 1 values already.
    pub fn insert(&mut self, value: T) -> u32 {
        self.len += 1;
        if self.free == NONE {
            let id = u32::try_from(self.entries.len()).ok().filter(|id| *id != NONE);
            self.entries.push(Entry::Used(value));
            return id.expect("a table of 2^32 - 1 values is full");
        }
        let id = self.free;
        match std::mem::replace(&mut self.entries[id as usize], Entry::Used(value)) {
            Entry::Free(next) => self.free = next,
            Entry::Used(_) => unreachable!("a free entry was in use"),
        }
        id
    }

    /// The value that `id` stands for, if there is one.
    pub fn get(&self, id: u32) -> Option<&T> {
        match self.entries.get(id as usize) {
            Some(Entry::Used(value)) => Some(value),
            _ => None,
        }
    }

    /// The value that `id` stands for, to be changed, if there is one.
    pub fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        match self.entries.get_mut(id as usize) {
            Some(Entry::Used(value)) => Some(value),
            _ => None,
        }
    }

    /// All values, with the integers that stand for them, in the order of the integers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.entries.iter().enumerate().filter_map(|(id, entry)| match entry {
            Entry::Used(value) => Some((id as u32, value)),
            Entry::Free(_) => None,
        })
    }

    /// Takes a value out, if there is one. Its integer will stand for another value.
    pub fn remove(&mut self, id: u32) -> Option<T> {
        let entry = self.entries.get_mut(id as usize)?;
        if matches!(entry, Entry::Free(_)) {
            return None;
        }
        let Entry::Used(value) = std::mem::replace(entry, Entry::Free(self.free)) else {
            unreachable!("a used entry was free");
        };
        self.free = id;
        self.len -= 1;
        if self.len == 0 && self.entries.len() > KEEP {
            *self = Self::default();
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recycles_the_integer_freed_last() {
        let mut slab = Slab::default();
        assert_eq!([slab.insert('a'), slab.insert('b'), slab.insert('c')], [0, 1, 2]);
        assert_eq!(slab.remove(1), Some('b'));
        assert_eq!(slab.remove(1), None);
        assert_eq!(slab.insert('d'), 1);
        assert_eq!(slab.insert('e'), 3);
        assert_eq!((slab.get(1), slab.get(9), slab.len()), (Some(&'d'), None, 4));
    }

    #[test]
    fn gives_its_memory_back_when_a_large_table_empties() {
        let mut slab = Slab::default();
        let ids: Vec<_> = (0..10_000).map(|n| slab.insert(n)).collect();
        for id in ids {
            slab.remove(id);
        }
        assert!(slab.is_empty() && slab.entries.capacity() == 0);
        assert_eq!(slab.insert(7), 0);
    }
}
