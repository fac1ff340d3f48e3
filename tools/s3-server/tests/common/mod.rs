//! A server in this process, and a client for it that signs its requests on its own: nothing of the server's code is used
//! to talk to it.

#![allow(dead_code, reason = "each test file uses its part")]

use std::time::SystemTime;

use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::{HeaderMap, Request};
use hyper_util::rt::TokioIo;
use s3_server::Server;
use s3_server::options::{Options, Settings};
use serde_json::Value;
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use time::macros::format_description;
use tokio::net::TcpStream;

/// An answer whose body has arrived.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

impl Reply {
    /// The texts of all elements of this name, as they stand in the document.
    pub fn all(&self, name: &str) -> Vec<&str> {
        let (start, end) = (format!("<{name}>"), format!("</{name}>"));
        let parts = self.body.split(&start).skip(1);
        parts.map(|part| part.split_once(&end).expect("the element ends").0).collect()
    }

    /// The text of the only element of this name.
    pub fn one(&self, name: &str) -> &str {
        let all = self.all(name);
        assert_eq!(all.len(), 1, "one {name} in {}", self.body);
        all[0]
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("text"))
    }

    /// The error code, after a check of the status.
    pub fn code(&self, status: u16) -> &str {
        assert_eq!(self.status, status, "{}", self.body);
        self.one("Code")
    }

    pub fn ok(self) -> Self {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.body);
        self
    }
}

/// A request before it is signed.
pub struct Call {
    pub method: &'static str,
    /// Path and query, encoded.
    pub uri: String,
    pub body: Bytes,
    pub headers: Vec<(String, String)>,
    pub access_key: String,
    pub secret_key: String,
    pub region: &'static str,
}

impl Call {
    pub fn new(method: &'static str, uri: impl Into<String>) -> Self {
        Self {
            method,
            uri: uri.into(),
            body: Bytes::new(),
            headers: Vec::new(),
            access_key: "test-access-key".into(),
            secret_key: "test-secret-key".into(),
            region: "us-east-1",
        }
    }

    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// A DeleteObjects of these keys, with Content-MD5.
    pub fn delete_objects(bucket: &str, keys: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let objects: String = keys.into_iter().map(|key| object(key.as_ref())).collect();
        Self::delete_document(bucket, format!("<Delete>{objects}</Delete>"))
    }

    pub fn delete_document(bucket: &str, document: String) -> Self {
        let md5 = base64::Engine::encode(
            &base64::prelude::BASE64_STANDARD,
            md5::Md5::digest(document.as_bytes()),
        );
        Self::new("POST", format!("/{bucket}?delete")).body(document).header("content-md5", md5)
    }

    fn sign(&self, host: &str) -> Request<Full<Bytes>> {
        let format = format_description!("[year][month][day]T[hour][minute][second]Z");
        let timestamp = OffsetDateTime::from(SystemTime::now()).format(format).expect("a time");
        let mut headers = self.headers.clone();
        let mut add = |name: &str, value: String| {
            if !headers.iter().any(|(known, _)| known == name) {
                headers.push((name.into(), value));
            }
        };
        add("host", host.into());
        add("x-amz-date", timestamp.clone());
        add("x-amz-content-sha256", hex::encode(Sha256::digest(&self.body)));
        headers.sort();
        let names: Vec<_> = headers.iter().map(|(name, _)| &**name).collect();
        let names = names.join(";");
        let payload =
            &headers.iter().find(|(name, _)| name == "x-amz-content-sha256").expect("added").1;
        let (path, query) = self.uri.split_once('?').unwrap_or((&self.uri, ""));
        let mut pairs: Vec<_> =
            query.split('&').filter(|pair| !pair.is_empty()).map(str::to_owned).collect();
        pairs.iter_mut().filter(|pair| !pair.contains('=')).for_each(|pair| pair.push('='));
        pairs.sort();
        let lines: String =
            headers.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
        let canonical =
            format!("{}\n{path}\n{}\n{lines}\n{names}\n{payload}", self.method, pairs.join("&"));
        let date = &timestamp[..8];
        let scope = format!("{date}/{}/s3/aws4_request", self.region);
        let to_sign = format!(
            "AWS4-HMAC-SHA256\n{timestamp}\n{scope}\n{}",
            hex::encode(Sha256::digest(canonical))
        );
        let mut key = format!("AWS4{}", self.secret_key).into_bytes();
        for part in [date, self.region, "s3", "aws4_request", &to_sign] {
            let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("any length");
            mac.update(part.as_bytes());
            key = mac.finalize().into_bytes().to_vec();
        }
        let authorization = format!(
            "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={}",
            self.access_key,
            hex::encode(key)
        );
        let mut request = Request::builder()
            .method(self.method)
            .uri(&self.uri)
            .header("authorization", authorization);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        request.body(Full::new(self.body.clone())).expect("a valid request")
    }
}

/// An Object element, with the key escaped as a careful client does.
pub fn object(key: &str) -> String {
    let key =
        key.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\r', "&#13;");
    format!("<Object><Key>{key}</Key></Object>")
}

/// Percent-encodes a key for a path.
pub fn path(bucket: &str, key: &str) -> String {
    format!("/{bucket}/{}", encode(key).replace("%2F", "/"))
}

/// Percent-encodes a value for a query.
pub fn encode(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

/// A running server.
pub struct Bench {
    host: String,
}

impl Bench {
    pub async fn start() -> Self {
        Self::with(|_| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let mut options = Options::default();
        change(&mut options.settings);
        let server = Server::start(options).await.expect("the server starts");
        let host = format!("127.0.0.1:{}", server.port());
        tokio::spawn(server.run());
        Self { host }
    }

    /// With a bucket that holds these keys.
    pub async fn with_keys(keys: &[&str]) -> Self {
        let bench = Self::start().await;
        bench.seed(serde_json::json!({ "bucket": "bucket", "keys": keys })).await;
        bench
    }

    pub async fn connect(&self) -> Connection {
        let stream = TcpStream::connect(&self.host).await.expect("the server listens");
        let (sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.expect("a connection");
        tokio::spawn(connection);
        Connection { host: self.host.clone(), sender }
    }

    /// The answer, or nothing when the socket closed before it was whole.
    pub async fn try_call(&self, call: Call) -> Option<Reply> {
        self.connect().await.try_call(&call).await
    }

    pub async fn call(&self, call: Call) -> Reply {
        self.try_call(call).await.expect("a whole answer")
    }

    pub async fn get(&self, uri: impl Into<String>) -> Reply {
        self.call(Call::new("GET", uri)).await
    }

    /// All keys of the bucket, as the store holds them.
    pub async fn keys(&self, bucket: &str) -> Vec<String> {
        let reply = self.get(format!("/{bucket}?list-type=2&encoding-type=url")).await.ok();
        reply.all("Key").into_iter().map(decode).collect()
    }

    pub async fn admin(&self, method: &'static str, path: &str, body: Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let reply = self.call(Call::new(method, format!("/-/{path}")).body(body)).await.ok();
        serde_json::from_str(&reply.body).expect("JSON")
    }

    pub async fn seed(&self, seed: Value) {
        self.admin("POST", "seed", seed).await;
    }

    pub async fn faults(&self, faults: Value) {
        self.admin("POST", "faults", faults).await;
    }

    pub async fn configure(&self, settings: Value) {
        self.admin("POST", "config", settings).await;
    }

    pub async fn stats(&self) -> Value {
        self.admin("GET", "stats", Value::Null).await
    }
}

/// Decodes a url-encoded key of a listing.
pub fn decode(encoded: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next().expect("a digit"), rest.next().expect("a digit")];
                u8::from_str_radix(std::str::from_utf8(&digits).expect("ASCII"), 16)
                    .expect("hexadecimal")
            }
            _ => byte,
        });
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// A kept-alive connection.
pub struct Connection {
    host: String,
    sender: SendRequest<Full<Bytes>>,
}

impl Connection {
    pub async fn try_call(&mut self, call: &Call) -> Option<Reply> {
        self.sender.ready().await.ok()?;
        let response = self.sender.send_request(call.sign(&self.host)).await.ok()?;
        let (head, body) = response.into_parts();
        let body = body.collect().await.ok()?.to_bytes();
        let body = String::from_utf8(body.to_vec()).expect("UTF-8");
        Some(Reply { status: head.status.as_u16(), headers: head.headers, body })
    }
}
