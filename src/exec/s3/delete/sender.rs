//! Sends the requests of a deleter.

use std::sync::Arc;

use tokio::sync::OnceCell;

use super::step::{Answered, Form, Request};
use crate::exec::s3::answer::{ListRequest, Single};
use crate::exec::s3::client::Client;
use crate::exec::s3::fault::{Fault, Kind};
use crate::exec::s3::progress::Progress;
use crate::exec::s3::scope::Scope;
use crate::exec::s3::target::Target;
use crate::exec::s3::way::Way;
use crate::exec::stop::Stop;
use crate::test_hooks;

/// What a request needs.
pub struct Sender {
    pub client: Arc<Client>,
    pub target: Target,
    pub scope: Scope,
    pub progress: Arc<Progress>,
    pub stop: Stop,
    /// The bucket was seen to exist.
    pub bucket: OnceCell<()>,
}

impl Sender {
    /// Sends a request, and reads the answer.
    pub async fn send(&self, request: &Request) -> Result<Answered, Fault> {
        test_hooks::pass("s3 delete");
        let Self { client, target, progress, .. } = self;
        let checked = self.scope.check(&request.items)?;
        let Form { way, quiet } = request.form;
        let proof = match way {
            Way::Multi(proof) => proof,
            Way::Single => match client.delete_one(target, checked, progress).await? {
                Single::Deleted { made_marker } => return Ok(Answered::One { made_marker }),
                Single::NotFound(fault) => {
                    self.see_bucket(fault, &request.items[0].key).await?;
                    return Ok(Answered::One { made_marker: false });
                }
            },
        };
        client.delete_many(target, checked, proof, quiet, progress).await.map(Answered::Each)
    }

    /// Fails unless the bucket is there: what was not found is the object then.
    async fn see_bucket(&self, fault: Fault, key: &str) -> Result<(), Fault> {
        let Self { client, target, progress, stop, bucket, .. } = self;
        let look = || async {
            let request =
                ListRequest { prefix: key.to_owned(), max_keys: Some(1), ..ListRequest::default() };
            client.list(target, &request, progress, stop).await.map(drop)
        };
        match bucket.get_or_try_init(look).await {
            Ok(()) => Ok(()),
            Err(listed) if listed.kind == Kind::Denied => {
                let fault = fault.at(&format!("bucket '{}'", target.bucket));
                let message = format!(
                    "{} (it does not say whether the key or the bucket was not found, and a listing fails: {})",
                    fault.message, listed.code
                );
                Err(Fault { message, ..fault })
            }
            Err(listed) => Err(listed),
        }
    }
}
