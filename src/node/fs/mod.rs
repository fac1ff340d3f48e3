//! Reading and listing files for JavaScript: see [`super::jobs`] for how chunks cross.

mod chunk;
mod job;
mod paths;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use napi::{Error, Result};

use self::job::{List, Read};
use self::paths::{Bytes, PathBytes, to_paths};
use super::functions::{Arguments, Functions, Shared, closed, to_js};
use super::jobs::Jobs;
use crate::core::limit::Limit;
use crate::core::pipeline::Order;
use crate::exec::fs::base::Base;
use crate::exec::fs::job::Options;
use crate::exec::fs::list::{self, Listing};
use crate::exec::fs::window::Bounds;

pub fn define(functions: &mut Functions<'_>, jobs: &Shared<Jobs>) -> Result<()> {
    reading(functions, jobs)?;
    listing_jobs(functions, jobs)
}

fn reading(functions: &mut Functions<'_>, jobs: &Shared<Jobs>) -> Result<()> {
    // () -> the working folder of now, as paths cross
    functions.define(jobs, "workingFolder", |_, _| Ok(PathBytes::of(Base::current().folder())))?;
    // (ordered, max files, max bytes, timeout or 0, special, where relative paths start) -> job
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
        Ok(Listing::new(Base::default(), PathBuf::new(), &options).err().unwrap_or_default())
    })?;
    // (where a relative root starts, root, globs, ignored, follow symlinks, hidden) -> job
    functions.define(jobs, "openList", |jobs, args| {
        let listing = listing(args, 0)?;
        jobs.open(|notifier| Ok(Arc::new(List::start(listing, notifier)?))).map(to_js)
    })?;
    // (as openRead, and then as openList but for the start, which is the same) -> job
    functions.define(jobs, "openReadOfList", |jobs, args| {
        let (options, listing) = (read_options(args)?, listing(args, 5)?);
        jobs.open(|notifier| Ok(Arc::new(Read::of_list(options, listing, notifier)?))).map(to_js)
    })
}

fn read_options(args: &Arguments) -> Result<Options> {
    let timeout: f64 = args.get(3)?;
    Ok(Options {
        bounds: Bounds {
            order: if args.get(0)? { Order::Source } else { Order::Completion },
            max_files: Limit::from_f64(args.get(1)?).map_err(|_| closed("window"))?,
            // `as` saturates: what is beyond the range is no bound.
            max_bytes: args.get::<f64>(2)? as u64,
            timeout: (timeout > 0.0).then(|| Duration::from_secs_f64((timeout / 1000.0).min(1e9))),
        },
        special: args.get(4)?,
        base: Base::new(one_path(args, 5)?),
    })
}

fn listing(args: &Arguments, first: usize) -> Result<Listing> {
    let (base, root) = (Base::new(one_path(args, first)?), one_path(args, first + 1)?);
    let options = list::Options {
        glob: args.get(first + 2)?,
        ignore: args.get(first + 3)?,
        follow_symlinks: args.get(first + 4)?,
        hidden: args.get(first + 5)?,
    };
    Listing::new(base, root, &options).map_err(Error::from_reason)
}

fn one_path(args: &Arguments, index: usize) -> Result<PathBuf> {
    let path: Bytes<'_> = args.get(index)?;
    Ok(to_paths(&path).pop().unwrap_or_default())
}
