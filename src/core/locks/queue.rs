//! A first-in, first-out queue whose values can be removed from any place, all in constant time.
//!
//! The nodes live in a [`Slab`] and are linked in both directions by index. A [`Place`] names a
//! node together with the number of its arrival, so that the place of a value that has left never removes
//! the value that the same node holds by now.

use crate::core::slab::Slab;

const NONE: u32 = u32::MAX;

struct Node<T> {
    value: T,
    arrival: u64,
    previous: u32,
    next: u32,
}

/// Where a value stands in a [`Queue`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    node: u32,
    arrival: u64,
}

/// A queue of values that wait.
pub struct Queue<T> {
    nodes: Slab<Node<T>>,
    first: u32,
    last: u32,
    arrivals: u64,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { nodes: Slab::default(), first: NONE, last: NONE, arrivals: 0 }
    }
}

impl<T> Queue<T> {
    /// How many values wait.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no value waits.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Puts a value at the end, and returns its place.
    pub fn push(&mut self, value: T) -> Place {
        let arrival = self.arrivals;
        self.arrivals += 1;
        let node = self.nodes.insert(Node { value, arrival, previous: self.last, next: NONE });
        match self.nodes.get_mut(self.last) {
            Some(last) => last.next = node,
            None => self.first = node,
        }
        self.last = node;
        Place { node, arrival }
    }

    /// The value that came first.
    pub fn first(&self) -> Option<&T> {
        self.nodes.get(self.first).map(|node| &node.value)
    }

    /// The value at `place`, unless it has left.
    pub fn get(&self, place: Place) -> Option<&T> {
        let node = self.nodes.get(place.node)?;
        (node.arrival == place.arrival).then_some(&node.value)
    }

    /// Takes the value that came first.
    pub fn pop(&mut self) -> Option<T> {
        self.unlink(self.first)
    }

    /// Takes the value at `place`, unless it has left.
    pub fn remove(&mut self, place: Place) -> Option<T> {
        if self.nodes.get(place.node)?.arrival != place.arrival {
            return None;
        }
        self.unlink(place.node)
    }

    fn unlink(&mut self, id: u32) -> Option<T> {
        let Node { value, previous, next, .. } = self.nodes.remove(id)?;
        match self.nodes.get_mut(previous) {
            Some(node) => node.next = next,
            None => self.first = next,
        }
        match self.nodes.get_mut(next) {
            Some(node) => node.previous = previous,
            None => self.last = previous,
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lets_anyone_leave_and_keeps_the_order_of_the_rest() {
        let mut queue = Queue::default();
        let places: Vec<_> = (0..5).map(|n| queue.push(n)).collect();
        assert_eq!(queue.remove(places[2]), Some(2));
        assert_eq!(queue.remove(places[0]), Some(0));
        assert_eq!(queue.remove(places[4]), Some(4));
        queue.push(5);
        assert_eq!(queue.len(), 3);
        assert_eq!(
            [queue.pop(), queue.pop(), queue.pop(), queue.pop()],
            [Some(1), Some(3), Some(5), None]
        );
        assert!(queue.is_empty());
    }

    #[test]
    fn a_place_given_up_never_removes_its_successor() {
        let mut queue = Queue::default();
        let old = queue.push('a');
        assert_eq!(queue.pop(), Some('a'));
        let new = queue.push('b');
        assert_eq!((queue.get(old), queue.get(new)), (None, Some(&'b')));
        assert_eq!(queue.remove(old), None);
        assert_eq!(queue.pop(), Some('b'));
    }
}
