//! CreateBucket, HeadBucket, PutBucketVersioning and GetBucketVersioning.

use super::Context;
use crate::error::S3Result;
use crate::http::answer::Answer;
use crate::store::Versioning;
use crate::xml::write::Xml;

pub fn create(context: &Context) -> S3Result<Answer> {
    context.store.create(context.bucket)?;
    Ok(Answer::empty(200).with_header("location", format!("/{}", context.bucket)))
}

pub fn head(context: &Context) -> S3Result<Answer> {
    context.store.bucket(context.bucket)?;
    Ok(Answer::empty(200))
}

pub fn put_versioning(context: &Context, versioning: Versioning) -> S3Result<Answer> {
    context.store.bucket(context.bucket)?.write().versioning = versioning;
    Ok(Answer::empty(200))
}

pub fn get_versioning(context: &Context) -> S3Result<Answer> {
    let versioning = context.store.bucket(context.bucket)?.read().versioning;
    let mut xml = Xml::new("VersioningConfiguration", context.settings.pretty_xml);
    match versioning {
        Versioning::Never => {}
        Versioning::Enabled => drop(xml.leaf("Status", "Enabled")),
        Versioning::Suspended => drop(xml.leaf("Status", "Suspended")),
    }
    Ok(Answer::xml(200, xml.finish()))
}
