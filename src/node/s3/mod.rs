//! S3 for JavaScript: clients, and the jobs that list, delete, or do both.
//!
//! A job is one of `jobs`, so its chunks are taken as those of any other. What JavaScript answers to them comes by the
//! functions here: credentials, permits of prefixes, and calls of an executor.

mod chunk;
mod job;
mod options;
mod permits;
mod questions;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use napi::Result;
use napi::bindgen_prelude::{Object as JsObject, Utf16String};

use self::chunk::{Chunk, Counters};
use self::job::Started;
use self::options::Options;
use super::functions::{Arguments, Functions, Shared, closed, to_js};
use super::jobs::Jobs;
use crate::core::batch::prefix::to_utf16;
use crate::core::slab::Slab;
use crate::exec::runtime;
use crate::exec::s3::client::Client;
use crate::exec::s3::config::{endpoint, proxy, region, tls};
use crate::exec::s3::credentials::{Credentials, find_fault};
use crate::exec::s3::delete::{Deleter, Gate};
use crate::exec::s3::filter::{glob, regex};
use crate::exec::s3::job::Job;
use crate::exec::s3::list::Lister;
use crate::exec::s3::object::Object;
use crate::exec::s3::way::Way;
use crate::exec::source::Source;

/// The clients of one environment, and the table that their jobs are in.
struct Stores {
    clients: Slab<Arc<Client>>,
    jobs: Shared<Jobs>,
}

pub fn define(functions: &mut Functions<'_>, jobs: &Shared<Jobs>) -> Result<()> {
    let stores = Stores { clients: Slab::default(), jobs: Rc::clone(jobs) };
    let stores = functions.share(stores, |stores| stores.clients = Slab::default());
    // () -> a job that asks: for credentials, or for permits of prefixes and when they are not needed any more
    functions.define(&stores, "openS3Questions", |stores, _| stores.open(|_| Ok(())))?;
    clients(functions, &stores)?;
    credentials(functions, &stores)?;
    permits(functions, &stores)?;
    listings(functions, &stores)?;
    deletes(functions, &stores)?;
    runs(functions, &stores)
}

fn clients(functions: &mut Functions<'_>, stores: &Shared<Stores>) -> Result<()> {
    // (config, job that asks for credentials, or 0) -> client
    functions.define(stores, "openS3Client", |stores, args| {
        let options = Options(args.get::<JsObject<'_>>(0)?);
        let credentials = match args.get::<u32>(1)? {
            0 => options.credentials()?.map(Credentials::fixed),
            _ => Some(stores.started(args.id(1)?)?.asked_credentials()),
        };
        let client = Client::new(options.config()?, credentials, options.way()?);
        Ok(to_js(stores.clients.insert(Arc::new(client))))
    })?;
    // (client) -> whether it deletes keys one by one
    functions.define(stores, "isS3Single", |stores, args| {
        Ok(stores.client(args)?.ways.current() == Way::Single)
    })?;
    functions.define_sure(stores, "closeS3Client", |stores, args| {
        drop(stores.clients.remove(args.id(0)?));
        Ok(())
    })?;
    // (name of an option of clients, text) -> what the option must be instead, or null
    functions.define(stores, "findFaultInS3Option", |_, args| {
        let text: String = args.get(1)?;
        let fault = match args.get::<String>(0)?.as_str() {
            "endpoint" => endpoint::parse(&text).err().map(str::to_owned),
            "region" => region::find_fault(&text).map(str::to_owned),
            "proxy" => proxy::find_fault(&text).map(str::to_owned),
            _ => tls::find_fault(text.as_bytes()),
        };
        Ok(fault)
    })
}

fn credentials(functions: &mut Functions<'_>, stores: &Shared<Stores>) -> Result<()> {
    // (job, request, credentials or null, message)
    functions.define_sure(stores, "answerS3Credentials", |stores, args| {
        let values = match args.get::<Option<JsObject<'_>>>(2)? {
            Some(values) => Options(values).credentials()?.ok_or_else(String::new),
            None => Err(args.get(3)?),
        };
        stores.started(args.id(0)?)?.credentials.answer(args.get(1)?, values);
        Ok(())
    })?;
    // (credentials) -> which field is wrong and how, or null
    functions.define(stores, "findFaultInS3Credentials", |_, args| {
        let values = Options(args.get::<JsObject<'_>>(0)?).credentials()?;
        Ok(values.and_then(|values| find_fault(&values)))
    })
}

fn permits(functions: &mut Functions<'_>, stores: &Shared<Stores>) -> Result<()> {
    // (job, permit, message or null)
    functions.define_sure(stores, "answerS3Permit", |stores, args| {
        let answer = args.get::<Option<String>>(2)?.map_or(Ok(()), Err);
        stores.started(args.id(0)?)?.permits.answer(args.get(1)?, answer);
        Ok(())
    })?;
    // (options, keys) -> the prefixes of those keys that an executor with these options asks permits for
    functions.define(stores, "prefixesOf", |_, args| {
        let cut = Options(args.get::<JsObject<'_>>(0)?).cut("")?;
        let keys: Vec<String> = args.get(1)?;
        let prefixes: BTreeSet<_> =
            cut.iter().flat_map(|cut| keys.iter().map(|key| cut.prefix(key))).collect();
        Ok(prefixes.iter().map(|prefix| Utf16String::from(to_utf16(prefix))).collect::<Vec<_>>())
    })
}

fn listings(functions: &mut Functions<'_>, stores: &Shared<Stores>) -> Result<()> {
    // (whether it is a glob, pattern) -> what is wrong with it, or null
    functions.define(stores, "findFaultInPattern", |_, args| {
        let (is_glob, pattern): (bool, String) = (args.get(0)?, args.get(1)?);
        Ok(if is_glob { glob(&pattern).err() } else { regex(&pattern).err() })
    })?;
    // (client, options) -> a job that gives pages
    functions.define(stores, "listS3", |stores, args| {
        let client = stores.client(args)?;
        let options = Options(args.get::<JsObject<'_>>(1)?).list()?;
        stores.open(|started| {
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
    })
}

fn deletes(functions: &mut Functions<'_>, stores: &Shared<Stores>) -> Result<()> {
    // (client, options, job that asks for permits, or 0) -> a job that deletes what it is given
    functions.define(stores, "openS3Deleter", |stores, args| {
        let client = stores.client(args)?;
        let options = Options(args.get::<JsObject<'_>>(1)?).delete("")?;
        let gate = stores.gate(args, 2)?;
        stores.open(|started| {
            let _runtime = runtime::handle().enter();
            let (progress, stop) = (Arc::clone(&started.progress), started.stop.clone());
            started.deleter = Some(Deleter::new(client, options, gate, progress, stop));
            Ok(())
        })
    })?;
    // (job, call, keys, versions or null): it is answered by a chunk
    functions.define(stores, "deleteS3", |stores, args| {
        let started = stores.started(args.id(0)?)?;
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
    })
}

fn runs(functions: &mut Functions<'_>, stores: &Shared<Stores>) -> Result<()> {
    // (client, options, whether it only counts, job that asks for permits, or 0) -> a job that lists and deletes
    functions.define(stores, "runS3", |stores, args| {
        let client = stores.client(args)?;
        let options = Options(args.get::<JsObject<'_>>(1)?);
        let list = options.list()?;
        let delete = options.delete(&list.prefix)?;
        let window = options.window()?;
        let only_counts: bool = args.get(2)?;
        let gate = stores.gate(args, 3)?;
        stores.open(|started| {
            let (stop, progress) = (started.stop.clone(), Arc::clone(&started.progress));
            let job = Job { client, list, delete, window, gate, progress, stop };
            if only_counts {
                started.carry_out(async move { job.count().await });
            } else {
                started.delete_all(job);
            }
            Ok(())
        })
    })?;
    // (job): starts nothing more; what is on its way ends
    functions.define_sure(stores, "stopS3", |stores, args| {
        stores.started(args.id(0)?)?.stop.stop();
        Ok(())
    })?;
    // (job) -> what it has done so far
    functions.define(stores, "readS3", |stores, args| {
        Ok(Counters::of(&stores.started(args.id(0)?)?.progress))
    })
}

impl Stores {
    /// Opens a job.
    fn open(&self, start: impl FnOnce(&mut Started) -> Result<()>) -> Result<u32> {
        let job = self.jobs.borrow_mut().open(|notifier| {
            let mut started = Started::new(notifier);
            start(&mut started)?;
            Ok(Arc::new(started))
        })?;
        Ok(to_js(job))
    }

    /// The client that the first argument stands for.
    fn client(&self, args: &Arguments) -> Result<Arc<Client>> {
        self.clients.get(args.id(0)?).cloned().ok_or_else(|| closed("client"))
    }

    fn started(&self, job: u32) -> Result<Arc<Started>> {
        self.jobs.borrow().get_as(job)
    }

    /// The permits that the job of this argument asks for, if there is one.
    fn gate(&self, args: &Arguments, index: usize) -> Result<Option<Arc<dyn Gate>>> {
        if args.get::<u32>(index)? == 0 {
            return Ok(None);
        }
        Ok(Some(self.started(args.id(index)?)?.gate()))
    }
}
