//! Semaphores for JavaScript, alone and by key.

use napi::Result;
use napi::bindgen_prelude::Utf16String;

use super::environment::{Environment, Ticket};
use super::functions::{Functions, closed, to_js};
use crate::core::keyed::{KeyedSemaphores, Lease};
use crate::core::limit::Limit;
use crate::core::queue::Place;
use crate::core::semaphore::{Stage, Stats};

pub fn define(functions: &mut Functions<'_>) -> Result<()> {
    functions.define("isLimit", |_, args| Ok(Limit::from_f64(args.get(0)?).is_ok()))?;

    // (limit) -> semaphore, or 0 when it is no limit
    functions.define("createSemaphore", |env, args| {
        let limit = Limit::from_f64(args.get(0)?);
        Ok(limit.map_or(0, |limit| to_js(env.semaphores.insert(Lease::unkeyed(limit)))))
    })?;
    functions
        .define("createTable", |env, _| Ok(to_js(env.tables.insert(KeyedSemaphores::new()))))?;
    // (table, key, limit) -> semaphore, or 0 when it is no limit
    functions.define("leaseKey", |env, args| {
        let Ok(limit) = Limit::from_f64(args.get(2)?) else { return Ok(0) };
        let key: Utf16String = args.get(1)?;
        let table = env.tables.get(args.id(0)?).ok_or_else(|| closed("table"))?;
        Ok(to_js(env.semaphores.insert(table.lease(&key, limit))))
    })?;
    functions.define("numberOfKeys", |env, args| {
        let table = env.tables.get(args.id(0)?).ok_or_else(|| closed("table"))?;
        Ok(table.len() as f64)
    })?;
    functions.define("closeSemaphore", |env, args| {
        drop(env.semaphores.remove(args.id(0)?));
        Ok(())
    })?;
    functions.define("closeTable", |env, args| {
        drop(env.tables.remove(args.id(0)?));
        Ok(())
    })?;

    // (semaphore) -> 0, or the ticket of the waiter
    functions.define("acquire", |env, args| {
        let Environment { semaphores, tickets, .. } = env;
        let semaphore = semaphores.get(args.id(0)?).ok_or_else(|| closed("semaphore"))?;
        let mut ticket = None;
        let acquired = semaphore.acquire_with(|| *ticket.insert(tickets.insert(Place::default())));
        let (Err(place), Some(ticket)) = (acquired, ticket) else { return Ok(0) };
        if let Some(slot) = tickets.get_mut(ticket) {
            *slot = place;
        }
        Ok(to_js(ticket))
    })?;
    functions.define("tryAcquire", |env, args| Ok(semaphore(env, args.id(0)?)?.try_acquire()))?;
    functions.define("enter", |env, args| {
        semaphore(env, args.id(0)?)?.enter();
        Ok(())
    })?;
    // (semaphore) -> 0, or the ticket that holds the permit now
    functions.define("release", |env, args| release(env, args.id(0)?, Stage::Admitted))?;
    functions.define("leave", |env, args| release(env, args.id(0)?, Stage::Entered))?;
    // (semaphore, ticket) -> whether it waited; if not, it holds a permit
    functions.define("cancel", |env, args| {
        let ticket = args.id(1)?;
        let Some(place) = env.tickets.get(ticket) else { return Ok(false) };
        let cancelled = semaphore(env, args.id(0)?)?.cancel(*place).is_some();
        if cancelled {
            env.tickets.remove(ticket);
        }
        Ok(cancelled)
    })?;

    functions.define("tasks", |env, args| Ok(stats(env, args.id(0)?)?.tasks))?;
    functions.define("held", |env, args| Ok(stats(env, args.id(0)?)?.held))?;
    functions.define("running", |env, args| Ok(stats(env, args.id(0)?)?.running))
}

fn semaphore(env: &Environment, id: u32) -> Result<&Lease<Ticket>> {
    env.semaphores.get(id).ok_or_else(|| closed("semaphore"))
}

fn stats(env: &Environment, id: u32) -> Result<Stats> {
    Ok(semaphore(env, id)?.stats())
}

fn release(env: &mut Environment, id: u32, stage: Stage) -> Result<u32> {
    let Some(ticket) = semaphore(env, id)?.release(stage) else { return Ok(0) };
    env.tickets.remove(ticket);
    Ok(to_js(ticket))
}
