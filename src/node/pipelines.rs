//! Pipelines for JavaScript.
//!
//! An answer crosses as one integer: the slot of the task, times 16, plus the [`START`], [`PULL`],
//! [`DONE`] and [`RESULT`] bits. Window sizes that would overflow it are beyond the memory of any process.

use napi::Result;
use napi::bindgen_prelude::Utf16String;

use super::environment::Environment;
use super::functions::{Arguments, Functions, closed, to_js};
use crate::core::limit::Limit;
use crate::core::pipeline::{Answer, Bounds, Order, Pipeline, Slot};

const START: u32 = 1;
const PULL: u32 = 2;
const DONE: u32 = 4;
/// The slot is that of a result.
const RESULT: u32 = 8;

const RESULTS_IN_SOURCE_ORDER: u32 = 1;
const RESULTS_AS_COMPLETED: u32 = 2;

pub fn define(functions: &mut Functions<'_>) -> Result<()> {
    // (window, execution, per key, results) -> pipeline; the limits were checked with `isLimit`
    functions.define("createPipeline", |env, args| {
        let limit = |index| Ok::<_, napi::Error>(Limit::from_f64(args.get(index)?));
        let (Ok(window), Ok(execution), Ok(per_key)) = (limit(0)?, limit(1)?, limit(2)?) else {
            return Ok(0);
        };
        let bounds = Bounds { window, execution, per_key };
        let pipeline = match args.get(3)? {
            RESULTS_IN_SOURCE_ORDER => Pipeline::giving_results(bounds, Order::Source),
            RESULTS_AS_COMPLETED => Pipeline::giving_results(bounds, Order::Completion),
            _ => Pipeline::new(bounds),
        };
        Ok(to_js(env.pipelines.insert(pipeline)))
    })?;
    functions.define_sure("closePipeline", |env, args| {
        drop(env.pipelines.remove(args.id(0)?));
        Ok(())
    })?;

    functions.define("begin", |env, args| Ok(encode(None, pipeline(env, args)?.begin())))?;
    functions.define("pulled", |env, args| {
        let (slot, answer) = pipeline(env, args)?.pulled();
        Ok(encode(Some(slot), answer))
    })?;
    functions.define("pulledKeyed", |env, args| {
        let key: Utf16String = args.get(1)?;
        let (slot, answer) = pipeline(env, args)?.pulled_keyed(&key);
        Ok(encode(Some(slot), answer))
    })?;
    functions.define("pulledGated", |env, args| {
        let (slot, answer) = pipeline(env, args)?.pulled_gated();
        Ok(encode(Some(slot), answer))
    })?;
    functions.define_sure("opened", |env, args| {
        let slot = args.get(1)?;
        Ok(encode(None, pipeline(env, args)?.opened(slot)))
    })?;
    functions.define_sure("finished", |env, args| {
        let (slot, success) = (args.get(1)?, args.get(2)?);
        Ok(encode(None, pipeline(env, args)?.finished(slot, success)))
    })?;
    functions.define_sure("settled", |env, args| {
        let (slot, success) = (args.get(1)?, args.get(2)?);
        Ok(encode(None, pipeline(env, args)?.settled(slot, success)))
    })?;
    functions.define_sure("takeResult", |env, args| {
        let taken = pipeline(env, args)?.take();
        Ok(taken.map_or(0, |(slot, answer)| encode(Some(slot), answer) | RESULT))
    })?;
    functions.define_sure("dropped", |env, args| {
        let slot = args.get(1)?;
        Ok(encode(None, pipeline(env, args)?.dropped(slot)))
    })?;
    functions.define_sure("sourceEnded", |env, args| {
        Ok(encode(None, pipeline(env, args)?.source_ended()))
    })?;
    functions.define_sure("abort", |env, args| Ok(encode(None, pipeline(env, args)?.abort())))?;

    functions.define("pulledCount", |env, args| Ok(pipeline(env, args)?.counts().pulled as f64))?;
    functions.define("runningCount", |env, args| Ok(pipeline(env, args)?.counts().running))?;
    functions.define("doneCount", |env, args| Ok(pipeline(env, args)?.counts().done as f64))?;
    functions.define("failedCount", |env, args| Ok(pipeline(env, args)?.counts().failed as f64))
}

fn pipeline<'a>(env: &'a mut Environment, args: &Arguments) -> Result<&'a mut Pipeline> {
    env.pipelines.get_mut(args.id(0)?).ok_or_else(|| closed("pipeline"))
}

fn encode(slot: Option<Slot>, answer: Answer) -> u32 {
    let bits = [(answer.start.is_some(), START), (answer.pull, PULL), (answer.done, DONE)];
    let bits: u32 = bits.iter().filter(|(set, _)| *set).map(|(_, bit)| bit).sum();
    (answer.start.or(slot).unwrap_or(0) << 4) | bits
}
