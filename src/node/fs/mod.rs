//! Reading and listing files for JavaScript: see [`super::jobs`] for how chunks cross.

mod chunk;
mod job;
mod paths;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use napi::{Error, Result};

use self::job::{List, Read};
use self::paths::{Bytes, to_paths};
use super::functions::{Arguments, Functions, Shared, closed, to_js};
use super::jobs::Jobs;
use crate::core::limit::Limit;
use crate::core::pipeline::Order;
use crate::exec::fs::job::Options;
use crate::exec::fs::list::{self, Listing};

pub fn define(functions: &mut Functions<'_>, jobs: &Shared<Jobs>) -> Result<()> {
    reading(functions, jobs)?;
    listing_jobs(functions, jobs)
}

fn reading(functions: &mut Functions<'_>, jobs: &Shared<Jobs>) -> Result<()> {
    // (ordered, max files, max bytes, timeout or 0, special) -> job
    functions.define(jobs, "openRead", |jobs, args| {
        let options = read_options(args)?;
        jobs.open(|notifier| Ok(Arc::new(Read::new(options, notifier)))).map(to_js)
    })?;
    // (job, paths)
    functions.define(jobs, "givePaths", |jobs, args| {
        let paths: Bytes<'_> = args.get(1)?;
        jobs.get_as::<Read>(args.id(0)?)?.give(to_paths(&paths));
        Ok(())
    })?;
    functions.define(jobs, "endPaths", |jobs, args| {
        jobs.get_as::<Read>(args.id(0)?)?.end();
        Ok(())
    })
}

fn listing_jobs(functions: &mut Functions<'_>, jobs: &Shared<Jobs>) -> Result<()> {
    // (globs, ignored) -> what is wrong with them, or an empty string
    functions.define(jobs, "faultOfPatterns", |_, args| {
        let options =
            list::Options { glob: args.get(0)?, ignore: args.get(1)?, ..list::Options::default() };
        Ok(Listing::new(PathBuf::new(), &options).err().unwrap_or_default())
    })?;
    // (root, globs, ignored, follow symlinks, hidden) -> job
    functions.define(jobs, "openList", |jobs, args| {
        let listing = listing(args, 0)?;
        jobs.open(|notifier| Ok(Arc::new(List::start(listing, notifier)?))).map(to_js)
    })?;
    // (as openRead, and then as openList) -> job
    functions.define(jobs, "openReadOfList", |jobs, args| {
        let (options, listing) = (read_options(args)?, listing(args, 5)?);
        jobs.open(|notifier| Ok(Arc::new(Read::of_list(options, listing, notifier)?))).map(to_js)
    })
}

fn read_options(args: &Arguments) -> Result<Options> {
    let timeout: f64 = args.get(3)?;
    Ok(Options {
        order: if args.get(0)? { Order::Source } else { Order::Completion },
        max_files: Limit::from_f64(args.get(1)?).map_err(|_| closed("window"))?,
        // `as` saturates: what is beyond the range is no bound.
        max_bytes: args.get::<f64>(2)? as u64,
        timeout: (timeout > 0.0).then(|| Duration::from_secs_f64((timeout / 1000.0).min(1e9))),
        special: args.get(4)?,
    })
}

fn listing(args: &Arguments, first: usize) -> Result<Listing> {
    let root: Bytes<'_> = args.get(first)?;
    let root = to_paths(&root).pop().unwrap_or_default();
    let options = list::Options {
        glob: args.get(first + 1)?,
        ignore: args.get(first + 2)?,
        follow_symlinks: args.get(first + 3)?,
        hidden: args.get(first + 4)?,
    };
    Listing::new(root, &options).map_err(Error::from_reason)
}
