//! The `aws-chunked` encoding of uploads whose checksum follows the body.
//!
//! Chunks are `<length in hex>\r\n<bytes>\r\n`; one of length 0 ends them, and trailer lines follow up to an empty line.

use bytes::{Bytes, BytesMut};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use crate::error::{S3Error, S3Result};

/// The body and its trailer.
pub fn decode(raw: &Bytes) -> S3Result<(Bytes, HeaderMap)> {
    decode_parts(raw).ok_or_else(|| {
        let message =
            "The request body terminated unexpectedly: it is not in the aws-chunked encoding";
        S3Error::new(400, "IncompleteBody", message)
    })
}

fn decode_parts(mut raw: &[u8]) -> Option<(Bytes, HeaderMap)> {
    let mut body = BytesMut::new();
    loop {
        let length = usize::from_str_radix(take_line(&mut raw)?, 16).ok()?;
        if length == 0 {
            break;
        }
        let chunk = raw.get(..length)?;
        raw = raw[length..].strip_prefix(b"\r\n")?;
        body.extend_from_slice(chunk);
    }
    let mut trailer = HeaderMap::new();
    while !raw.is_empty() {
        let line = take_line(&mut raw)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        trailer.insert(
            HeaderName::try_from(name.trim()).ok()?,
            HeaderValue::from_str(value.trim()).ok()?,
        );
    }
    raw.is_empty().then(|| (body.freeze(), trailer))
}

fn take_line<'a>(raw: &mut &'a [u8]) -> Option<&'a str> {
    let end = raw.windows(2).position(|pair| pair == b"\r\n")?;
    let line = std::str::from_utf8(&raw[..end]).ok()?;
    *raw = &raw[end + 2..];
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(raw: &'static str) -> Option<(String, Option<String>)> {
        let (body, trailer) = decode(&Bytes::from_static(raw.as_bytes())).ok()?;
        let checksum =
            trailer.get("x-amz-checksum-crc32").map(|value| value.to_str().unwrap().to_owned());
        Some((String::from_utf8(body.to_vec()).unwrap(), checksum))
    }

    #[test]
    fn joins_chunks_and_reads_the_trailer() {
        let expected = Some(("12345\r\n89abcdef".to_owned(), Some("AAAAAA==".to_owned())));
        assert_eq!(
            decoded(
                "5\r\n12345\r\na\r\n\r\n89abcdef\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n"
            ),
            expected
        );
        assert_eq!(decoded("0\r\n\r\n"), Some((String::new(), None)));
    }

    #[test]
    fn what_is_cut_off_or_wrong_is_refused() {
        for bad in [
            "",
            "5\r\n123",
            "5\r\n12345",
            "5\r\n12345\r\n",
            "x\r\n\r\n",
            "3\r\n12345\r\n0\r\n\r\n",
            "0\r\nbad\r\n\r\n",
            "0\r\n\r\nmore",
        ] {
            assert_eq!(decoded(bad), None, "{bad:?}");
        }
    }
}
