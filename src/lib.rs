//! Keyed async locks, semaphores and a bounded task pipeline for Node.js.
//!
//! Three layers, and imports point one way only, from the later to the earlier:
//!
//! * [`core`] decides who may run, in what order and how much at once. It does no I/O, knows no
//!   clock and no JavaScript, and builds alone with `--no-default-features`.
//! * [`exec`] does I/O in bulk at the pace that the core allows, on threads of its own. It knows no
//!   JavaScript either.
//! * `node` translates both for JavaScript: integers in, integers out, no decisions.
//!
//! # Where things are
//!
//! | module | what it is for |
//! |---|---|
//! | [`core::limit`] | how much may run at once, checked in one place |
//! | [`core::slab`] | values that small, recycled integers stand for |
//! | [`core::locks`] | semaphores: alone, by key, and shared between threads |
//! | [`core::pipeline`] | the bounded run of tasks: window, limit per key, permits, results in order |
//! | [`core::batch`] | pages of items re-cut into batches, each prefix at its pace |
//! | `exec::run`, `exec::source` | a native source driven into a native executor |
//! | `exec::stop`, `exec::race`, `exec::runtime` | how such a job ends, waits, and where it runs |
//! | `exec::fs` | files read and listed in bulk, on threads that may block |
//! | `exec::s3` | objects listed and deleted in bulk, on Tokio |
//! | `node::functions`, `node::wire` | the plain functions of an environment, and the integers that both languages know |
//! | `node::jobs`, `node::outlet`, `node::wake` | how chunks of native jobs cross, and how an environment is woken for them |
//! | `node::locks`, `node::pipelines`, `node::fs`, `node::s3` | the areas of the addon: each owns its table and its functions |
//! | `panics` | catches panics where they would end more than the work that they happened in |
//! | `test_hooks` | panics and stalls that tests inject; a release build has none |
//!
//! # Words
//!
//! One word means one thing, in both languages.
//!
//! | word | is |
//! |---|---|
//! | permit | what a holder of a semaphore has, one of so many |
//! | waiter | whoever stands in the queue of a semaphore; it is given the permit, and holds it before it is told |
//! | place | where a value stands in a queue |
//! | ticket | the integer that stands for a waiter on its thread; of a batch, what is said back when the batch is finished |
//! | lease | the right to use the semaphore of a key |
//! | window | the tasks that were pulled and are unfinished, and the bound on them |
//! | slot | a task's place in the window: the integer that stands for the task |
//! | lane | the items of one prefix that wait to be sent, or of all prefixes that were never throttled |
//! | throttled | told to come slower; the item is tried again |
//! | denied, refused | what will never work; bad input of the caller |
//! | failed, deleted, retried, untried | what became of a key |
//! | fault | an error of a store or of the network, as data |
//! | panic | a panic of Rust, and the Error that JavaScript gets for it |
//! | way | how a delete is sent: many keys in a request, or a single one |

pub mod core;
#[cfg(any(feature = "fs", feature = "tokio"))]
pub mod exec;
#[cfg(feature = "node")]
pub mod node;
#[cfg(any(feature = "fs", feature = "node", feature = "tokio"))]
mod panics;
#[cfg(any(feature = "fs", feature = "node", feature = "tokio"))]
mod test_hooks;
