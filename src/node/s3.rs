//! S3 for JavaScript: clients, and the jobs that list, delete, or do both.
//!
//! A job is one of `jobs`, so its chunks are taken as those of any other. What JavaScript answers to them comes by the
//! functions here: credentials, permits of prefixes, and calls of an executor.

use std::any::Any;
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use napi::Result;
use napi::bindgen_prelude::Object as JsObject;
use tokio::sync::{mpsc, oneshot};

use super::environment::Environment;
use super::functions::{Arguments, Functions, closed, to_js};
use super::jobs::{Job as NativeJob, Notifier, Taken};
use super::s3_chunk::{Chunk, counters};
use super::s3_options::Options;
use super::s3_outlet::Outlet;
use crate::core::batch::prefix::to_utf16;
use crate::core::slab::Slab;
use crate::core::sync::Mutex;
use crate::exec::caught::caught;
use crate::exec::runtime;
use crate::exec::s3::client::Client;
use crate::exec::s3::config::{endpoint, find_fault_in_region, proxy, tls};
use crate::exec::s3::credentials::{Credentials, Values, find_fault};
use crate::exec::s3::delete::{Deleter, Gate, Permit, Way};
use crate::exec::s3::fault::Fault;
use crate::exec::s3::filter::{glob, regex};
use crate::exec::s3::job::{Job, Outcome};
use crate::exec::s3::list::Lister;
use crate::exec::s3::object::Object;
use crate::exec::s3::progress::Progress;
use crate::exec::source::Source;
use crate::exec::stop::Stop;

/// Chunks that a job may have ready for JavaScript.
const READY: usize = 4;

/// The clients of one environment.
#[derive(Default)]
pub struct Stores {
    clients: Slab<Arc<Client>>,
}

/// A job: what it has for JavaScript, and what can be said to it.
struct Started {
    outlet: Arc<Outlet<Chunk>>,
    stop: Stop,
    progress: Arc<Progress>,
    /// What an executor calls.
    deleter: Option<Deleter>,
    permits: Arc<Questions<std::result::Result<(), String>>>,
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

    /// Nobody will answer any more.
    fn close(&self) {
        let questions = std::mem::take(&mut *self.open.lock());
        drop(questions);
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
    // (client) -> whether it deletes keys one by one
    functions
        .define("isS3Single", |env, args| Ok(client(env, args)?.ways.current() == Way::Single))?;
    functions.define_sure("closeS3Client", |env, args| {
        drop(env.stores.clients.remove(args.id(0)?));
        Ok(())
    })?;

    // () -> a job that asks for credentials
    functions.define("openS3Credentials", |env, _| open(env, |_| Ok(())))?;
    // (job, request, credentials or null, message)
    functions.define_sure("answerS3Credentials", |env, args| {
        let values = match args.get::<Option<JsObject<'_>>>(2)? {
            Some(values) => Options(values).credentials()?.ok_or_else(String::new),
            None => Err(args.get(3)?),
        };
        started(env, args.id(0)?)?.credentials.answer(args.get(1)?, values);
        Ok(())
    })?;

    // (name of an option of clients, text) -> what the option must be instead, or null
    functions.define("findFaultInS3Option", |_, args| {
        let text: String = args.get(1)?;
        let fault = match args.get::<String>(0)?.as_str() {
            "endpoint" => endpoint::parse(&text).err().map(str::to_owned),
            "region" => find_fault_in_region(&text).map(str::to_owned),
            "proxy" => proxy::find_fault(&text).map(str::to_owned),
            _ => tls::find_fault(text.as_bytes()),
        };
        Ok(fault)
    })?;
    // (credentials) -> which field is wrong and how, or null
    functions.define("findFaultInS3Credentials", |_, args| {
        let values = Options(args.get::<JsObject<'_>>(0)?).credentials()?;
        Ok(values.and_then(|values| find_fault(&values)))
    })?;

    // (whether it is a glob, pattern) -> what is wrong with it, or null
    functions.define("findFaultInPattern", |_, args| {
        let is_glob: bool = args.get(0)?;
        Ok(if is_glob { glob } else { regex }(&args.get::<String>(1)?).err())
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
            started.carry_out(async move {
                let mut lister = Lister::new(client, options, progress, stop);
                while let Some(page) = lister.next().await {
                    outlet.put(chunk(page?)).await;
                }
                Ok(())
            });
            Ok(())
        })
    })?;

    // () -> a job that asks for permits of prefixes, and tells when they are not needed any more
    functions.define("openS3Permits", |env, _| open(env, |_| Ok(())))?;
    // (job, permit, message or null)
    functions.define_sure("answerS3Permit", |env, args| {
        let answer = args.get::<Option<String>>(2)?.map_or(Ok(()), Err);
        started(env, args.id(0)?)?.permits.answer(args.get(1)?, answer);
        Ok(())
    })?;

    // (client, options, job that asks for permits, or 0) -> a job that deletes what it is given
    functions.define("openS3Deleter", |env, args| {
        let client = client(env, args)?;
        let options = Options(args.get::<JsObject<'_>>(1)?).delete("")?;
        let gate = gate(env, args, 2)?;
        open(env, |started| {
            let _runtime = runtime::handle().enter();
            let (progress, stop) = (Arc::clone(&started.progress), started.stop.clone());
            started.deleter = Some(Deleter::new(client, options, gate, progress, stop));
            Ok(())
        })
    })?;
    // (job, call, keys, versions or null): it is answered by a chunk
    functions.define("deleteS3", |env, args| {
        let started = started(env, args.id(0)?)?;
        let call: u32 = args.get(1)?;
        let keys: Vec<String> = args.get(2)?;
        let versions: Option<Vec<Option<String>>> = args.get(3)?;
        let versions = versions.unwrap_or_default().into_iter().chain(std::iter::repeat(None));
        let objects = keys.into_iter().zip(versions).map(|(key, version)| Object {
            key,
            version,
            ..Object::default()
        });
        let objects = objects.collect();
        let deleter = started.deleter.clone().ok_or_else(|| closed("executor"))?;
        let outlet = Arc::clone(&started.outlet);
        runtime::handle().spawn(async move {
            let settled = deleter.delete(objects).await;
            outlet.put_now(Chunk::Settled(call, settled, deleter.fatal().cloned()));
        });
        Ok(())
    })?;

    // (client, options, whether it only counts, job that asks for permits, or 0) -> a job that lists and deletes
    functions.define("runS3", |env, args| {
        let client = client(env, args)?;
        let options = Options(args.get::<JsObject<'_>>(1)?);
        let list = options.list()?;
        let delete = options.delete(&list.prefix)?;
        let window = options.window()?;
        let only_counts: bool = args.get(2)?;
        let gate = gate(env, args, 3)?;
        open(env, |started| {
            let (outlet, stop, progress) =
                (Arc::clone(&started.outlet), started.stop.clone(), Arc::clone(&started.progress));
            let job = Job { client, list, delete, window, gate, progress, stop };
            started.carry_out(async move {
                if only_counts { job.count().await } else { run(job, &outlet).await }
            });
            Ok(())
        })
    })?;

    // (job): starts nothing more; what is on its way ends
    functions.define_sure("stopS3", |env, args| {
        started(env, args.id(0)?)?.stop.stop();
        Ok(())
    })?;
    // (job) -> counters, in the order of the fields of Progress
    functions.define("readS3", |env, args| Ok(counters(&started(env, args.id(0)?)?.progress)))
}

async fn run(job: Job, outlet: &Arc<Outlet<Chunk>>) -> Outcome {
    let (sender, mut failed) = mpsc::channel(1);
    let taker = Arc::clone(outlet);
    let taking = tokio::spawn(async move {
        while let Some(failed) = failed.recv().await {
            taker.put(Chunk::Failed(failed)).await;
        }
    });
    let outcome = job.delete_all(sender).await;
    let _ = taking.await;
    outcome
}

/// Opens a job.
fn open(env: &mut Environment, start: impl FnOnce(&mut Started) -> Result<()>) -> Result<u32> {
    let job = env.jobs.open(|notifier| {
        let mut started = Started::new(notifier);
        start(&mut started)?;
        Ok(Arc::new(started))
    })?;
    Ok(to_js(job))
}

fn client(env: &Environment, args: &Arguments) -> Result<Arc<Client>> {
    env.stores.clients.get(args.id(0)?).cloned().ok_or_else(|| closed("client"))
}

fn started(env: &Environment, job: u32) -> Result<&Started> {
    let job: &dyn Any = env.jobs.get(job)?.as_ref();
    job.downcast_ref().ok_or_else(|| closed("job"))
}

/// The permits that the job of this argument asks for, if there is one.
fn gate(env: &Environment, args: &Arguments, index: usize) -> Result<Option<Arc<dyn Gate>>> {
    if args.get::<u32>(index)? == 0 {
        return Ok(None);
    }
    let asking = started(env, args.id(index)?)?;
    let (outlet, questions) = (Arc::clone(&asking.outlet), Arc::clone(&asking.permits));
    Ok(Some(Arc::new(Permits { outlet, questions })))
}

fn asked_credentials(asking: &Started) -> Credentials {
    let (outlet, questions) = (Arc::clone(&asking.outlet), Arc::clone(&asking.credentials));
    Credentials::fetched(move || {
        let (number, answer) = questions.ask();
        outlet.put_now(Chunk::Credentials(number));
        Box::pin(
            async move { answer.await.unwrap_or_else(|_| Err("The client was closed".to_owned())) },
        )
    })
}

impl Started {
    fn new(notifier: Notifier) -> Self {
        Self {
            outlet: Outlet::new(READY, notifier),
            stop: Stop::new(),
            progress: Arc::default(),
            deleter: None,
            permits: Arc::default(),
            credentials: Arc::default(),
        }
    }

    /// Carries out the work of the job, and tells how it ended, also when it panics.
    fn carry_out(&self, work: impl Future<Output = Outcome> + Send + 'static) {
        let (outlet, stop) = (Arc::clone(&self.outlet), self.stop.clone());
        let progress = Arc::clone(&self.progress);
        let work = runtime::handle().spawn(async move {
            let outcome = caught(work).await.unwrap_or_else(|panic| Err(Fault::of_panic(&*panic)));
            stop.stop();
            if let Err(fault) = outcome {
                outlet.put_now(Chunk::Fault(fault));
            }
            outlet.put_now(Chunk::Over(progress));
        });
        self.outlet.set_work(work.abort_handle());
    }
}

impl NativeJob for Started {
    fn take(&self) -> Taken {
        self.outlet.take()
    }

    fn cancel(&self) {
        self.stop.stop();
        self.outlet.close();
        self.permits.close();
        self.credentials.close();
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
    fn acquire(
        &self,
        prefix: &[u8],
    ) -> Pin<Box<dyn Future<Output = std::result::Result<Permit, Fault>> + Send>> {
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
