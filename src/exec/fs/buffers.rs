//! Memory for large files, used again.
//!
//! Fresh memory of that size comes page by page from the system, each cleared first, which takes longer than reading a file
//! into it. So memory that JavaScript gave back is kept for the next file, up to a bound and for as long as there are readers.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Buffers of fewer bytes are left to the allocator.
const SMALLEST: usize = 128 * 1024;
/// Bytes that are kept at most.
const MOST: usize = 64 << 20;

/// The buffers that are kept.
#[derive(Default)]
pub struct Buffers {
    kept: Mutex<Vec<Vec<u8>>>,
}

impl Buffers {
    /// The buffers of this process.
    pub fn of_process() -> &'static Self {
        static BUFFERS: OnceLock<Buffers> = OnceLock::new();
        BUFFERS.get_or_init(Self::default)
    }

    /// An empty buffer with room for `size` bytes, and no more than twice that.
    pub fn take(&self, size: usize) -> Vec<u8> {
        let fits = |buffer: &Vec<u8>| (size..=size.saturating_mul(2)).contains(&buffer.capacity());
        if size >= SMALLEST {
            let mut kept = self.lock();
            if let Some(index) = kept.iter().rposition(fits) {
                return kept.swap_remove(index);
            }
        }
        Vec::with_capacity(size)
    }

    /// Keeps a buffer for later. The oldest buffers are freed to make room for it.
    pub fn give(&self, mut buffer: Vec<u8>) {
        if !(SMALLEST..=MOST).contains(&buffer.capacity()) {
            return;
        }
        buffer.clear();
        let mut kept = self.lock();
        kept.push(buffer);
        let mut bytes: usize = kept.iter().map(Vec::capacity).sum();
        let mut surplus = 0;
        while bytes > MOST {
            bytes -= kept[surplus].capacity();
            surplus += 1;
        }
        kept.drain(..surplus);
    }

    /// Frees all buffers.
    pub fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_for_a_file_that_fills_half_of_it() {
        let buffers = Buffers::default();
        buffers.give(Vec::with_capacity(4 * SMALLEST));
        assert!(buffers.take(SMALLEST).capacity() < 4 * SMALLEST);
        assert!(buffers.take(5 * SMALLEST).capacity() >= 5 * SMALLEST);
        assert_eq!(buffers.lock().len(), 1);
        assert_eq!(buffers.take(2 * SMALLEST).capacity(), 4 * SMALLEST);
        assert!(buffers.lock().is_empty());
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let buffers = Buffers::default();
        buffers.give(Vec::with_capacity(SMALLEST - 1));
        buffers.give(Vec::with_capacity(MOST + 1));
        assert!(buffers.lock().is_empty());
        for _ in 0..5 {
            buffers.give(Vec::with_capacity(MOST / 2));
        }
        assert_eq!(buffers.lock().len(), 2);
        buffers.clear();
        assert!(buffers.lock().is_empty());
    }
}
