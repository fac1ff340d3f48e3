//! A table of recycled slots: a small integer stands for a value until it is removed.
//!
//! JavaScript arrays are indexed by these integers, so the lowest ones that are free are taken
//! again before the table grows. A table that empties gives its memory back.

/// Tables that empty below this size keep their memory: they will likely fill again.
const KEEP: usize = 1024;

enum Slot<T> {
    Used(T),
    /// The next free slot, or `NONE`.
    Free(u32),
}

const NONE: u32 = u32::MAX;

/// A table of values under recycled integers.
pub struct Slab<T> {
    slots: Vec<Slot<T>>,
    free: u32,
    len: usize,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: NONE, len: 0 }
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

    /// Takes a value in and tells the integer that stands for it.
    ///
    /// # Panics
    ///
    /// With 2³² - 1 values in the table.
    pub fn insert(&mut self, value: T) -> u32 {
        self.len += 1;
        if self.free == NONE {
            let id = u32::try_from(self.slots.len()).ok().filter(|id| *id != NONE);
            self.slots.push(Slot::Used(value));
            return id.expect("a table of 2^32 - 1 values is full");
        }
        let id = self.free;
        match std::mem::replace(&mut self.slots[id as usize], Slot::Used(value)) {
            Slot::Free(next) => self.free = next,
            Slot::Used(_) => unreachable!("a free slot was in use"),
        }
        id
    }

    /// The value that `id` stands for.
    pub fn get(&self, id: u32) -> Option<&T> {
        match self.slots.get(id as usize) {
            Some(Slot::Used(value)) => Some(value),
            _ => None,
        }
    }

    /// The value that `id` stands for, to be changed.
    pub fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        match self.slots.get_mut(id as usize) {
            Some(Slot::Used(value)) => Some(value),
            _ => None,
        }
    }

    /// All values, with the integers that stand for them.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.slots.iter().enumerate().filter_map(|(id, slot)| match slot {
            Slot::Used(value) => Some((id as u32, value)),
            Slot::Free(_) => None,
        })
    }

    /// Takes a value out; its integer will stand for another.
    pub fn remove(&mut self, id: u32) -> Option<T> {
        let slot = self.slots.get_mut(id as usize)?;
        if matches!(slot, Slot::Free(_)) {
            return None;
        }
        let Slot::Used(value) = std::mem::replace(slot, Slot::Free(self.free)) else {
            unreachable!("a used slot was free");
        };
        self.free = id;
        self.len -= 1;
        if self.len == 0 && self.slots.len() > KEEP {
            *self = Self::default();
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recycles_the_slot_freed_last() {
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
        assert!(slab.is_empty() && slab.slots.capacity() == 0);
        assert_eq!(slab.insert(7), 0);
    }
}
