//! Pipelines for JavaScript.
//!
//! An answer crosses as one integer: the slot of the task, times 16, plus the [`START`], [`PULL`],
//! [`DONE`] and [`RESULT`] bits. Window sizes that would overflow it are beyond the memory of any process.

use napi::Result;
use napi::bindgen_prelude::Utf16String;

use super::functions::{Arguments, Functions, Shared, closed, to_js};
use super::wire::{
    DONE, PULL, RESULT, RESULTS_AS_COMPLETED, RESULTS_IN_SOURCE_ORDER, SLOT_SHIFT, START,
};
use crate::core::limit::Limit;
use crate::core::pipeline::{Answer, Bounds, Order, Pipeline, Slot};
use crate::core::slab::Slab;

type Pipelines = Slab<Pipeline>;

pub fn define(functions: &mut Functions<'_>) -> Result<()> {
    let pipelines = functions.share(Pipelines::default(), |pipelines| *pipelines = Slab::default());
    open_and_close(functions, &pipelines)?;
    pull(functions, &pipelines)?;
    end(functions, &pipelines)?;
    counters(functions, &pipelines)
}

fn open_and_close(functions: &mut Functions<'_>, pipelines: &Shared<Pipelines>) -> Result<()> {
    // (window, execution, per key, results) -> pipeline; the limits were checked with `isLimit`
    functions.define(pipelines, "createPipeline", |pipelines, args| {
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
        Ok(to_js(pipelines.insert(pipeline)))
    })?;
    functions.define_sure(pipelines, "closePipeline", |pipelines, args| {
        drop(pipelines.remove(args.id(0)?));
        Ok(())
    })
}

/// What the source gave, in the three ways of a limit per key.
fn pull(functions: &mut Functions<'_>, pipelines: &Shared<Pipelines>) -> Result<()> {
    functions.define(pipelines, "begin", |pipelines, args| {
        Ok(encode(None, pipeline(pipelines, args)?.begin()))
    })?;
    functions.define(pipelines, "pulled", |pipelines, args| {
        let (slot, answer) = pipeline(pipelines, args)?.pulled();
        Ok(encode(Some(slot), answer))
    })?;
    functions.define(pipelines, "pulledKeyed", |pipelines, args| {
        let key: Utf16String = args.get(1)?;
        let (slot, answer) = pipeline(pipelines, args)?.pulled_keyed(&key);
        Ok(encode(Some(slot), answer))
    })?;
    functions.define(pipelines, "pulledGated", |pipelines, args| {
        let (slot, answer) = pipeline(pipelines, args)?.pulled_gated();
        Ok(encode(Some(slot), answer))
    })?;
    functions.define_sure(pipelines, "opened", |pipelines, args| {
        let slot = args.get(1)?;
        Ok(encode(None, pipeline(pipelines, args)?.opened(slot)))
    })
}

/// What becomes of tasks, and of the run.
fn end(functions: &mut Functions<'_>, pipelines: &Shared<Pipelines>) -> Result<()> {
    functions.define_sure(pipelines, "finished", |pipelines, args| {
        let (slot, success) = (args.get(1)?, args.get(2)?);
        Ok(encode(None, pipeline(pipelines, args)?.finished(slot, success)))
    })?;
    functions.define_sure(pipelines, "settled", |pipelines, args| {
        let (slot, success) = (args.get(1)?, args.get(2)?);
        Ok(encode(None, pipeline(pipelines, args)?.settled(slot, success)))
    })?;
    functions.define_sure(pipelines, "takeResult", |pipelines, args| {
        let taken = pipeline(pipelines, args)?.take();
        Ok(taken.map_or(0, |(slot, answer)| encode(Some(slot), answer) | RESULT))
    })?;
    functions.define_sure(pipelines, "dropped", |pipelines, args| {
        let slot = args.get(1)?;
        Ok(encode(None, pipeline(pipelines, args)?.dropped(slot)))
    })?;
    functions.define_sure(pipelines, "sourceEnded", |pipelines, args| {
        Ok(encode(None, pipeline(pipelines, args)?.source_ended()))
    })?;
    functions.define_sure(pipelines, "abort", |pipelines, args| {
        Ok(encode(None, pipeline(pipelines, args)?.abort()))
    })
}

fn counters(functions: &mut Functions<'_>, pipelines: &Shared<Pipelines>) -> Result<()> {
    functions.define(pipelines, "pulledCount", |pipelines, args| {
        Ok(pipeline(pipelines, args)?.counts().pulled as f64)
    })?;
    functions.define(pipelines, "runningCount", |pipelines, args| {
        Ok(pipeline(pipelines, args)?.counts().running)
    })?;
    functions.define(pipelines, "doneCount", |pipelines, args| {
        Ok(pipeline(pipelines, args)?.counts().done as f64)
    })?;
    functions.define(pipelines, "failedCount", |pipelines, args| {
        Ok(pipeline(pipelines, args)?.counts().failed as f64)
    })
}

fn pipeline<'a>(pipelines: &'a mut Pipelines, args: &Arguments) -> Result<&'a mut Pipeline> {
    pipelines.get_mut(args.id(0)?).ok_or_else(|| closed("pipeline"))
}

fn encode(slot: Option<Slot>, answer: Answer) -> u32 {
    let bits = [(answer.start.is_some(), START), (answer.pull, PULL), (answer.done, DONE)];
    let bits: u32 = bits.iter().filter(|(set, _)| *set).map(|(_, bit)| bit).sum();
    (answer.start.or(slot).unwrap_or(0) << SLOT_SHIFT) | bits
}
