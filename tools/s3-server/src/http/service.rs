//! One request: from its head to the answer, through every step that `lib.rs` lists.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::header::HeaderValue;
use hyper::http::request::Parts;
use hyper::{Request, Response};
use tokio::time::sleep;

use super::admin;
use super::answer::{Answer, AnswerBody, Closed, Outcome};
use super::state::State;
use crate::auth::checksum::any_checksum_header;
use crate::auth::payload::{self, Payload};
use crate::auth::signature::{self, SignedRequest};
use crate::error::{S3Error, S3Result};
use crate::hostile;
use crate::load::faults::Fault;
use crate::operations::{self, Context};
use crate::options::{Settings, milliseconds};
use crate::request::input::Input;
use crate::request::route::{Operation, Target, route};
use crate::text::{http_time, now_ms};

/// More than any test sends.
const MAX_BODY_BYTES: usize = 256 << 20;

/// Answers a request, or has the connection closed.
pub(super) async fn answer(
    state: &Arc<State>,
    request: Request<Incoming>,
) -> Result<Response<AnswerBody>, Closed> {
    let id = state.next_request.fetch_add(1, Ordering::Relaxed);
    let (head, body) = request.into_parts();
    if let Some(path) = head.uri.path().strip_prefix("/-/") {
        let body = read(body).await?.unwrap_or_default();
        return Ok(admin::answer(state, &head, path, &body).into_response(id));
    }
    let settings = state.settings();
    let routed = route(&settings.path_prefix, &head.method, &head.uri, &head.headers);
    let in_flight = routed.as_ref().ok().map(|target| state.stats.request(target.operation));
    if in_flight.is_none() {
        state.stats.count(|counters| counters.requests.total += 1);
    }
    let body = read(body).await?;
    // The work goes on when the client hangs up, as it does in a real store.
    let work = tokio::spawn(work(state.clone(), head, routed, body));
    match work.await.unwrap_or(Outcome::Close) {
        Outcome::Answer(answer) => {
            if let Some(code) = &answer.error_code {
                state
                    .stats
                    .count(|counters| *counters.errors.entry(code.to_string()).or_default() += 1);
            }
            let mut response = answer.into_response(id);
            if settings.clock_skew != 0 && !response.headers().contains_key("date") {
                let date = http_time(now_ms() + settings.clock_skew);
                let date = HeaderValue::try_from(date).expect("a date is plain text");
                response.headers_mut().insert("date", date);
            }
            Ok(response)
        }
        Outcome::Close => Err(Closed),
        Outcome::Never => std::future::pending().await,
    }
}

/// The body, or nothing when it is too large.
async fn read(body: Incoming) -> Result<Option<Bytes>, Closed> {
    match Limited::new(body, MAX_BODY_BYTES).collect().await {
        Ok(body) => Ok(Some(body.to_bytes())),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => Ok(None),
        // The client went away in the middle of its request.
        Err(_) => Err(Closed),
    }
}

async fn work(
    state: Arc<State>,
    head: Parts,
    routed: S3Result<Target>,
    body: Option<Bytes>,
) -> Outcome {
    let settings = state.settings();
    let operation = routed.as_ref().ok().map(|target| format!("{:?}", target.operation));
    match checked(&state, &settings, &head, routed, body) {
        Err(error) => {
            let (method, uri) = (head.method.as_str(), head.uri.to_string());
            state.hostile.refused(method, &uri, operation, error.status.as_u16());
            Outcome::Answer(Answer::error(&error, settings.pretty_xml))
        }
        Ok((target, input)) => {
            if let Some(case) = state.hostile.case(&target.bucket) {
                return hostile::play::play(&state, &settings, &case, &head, target, input).await;
            }
            state.hostile.refused(head.method.as_str(), &head.uri.to_string(), operation, 0);
            let fault = state.faults.take(target.operation, &target.bucket, &input);
            play(&state, &settings, target, input, fault.as_ref()).await
        }
    }
}

/// The request with its signature and body verified and its parameters read.
fn checked(
    state: &State,
    settings: &Settings,
    head: &Parts,
    routed: S3Result<Target>,
    body: Option<Bytes>,
) -> S3Result<(Target, Input)> {
    let target = routed?;
    let signed = SignedRequest {
        method: &head.method,
        path: &target.path,
        query: &target.query,
        headers: &head.headers,
    };
    signature::verify(&signed, &state.credentials, &state.region, now_ms() + settings.clock_skew)?;
    let body = body.ok_or_else(|| {
        S3Error::new(
            400,
            "EntityTooLarge",
            "Your proposed upload exceeds the maximum allowed object size.",
        )
    })?;
    if settings.refuse_checksums
        && let Some(name) = any_checksum_header(&head.headers)
    {
        return Err(S3Error::invalid_argument(format!("Unsupported header: {name}")));
    }
    let payload = payload::verify(&head.headers, body)?;
    if target.operation == Operation::DeleteObjects {
        check_multi_delete(settings, &payload)?;
    }
    let input = Input::read(&target, &head.headers, payload.body)?;
    if let Input::DeleteObjects(delete) = &input {
        state.stats.count(|counters| {
            counters.largest_delete = counters.largest_delete.max(delete.objects.len() as u64);
        });
    }
    Ok((target, input))
}

/// What this kind of store demands of a DeleteObjects, or that it has none.
fn check_multi_delete(settings: &Settings, payload: &Payload) -> S3Result<()> {
    match settings.no_multi_delete {
        Some(400) => return Err(S3Error::invalid_argument("Invalid argument: delete")),
        Some(_) => return Err(S3Error::not_implemented("delete")),
        None => {}
    }
    let missing = |name| {
        Err(S3Error::invalid_request(format!("Missing required header for this request: {name}")))
    };
    let digests = payload.digests;
    if settings.require_checksum && !digests.checksum {
        return missing("x-amz-checksum-*");
    }
    // S3 itself takes either.
    if !digests.md5 && (settings.require_content_md5 || !digests.checksum) {
        return missing("Content-MD5");
    }
    Ok(())
}

/// Carries the request out as the fault, the limits and the latency let it.
async fn play(
    state: &State,
    settings: &Settings,
    target: Target,
    input: Input,
    fault: Option<&Fault>,
) -> Outcome {
    let Some(fault) = fault else {
        return Outcome::Answer(carry_out(state, settings, target, input, None).await);
    };
    sleep_unless_zero(milliseconds(fault.delay_ms)).await;
    let replaced = fault.replaces_answer() || fault.close || fault.never;
    let mut answer = None;
    if !replaced || fault.apply {
        answer = Some(carry_out(state, settings, target, input, Some(fault)).await);
    }
    if fault.close {
        return Outcome::Close;
    }
    if fault.never {
        return Outcome::Never;
    }
    let answer = match answer {
        Some(answer) if !fault.replaces_answer() => answer,
        _ => Answer::scripted(fault, settings.pretty_xml),
    };
    Outcome::Answer(answer.damaged_by(fault))
}

async fn carry_out(
    state: &State,
    settings: &Settings,
    target: Target,
    input: Input,
    fault: Option<&Fault>,
) -> Answer {
    let changes = input.changes_per_prefix(settings.prefix_length);
    let admission = state.throttle.admit(settings, &target.bucket, &changes, Instant::now());
    if admission.is_none() {
        state.stats.count(|counters| counters.throttled += 1);
        return Answer::error(&S3Error::slow_down(), settings.pretty_xml);
    }
    let latency = latency(settings, target.operation, changes.values().sum());
    sleep_unless_zero(latency).await;
    let context = Context {
        store: &state.store,
        stats: &state.stats,
        settings,
        bucket: &target.bucket,
        fault,
    };
    operations::run(&context, target.operation, input)
        .unwrap_or_else(|error| Answer::error(&error, settings.pretty_xml))
}

fn latency(settings: &Settings, operation: Operation, keys: u32) -> Duration {
    match operation {
        Operation::ListObjectsV2 | Operation::ListObjectVersions => {
            milliseconds(settings.latency_list)
        }
        Operation::DeleteObject | Operation::DeleteObjects => {
            milliseconds(settings.latency_delete + settings.latency_per_key * f64::from(keys))
        }
        _ => Duration::ZERO,
    }
}

/// A sleep of no time would still wait for the timer's next tick.
async fn sleep_unless_zero(time: Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}
