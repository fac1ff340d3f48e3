//! The key spaces that all threads of the process share, by name.
//!
//! A space lives as long as somebody keeps the space or a lease of one of its keys. After that the same name gets a new one.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Weak};

use super::keyed::KeyedSemaphores;
use super::mailbox::Address;
use crate::core::sync::Mutex;

type Spaces = HashMap<Box<[u16]>, Weak<KeyedSemaphores<Address>>>;

static SPACES: LazyLock<Mutex<Spaces>> = LazyLock::new(|| Mutex::new(HashMap::new()));

/// The key space of that name, which is made if there is none. A name is UTF-16, as keys are.
pub fn space(name: &[u16]) -> Arc<KeyedSemaphores<Address>> {
    let mut spaces = SPACES.lock();
    if let Some(space) = spaces.get(name).and_then(Weak::upgrade) {
        return space;
    }
    // Without this the names of spaces that nobody keeps any more would pile up.
    spaces.retain(|_, space| space.strong_count() > 0);
    let space = KeyedSemaphores::new();
    spaces.insert(name.into(), Arc::downgrade(&space));
    space
}

#[cfg(all(test, not(ya_syn_loom)))]
mod tests {
    use super::*;

    #[test]
    fn one_name_is_one_space_while_it_is_kept() {
        let a = space(&[1]);
        assert!(Arc::ptr_eq(&a, &space(&[1])));
        assert!(!Arc::ptr_eq(&a, &space(&[2])));
        let old = Arc::downgrade(&a);
        drop(a);
        space(&[1]);
        assert!(old.upgrade().is_none());
    }
}
