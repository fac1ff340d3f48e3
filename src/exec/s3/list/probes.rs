//! The small questions by which places to cut at are found. A listing does not depend on them: each is asked once and for a short
//! time, and an answer that does not fit is a fault that ends the search.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::options::Options;
use crate::exec::s3::answer::{ListRequest, Listing};
use crate::exec::s3::client::Client;
use crate::exec::s3::fault::Fault;
use crate::exec::s3::progress::Progress;
use crate::exec::s3::split::Asker;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// Asks the store.
pub struct Probes {
    /// The store.
    pub client: Arc<Client>,
    /// What is listed.
    pub options: Arc<Options>,
    /// Where the requests are counted.
    pub progress: Arc<Progress>,
}

impl Probes {
    async fn ask(&self, request: ListRequest) -> Result<Listing, Fault> {
        let request = ListRequest { versions: self.options.versions, ..request };
        let answer = self.client.list_once(&self.options.target, &request, &self.progress);
        timeout(PATIENCE, answer).await.unwrap_or_else(|_| {
            Err(Fault::passing("RequestTimeout", "A small question was not answered".to_owned()))
        })
    }
}

impl Asker for Probes {
    async fn first_after(&self, place: String) -> Result<Option<String>, Fault> {
        let prefix = self.options.prefix.clone();
        let request = ListRequest {
            prefix,
            after: place.clone(),
            max_keys: Some(1),
            ..ListRequest::default()
        };
        let first = self.ask(request).await?.objects.into_iter().next().map(|object| object.key);
        match first {
            Some(key) if key <= place => {
                Err(Fault::invalid_listing("ignores the place at which a listing is to begin"))
            }
            first => Ok(first),
        }
    }

    async fn names_after(&self, folder: String, place: String) -> Result<Vec<String>, Fault> {
        let request = ListRequest {
            prefix: folder,
            after: place.clone(),
            folders: true,
            ..ListRequest::default()
        };
        let Listing { objects, prefixes, .. } = self.ask(request).await?;
        let keys = objects.into_iter().map(|object| object.key);
        Ok(keys.chain(prefixes).filter(|name| *name > place).collect())
    }
}
