//! Semaphores for JavaScript, alone and by key, of one thread and of the process.

mod table;

use std::rc::Rc;

use napi::Result;
use napi::bindgen_prelude::Utf16String;

use self::table::{Handle, Locks, Table};
use super::functions::{Arguments, Functions, Shared, closed, to_js};
use super::wake::bell::Bell;
use crate::core::limit::Limit;
use crate::core::locks::keyed::{KeyedSemaphores, Lease};
use crate::core::locks::semaphore::{Stage, Stats};
use crate::core::locks::spaces;

pub fn define(functions: &mut Functions<'_>) -> Result<()> {
    let locks = functions.share(Locks::new(), Locks::close);
    open_and_close(functions, &locks)?;
    take_and_give(functions, &locks)?;
    across_threads(functions, &locks)?;
    counters(functions, &locks)
}

fn open_and_close(functions: &mut Functions<'_>, locks: &Shared<Locks>) -> Result<()> {
    functions.define(locks, "isLimit", |_, args| Ok(Limit::from_f64(args.get(0)?).is_ok()))?;
    // (limit) -> semaphore, or 0 when it is no limit
    functions.define(locks, "createSemaphore", |locks, args| {
        let Ok(limit) = Limit::from_f64(args.get(0)?) else { return Ok(0) };
        Ok(open(locks, Handle::new(Lease::unkeyed(limit), false)))
    })?;
    functions.define(locks, "createTable", |locks, _| {
        Ok(to_js(locks.tables.insert(Table { keys: KeyedSemaphores::new(), shared: false })))
    })?;
    // (name) -> the table that all threads have under that name
    functions.define(locks, "openSpace", |locks, args| {
        let name: Utf16String = args.get(0)?;
        Ok(to_js(locks.tables.insert(Table { keys: spaces::space(&name), shared: true })))
    })?;
    // (table, key, limit) -> semaphore, or 0 when it is no limit
    functions.define(locks, "leaseKey", |locks, args| {
        let Ok(limit) = Limit::from_f64(args.get(2)?) else { return Ok(0) };
        let key: Utf16String = args.get(1)?;
        let Table { keys, shared } = table(locks, args)?;
        let handle = Handle::new(keys.lease(&key, limit), *shared);
        Ok(open(locks, handle))
    })?;
    functions.define_sure(locks, "closeSemaphore", |locks, args| {
        locks.close_semaphore(args.id(0)?);
        Ok(())
    })?;
    functions.define_sure(locks, "closeTable", |locks, args| {
        drop(locks.tables.remove(args.id(0)?));
        Ok(())
    })
}

fn take_and_give(functions: &mut Functions<'_>, locks: &Shared<Locks>) -> Result<()> {
    // (semaphore) -> 0, or the ticket of the waiter
    functions.define(locks, "acquire", |locks, args| {
        let acquired = locks.acquire(args.id(0)?).ok_or_else(|| closed("semaphore"))?;
        Ok(acquired.err().map_or(0, to_js))
    })?;
    functions.define(locks, "tryAcquire", |locks, args| Ok(handle(locks, args)?.try_acquire()))?;
    functions.define(locks, "enter", |locks, args| {
        handle(locks, args)?.enter();
        Ok(())
    })?;
    // (semaphore) -> 0, or the ticket that holds the permit now
    functions.define_sure(locks, "release", |locks, args| release(locks, args, Stage::Admitted))?;
    functions.define_sure(locks, "leave", |locks, args| release(locks, args, Stage::Entered))?;
    // (ticket) -> whether it waited; if not, it has been granted a permit
    functions.define_sure(locks, "cancel", |locks, args| Ok(locks.cancel(args.id(0)?)))
}

fn across_threads(functions: &mut Functions<'_>, locks: &Shared<Locks>) -> Result<()> {
    // (callback): called with the ticket or an array of tickets that other threads granted permits to, until this environment ends
    let shared = Rc::clone(locks);
    functions.define_sure(locks, "connect", move |locks, args| {
        if locks.mailbox.has_bell() {
            return Ok(());
        }
        let shared = Rc::clone(&shared);
        let take = move || take_mail(&mut shared.borrow_mut());
        let bell = Bell::new(args.raw_env(), args.raw(0), "hearOfMail", take)?;
        locks.mailbox.set_bell(move || bell.ring());
        Ok(())
    })?;
    functions.define_sure(locks, "takeMail", |locks, _| Ok(take_mail(locks)))?;
    functions.define(locks, "heldElsewhere", |locks, args| {
        locks.held_elsewhere(args.id(0)?).ok_or_else(|| closed("semaphore"))
    })?;
    // (semaphore) -> a number that is the same in all threads, while it is open
    functions.define(locks, "identity", |locks, args| {
        Ok(std::ptr::from_ref(&*handle(locks, args)?.semaphore).addr() as f64)
    })
}

fn counters(functions: &mut Functions<'_>, locks: &Shared<Locks>) -> Result<()> {
    functions
        .define(locks, "limit", |locks, args| Ok(handle(locks, args)?.semaphore.limit().get()))?;
    functions.define(locks, "tasks", |locks, args| Ok(stats(locks, args)?.tasks))?;
    functions.define(locks, "held", |locks, args| Ok(stats(locks, args)?.held))?;
    functions.define(locks, "running", |locks, args| Ok(stats(locks, args)?.running))?;
    functions.define(locks, "numberOfKeys", |locks, args| Ok(table(locks, args)?.keys.len() as f64))
}

/// The tickets of those who were granted a permit by other threads.
fn take_mail(locks: &mut Locks) -> Vec<u32> {
    locks.take_mail().into_iter().map(to_js).collect()
}

fn open(locks: &mut Locks, handle: Handle) -> u32 {
    to_js(locks.semaphores.insert(handle))
}

fn table<'a>(locks: &'a Locks, args: &Arguments) -> Result<&'a Table> {
    locks.tables.get(args.id(0)?).ok_or_else(|| closed("table"))
}

fn handle<'a>(locks: &'a mut Locks, args: &Arguments) -> Result<&'a mut Handle> {
    locks.semaphores.get_mut(args.id(0)?).ok_or_else(|| closed("semaphore"))
}

fn stats(locks: &mut Locks, args: &Arguments) -> Result<Stats> {
    Ok(handle(locks, args)?.semaphore.stats())
}

fn release(locks: &mut Locks, args: &Arguments, stage: Stage) -> Result<u32> {
    let granted = locks.release(args.id(0)?, stage).ok_or_else(|| closed("semaphore"))?;
    Ok(granted.map_or(0, to_js))
}
