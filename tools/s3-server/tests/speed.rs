//! The server must not be the bottleneck of what it measures. Run it optimized, on a quiet machine:
//! `cargo test -p s3-server --profile tools --test speed -- --ignored --nocapture`

mod common;

use std::time::{Duration, Instant};

use common::{Bench, Call, decode, encode};
use serde_json::json;

const KEYS: usize = 100_000;
const CONNECTIONS: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "absolute times mean nothing on a busy machine or in a debug build"]
async fn a_hundred_thousand_keys_listed_and_deleted_in_under_two_seconds() {
    let bench = Bench::start().await;
    bench.seed(json!({ "bucket": "bucket", "template": "{x:2}/{i:08}", "count": KEYS })).await;
    let start = Instant::now();
    let mut connection = bench.connect().await;
    let mut pages: Vec<Vec<String>> = Vec::new();
    let mut token = None;
    loop {
        let token_text = token
            .map(|token: String| format!("&continuation-token={}", encode(&token)))
            .unwrap_or_default();
        let call = Call::new("GET", format!("/bucket?list-type=2&encoding-type=url{token_text}"));
        let page = connection.try_call(&call).await.expect("an answer").ok();
        pages.push(page.all("Key").into_iter().map(decode).collect());
        if page.one("IsTruncated") == "false" {
            break;
        }
        token = Some(page.one("NextContinuationToken").to_owned());
    }
    let listed = start.elapsed();
    let workers = pages.chunks(pages.len().div_ceil(CONNECTIONS)).map(async |pages| {
        let mut connection = bench.connect().await;
        for page in pages {
            connection
                .try_call(&Call::delete_objects("bucket", page))
                .await
                .expect("an answer")
                .ok();
        }
    });
    let workers: Vec<_> = workers.map(Box::pin).collect();
    let mut workers = workers.into_iter();
    // Eight connections at once, one task each.
    let [a, b, c, d, e, f, g, h] =
        std::array::from_fn(|_| workers.next().expect("a chunk for each connection"));
    tokio::join!(a, b, c, d, e, f, g, h);
    let took = start.elapsed();
    println!("listed in {listed:?}, listed and deleted in {took:?}");
    assert_eq!(pages.concat().len(), KEYS);
    assert!(bench.keys("bucket").await.is_empty());
    assert!(took < Duration::from_secs(2), "{took:?}");
}
