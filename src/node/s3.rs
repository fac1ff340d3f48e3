//! S3 for JavaScript: clients, and the jobs that list, delete, or do both.
//!
//! A job is one of `jobs`, so its chunks are taken as those of any other. What JavaScript answers to them comes by the
//! functions here: credentials, permits of prefixes, and calls of an executor.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use napi::bindgen_prelude::Object as JsObject;
use napi::Result;
use tokio::sync::{mpsc, oneshot};

use super::environment::Environment;
use super::functions::{Arguments, Functions, closed, to_js};
use super::s3_chunk::Chunk;
use super::s3_options::Options;
use super::s3_outlet::Outlet;
use crate::core::prefix::to_utf16;
use crate::core::slab::Slab;
use crate::core::sync::Mutex;
use crate::exec::runtime;
use crate::exec::s3::client::Client;
use crate::exec::s3::credentials::{Credentials, Values};
use crate::exec::s3::delete::{Deleter, Gate, Permit};
use crate::exec::s3::fault::Fault;
use crate::exec::s3::job::{Job, Outcome};
use crate::exec::s3::list::Lister;
use crate::exec::s3::object::Object;
use crate::exec::s3::progress::Progress;
use crate::exec::source::Source;
use crate::exec::stop::Stop;

/// Chunks that a job may have ready for JavaScript.
const READY: usize = 4;

/// The clients and jobs of one environment.
#[derive(Default)]
pub struct Stores {
    clients: Slab<Arc<Client>>,
    jobs: HashMap<u32, Started>,
}

/// What can be said to a job.
struct Started {
    outlet: Arc<Outlet<Chunk>>,
    stop: Stop,
    progress: Arc<Progress>,
    deleter: Option<Deleter>,
    questions: Arc<Questions<std::result::Result<(), String>>>,
    credentials: Arc<Questions<std::result::Result<Values, String>>>,
}

/// Questions to JavaScript that wait for an answer.
struct Questions<T> {
    last: AtomicU32,
    open: Mutex<HashMap<u32, oneshot::Sender<T>>>,
}

impl<T> Default for Questions<T> {
    fn default() -> Self {
        Self { last: AtomicU32::new(0), open: Mutex::new(HashMap::new()) }
    }
}

impl<T> Questions<T> {
    fn ask(&self) -> (u32, oneshot::Receiver<T>) {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (answer, receiver) = oneshot::channel();
        self.open.lock().insert(number, answer);
        (number, receiver)
    }

    fn answer(&self, number: u32, answer: T) {
        let question = self.open.lock().remove(&number);
        if let Some(question) = question {
            // Whoever asked may have gone.
            let _ = question.send(answer);
        }
    }
}

pub fn define(functions: &mut Functions<'_>) -> Result<()> {
    // (config, job that asks for credentials, or 0) -> client
    functions.define("openS3Client", |env, args| {
        let options = Options(args.get::<JsObject<'_>>(0)?);
        let asking = args.get::<u32>(1)?;
        let credentials = match asking {
            0 => options.credentials()?.map(Credentials::fixed),
            _ => Some(asked_credentials(started(env, args.id(1)?)?)),
        };
        let client = Client::new(options.config()?, credentials, options.way()?);
        Ok(to_js(env.stores.clients.insert(Arc::new(client))))
    })?;
    functions.define("closeS3Client", |env, args| {
        drop(env.stores.clients.remove(args.id(0)?));
        Ok(())
    })?;

    // () -> a job that asks for credentials
    functions.define("openS3Credentials", |env, _| open(env, |_| Ok(None)))?;
    // (job, request, credentials or null, message)
    functions.define("answerS3Credentials", |env, args| {
        let values = match args.get::<Option<JsObject<'_>>>(2)? {
            Some(values) => Options(values).credentials()?.ok_or_else(String::new),
            None => Err(args.get(3)?),
        };
        started(env, args.id(0)?)?.credentials.answer(args.get(1)?, values);
        Ok(())
    })?;

    // (client, options) -> a job that gives pages
    functions.define("listS3", |env, args| {
        let client = client(env, args)?;
        let options = Options(args.get::<JsObject<'_>>(1)?).list()?;
        open(env, |started| {
            let chunk = match (options.versions, options.details) {
                (true, _) => Chunk::Versions,
                (false, true) => Chunk::Objects,
                (false, false) => Chunk::Keys,
            };
            let (outlet, stop) = (Arc::clone(&started.outlet), started.stop.clone());
            let progress = Arc::clone(&started.progress);
            let work = runtime::handle().spawn(async move {
                let mut lister = Lister::new(client, options, progress, stop.clone());
                while let Some(page) = lister.next().await {
                    match page {
                        Ok(page) => outlet.put(chunk(page)).await,
                        Err(fault) => outlet.put_now(Chunk::Fault(fault)),
                    }
                }
                stop.stop();
                outlet.end();
            });
            started.outlet.set_work(work.abort_handle());
            Ok(None)
        })
    })?;

    // (client, options) -> a job that deletes what it is given
    functions.define("openS3Deleter", |env, args| {
        let client = client(env, args)?;
        let options = Options(args.get::<JsObject<'_>>(1)?).delete("")?;
        open(env, |started| {
            let _runtime = runtime::handle().enter();
            let gate = started.gate();
            Ok(Some(Deleter::new(client, options, Some(gate), Arc::clone(&started.progress), started.stop.clone())))
        })
    })?;
    // (job, call, keys, versions or null): it is answered by a chunk
    functions.define("deleteS3", |env, args| {
        let started = started(env, args.id(0)?)?;
        let call: u32 = args.get(1)?;
        let keys: Vec<String> = args.get(2)?;
        let versions: Option<Vec<Option<String>>> = args.get(3)?;
        let versions = versions.unwrap_or_default().into_iter().chain(std::iter::repeat(None));
        let objects =
            keys.into_iter().zip(versions).map(|(key, version)| Object { key, version, ..Object::default() });
        let objects = objects.collect();
        let deleter = started.deleter.clone().ok_or_else(|| closed("executor"))?;
        let outlet = Arc::clone(&started.outlet);
        runtime::handle().spawn(async move {
            let settled = deleter.delete(objects).await;
            let fatal = deleter.fatal().cloned();
            outlet.put_now(Chunk::Settled(call, settled));
            if let Some(fault) = fatal {
                outlet.put_now(Chunk::Fault(fault));
            }
        });
        Ok(())
    })?;

    // (client, options) -> a job that lists and deletes, or only counts
    functions.define("runS3", |env, args| {
        let client = client(env, args)?;
        let options = Options(args.get::<JsObject<'_>>(1)?);
        let list = options.list()?;
        let delete = options.delete(&list.prefix)?;
        let window = options.window()?;
        let only_counts: bool = args.get(2)?;
        open(env, |started| {
            let (outlet, stop, progress) =
                (Arc::clone(&started.outlet), started.stop.clone(), Arc::clone(&started.progress));
            let job = Job { client, list, delete, window, gate: Some(started.gate()), progress, stop };
            let work = runtime::handle().spawn(async move {
                let outcome = if only_counts { job.count().await } else { run(job, &outlet).await };
                if let Err(fault) = outcome {
                    outlet.put_now(Chunk::Fault(fault));
                }
                outlet.end();
            });
            started.outlet.set_work(work.abort_handle());
            Ok(None)
        })
    })?;

    // (job): starts nothing more; what is on its way ends
    functions.define("stopS3", |env, args| {
        started(env, args.id(0)?)?.stop.stop();
        Ok(())
    })?;
    // (job, permit, message or null)
    functions.define("answerS3Permit", |env, args| {
        let answer = args.get::<Option<String>>(2)?.map_or(Ok(()), Err);
        started(env, args.id(0)?)?.questions.answer(args.get(1)?, answer);
        Ok(())
    })?;
    // (job) -> counters, in the order of the fields of Progress
    functions.define("readS3", |env, args| {
        let Progress { listed, bytes, deleted, failed, markers, requests, retries, throttled, in_flight } =
            &*started(env, args.id(0)?)?.progress;
        let counters = [listed, bytes, deleted, failed, markers, requests, retries, throttled, in_flight];
        let read = |counter: &&AtomicU64| counter.load(Ordering::Relaxed) as f64;
        Ok(counters.iter().map(read).collect::<Vec<f64>>())
    })?;
    // (job): nothing will be said to it any more
    functions.define("forgetS3", |env, args| {
        if let Some(started) = env.stores.jobs.remove(&args.id(0)?) {
            started.stop.stop();
        }
        Ok(())
    })
}

async fn run(job: Job, outlet: &Arc<Outlet<Chunk>>) -> Outcome {
    let (sender, mut stayed) = mpsc::channel(1);
    let taker = Arc::clone(outlet);
    let taking = tokio::spawn(async move {
        while let Some(stayed) = stayed.recv().await {
            taker.put(Chunk::Stayed(stayed)).await;
        }
    });
    let outcome = job.delete_all(sender).await;
    let _ = taking.await;
    outcome
}

/// Opens a job, with what can be said to it.
fn open(env: &mut Environment, start: impl FnOnce(&Started) -> Result<Option<Deleter>>) -> Result<u32> {
    let mut opened = None;
    let job = env.jobs.open(|notifier| {
        let stop = Stop::new();
        let outlet = Outlet::new(READY, notifier, stop.clone());
        let mut started = Started {
            outlet: Arc::clone(&outlet),
            stop,
            progress: Arc::default(),
            deleter: None,
            questions: Arc::default(),
            credentials: Arc::default(),
        };
        started.deleter = start(&started)?;
        opened = Some(started);
        Ok(outlet)
    })?;
    if let Some(started) = opened {
        env.stores.jobs.insert(job, started);
    }
    Ok(to_js(job))
}

fn client(env: &Environment, args: &Arguments) -> Result<Arc<Client>> {
    env.stores.clients.get(args.id(0)?).cloned().ok_or_else(|| closed("client"))
}

fn started(env: &Environment, job: u32) -> Result<&Started> {
    env.stores.jobs.get(&job).ok_or_else(|| closed("job"))
}

fn asked_credentials(asking: &Started) -> Credentials {
    let (outlet, questions) = (Arc::clone(&asking.outlet), Arc::clone(&asking.credentials));
    Credentials::fetched(move || {
        let (number, answer) = questions.ask();
        outlet.put_now(Chunk::Credentials(number));
        Box::pin(async move { answer.await.unwrap_or_else(|_| Err("The client was closed".to_owned())) })
    })
}

impl Started {
    fn gate(&self) -> Arc<dyn Gate> {
        Arc::new(Permits { outlet: Arc::clone(&self.outlet), questions: Arc::clone(&self.questions) })
    }
}

/// Permits that JavaScript has.
struct Permits {
    outlet: Arc<Outlet<Chunk>>,
    questions: Arc<Questions<std::result::Result<(), String>>>,
}

/// Tells JavaScript when it is dropped.
struct Held {
    outlet: Arc<Outlet<Chunk>>,
    number: u32,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.outlet.put_now(Chunk::Release(self.number));
    }
}

impl Gate for Permits {
    fn acquire(&self, prefix: &[u8]) -> Pin<Box<dyn Future<Output = std::result::Result<Permit, Fault>> + Send>> {
        let (number, answer) = self.questions.ask();
        let outlet = Arc::clone(&self.outlet);
        outlet.put_now(Chunk::Ask(number, to_utf16(prefix)));
        Box::pin(async move {
            let answer = answer.await.unwrap_or_else(|_| Err("The job was given up".to_owned()));
            let permit = Held { outlet, number };
            answer.map_err(|message| Fault::fatal("NoPermit", message))?;
            Ok(Box::new(permit) as Permit)
        })
    }
}
