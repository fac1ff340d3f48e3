//! The body of a request as it was meant: unpacked from chunks, with the digests that came with it verified.

use bytes::Bytes;
use hyper::header::HeaderMap;
use sha2::{Digest, Sha256};

use super::{checksum, chunked};
use crate::error::{S3Error, S3Result};
use crate::request::header;

const UNSIGNED: &str = "UNSIGNED-PAYLOAD";
const UNSIGNED_CHUNKS: &str = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";

/// A verified body.
#[derive(Debug)]
pub struct Payload {
    pub body: Bytes,
    pub digests: checksum::Digests,
}

/// Unpacks and verifies the body.
pub fn verify(headers: &HeaderMap, raw: Bytes) -> S3Result<Payload> {
    let (body, trailer) = match header(headers, "x-amz-content-sha256").unwrap_or_default() {
        UNSIGNED => (raw, HeaderMap::new()),
        UNSIGNED_CHUNKS => unpack(headers, &raw)?,
        other if other.starts_with("STREAMING-") => return Err(S3Error::not_implemented(other)),
        hash => {
            check_hash(hash, &raw)?;
            (raw, HeaderMap::new())
        }
    };
    let digests = checksum::verify(headers, &trailer, &body)?;
    Ok(Payload { body, digests })
}

fn unpack(headers: &HeaderMap, raw: &Bytes) -> S3Result<(Bytes, HeaderMap)> {
    let (body, trailer) = chunked::decode(raw)?;
    let promised = header(headers, "x-amz-decoded-content-length").ok_or_else(|| {
        S3Error::new(
            411,
            "MissingContentLength",
            "You must provide the x-amz-decoded-content-length header.",
        )
    })?;
    if promised.parse() != Ok(body.len()) {
        let message = "You did not provide the number of bytes specified by the x-amz-decoded-content-length header";
        return Err(S3Error::new(400, "IncompleteBody", message));
    }
    let announced = header(headers, "x-amz-trailer");
    if announced.is_some_and(|name| !trailer.contains_key(name))
        || announced.is_none() && !trailer.is_empty()
    {
        let message = "The trailer is not what the x-amz-trailer header announces";
        return Err(S3Error::new(400, "MalformedTrailerError", message));
    }
    Ok((body, trailer))
}

fn check_hash(hash: &str, body: &[u8]) -> S3Result<()> {
    let expected = hex::decode(hash).ok().filter(|bytes| bytes.len() == 32).ok_or_else(|| {
        S3Error::invalid_argument("x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER or a valid sha256 value.")
    })?;
    if expected == Sha256::digest(body).to_vec() {
        return Ok(());
    }
    let message = "The provided 'x-amz-content-sha256' header does not match what was computed.";
    Err(S3Error::new(400, "XAmzContentSHA256Mismatch", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verified(pairs: &[(&'static str, &str)], body: &'static str) -> Result<Bytes, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, value.parse().unwrap());
        }
        let payload = verify(&headers, Bytes::from_static(body.as_bytes()));
        payload.map(|payload| payload.body).map_err(|error| error.code.into_owned())
    }

    #[test]
    fn plain_bodies() {
        let sha256 = "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225";
        assert_eq!(
            verified(&[("x-amz-content-sha256", sha256)], "123456789"),
            Ok("123456789".into())
        );
        assert_eq!(
            verified(&[("x-amz-content-sha256", sha256)], "1234567890"),
            Err("XAmzContentSHA256Mismatch".into())
        );
        assert_eq!(
            verified(&[("x-amz-content-sha256", UNSIGNED)], "123456789"),
            Ok("123456789".into())
        );
        assert_eq!(verified(&[("x-amz-content-sha256", "abc")], ""), Err("InvalidArgument".into()));
        let signed_chunks = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
        assert_eq!(
            verified(&[("x-amz-content-sha256", signed_chunks)], ""),
            Err("NotImplemented".into())
        );
    }

    #[test]
    fn chunked_bodies() {
        let chunked = |length, trailer, body| {
            let headers = [
                ("x-amz-content-sha256", UNSIGNED_CHUNKS),
                ("x-amz-decoded-content-length", length),
                ("x-amz-trailer", trailer),
            ];
            verified(&headers, body)
        };
        let good = "9\r\n123456789\r\n0\r\nx-amz-checksum-crc32:y/Q5Jg==\r\n\r\n";
        let bad = "9\r\n123456780\r\n0\r\nx-amz-checksum-crc32:y/Q5Jg==\r\n\r\n";
        assert_eq!(chunked("9", "x-amz-checksum-crc32", good), Ok("123456789".into()));
        assert_eq!(chunked("8", "x-amz-checksum-crc32", good), Err("IncompleteBody".into()));
        assert_eq!(
            chunked("9", "x-amz-checksum-sha256", good),
            Err("MalformedTrailerError".into())
        );
        assert_eq!(chunked("9", "x-amz-checksum-crc32", bad), Err("BadDigest".into()));
        assert_eq!(chunked("9", "x-amz-checksum-crc32", "123456789"), Err("IncompleteBody".into()));
    }
}
