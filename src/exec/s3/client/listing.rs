//! Asks for pages of a listing, and tries again what may pass.

use std::sync::Arc;
use std::time::Instant;

use aws_sdk_s3::operation::list_object_versions::ListObjectVersionsOutput;
use aws_sdk_s3::operation::list_objects_v2::ListObjectsV2Output;
use aws_sdk_s3::types::EncodingType;
use aws_smithy_runtime_api::client::interceptors::context::Output;

use super::Client;
use super::operation::{Sending, addressed, sending};
use crate::core::batch::pace::backoff;
use crate::exec::race::{Either, race};
use crate::exec::s3::answer::names::Decoded;
use crate::exec::s3::answer::{Answer, ListRequest, Listing, Page, Place};
use crate::exec::s3::fault::{Fault, Kind};
use crate::exec::s3::progress::{Progress, add};
use crate::exec::s3::request::{Capture, percent_encoded};
use crate::exec::s3::target::Target;
use crate::exec::s3::way::Proof;
use crate::exec::stop::Stop;

impl Client {
    /// A page of a listing, tried again as often as is allowed.
    pub async fn list(
        &self,
        target: &Target,
        request: &ListRequest,
        progress: &Progress,
        stop: &Stop,
    ) -> Result<Listing, Fault> {
        let (mut tries, mut throttles, mut throttled_since) = (1, 0, None);
        loop {
            let fault = match self.list_once(target, request, progress).await {
                Ok(listing) => return Ok(listing),
                Err(fault) => fault,
            };
            let wait = match fault.kind {
                Kind::Throttled => {
                    add(&progress.throttled, 1);
                    throttles += 1;
                    let since: Instant = *throttled_since.get_or_insert_with(Instant::now);
                    let told = fault.retry_after.unwrap_or_default();
                    // A wait that would end after the patience has run out is not begun.
                    let patience = self.config.throttle_timeout;
                    if since.elapsed() >= patience || since.elapsed() + told > patience {
                        return Err(fault);
                    }
                    backoff(throttles, fastrand::f64()).max(told)
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
            let decoded =
                self.names(request).decode(page).map_err(|what| Fault::invalid_listing(&what))?;
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
    pub(super) async fn page(
        &self,
        target: &Target,
        request: &ListRequest,
        progress: &Progress,
    ) -> Result<Page, Fault> {
        let asked = Arc::new(request.clone());
        let read = move |answer: &Answer<'_>| answer.page(&asked);
        self.with_credentials(target, progress, |sdk| match request.versions {
            true => of_versions(sdk, target, request, read.clone()),
            false => of_objects(sdk, target, request, read.clone()),
        })
        .await
    }
}

/// What both operations of a listing are asked for; their builders have no trait in common.
macro_rules! listing {
    ($operation:expr, $target:expr, $request:expr) => {
        addressed!($operation, $target)
            .encoding_type(EncodingType::Url)
            .prefix(&$request.prefix)
            .set_delimiter($request.folders.then(|| "/".to_owned()))
            .set_max_keys($request.max_keys)
    };
}

fn of_versions(
    sdk: &aws_sdk_s3::Client,
    target: &Target,
    request: &ListRequest,
    read: impl Fn(&Answer<'_>) -> Result<Page, Fault> + Send + Sync + 'static,
) -> Sending<Page> {
    let (key, version) = match &request.place {
        Some(Place::Marker(key, version)) => (Some(key.clone()), version.clone()),
        _ => (request.start(), None),
    };
    let blank = || Output::erase(ListObjectVersionsOutput::builder().build());
    let capture = Capture::new(read, blank, Proof::Checksum);
    let operation = listing!(sdk.list_object_versions(), target, request)
        .set_key_marker(key)
        .set_version_id_marker(version)
        .customize();
    sending!(operation, capture)
}

fn of_objects(
    sdk: &aws_sdk_s3::Client,
    target: &Target,
    request: &ListRequest,
    read: impl Fn(&Answer<'_>) -> Result<Page, Fault> + Send + Sync + 'static,
) -> Sending<Page> {
    let (token, marker, after) = match request.place.clone() {
        Some(Place::Token(token)) => (Some(token), None, None),
        Some(Place::Marker(key, _)) => (None, Some(key.clone()), Some(key)),
        Some(Place::After(key)) => (None, None, Some(key)),
        None => (None, None, request.start()),
    };
    let blank = || Output::erase(ListObjectsV2Output::builder().build());
    let capture = Capture::new(read, blank, Proof::Checksum);
    let operation = listing!(sdk.list_objects_v2(), target, request)
        .set_start_after(after)
        .set_continuation_token(token)
        .customize()
        .mutate_request(move |http| {
            // A store that answers by the first version of the operation may only know the name that the parameter has there.
            if let Some(marker) = &marker {
                let uri = format!("{}&marker={}", http.uri(), percent_encoded(marker));
                http.set_uri(uri).expect("a part was added to a URI");
            }
        });
    sending!(operation, capture)
}
