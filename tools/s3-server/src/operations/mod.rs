//! The operations: each looks at or changes the store and writes its answer.

mod buckets;
mod delete;
mod list;
mod objects;

use crate::error::S3Result;
use crate::http::answer::Answer;
use crate::load::faults::Fault;
use crate::load::stats::Stats;
use crate::options::Settings;
use crate::request::input::Input;
use crate::request::route::Operation;
use crate::store::Store;

/// What an operation works with.
pub struct Context<'a> {
    pub store: &'a Store,
    pub stats: &'a Stats,
    pub settings: &'a Settings,
    pub bucket: &'a str,
    /// The scripted fault of this request, for those that change what the operation does.
    pub fault: Option<&'a Fault>,
}

/// Carries a request out.
pub fn run(context: &Context, operation: Operation, input: Input) -> S3Result<Answer> {
    match input {
        Input::CreateBucket => buckets::create(context),
        Input::HeadBucket => buckets::head(context),
        Input::PutBucketVersioning(versioning) => buckets::put_versioning(context, versioning),
        Input::GetBucketVersioning => buckets::get_versioning(context),
        Input::ListObjects { query, echo } => list::objects(context, &query, &echo),
        Input::ListVersions { query, echo } => list::versions(context, &query, &echo),
        Input::PutObject { key, object } => objects::put(context, &key, object),
        Input::ReadObject { key, version } => {
            objects::read(context, &key, version, operation == Operation::GetObject)
        }
        Input::DeleteObject { key, version } => delete::one(context, &key, version),
        Input::DeleteObjects(request) => delete::many(context, &request),
    }
}
