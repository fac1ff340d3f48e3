//! The mutex of the core: never poisoned, and replaced by loom's in its tests.
//!
//! What it guards is left whole by every panic that can happen under the lock: code of a caller runs under it only where
//! nothing is half changed. So a poisoned lock would only spread a panic that is over.

#[cfg(not(ya_syn_loom))]
use std::sync::{Mutex as Inner, MutexGuard};

#[cfg(ya_syn_loom)]
use loom::sync::{Mutex as Inner, MutexGuard};

#[derive(Debug)]
pub(crate) struct Mutex<T>(Inner<T>);

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Inner::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
