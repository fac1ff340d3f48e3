//! Sends requests that delete: one for many keys, or one for each.

use aws_sdk_s3::operation::delete_object::DeleteObjectOutput;
use aws_sdk_s3::operation::delete_objects::DeleteObjectsOutput;
use aws_sdk_s3::types::{Delete, ObjectIdentifier};
use aws_smithy_runtime_api::client::interceptors::context::Output;

use super::Client;
use super::operation::{addressed, sending};
use crate::exec::s3::answer::{Answer, Deletion, Single};
use crate::exec::s3::fault::Fault;
use crate::exec::s3::progress::Progress;
use crate::exec::s3::request::Capture;
use crate::exec::s3::scope::Checked;
use crate::exec::s3::target::Target;
use crate::exec::s3::way::Proof;

/// What both operations of a delete say; their builders have no trait in common.
macro_rules! deleting {
    ($operation:expr, $target:expr) => {
        addressed!($operation, $target)
            .set_bypass_governance_retention($target.bypass_governance.then_some(true))
            .set_mfa($target.mfa.clone())
    };
}

impl Client {
    /// Deletes many objects by one request. `quiet` asks for the failures alone.
    pub async fn delete_many(
        &self,
        target: &Target,
        objects: Checked<'_>,
        proof: Proof,
        quiet: bool,
        progress: &Progress,
    ) -> Result<Deletion, Fault> {
        let objects = objects.items().iter().map(|item| {
            let identifier =
                ObjectIdentifier::builder().key(&item.key).set_version_id(item.version.clone());
            identifier.build().expect("it has a key")
        });
        let delete = Delete::builder()
            .set_objects(Some(objects.collect()))
            .quiet(quiet)
            .build()
            .expect("it has objects");
        self.with_credentials(target, progress, |sdk| {
            let capture = Capture::new(
                |answer: &Answer<'_>| answer.deletion(),
                || Output::erase(DeleteObjectsOutput::builder().build()),
                proof,
            );
            let operation = deleting!(sdk.delete_objects(), target);
            sending!(operation.delete(delete.clone()).customize(), capture)
        })
        .await
    }

    /// Deletes one object by a request of its own.
    pub async fn delete_one(
        &self,
        target: &Target,
        object: Checked<'_>,
        progress: &Progress,
    ) -> Result<Single, Fault> {
        let [item] = object.items() else {
            let message = "More than one key for a request of one".to_owned();
            return Err(Fault::fatal("InvalidRequest", message));
        };
        let of_version = item.version.is_some();
        self.with_credentials(target, progress, |sdk| {
            let read = move |answer: &Answer<'_>| answer.single(of_version);
            let blank = || Output::erase(DeleteObjectOutput::builder().build());
            let (capture, key) = Capture::of_key(&item.key, read, blank);
            let operation = deleting!(sdk.delete_object(), target);
            let operation = operation.key(key).set_version_id(item.version.clone());
            sending!(operation.customize(), capture)
        })
        .await
    }
}
