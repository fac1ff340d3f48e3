//! Hostile buckets, over HTTP: what they answer, and what they know.

mod common;

use common::{Bench, Call, path};
use serde_json::{Value, json};

async fn with_habit(habits: Value) -> Bench {
    let bench = Bench::start().await;
    let setup = json!({
        "bucket": "bucket", "seed": 1, "keys": ["p/a", "p/b", "p/c d"], "decoys": ["q"], "profile": { "habits": habits },
    });
    bench.admin("POST", "hostile", setup).await;
    bench
}

async fn report(bench: &Bench) -> Value {
    bench.admin("GET", "hostile?bucket=bucket", Value::Null).await
}

#[tokio::test]
async fn a_lie_is_told_and_the_truth_is_known() {
    let bench = with_habit(json!(["drop-entry"])).await;
    let page = bench.get("/bucket?list-type=2&prefix=p%2F&encoding-type=url").await.ok();
    assert_eq!(page.all("Key").len(), 2);
    let report = report(&bench).await;
    assert_eq!(report["hidden"].as_array().unwrap().len(), 1);
    assert_eq!(report["initial"].as_array().unwrap().len(), 4);
    assert_eq!(report["requests"][0]["mutations"], json!(["drop-entry"]));
}

#[tokio::test]
async fn a_key_outside_of_the_question_is_offered() {
    let bench = with_habit(json!(["foreign-key"])).await;
    let page = bench.get("/bucket?list-type=2&prefix=p%2F&encoding-type=url").await.ok();
    assert!(page.all("Key").contains(&"q"), "{}", page.body);
}

#[tokio::test]
async fn a_page_without_an_answer_confirms_nothing_whatever_was_done() {
    let bench = with_habit(json!(["html"])).await;
    let answer = bench.call(Call::delete_objects("bucket", ["p/a", "p/b"])).await;
    assert!(answer.status == 200 && answer.body.contains("<html>"));
    let report = report(&bench).await;
    let (done, left) =
        (&report["requests"][0]["performed"], report["remaining"].as_array().unwrap().len());
    assert!(left == if *done == 2 { 2 } else { 4 }, "{report}");
}

#[tokio::test]
async fn what_can_only_mean_done_is_done() {
    let bench = with_habit(json!(["empty-body"])).await;
    bench.call(Call::delete_objects("bucket", ["p/a"])).await.ok();
    bench.call(Call::new("DELETE", path("bucket", "p/c d"))).await.ok();
    let left = &report(&bench).await["remaining"];
    assert_eq!(*left, json!([["p/b", null], ["q", null]]));
}

#[tokio::test]
async fn requests_that_must_never_be_sent_are_known() {
    let bench = with_habit(json!([])).await;
    let refused = bench.call(Call::new("DELETE", "/bucket/")).await;
    assert_eq!(refused.status, 501);
    bench.call(Call::new("DELETE", "/other/key")).await;
    let entry = &report(&bench).await["requests"][0];
    assert_eq!((&entry["method"], &entry["operation"]), (&json!("DELETE"), &Value::Null));
    let strays = bench.admin("GET", "hostile/strays", Value::Null).await;
    assert_eq!(strays[0]["uri"], "/other/key");
}

#[tokio::test]
async fn a_bucket_that_is_forgotten_is_gone() {
    let bench = with_habit(json!(["html"])).await;
    bench.admin("DELETE", "hostile?bucket=bucket", Value::Null).await;
    assert_eq!(bench.get("/bucket?list-type=2").await.code(404), "NoSuchBucket");
}
