//! Buckets and single objects, signatures and digests, over HTTP.

mod common;

use common::{Bench, Call, encode, path};

#[tokio::test]
async fn an_object_goes_in_and_out() {
    let bench = Bench::start().await;
    assert_eq!(bench.call(Call::new("HEAD", "/bucket")).await.status, 404);
    assert_eq!(bench.call(Call::new("PUT", "/bucket/k").body("x")).await.code(404), "NoSuchBucket");
    bench.call(Call::new("PUT", "/bucket")).await.ok();
    assert_eq!(bench.call(Call::new("PUT", "/bucket")).await.code(409), "BucketAlreadyOwnedByYou");
    bench.call(Call::new("HEAD", "/bucket")).await.ok();

    let put = bench
        .call(Call::new("PUT", "/bucket/k").body("hello").header("content-type", "text/plain"))
        .await
        .ok();
    let etag = "\"5d41402abc4b2a76b9719d911017c592\"";
    assert_eq!(put.header("etag"), Some(etag));
    for method in ["HEAD", "GET"] {
        let reply = bench.call(Call::new(method, "/bucket/k")).await.ok();
        assert_eq!(reply.body, if method == "GET" { "hello" } else { "" });
        let expected = [("etag", etag), ("content-length", "5"), ("content-type", "text/plain")];
        for (name, value) in expected {
            assert_eq!(reply.header(name), Some(value), "{method} {name}");
        }
    }
    assert_eq!(bench.call(Call::new("DELETE", "/bucket/k")).await.status, 204);
    assert_eq!(
        bench.call(Call::new("DELETE", "/bucket/k")).await.status,
        204,
        "what is not there is deleted"
    );
    assert_eq!(bench.get("/bucket/k").await.code(404), "NoSuchKey");
    assert_eq!(bench.call(Call::new("HEAD", "/bucket/k")).await.status, 404);
}

#[tokio::test]
async fn only_well_signed_requests_pass() {
    let bench = Bench::with_keys(&["a b/é+%"]).await;
    bench.get(path("bucket", "a b/é+%")).await.ok();
    bench.get(format!("/bucket?prefix={}&list-type=2", encode("a b/é+"))).await.ok();
    let refused = |change: fn(&mut Call)| {
        let mut call = Call::new("GET", "/bucket/k");
        change(&mut call);
        bench.call(call)
    };
    assert_eq!(
        refused(|call| call.secret_key = "wrong".into()).await.code(403),
        "SignatureDoesNotMatch"
    );
    assert_eq!(
        refused(|call| call.access_key = "wrong".into()).await.code(403),
        "InvalidAccessKeyId"
    );
    assert_eq!(
        refused(|call| call.region = "eu-west-1").await.code(400),
        "AuthorizationHeaderMalformed"
    );
    let old = |call: &mut Call| call.headers.push(("x-amz-date".into(), "20200101T000000Z".into()));
    assert_eq!(refused(old).await.status, 400, "the date is not that of the credential's scope");
}

#[tokio::test]
async fn a_wrong_digest_is_refused_and_nothing_is_stored() {
    let bench = Bench::with_keys(&[]).await;
    for (name, value, code) in [
        ("content-md5", "AAAAAAAAAAAAAAAAAAAAAA==", "BadDigest"),
        ("x-amz-checksum-crc32", "AAAAAA==", "BadDigest"),
        ("x-amz-checksum-sha256", "AAAAAA==", "InvalidRequest"),
        ("x-amz-content-sha256", &"0".repeat(64), "XAmzContentSHA256Mismatch"),
    ] {
        let put = Call::new("PUT", "/bucket/k").body("hello").header(name, value);
        assert_eq!(bench.call(put).await.code(400), code, "{name}");
    }
    assert_eq!(bench.keys("bucket").await, [""; 0]);
}

#[tokio::test]
async fn chunked_uploads_are_unpacked() {
    let bench = Bench::with_keys(&[]).await;
    let body = "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n";
    let put = |length: &str| {
        Call::new("PUT", "/bucket/k")
            .body(body)
            .header("content-encoding", "aws-chunked")
            .header("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
            .header("x-amz-decoded-content-length", length)
            .header("x-amz-trailer", "x-amz-checksum-crc32")
    };
    assert_eq!(bench.call(put("6")).await.code(400), "IncompleteBody");
    bench.call(put("5")).await.ok();
    assert_eq!(bench.get("/bucket/k").await.ok().body, "hello");
}

#[tokio::test]
async fn added_credentials_expire() {
    let bench = Bench::with_keys(&[]).await;
    let with_token = |token: &str| {
        let mut call = Call::new("HEAD", "/bucket").header("x-amz-security-token", token);
        (call.access_key, call.secret_key) = ("temporary".into(), "other".into());
        call.method = "GET";
        call.uri = "/bucket?versioning".into();
        call
    };
    for (token, expires) in [("old", 1_000_u64), ("new", 1_000_000_000_000_000)] {
        let credentials = serde_json::json!({
            "accessKeyId": "temporary", "secretAccessKey": "other", "sessionToken": token, "expiresAtMs": expires
        });
        bench.admin("POST", "credentials", credentials).await;
    }
    assert_eq!(bench.call(with_token("old")).await.code(400), "ExpiredToken");
    assert_eq!(bench.call(with_token("none")).await.code(400), "InvalidToken");
    bench.call(with_token("new")).await.ok();
}
