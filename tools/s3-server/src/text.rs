//! Text forms: percent encoding as requests, signatures and listings each use it, and timestamps.

use std::fmt::Write;

use time::OffsetDateTime;
use time::macros::format_description;

use crate::error::{S3Error, S3Result};

/// Decodes the `%XX` of a path. A `+` stays.
pub fn decode_path(raw: &str) -> S3Result<String> {
    decode(raw, false)
}

/// Decodes a name or value of a query, where `+` is a space.
pub fn decode_query(raw: &str) -> S3Result<String> {
    decode(raw, true)
}

fn decode(raw: &str, plus_is_space: bool) -> S3Result<String> {
    let invalid = || S3Error::new(400, "InvalidURI", "Couldn't parse the specified URI.");
    let mut out = Vec::with_capacity(raw.len());
    let mut bytes = raw.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let mut digit =
                    || bytes.next().and_then(|b| char::from(b).to_digit(16)).ok_or_else(invalid);
                (digit()? * 16 + digit()?) as u8
            }
            b'+' if plus_is_space => b' ',
            _ => byte,
        });
    }
    String::from_utf8(out).map_err(|_| invalid())
}

/// Encodes as Signature Version 4 wants it: everything but the unreserved characters of RFC 3986.
pub fn encode_for_signature(text: &str, keep_slash: bool) -> String {
    encode(text, |byte| match byte {
        b'-' | b'.' | b'_' | b'~' => true,
        b'/' => keep_slash,
        _ => byte.is_ascii_alphanumeric(),
    })
}

/// Encodes as S3 does in a listing with `encoding-type=url`: form encoding that leaves `/` alone, so a space is `+` and
/// `~` is encoded while `*` is not.
pub fn encode_for_listing(text: &str) -> String {
    encode(text, |byte| {
        matches!(byte, b'-' | b'.' | b'_' | b'*' | b'/' | b' ') || byte.is_ascii_alphanumeric()
    })
    .replace(' ', "+")
}

fn encode(text: &str, keep: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if keep(byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("a string takes all writes");
        }
    }
    out
}

/// `2026-01-31T12:00:00.000Z`, as listings show times.
pub fn iso_time(unix_ms: i64) -> String {
    let format =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    from_unix_ms(unix_ms).format(format).expect("a full date and time")
}

/// `Sat, 31 Jan 2026 12:00:00 GMT`, as headers show times.
pub fn http_time(unix_ms: i64) -> String {
    let format = format_description!(
        "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
    );
    from_unix_ms(unix_ms).format(format).expect("a full date and time")
}

fn from_unix_ms(unix_ms: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(unix_ms) * 1_000_000)
        .unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// The present, in milliseconds since 1970.
pub fn now_ms() -> i64 {
    (OffsetDateTime::now_utc().unix_timestamp_nanos() / 1_000_000) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_encode_as_s3_does() {
        for (key, encoded) in [
            ("a b", "a+b"),
            ("a+b", "a%2Bb"),
            ("a%2Fb", "a%252Fb"),
            ("a/b", "a/b"),
            ("100%", "100%25"),
            ("test_file(3).png", "test_file%283%29.png"),
            ("~*-._", "%7E*-._"),
            ("\u{1}\r\n", "%01%0D%0A"),
            ("é😀", "%C3%A9%F0%9F%98%80"),
        ] {
            assert_eq!(encode_for_listing(key), encoded);
            assert_eq!(decode_query(encoded).unwrap(), key);
        }
    }

    #[test]
    fn paths_keep_plus_and_refuse_what_is_no_encoding() {
        assert_eq!(decode_path("/a+b%20c%2F").unwrap(), "/a+b c/");
        for bad in ["%", "%2", "%zz", "%+1", "%ff", "%ED%A0%80"] {
            assert_eq!(decode_path(bad).unwrap_err().code, "InvalidURI", "{bad}");
        }
    }

    #[test]
    fn times() {
        assert_eq!(iso_time(1_769_860_800_007), "2026-01-31T12:00:00.007Z");
        assert_eq!(http_time(1_769_860_800_007), "Sat, 31 Jan 2026 12:00:00 GMT");
    }
}
