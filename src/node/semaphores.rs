//! Semaphores for JavaScript, alone and by key, of one thread and of the process.

use std::rc::Rc;

use napi::Result;
use napi::bindgen_prelude::Utf16String;

use super::bell::Bell;
use super::environment::{Environment, Handle, Table};
use super::functions::{Arguments, Functions, closed, to_js};
use crate::core::keyed::{KeyedSemaphores, Lease};
use crate::core::limit::Limit;
use crate::core::semaphore::{Stage, Stats};
use crate::core::spaces;

pub fn define(functions: &mut Functions<'_>) -> Result<()> {
    open_and_close(functions)?;
    take_and_give(functions)?;
    across_threads(functions)?;
    counters(functions)
}

fn open_and_close(functions: &mut Functions<'_>) -> Result<()> {
    functions.define("isLimit", |_, args| Ok(Limit::from_f64(args.get(0)?).is_ok()))?;
    // (limit) -> semaphore, or 0 when it is no limit
    functions.define("createSemaphore", |env, args| {
        let Ok(limit) = Limit::from_f64(args.get(0)?) else { return Ok(0) };
        Ok(open(env, Handle::new(Lease::unkeyed(limit), false)))
    })?;
    functions.define("createTable", |env, _| {
        Ok(to_js(env.tables.insert(Table { keys: KeyedSemaphores::new(), shared: false })))
    })?;
    // (name) -> the table that all threads have under that name
    functions.define("openSpace", |env, args| {
        let name: Utf16String = args.get(0)?;
        Ok(to_js(env.tables.insert(Table { keys: spaces::space(&name), shared: true })))
    })?;
    // (table, key, limit) -> semaphore, or 0 when it is no limit
    functions.define("leaseKey", |env, args| {
        let Ok(limit) = Limit::from_f64(args.get(2)?) else { return Ok(0) };
        let key: Utf16String = args.get(1)?;
        let Table { keys, shared } = table(env, args)?;
        let handle = Handle::new(keys.lease(&key, limit), *shared);
        Ok(open(env, handle))
    })?;
    functions.define_sure("closeSemaphore", |env, args| {
        env.close_semaphore(args.id(0)?);
        Ok(())
    })?;
    functions.define_sure("closeTable", |env, args| {
        drop(env.tables.remove(args.id(0)?));
        Ok(())
    })
}

fn take_and_give(functions: &mut Functions<'_>) -> Result<()> {
    // (semaphore) -> 0, or the ticket of the waiter
    functions.define("acquire", |env, args| {
        let acquired = env.acquire(args.id(0)?).ok_or_else(|| closed("semaphore"))?;
        Ok(acquired.err().map_or(0, to_js))
    })?;
    functions.define("tryAcquire", |env, args| Ok(handle(env, args)?.try_acquire()))?;
    functions.define("enter", |env, args| {
        handle(env, args)?.enter();
        Ok(())
    })?;
    // (semaphore) -> 0, or the ticket that holds the permit now
    functions.define_sure("release", |env, args| release(env, args, Stage::Admitted))?;
    functions.define_sure("leave", |env, args| release(env, args, Stage::Entered))?;
    // (ticket) -> whether it waited; if not, it has been granted a permit
    functions.define_sure("cancel", |env, args| Ok(env.cancel(args.id(0)?)))
}

fn across_threads(functions: &mut Functions<'_>) -> Result<()> {
    // (callback): called with the ticket or an array of tickets that other threads granted permits to, until this environment ends
    let environment = functions.environment();
    functions.define_sure("connect", move |env, args| {
        if env.mailbox.has_bell() {
            return Ok(());
        }
        let environment = Rc::clone(&environment);
        let take = Environment::take_mail;
        let bell = Bell::new(args.raw_env(), args.raw(0), environment, "hearOfMail", take)?;
        env.mailbox.set_bell(move || bell.ring());
        Ok(())
    })?;
    functions.define_sure("takeMail", |env, _| {
        Ok(env.take_mail().into_iter().map(to_js).collect::<Vec<u32>>())
    })?;
    functions.define("heldElsewhere", |env, args| {
        env.held_elsewhere(args.id(0)?).ok_or_else(|| closed("semaphore"))
    })?;
    // (semaphore) -> a number that is the same in all threads, while it is open
    functions.define("identity", |env, args| {
        Ok(std::ptr::from_ref(&*handle(env, args)?.semaphore).addr() as f64)
    })
}

fn counters(functions: &mut Functions<'_>) -> Result<()> {
    functions.define("limit", |env, args| Ok(handle(env, args)?.semaphore.limit().get()))?;
    functions.define("tasks", |env, args| Ok(stats(env, args)?.tasks))?;
    functions.define("held", |env, args| Ok(stats(env, args)?.held))?;
    functions.define("running", |env, args| Ok(stats(env, args)?.running))?;
    functions.define("numberOfKeys", |env, args| Ok(table(env, args)?.keys.len() as f64))
}

fn open(env: &mut Environment, handle: Handle) -> u32 {
    to_js(env.semaphores.insert(handle))
}

fn table<'a>(env: &'a Environment, args: &Arguments) -> Result<&'a Table> {
    env.tables.get(args.id(0)?).ok_or_else(|| closed("table"))
}

fn handle<'a>(env: &'a mut Environment, args: &Arguments) -> Result<&'a mut Handle> {
    env.semaphores.get_mut(args.id(0)?).ok_or_else(|| closed("semaphore"))
}

fn stats(env: &mut Environment, args: &Arguments) -> Result<Stats> {
    Ok(handle(env, args)?.semaphore.stats())
}

fn release(env: &mut Environment, args: &Arguments, stage: Stage) -> Result<u32> {
    let granted = env.release(args.id(0)?, stage).ok_or_else(|| closed("semaphore"))?;
    Ok(granted.map_or(0, to_js))
}
