//! What one environment (the main thread or a worker) has open in the core.

use std::sync::Arc;

use super::jobs::Jobs;
use crate::core::keyed::{KeyedSemaphores, Lease};
use crate::core::pipeline::Pipeline;
use crate::core::queue::Place;
use crate::core::slab::Slab;

/// A waiter on this thread: the slot under which JavaScript keeps its promise.
pub type Ticket = u32;

/// The tables behind the integers that JavaScript holds.
#[derive(Default)]
pub struct Environment {
    pub semaphores: Slab<Lease<Ticket>>,
    pub tables: Slab<Arc<KeyedSemaphores<Ticket>>>,
    /// Where each waiter stands. A ticket is free again when JavaScript was told of the grant.
    pub tickets: Slab<Place>,
    pub pipelines: Slab<Pipeline>,
    pub jobs: Jobs,
}
