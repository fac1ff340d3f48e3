//! Listings over HTTP: pages, encodings, odd keys, versions.

mod common;

use common::{Bench, Call, encode, path};
use serde_json::json;

/// Keys that clients have been seen to get wrong, in byte order. All of them are valid keys.
const ODD_KEYS: [&str; 31] = [
    "\u{0}",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\u{1f}",
    " ",
    " a",
    "%20",
    "&amp;",
    "&lt;",
    "+",
    ".",
    "..",
    "/",
    "//",
    "/lead",
    "<a href=\"'\">",
    "a",
    "a ",
    "a b",
    "a%2Fb",
    "a+b",
    "a/b",
    "d/../e",
    "d/./x",
    "~*'()",
    "\u{7f}",
    "é",
    "\u{ffff}",
    "😀",
];

#[tokio::test]
async fn odd_keys_are_stored_listed_and_deleted_as_themselves() {
    let bench = Bench::with_keys(&[]).await;
    for key in ODD_KEYS {
        bench.call(Call::new("PUT", path("bucket", key)).body("x")).await.ok();
    }
    assert_eq!(bench.keys("bucket").await, ODD_KEYS);
    for (index, key) in ODD_KEYS.iter().enumerate() {
        let reply = bench
            .get(format!("/bucket?list-type=2&encoding-type=url&max-keys=1&prefix={}", encode(key)))
            .await;
        assert_eq!(common::decode(reply.all("Key")[0]), *key);
        assert_eq!(bench.call(Call::new("DELETE", path("bucket", key))).await.status, 204);
        assert_eq!(bench.keys("bucket").await, ODD_KEYS[index + 1..], "only {key:?} goes");
    }
}

#[tokio::test]
async fn what_xml_can_carry_is_deleted_as_itself_and_the_rest_refused() {
    let bench = Bench::with_keys(&ODD_KEYS).await;
    let is_xml = |key: &&str| {
        key.chars().all(|c| c == '\t' || c == '\n' || c == '\r' || c >= ' ' && c != '\u{ffff}')
    };
    let (fit, unfit): (Vec<_>, Vec<_>) = ODD_KEYS.into_iter().partition(is_xml);
    for key in &unfit {
        let reference: String = key.chars().map(|c| format!("&#x{:x};", u32::from(c))).collect();
        for written in [*key, &reference] {
            let document = format!("<Delete><Object><Key>{written}</Key></Object></Delete>");
            let reply = bench.call(Call::delete_document("bucket", document)).await;
            assert_eq!(reply.code(400), "MalformedXML", "{written:?}");
        }
    }
    let reply = bench.call(Call::delete_objects("bucket", &fit)).await.ok();
    assert_eq!(reply.all("Deleted").len(), fit.len());
    assert!(
        reply.all("Key").contains(&"&#13;\n"),
        "a carriage return is a reference in the answer"
    );
    assert_eq!(bench.keys("bucket").await, unfit);
}

#[tokio::test]
async fn url_encoding_only_when_asked_for() {
    let bench = Bench::with_keys(&["a b/c+d", "a b/e~*"]).await;
    let uri = |rest: &str| {
        format!("/bucket?list-type=2&prefix=a%20b%2F&delimiter=%2B&start-after=a%20b%2F{rest}")
    };
    let encoded = bench.get(uri("&encoding-type=url")).await.ok();
    assert_eq!(encoded.one("EncodingType"), "url");
    assert_eq!(encoded.one("StartAfter"), "a+b/");
    assert_eq!(encoded.one("Delimiter"), "%2B");
    assert_eq!(encoded.one("Key"), "a+b/e%7E*");
    assert_eq!(encoded.all("Prefix"), ["a+b/", "a+b/c%2B"]);
    let plain = bench.get(uri("")).await.ok();
    assert_eq!(plain.all("EncodingType"), [""; 0]);
    assert_eq!((plain.one("Key"), plain.all("Prefix")), ("a b/e~*", vec!["a b/", "a b/c+"]));

    bench.configure(json!({ "ignoreEncodingType": true })).await;
    let ignored = bench.get(uri("&encoding-type=url")).await.ok();
    assert_eq!((ignored.one("Key"), ignored.all("EncodingType").len()), ("a b/e~*", 0));
}

#[tokio::test]
async fn without_encoding_illegal_characters_are_references() {
    let bench = Bench::with_keys(&["a\u{1}\u{ffff}\r\n<&>\""]).await;
    let reply = bench.get("/bucket?list-type=2").await.ok();
    assert_eq!(reply.one("Key"), "a&#x1;&#xffff;&#13;\n&lt;&amp;&gt;&quot;");
}

#[tokio::test]
async fn pretty_answers_keep_the_blanks_of_keys() {
    let bench = Bench::with_keys(&[" ", "a "]).await;
    bench.configure(json!({ "prettyXml": true })).await;
    let reply = bench.get("/bucket?list-type=2").await.ok();
    assert_eq!(reply.all("Key"), [" ", "a "]);
    assert!(reply.body.contains("\n  <Contents>\n    <Key> </Key>\n"), "{}", reply.body);
}

#[tokio::test]
async fn pages_follow_their_tokens() {
    let bench = Bench::start().await;
    bench.seed(json!({ "bucket": "bucket", "template": "{i%3}/{i:05}", "count": 2500 })).await;
    let mut uri = "/bucket?list-type=2&fetch-owner=true".to_owned();
    let mut keys = Vec::new();
    let mut sizes = Vec::new();
    loop {
        let reply = bench.get(&uri).await.ok();
        let page: Vec<_> = reply.all("Key").into_iter().map(str::to_owned).collect();
        assert_eq!(reply.one("KeyCount"), page.len().to_string());
        assert_eq!(reply.all("Owner").len(), page.len());
        sizes.push(page.len());
        keys.extend(page);
        if reply.one("IsTruncated") == "false" {
            assert_eq!(reply.all("NextContinuationToken"), [""; 0]);
            break;
        }
        uri = format!(
            "/bucket?list-type=2&fetch-owner=true&continuation-token={}",
            encode(reply.one("NextContinuationToken"))
        );
    }
    assert_eq!(sizes, [1000, 1000, 500]);
    assert!(keys.is_sorted() && keys.len() == 2500);

    let rolled = bench.get("/bucket?list-type=2&delimiter=%2F&max-keys=2").await.ok();
    assert_eq!(
        (rolled.one("KeyCount"), rolled.one("IsTruncated"), rolled.all("Contents").len()),
        ("2", "true", 0)
    );
    let token = encode(rolled.one("NextContinuationToken"));
    let rest = bench
        .get(format!("/bucket?list-type=2&delimiter=%2F&continuation-token={token}"))
        .await
        .ok();
    assert_eq!(
        (rest.one("CommonPrefixes"), rest.one("IsTruncated")),
        ("<Prefix>2/</Prefix>", "false")
    );

    let after = bench.get("/bucket?list-type=2&start-after=2%2F02496&max-keys=5000").await.ok();
    assert_eq!((after.all("Key"), after.one("MaxKeys")), (vec!["2/02498"; 1], "1000"));
    assert_eq!(
        bench.get("/bucket?list-type=2&continuation-token=x").await.code(400),
        "InvalidArgument"
    );
    assert_eq!(bench.get("/other?list-type=2").await.code(404), "NoSuchBucket");
}

#[tokio::test]
async fn versions_and_markers() {
    let bench = Bench::with_keys(&["before"]).await;
    let configuration =
        "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    assert_eq!(bench.get("/bucket?versioning").await.ok().all("Status"), [""; 0]);
    bench.call(Call::new("PUT", "/bucket?versioning").body(configuration)).await.ok();
    assert_eq!(bench.get("/bucket?versioning").await.ok().one("Status"), "Enabled");

    let first = bench.call(Call::new("PUT", "/bucket/k").body("1")).await.ok();
    let first = first.header("x-amz-version-id").unwrap().to_owned();
    bench.call(Call::new("PUT", "/bucket/k").body("22")).await.ok();
    let deleted = bench.call(Call::new("DELETE", "/bucket/k")).await.ok();
    assert_eq!(deleted.header("x-amz-delete-marker"), Some("true"));
    let marker = deleted.header("x-amz-version-id").unwrap().to_owned();
    let gone = bench.get("/bucket/k").await;
    assert_eq!((gone.code(404), gone.header("x-amz-delete-marker")), ("NoSuchKey", Some("true")));
    assert_eq!(bench.get(format!("/bucket/k?versionId={first}")).await.ok().body, "1");
    assert_eq!(
        bench.get(format!("/bucket/k?versionId={marker}")).await.code(405),
        "MethodNotAllowed"
    );
    assert_eq!(bench.get("/bucket/k?versionId=x").await.code(400), "InvalidArgument");

    let all = bench.get("/bucket?versions").await.ok();
    assert_eq!(all.all("Key"), ["before", "k", "k", "k"]);
    assert_eq!(all.all("IsLatest"), ["true", "true", "false", "false"]);
    assert_eq!(all.all("VersionId")[0], "null");
    assert_eq!((all.all("Version").len(), all.all("DeleteMarker").len()), (3, 1));
    let order = all.body.find("<DeleteMarker>").unwrap() > all.body.find("<Version>").unwrap();
    assert!(order, "markers stand among versions, in the order of the listing");

    let page = bench.get("/bucket?versions&max-keys=2").await.ok();
    assert_eq!((page.one("NextKeyMarker"), page.one("NextVersionIdMarker")), ("k", &*marker));
    let rest =
        bench.get(format!("/bucket?versions&key-marker=k&version-id-marker={marker}")).await.ok();
    assert_eq!((rest.all("Size"), rest.one("IsTruncated")), (vec!["2", "1"], "false"));

    let document = format!(
        "<Delete><Object><Key>k</Key><VersionId>{marker}</VersionId></Object>\
         <Object><Key>k</Key><VersionId>{first}</VersionId></Object>\
         <Object><Key>k</Key><VersionId>bad</VersionId></Object><Object><Key>new</Key></Object></Delete>"
    );
    let reply = bench.call(Call::delete_document("bucket", document)).await.ok();
    assert_eq!(reply.all("Code"), ["NoSuchVersion"]);
    assert_eq!(reply.all("DeleteMarker"), ["true", "true"], "one removed, one made");
    assert_eq!(bench.keys("bucket").await, ["before", "k"]);
    let stats = bench.stats().await;
    assert_eq!(
        (&stats["keys"]["markersCreated"], &stats["keys"]["refused"]),
        (&json!(2), &json!(1))
    );
}
