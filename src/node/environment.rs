//! What one environment (the main thread or a worker) has open in the core.

use std::sync::Arc;

use crate::core::keyed::{KeyedSemaphores, Lease};
use crate::core::mailbox::{self, Address, Mailbox, Ticket};
use crate::core::pipeline::Pipeline;
use crate::core::queue::Place;
use crate::core::semaphore::Stage;
use crate::core::slab::Slab;

/// The tables behind the integers that JavaScript holds.
pub struct Environment {
    pub semaphores: Slab<Handle>,
    pub tables: Slab<Arc<KeyedSemaphores<Address>>>,
    /// A ticket is free again when JavaScript was told of the grant.
    pub tickets: Slab<Waiting>,
    pub pipelines: Slab<Pipeline>,
    pub mailbox: Arc<Mailbox>,
}

/// A semaphore that JavaScript uses, and the permits of it that it holds.
pub struct Handle {
    pub semaphore: Lease<Address>,
    admitted: u32,
    entered: u32,
}

/// A waiter of this environment.
pub struct Waiting {
    pub handle: u32,
    pub place: Place,
}

impl Handle {
    pub fn new(semaphore: Lease<Address>) -> Self {
        Self { semaphore, admitted: 0, entered: 0 }
    }

    pub fn try_acquire(&mut self) -> bool {
        let acquired = self.semaphore.try_acquire();
        self.admitted += u32::from(acquired);
        acquired
    }

    pub fn enter(&mut self) {
        self.semaphore.enter();
        self.admitted -= 1;
        self.entered += 1;
    }

    fn release(&mut self, stage: Stage, here: Option<&Arc<Mailbox>>) -> Option<Ticket> {
        match stage {
            Stage::Admitted => self.admitted -= 1,
            Stage::Entered => self.entered -= 1,
        }
        mailbox::release(&self.semaphore, stage, here)
    }
}

impl Environment {
    pub fn new() -> Self {
        Self {
            semaphores: Slab::default(),
            tables: Slab::default(),
            tickets: Slab::default(),
            pipelines: Slab::default(),
            mailbox: Mailbox::new(),
        }
    }

    /// Takes a permit of the semaphore, or a ticket in its queue; nothing when there is no such
    /// semaphore.
    pub fn acquire(&mut self, id: u32) -> Option<Result<(), Ticket>> {
        let Self { semaphores, tickets, mailbox, .. } = self;
        let handle = semaphores.get_mut(id)?;
        let mut ticket = None;
        let acquired = handle.semaphore.acquire_with(|| {
            // Where it stands is known a moment later, before anybody on this thread can ask.
            let waiting = Waiting { handle: id, place: Place::default() };
            let ticket = *ticket.insert(tickets.insert(waiting));
            Address { mailbox: Arc::clone(mailbox), ticket }
        });
        let (Err(place), Some(ticket)) = (acquired, ticket) else {
            handle.admitted += 1;
            return Some(Ok(()));
        };
        if let Some(waiting) = tickets.get_mut(ticket) {
            waiting.place = place;
        }
        Some(Err(ticket))
    }

    /// Gives a permit back. The ticket returned is the waiter of this thread that has it now.
    pub fn release(&mut self, id: u32, stage: Stage) -> Option<Option<Ticket>> {
        let granted = self.semaphores.get_mut(id)?.release(stage, Some(&self.mailbox));
        if let Some(ticket) = granted {
            self.granted(ticket);
        }
        Some(granted)
    }

    /// Leaves the queue, or tells that the permit was granted.
    pub fn cancel(&mut self, ticket: Ticket) -> bool {
        let Some(Waiting { handle, place }) = self.tickets.get(ticket) else { return false };
        let cancelled = self
            .semaphores
            .get(*handle)
            .is_some_and(|handle| handle.semaphore.cancel(*place).is_some());
        if cancelled {
            self.tickets.remove(ticket);
        }
        cancelled
    }

    /// The waiters that other threads gave permits to.
    pub fn take_mail(&mut self) -> Vec<Ticket> {
        let tickets = self.mailbox.take();
        tickets.iter().for_each(|ticket| self.granted(*ticket));
        tickets
    }

    fn granted(&mut self, ticket: Ticket) {
        let Some(Waiting { handle, .. }) = self.tickets.remove(ticket) else { return };
        if let Some(handle) = self.semaphores.get_mut(handle) {
            handle.admitted += 1;
        }
    }

    /// Leaves all queues and gives all permits back, because the environment is about to end.
    pub fn close(&mut self) {
        for ticket in self.mailbox.close() {
            self.granted(ticket);
        }
        let tickets: Vec<_> = self.tickets.iter().map(|(ticket, _)| ticket).collect();
        for ticket in tickets {
            // One that was granted in this very moment is passed on by whoever finds the box closed.
            self.cancel(ticket);
        }
        let ids: Vec<_> = self.semaphores.iter().map(|(id, _)| id).collect();
        for id in ids {
            let Some(mut handle) = self.semaphores.remove(id) else { continue };
            for _ in 0..handle.admitted {
                handle.release(Stage::Admitted, None);
            }
            for _ in 0..handle.entered {
                handle.release(Stage::Entered, None);
            }
        }
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        self.close();
    }
}
