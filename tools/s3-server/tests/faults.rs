//! Scripted faults, limits, latency, idle connections and counters, over HTTP.

mod common;

use std::time::{Duration, Instant};

use common::{Bench, Call};
use serde_json::json;
use tokio::time::timeout;

fn delete(keys: &[&str]) -> Call {
    Call::delete_objects("bucket", keys)
}

#[tokio::test]
async fn errors_in_answers_of_every_status() {
    let bench = Bench::with_keys(&["a"]).await;
    bench
        .faults(json!([
            { "operation": "DeleteObjects", "status": 503, "code": "SlowDown", "headers": { "retry-after": "1" } },
            { "operation": "DeleteObjects", "status": 200, "code": "InternalError", "message": "Sorry." },
            { "operation": "DeleteObjects", "body": "<DeleteRes" },
            { "operation": "DeleteObjects", "truncate": 40, "apply": true, "nth": 2 },
        ]))
        .await;
    let slow = bench.call(delete(&["a"])).await;
    assert_eq!((slow.code(503), slow.header("retry-after")), ("SlowDown", Some("1")));
    let in_200 = bench.call(delete(&["a"])).await;
    assert_eq!((in_200.code(200), in_200.one("Message")), ("InternalError", "Sorry."));
    assert_eq!(bench.call(delete(&["a"])).await.ok().body, "<DeleteRes");
    assert_eq!(bench.keys("bucket").await, ["a"], "a scripted answer deletes nothing");
    let whole = bench.call(delete(&["b"])).await.ok();
    let truncated = bench.call(delete(&["a"])).await.ok();
    assert!(truncated.body.len() == 40 && whole.body.starts_with(&truncated.body));
    assert_eq!(bench.keys("bucket").await, [""; 0], "the request was carried out");
    let stats = bench.stats().await;
    let hits: Vec<_> = stats["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["hit"].as_u64().unwrap())
        .collect();
    assert_eq!(hits, [1, 1, 1, 1]);
}

#[tokio::test]
async fn sockets_close_before_within_and_after() {
    let bench = Bench::with_keys(&["a", "b", "c"]).await;
    bench
        .faults(json!([
            { "key": "a", "close": true },
            { "key": "b", "close": true, "apply": true },
            { "key": "c", "cut": 30, "apply": true },
        ]))
        .await;
    assert!(bench.try_call(delete(&["a"])).await.is_none());
    assert!(bench.try_call(delete(&["b"])).await.is_none());
    assert!(bench.try_call(delete(&["c"])).await.is_none(), "the promised length does not come");
    assert_eq!(bench.keys("bucket").await, ["a"]);
}

#[tokio::test]
async fn an_answer_that_never_comes() {
    let bench = Bench::with_keys(&["a"]).await;
    bench.faults(json!([{ "operation": "DeleteObjects", "never": true }])).await;
    assert!(timeout(Duration::from_millis(100), bench.call(delete(&["a"]))).await.is_err());
    // The connection is gone with the call; the server notices and takes the request out of flight.
    let settled = async {
        while bench.stats().await["inFlight"]["now"] != 0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(10), settled).await.expect("the request leaves");
    bench.call(delete(&["a"])).await.ok();
}

#[tokio::test]
async fn idle_connections_close_silently() {
    let bench = Bench::with(|settings| settings.idle_timeout = Some(50.0)).await;
    let mut connection = bench.connect().await;
    let stats = Call::new("GET", "/-/stats");
    assert!(connection.try_call(&stats).await.is_some());
    let closed = async {
        while bench.stats().await["connections"]["open"] == 2 {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(10), closed).await.expect("it closes");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(connection.try_call(&stats).await.is_none());
}

#[tokio::test]
async fn errors_of_single_keys() {
    let bench = Bench::with_keys(&["a/1", "a/2", "b/1"]).await;
    bench
        .faults(json!([
            { "prefix": "a/", "keyError": { "code": "SlowDown", "message": "m" } },
            { "key": "a/1", "keyError": { "code": "AccessDenied" }, "times": "always" },
        ]))
        .await;
    let first = bench.call(delete(&["a/1", "a/2", "b/1"])).await.ok();
    assert_eq!(
        (first.all("Code"), first.one("Deleted")),
        (vec!["SlowDown", "SlowDown"], "<Key>b/1</Key>")
    );
    let second = bench.call(delete(&["a/1", "a/2"])).await.ok();
    assert_eq!((second.one("Code"), second.one("Deleted")), ("AccessDenied", "<Key>a/2</Key>"));
    assert_eq!(bench.keys("bucket").await, ["a/1"]);
}

#[tokio::test]
async fn listings_that_lie() {
    let bench = Bench::start().await;
    bench.seed(json!({ "bucket": "bucket", "template": "{i:02}", "count": 10 })).await;
    let page = async |lie: &str, token: Option<&str>| {
        bench.faults(json!([{ "operation": "ListObjectsV2", "listing": lie }])).await;
        let token = token.map(|token| format!("&continuation-token={token}")).unwrap_or_default();
        bench.get(format!("/bucket?list-type=2&max-keys=4{token}")).await.ok()
    };
    let no_token = page("no-token", None).await;
    assert_eq!(
        (no_token.one("IsTruncated"), no_token.all("NextContinuationToken").len()),
        ("true", 0)
    );
    let first = page("same-token", None).await;
    let token = first.one("NextContinuationToken");
    let again = page("same-token", Some(token)).await;
    assert_eq!((again.one("NextContinuationToken"), again.one("IsTruncated")), (token, "true"));
    let empty = page("empty-page", Some(token)).await;
    assert_eq!((empty.one("KeyCount"), empty.one("NextContinuationToken")), ("0", token));
    let from_start = page("empty-page", None).await;
    let uri = format!(
        "/bucket?list-type=2&continuation-token={}",
        from_start.one("NextContinuationToken")
    );
    assert_eq!(
        bench.get(uri).await.ok().all("Key").len(),
        10,
        "what an empty page leaves out comes next"
    );
}

#[tokio::test]
async fn a_fault_hides_no_fault_of_the_client() {
    let bench = Bench::with_keys(&["a"]).await;
    bench.faults(json!([{ "status": 503, "code": "SlowDown" }])).await;
    let mut unsigned = delete(&["a"]);
    unsigned.secret_key = "wrong".into();
    assert_eq!(bench.call(unsigned).await.code(403), "SignatureDoesNotMatch");
    assert_eq!(bench.call(delete(&["a"])).await.code(503), "SlowDown");
}

#[tokio::test]
async fn limits_per_prefix_answer_slow_down() {
    let bench = Bench::with(|settings| {
        settings.prefix_length = 1;
        settings.keys_per_second_per_prefix = Some(0.001);
        settings.latency_delete = 1.0;
    })
    .await;
    bench.seed(json!({ "bucket": "bucket", "keys": ["a1", "a2", "b1"] })).await;
    bench.call(delete(&["a1"])).await.ok();
    assert_eq!(bench.call(delete(&["a2"])).await.code(503), "SlowDown");
    assert_eq!(bench.call(Call::new("DELETE", "/bucket/a2")).await.code(503), "SlowDown");
    bench.call(delete(&["b1"])).await.ok();
    let stats = bench.stats().await;
    assert_eq!(
        (&stats["throttled"], &stats["prefixes"]["bucket/a"]["throttled"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(stats["prefixes"]["bucket/b"]["peakInFlight"], 1);
    assert_eq!(bench.keys("bucket").await, ["a2"]);
}

#[tokio::test]
async fn in_flight_limits_and_peaks() {
    let bench = Bench::with(|settings| settings.max_in_flight_per_prefix = Some(1)).await;
    bench.seed(json!({ "bucket": "bucket", "keys": ["a", "b"] })).await;
    bench.configure(json!({ "latencyDelete": 300 })).await;
    let (one, other) = tokio::join!(bench.call(delete(&["a"])), bench.call(delete(&["b"])));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 503]);
    assert_eq!(bench.stats().await["inFlight"]["byOperation"]["DeleteObjects"]["peak"], 2);
}

#[tokio::test]
async fn latency_per_request_and_per_key() {
    let bench = Bench::with_keys(&[]).await;
    bench.configure(json!({ "latencyList": 60, "latencyDelete": 40, "latencyPerKey": 10 })).await;
    let elapsed = async |call| {
        let start = Instant::now();
        bench.call(call).await.ok();
        start.elapsed()
    };
    assert!(elapsed(Call::new("GET", "/bucket?list-type=2")).await >= Duration::from_millis(60));
    assert!(elapsed(delete(&["a", "b"])).await >= Duration::from_millis(60));
    assert!(elapsed(Call::new("DELETE", "/bucket/a")).await >= Duration::from_millis(50));
}

#[tokio::test]
async fn a_reset_starts_afresh_or_only_counts_afresh() {
    let bench = Bench::with_keys(&["a"]).await;
    bench.configure(json!({ "noMultiDelete": 501 })).await;
    bench.call(delete(&["a"])).await;
    let stats = bench.admin("POST", "reset?only=stats", json!(null)).await;
    assert_eq!((&stats["requests"]["total"], &stats["errors"]), (&json!(0), &json!({})));
    assert_eq!(bench.call(delete(&["a"])).await.status, 501, "settings stay");
    bench.admin("POST", "reset", json!(null)).await;
    assert_eq!(bench.call(delete(&["a"])).await.code(404), "NoSuchBucket");
    assert_eq!(bench.admin("GET", "config", json!(null)).await["noMultiDelete"], json!(null));
}

#[tokio::test]
async fn bad_requests_to_the_paths_for_tests_say_why() {
    let bench = Bench::start().await;
    for (method, path, body, word) in [
        ("POST", "seed", r#"{ "bucket": "b", "template": "k{j}", "count": 1 }"#, "{j}"),
        ("POST", "seed", r#"{ "bucket": "b", "template": "k" }"#, "template and count"),
        ("POST", "seed", r#"{ "bucket": "b", "keys": [""] }"#, "1 to 1024 bytes"),
        ("POST", "config", r#"{ "latency": 1 }"#, "latency"),
        ("POST", "faults", "[{}]", "does nothing"),
        ("GET", "nothing", "", "not known"),
    ] {
        let reply = bench.call(Call::new(method, format!("/-/{path}")).body(body)).await;
        assert!(reply.status == 400 && reply.body.contains(word), "{path}: {}", reply.body);
    }
}
