//! The semaphores, tables of keys and waiters that one environment (the main thread or a worker) has open.

use std::sync::Arc;

use crate::core::locks::keyed::{KeyedSemaphores, Lease};
use crate::core::locks::mailbox::{self, Address, Mailbox, Ticket};
use crate::core::locks::queue::Place;
use crate::core::locks::semaphore::Stage;
use crate::core::slab::Slab;

/// What is behind the integers that JavaScript holds.
pub struct Locks {
    pub semaphores: Slab<Handle>,
    /// Closed, but with permits that other threads wait for.
    forgotten: Vec<Handle>,
    pub tables: Slab<Table>,
    /// The waiters. A ticket is free again once JavaScript was told of the grant.
    pub tickets: Slab<Waiting>,
    pub mailbox: Arc<Mailbox>,
}

/// The semaphores of a provider.
pub struct Table {
    pub keys: Arc<KeyedSemaphores<Address>>,
    /// Whether other threads have it as well.
    pub shared: bool,
}

/// A semaphore that JavaScript uses, and the permits of it that it holds.
pub struct Handle {
    pub semaphore: Lease<Address>,
    shared: bool,
    admitted: u32,
    entered: u32,
}

/// A waiter of this environment.
pub struct Waiting {
    pub handle: u32,
    pub place: Place,
}

impl Handle {
    pub fn new(semaphore: Lease<Address>, shared: bool) -> Self {
        Self { semaphore, shared, admitted: 0, entered: 0 }
    }

    /// Whether both stand for the same semaphore.
    fn is(&self, other: &Self) -> bool {
        std::ptr::eq(&*self.semaphore, &*other.semaphore)
    }

    fn permits(&self) -> u32 {
        self.admitted + self.entered
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
        let next = mailbox::release(&self.semaphore, stage, here);
        match stage {
            Stage::Admitted => self.admitted -= 1,
            Stage::Entered => self.entered -= 1,
        }
        next
    }

    fn release_all(&mut self) {
        for _ in 0..self.admitted {
            self.release(Stage::Admitted, None);
        }
        for _ in 0..self.entered {
            self.release(Stage::Entered, None);
        }
    }
}

impl Locks {
    pub fn new() -> Self {
        Self {
            semaphores: Slab::default(),
            forgotten: Vec::new(),
            tables: Slab::default(),
            tickets: Slab::default(),
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
            // The waiter's place is written a moment later, before any code of this thread can ask for it.
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

    /// Closes a semaphore that JavaScript has no use for any more.
    ///
    /// Permits that it never gave back stay taken: its sections may still run. Where other threads
    /// can wait for them, they are given back when this environment ends.
    pub fn close_semaphore(&mut self, id: u32) {
        let Some(handle) = self.semaphores.remove(id) else { return };
        if handle.shared && handle.permits() > 0 {
            self.forgotten.push(handle);
        }
    }

    /// Whether somebody else than this environment holds a permit of the semaphore.
    pub fn held_elsewhere(&self, id: u32) -> Option<bool> {
        let handle = self.semaphores.get(id)?;
        let forgotten = self.forgotten.iter().filter(|other| other.is(handle));
        let here = handle.permits() + forgotten.map(Handle::permits).sum::<u32>();
        Some(handle.semaphore.stats().held > here)
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
            // A permit that is granted in this very moment is passed on by the thread that finds the mailbox closed.
            self.cancel(ticket);
        }
        let ids: Vec<_> = self.semaphores.iter().map(|(id, _)| id).collect();
        for id in ids {
            self.semaphores.remove(id).iter_mut().for_each(Handle::release_all);
        }
        self.forgotten.drain(..).for_each(|mut handle| handle.release_all());
    }
}

impl Drop for Locks {
    fn drop(&mut self) {
        self.close();
    }
}
