//! A client of one store: it sends single requests, and knows what it has learnt of the store.
//!
//! Listings are tried again here. Deletes are not: what becomes of their keys is decided where they are batched.

mod asking;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use aws_sdk_s3::operation::delete_object::DeleteObjectOutput;
use aws_sdk_s3::operation::delete_objects::DeleteObjectsOutput;
use aws_sdk_s3::operation::list_object_versions::ListObjectVersionsOutput;
use aws_sdk_s3::operation::list_objects_v2::ListObjectsV2Output;
use aws_sdk_s3::types::{Delete, EncodingType, ObjectIdentifier, RequestPayer};
use aws_smithy_runtime_api::client::interceptors::context::Output;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::answer::names::{Decoded, Evidence};
use super::answer::{Answer, Deletion, ListRequest, Listing, Page, Place, Single};
use super::config::{Config, Connected, connect};
use super::credentials::{Credentials, Values};
use super::delete::{Checked, Way, Ways};
use super::fault::{Fault, Kind};
use super::progress::{Progress, add};
use super::request::{Capture, Proof, percent_encoded};
use crate::core::batch::pace::backoff;
use crate::exec::race::{Either, race};
use crate::exec::stop::Stop;

/// New credentials are fetched this often for one request; then the store refuses those as well.
const MOST_RENEWALS: u32 = 2;

/// What every request of a job says.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The bucket's name or ARN.
    pub bucket: String,
    /// The account that has to own the bucket.
    pub expected_owner: Option<String>,
    /// Whether the requester pays.
    pub requester_pays: bool,
    /// Whether retention in governance mode is bypassed.
    pub bypass_governance: bool,
    /// The serial number and value of an MFA device.
    pub mfa: Option<String>,
}

impl Target {
    /// What a fault is about.
    pub fn place(&self) -> String {
        format!("bucket {:?}", self.bucket)
    }

    fn payer(&self) -> Option<RequestPayer> {
        self.requester_pays.then_some(RequestPayer::Requester)
    }
}

/// A request on its way.
type Sending<T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + Send>>;

/// A client of one store.
#[derive(Debug)]
pub struct Client {
    config: Config,
    credentials: Option<Credentials>,
    connected: OnceCell<Connected>,
    /// What is known of how the store deletes.
    pub ways: Arc<Ways>,
    /// What is known of how the store encodes names.
    names: Evidence,
}

impl Client {
    /// A client that connects when it is first used.
    pub fn new(config: Config, credentials: Option<Credentials>, way: Option<Way>) -> Self {
        Self {
            config,
            credentials,
            connected: OnceCell::new(),
            ways: Arc::new(Ways::new(way)),
            names: Evidence::default(),
        }
    }

    /// How it was made.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// A page of a listing, tried again as often as is allowed.
    pub async fn list(
        &self,
        target: &Target,
        request: &ListRequest,
        progress: &Progress,
        stop: &Stop,
    ) -> Result<Listing, Fault> {
        let (mut tries, mut refusals, mut refused_since) = (1, 0, None);
        loop {
            let fault = match self.list_once(target, request, progress).await {
                Ok(listing) => return Ok(listing),
                Err(fault) => fault,
            };
            let wait = match fault.kind {
                Kind::Throttled => {
                    add(&progress.throttled, 1);
                    refusals += 1;
                    let since: Instant = *refused_since.get_or_insert_with(Instant::now);
                    let told = fault.retry_after.unwrap_or_default();
                    // A store that wants to be left alone for longer than that is not waited for in vain.
                    let patience = self.config.throttle_timeout;
                    if since.elapsed() >= patience || since.elapsed() + told > patience {
                        return Err(fault);
                    }
                    backoff(refusals, fastrand::f64()).max(told)
                }
                Kind::Passing if tries < self.config.max_attempts => {
                    tries += 1;
                    backoff(tries - 1, fastrand::f64())
                }
                _ => return Err(fault),
            };
            if let Either::Right(()) = race(tokio::time::sleep(wait), stop.stopped()).await {
                return Err(fault);
            }
            add(&progress.retries, 1);
        }
    }

    /// A page of a listing, asked for once. It is checked against the request before anybody sees it.
    pub async fn list_once(
        &self,
        target: &Target,
        request: &ListRequest,
        progress: &Progress,
    ) -> Result<Listing, Fault> {
        let mut page = self.page(target, request, progress).await?;
        self.declare(&mut page, target, request, progress).await?;
        for can_ask in [true, false] {
            let decoded = self.names.decode(page).map_err(|what| Fault::invalid_listing(&what))?;
            page = match decoded {
                Decoded::Page(page) => {
                    let accepted = request.accept(page);
                    return accepted.map_err(|what| Fault::invalid_listing(&what));
                }
                Decoded::Open(page, doubts) => {
                    if can_ask {
                        self.ask_for_plus(target, request, &doubts, progress).await?;
                    }
                    page
                }
            };
        }
        Err(Fault::invalid_listing(
            "does not tell whether + is a plus or a blank in the names that it lists",
        ))
    }

    /// A page as it is answered.
    async fn page(
        &self,
        target: &Target,
        request: &ListRequest,
        progress: &Progress,
    ) -> Result<Page, Fault> {
        let asked = Arc::new(request.clone());
        let read = move |answer: &Answer<'_>| answer.page(&asked);
        self.with_credentials(target, progress, |sdk| {
            let read = read.clone();
            if request.versions {
                let (key, version) = match &request.place {
                    Some(Place::Marker(key, version)) => (Some(key.clone()), version.clone()),
                    _ => (request.start(), None),
                };
                let capture = Capture::new(
                    read,
                    || Output::erase(ListObjectVersionsOutput::builder().build()),
                    Proof::Checksum,
                );
                let operation = sdk
                    .list_object_versions()
                    .bucket(&target.bucket)
                    .set_expected_bucket_owner(target.expected_owner.clone())
                    .set_request_payer(target.payer())
                    .encoding_type(EncodingType::Url)
                    .prefix(&request.prefix)
                    .set_key_marker(key)
                    .set_version_id_marker(version)
                    .set_delimiter(request.folders.then(|| "/".to_owned()))
                    .set_max_keys(request.max_keys)
                    .customize()
                    .interceptor(capture.clone());
                return Box::pin(async move { capture.take(operation.send().await) });
            }
            let (token, marker, after) = match request.place.clone() {
                Some(Place::Token(token)) => (Some(token), None, None),
                Some(Place::Marker(key, _)) => (None, Some(key.clone()), Some(key)),
                Some(Place::After(key)) => (None, None, Some(key)),
                None => (None, None, request.start()),
            };
            let capture = Capture::new(
                read,
                || Output::erase(ListObjectsV2Output::builder().build()),
                Proof::Checksum,
            );
            let operation = sdk
                .list_objects_v2()
                .bucket(&target.bucket)
                .set_expected_bucket_owner(target.expected_owner.clone())
                .set_request_payer(target.payer())
                .encoding_type(EncodingType::Url)
                .prefix(&request.prefix)
                .set_start_after(after)
                .set_continuation_token(token)
                .set_delimiter(request.folders.then(|| "/".to_owned()))
                .set_max_keys(request.max_keys)
                .customize()
                .mutate_request(move |http| {
                    // A store whose answers are those of the first version may know that one alone, where the parameter has this name.
                    if let Some(marker) = &marker {
                        let uri = format!("{}&marker={}", http.uri(), percent_encoded(marker));
                        http.set_uri(uri).expect("a part was added to a URI");
                    }
                })
                .interceptor(capture.clone());
            Box::pin(async move { capture.take(operation.send().await) })
        })
        .await
    }

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
            let operation = sdk
                .delete_objects()
                .bucket(&target.bucket)
                .set_expected_bucket_owner(target.expected_owner.clone())
                .set_request_payer(target.payer())
                .set_bypass_governance_retention(target.bypass_governance.then_some(true))
                .set_mfa(target.mfa.clone())
                .delete(delete.clone())
                .customize()
                .interceptor(capture.clone());
            Box::pin(async move { capture.take(operation.send().await) })
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
            let operation = sdk
                .delete_object()
                .bucket(&target.bucket)
                .set_expected_bucket_owner(target.expected_owner.clone())
                .set_request_payer(target.payer())
                .set_bypass_governance_retention(target.bypass_governance.then_some(true))
                .set_mfa(target.mfa.clone())
                .key(key)
                .set_version_id(item.version.clone())
                .customize()
                .interceptor(capture.clone());
            Box::pin(async move { capture.take(operation.send().await) })
        })
        .await
    }

    /// Sends a request, and says of its fault which bucket it is about.
    async fn with_credentials<T>(
        &self,
        target: &Target,
        progress: &Progress,
        request: impl Fn(&aws_sdk_s3::Client) -> Sending<T>,
    ) -> Result<T, Fault> {
        let sent = self.renewed(progress, request).await;
        sent.map_err(|fault| fault.at(&target.place()))
    }

    /// Sends a request, and again with new credentials when those it had were too old, or once at the store's time when the clocks
    /// differ.
    async fn renewed<T>(
        &self,
        progress: &Progress,
        request: impl Fn(&aws_sdk_s3::Client) -> Sending<T>,
    ) -> Result<T, Fault> {
        let connected = self
            .connected
            .get_or_try_init(|| connect(&self.config, self.credentials.clone()))
            .await?;
        let (mut renewals, mut is_corrected) = (0, false);
        loop {
            let values = match &connected.credentials {
                Some(credentials) => Some(self.fetched(credentials).await?),
                None => None,
            };
            let sent = Instant::now();
            add(&progress.requests, 1);
            let fault = match request(&connected.sdk).await {
                Ok(answer) => return Ok(answer),
                Err(fault) => connected.told(fault, values.as_ref()),
            };
            match &connected.credentials {
                // The SDK has taken the store's time from the answer, and signs with it from now on.
                _ if fault.is_about_time() && !is_corrected => is_corrected = true,
                _ if fault.is_about_time() => {
                    let message = format!(
                        "The clock of this machine differs from the store's, and its answers have no right Date to correct that by: {}",
                        fault.message
                    );
                    return Err(Fault { kind: Kind::Fatal, message, ..fault });
                }
                Some(credentials) if fault.kind == Kind::Expired => {
                    renewals += 1;
                    if !credentials.expired(sent).await || renewals > MOST_RENEWALS {
                        return Err(Fault { kind: Kind::Fatal, ..fault });
                    }
                }
                _ => return Err(fault),
            }
            add(&progress.retries, 1);
        }
    }

    async fn fetched(&self, credentials: &Credentials) -> Result<Values, Fault> {
        let fetched = timeout(self.config.request_timeout, credentials.get()).await;
        fetched
            .unwrap_or_else(|_| Err("They did not come within requestTimeout".to_owned()))
            .map_err(|message| Fault::fatal("CredentialsError", message))
    }
}
