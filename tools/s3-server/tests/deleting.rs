//! DeleteObjects over HTTP, and the kinds of stores that do not take it.

mod common;

use common::{Bench, Call, object};
use serde_json::json;

#[tokio::test]
async fn quiet_answers_name_only_errors() {
    let bench = Bench::with_keys(&["a", "b"]).await;
    let long = "k".repeat(1025);
    let document =
        |quiet| format!("<Delete>{}{}<Quiet>{quiet}</Quiet></Delete>", object("a"), object(&long));
    let quiet = bench.call(Call::delete_document("bucket", document(true))).await.ok();
    assert_eq!((quiet.all("Deleted").len(), quiet.all("Code")), (0, vec!["KeyTooLongError"]));
    let loud = bench.call(Call::delete_document("bucket", document(false))).await.ok();
    assert_eq!((loud.one("Deleted"), loud.all("Code").len()), ("<Key>a</Key>", 1));
    bench.configure(json!({ "ignoreQuiet": true })).await;
    let ignored = bench.call(Call::delete_document("bucket", document(true))).await.ok();
    assert_eq!(ignored.all("Deleted").len(), 1);
    assert_eq!(bench.keys("bucket").await, ["b"]);
}

#[tokio::test]
async fn what_s3_refuses_deletes_nothing() {
    let bench = Bench::with_keys(&["a"]).await;
    let many: Vec<_> = (0..1001).map(|i| format!("a{i}")).collect();
    let none: [&str; 0] = [];
    for call in [
        Call::delete_objects("bucket", &many),
        Call::delete_objects("bucket", none),
        Call::delete_document("bucket", format!("<Delete>{}", object("a"))),
        Call::delete_document("bucket", format!("<Delete>{}</Delete>x", object("a"))),
    ] {
        assert_eq!(bench.call(call).await.code(400), "MalformedXML");
    }
    assert_eq!(
        bench.call(Call::delete_objects("other-bucket", ["a"])).await.code(404),
        "NoSuchBucket"
    );
    let mut bare = Call::delete_objects("bucket", ["a"]);
    bare.headers.clear();
    assert_eq!(bench.call(bare).await.code(400), "InvalidRequest");
    let mut wrong = Call::delete_objects("bucket", ["a"]);
    wrong.headers[0].1 = "AAAAAAAAAAAAAAAAAAAAAA==".into();
    assert_eq!(bench.call(wrong).await.code(400), "BadDigest");
    assert_eq!(bench.keys("bucket").await, ["a"]);
    bench.call(Call::delete_objects("bucket", &many[..1000])).await.ok();
    let stats = bench.stats().await;
    assert_eq!((&stats["largestDelete"], &stats["keys"]["deleted"]), (&json!(1000), &json!(1000)));
    assert_eq!(
        stats["errors"],
        json!({ "BadDigest": 1, "InvalidRequest": 1, "MalformedXML": 4, "NoSuchBucket": 1 })
    );
}

#[tokio::test]
async fn stores_differ_in_the_digest_that_they_want() {
    let bench = Bench::with_keys(&["a"]).await;
    let body = format!("<Delete>{}</Delete>", object("a"));
    let crc32 = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(body.as_bytes()).to_be_bytes();
    let crc32 = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, crc32);
    let md5 = || Call::delete_document("bucket", body.clone());
    let checksum = || {
        Call::new("POST", "/bucket?delete")
            .body(body.clone())
            .header("x-amz-checksum-crc32", crc32.clone())
            .header("x-amz-sdk-checksum-algorithm", "CRC32")
    };
    bench.call(md5()).await.ok();
    bench.call(checksum()).await.ok();

    bench.configure(json!({ "requireContentMd5": true })).await;
    bench.call(md5()).await.ok();
    let refused = bench.call(checksum()).await;
    assert_eq!(refused.code(400), "InvalidRequest");
    assert_eq!(refused.one("Message"), "Missing required header for this request: Content-MD5");

    bench.configure(json!({ "requireContentMd5": false, "requireChecksum": true })).await;
    assert_eq!(bench.call(md5()).await.code(400), "InvalidRequest");
    bench.call(checksum()).await.ok();

    bench.configure(json!({ "requireChecksum": false, "refuseChecksums": true })).await;
    bench.call(md5()).await.ok();
    let refused = bench.call(checksum()).await;
    assert_eq!(refused.code(400), "InvalidArgument");
    assert!(refused.one("Message").contains("x-amz-"), "the header is named");
}

#[tokio::test]
async fn stores_without_multi_delete() {
    let bench = Bench::with_keys(&["a"]).await;
    for (status, code) in [(501, "NotImplemented"), (400, "InvalidArgument")] {
        bench.configure(json!({ "noMultiDelete": status })).await;
        assert_eq!(bench.call(Call::delete_objects("bucket", ["a"])).await.code(status), code);
    }
    assert_eq!(bench.keys("bucket").await, ["a"]);
    assert_eq!(bench.call(Call::new("DELETE", "/bucket/a")).await.status, 204);
    assert_eq!(bench.keys("bucket").await, [""; 0]);
}
