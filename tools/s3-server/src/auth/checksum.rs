//! The digests that a client may send along with a body: Content-MD5 and the x-amz-checksum headers.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crc::{CRC_32_ISCSI, CRC_32_ISO_HDLC, CRC_64_NVME, Crc, Table};
use hyper::header::HeaderMap;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};

use crate::error::{S3Error, S3Result};
use crate::request::header;

static CRC32: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC);
static CRC32C: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISCSI);
static CRC64NVME: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_NVME);

const PREFIX: &str = "x-amz-checksum-";

/// The algorithms of x-amz-checksum headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    Crc32,
    Crc32c,
    Crc64Nvme,
    Sha1,
    Sha256,
}

impl Algorithm {
    const ALL: [Self; 5] = [Self::Crc32, Self::Crc32c, Self::Crc64Nvme, Self::Sha1, Self::Sha256];

    fn name(self) -> &'static str {
        match self {
            Self::Crc32 => "crc32",
            Self::Crc32c => "crc32c",
            Self::Crc64Nvme => "crc64nvme",
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
        }
    }

    fn digest(self, body: &[u8]) -> Vec<u8> {
        match self {
            Self::Crc32 => CRC32.checksum(body).to_be_bytes().to_vec(),
            Self::Crc32c => CRC32C.checksum(body).to_be_bytes().to_vec(),
            Self::Crc64Nvme => CRC64NVME.checksum(body).to_be_bytes().to_vec(),
            Self::Sha1 => Sha1::digest(body).to_vec(),
            Self::Sha256 => Sha256::digest(body).to_vec(),
        }
    }
}

/// Which digests a request carried, all of them right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digests {
    pub md5: bool,
    pub checksum: bool,
}

/// Verifies every digest that came with the body, in headers or in the trailer of a chunked upload.
pub fn verify(headers: &HeaderMap, trailer: &HeaderMap, body: &[u8]) -> S3Result<Digests> {
    let md5 = match header(headers, "content-md5") {
        None => false,
        Some(value) => {
            check_md5(value, body)?;
            true
        }
    };
    let sent = |algorithm: Algorithm| {
        let name = format!("{PREFIX}{}", algorithm.name());
        header(headers, &name).or_else(|| header(trailer, &name)).map(|value| (algorithm, value))
    };
    let sent: Vec<_> = Algorithm::ALL.into_iter().filter_map(sent).collect();
    match sent[..] {
        [] if headers.contains_key("x-amz-sdk-checksum-algorithm") => {
            let message = "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer \
                           headers were found.";
            Err(S3Error::invalid_request(message))
        }
        [] => Ok(Digests { md5, checksum: false }),
        [(algorithm, value)] => {
            check(algorithm, value, body)?;
            Ok(Digests { md5, checksum: true })
        }
        _ => {
            let message = "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.";
            Err(S3Error::invalid_request(message))
        }
    }
}

/// The first header about checksums, for stores that know none.
pub fn any_checksum_header(headers: &HeaderMap) -> Option<&str> {
    let about = |name: &&str| {
        name.starts_with(PREFIX)
            || *name == "x-amz-sdk-checksum-algorithm"
            || *name == "x-amz-trailer"
    };
    headers.keys().map(|name| name.as_str()).find(about)
}

fn check_md5(value: &str, body: &[u8]) -> S3Result<()> {
    let digest = BASE64_STANDARD.decode(value).ok().filter(|digest| digest.len() == 16);
    let digest = digest.ok_or_else(|| {
        S3Error::new(400, "InvalidDigest", "The Content-MD5 you specified was invalid.")
    })?;
    if digest == Md5::digest(body).to_vec() {
        return Ok(());
    }
    Err(S3Error::new(
        400,
        "BadDigest",
        "The Content-MD5 you specified did not match what we received.",
    ))
}

fn check(algorithm: Algorithm, value: &str, body: &[u8]) -> S3Result<()> {
    let expected = algorithm.digest(body);
    let name = algorithm.name();
    match BASE64_STANDARD.decode(value) {
        Ok(digest) if digest == expected => Ok(()),
        Ok(digest) if digest.len() == expected.len() => {
            let name = name.to_uppercase();
            let message =
                format!("The {name} you specified did not match the calculated checksum.");
            Err(S3Error::new(400, "BadDigest", message))
        }
        _ => Err(S3Error::invalid_request(format!("Value for {PREFIX}{name} header is invalid."))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verify_header(name: &'static str, value: &str) -> Result<Digests, String> {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        verify(&headers, &HeaderMap::new(), b"123456789").map_err(|error| error.code.into_owned())
    }

    #[test]
    fn right_digests_pass() {
        // The check values of the algorithms' catalogues for the text "123456789".
        for (name, value) in [
            ("x-amz-checksum-crc32", "y/Q5Jg=="),
            ("x-amz-checksum-crc32c", "4waSgw=="),
            ("x-amz-checksum-crc64nvme", "rosUhgp5mIg="),
            ("x-amz-checksum-sha1", "98O8HYCOBHMq32eZZczDTKeuNEE="),
            ("x-amz-checksum-sha256", "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="),
        ] {
            assert_eq!(
                verify_header(name, value),
                Ok(Digests { md5: false, checksum: true }),
                "{name}"
            );
        }
        let md5 = verify_header("content-md5", "JfnnlDI7RTiF9RgfG2JNCw==");
        assert_eq!(md5, Ok(Digests { md5: true, checksum: false }));
    }

    #[test]
    fn wrong_digests_are_refused() {
        assert_eq!(verify_header("x-amz-checksum-crc32", "AAAAAA=="), Err("BadDigest".into()));
        assert_eq!(verify_header("x-amz-checksum-crc32", "AAAA"), Err("InvalidRequest".into()));
        assert_eq!(verify_header("x-amz-checksum-sha256", "?"), Err("InvalidRequest".into()));
        assert_eq!(
            verify_header("content-md5", "AAAAAAAAAAAAAAAAAAAAAA=="),
            Err("BadDigest".into())
        );
        assert_eq!(verify_header("content-md5", "AAAA"), Err("InvalidDigest".into()));
        assert_eq!(
            verify_header("x-amz-sdk-checksum-algorithm", "CRC32"),
            Err("InvalidRequest".into())
        );
    }
}
