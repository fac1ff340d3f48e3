//! What becomes of the answer as a whole: another status or body, a cut, silence.

use super::dice::Dice;
use super::mutation::{Kind, Mutation};

/// What the client gets in the place of the answer, or how the answer reaches it.
#[derive(Clone, Debug, PartialEq)]
pub enum Envelope {
    /// As it is.
    Whole,
    /// Another answer.
    Other { status: u16, headers: Vec<(&'static str, String)>, body: String },
    /// So many thousandths of the body in a well-formed HTTP answer.
    Truncated(usize),
    /// The socket closes after so many thousandths of the body.
    Cut(usize),
    /// The socket closes without an answer.
    Closed,
    /// Nothing.
    Silence,
    /// It comes after so many milliseconds.
    Late(u64),
    /// As gzip, which was not asked for; said or not.
    Gzip { said: bool },
}

/// Longer than the client of the harness waits for an answer.
const TOO_LATE: u64 = 900;

const HTML: &str = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><p>Please sign in & try again.<br></body></html>";

const STATUSES: [u16; 20] = [
    204, 206, 301, 302, 307, 400, 401, 403, 404, 405, 408, 410, 411, 412, 413, 415, 429, 500, 502,
    503,
];

/// What stores answer a multi-delete with when they have none.
const NO_MULTI: [(u16, &str); 8] = [
    (501, "NotImplemented"),
    (405, "MethodNotAllowed"),
    (404, ""),
    (307, ""),
    (411, "MissingContentLength"),
    (412, ""),
    (415, ""),
    (400, "InvalidArgument"),
];

/// Codes of whole answers, from many stores.
const FOREIGN: [(u16, &str); 14] = [
    (429, "ExceedAccountQPSLimit"),
    (503, "QpsLimitExceeded"),
    (503, "ServerBusy"),
    (503, "SlowDownWrite"),
    (503, "XMinioServerNotInitialized"),
    (500, "InternalError"),
    (403, "AccessDenied"),
    (403, "RequestTimeTooSkewed"),
    (400, "ExpiredToken"),
    (400, "RequestTimeout"),
    (409, "OperationAborted"),
    (400, "AuthorizationHeaderMalformed"),
    (404, "NoSuchBucket"),
    (418, "Teapot"),
];

impl Envelope {
    /// The first of the mutations that is about the whole answer.
    pub fn of(mutations: &[(Mutation, Dice)], kind: Kind) -> Self {
        let found =
            mutations.iter().find_map(|(mutation, dice)| one(*mutation, kind, &mut dice.clone()));
        found.unwrap_or(Self::Whole)
    }

    /// Whether a delete that is answered so must have happened, as the client can't but take it for done.
    pub fn confirms(&self, kind: Kind) -> bool {
        match self {
            Self::Closed | Self::Silence => false,
            Self::Other { status, body, .. } => match kind {
                Kind::DeleteOne => {
                    ((200..300).contains(status) && body.is_empty())
                        || (matches!(status, 404 | 410) && !body.contains("NoSuchBucket"))
                }
                _ => (200..300).contains(status) && (body.is_empty() || body == EMPTY_RESULT),
            },
            _ => true,
        }
    }
}

const EMPTY_RESULT: &str = "<DeleteResult></DeleteResult>";

fn one(mutation: Mutation, kind: Kind, dice: &mut Dice) -> Option<Envelope> {
    let plain = |status, headers, body: &str| {
        Some(Envelope::Other { status, headers, body: body.to_owned() })
    };
    let html = || vec![("content-type", "text/html".to_owned())];
    match mutation {
        Mutation::Html => plain(200, html(), HTML),
        Mutation::Json => {
            plain(200, vec![("content-type", "application/json".to_owned())], "{\"ok\":true}")
        }
        Mutation::EmptyBody => plain(dice.pick(&[200, 204]), Vec::new(), ""),
        Mutation::EmptyResult => plain(200, Vec::new(), EMPTY_RESULT),
        Mutation::WrongStatus => {
            let status = dice.pick(&STATUSES);
            let body = dice.pick(&[
                "",
                HTML,
                "{\"error\":\"no\"}",
                "<Error></Error>",
                "<Error><Message>No code</Message></Error>",
            ]);
            // A success with nothing, or with a page that is no listing, is one of the other mutations.
            let body = if status < 300 { "" } else { body };
            plain(status, retry_after(dice), body)
        }
        Mutation::Redirect => {
            let places =
                ["http://127.0.0.1:9/", "/elsewhere", "", "http://login.example/?next=%2F"];
            let mut headers = vec![("location", (dice.pick(&places)).to_owned())];
            if dice.percent(50) {
                headers.push(("x-amz-bucket-region", "eu-central-1".to_owned()));
            }
            plain(dice.pick(&[301, 302, 303, 307, 308]), headers, dice.pick(&["", HTML]))
        }
        Mutation::ErrorInSuccess => plain(
            200,
            Vec::new(),
            &error(dice.pick(&["InternalError", "SlowDown", "AccessDenied", ""])),
        ),
        Mutation::Throttled => {
            let (status, code) = dice.pick(&[
                (503, "SlowDown"),
                (429, "TooManyRequests"),
                (429, ""),
                (429, "Whatever"),
                (503, ""),
            ]);
            let body = if code.is_empty() { HTML.to_owned() } else { error(code) };
            plain(status, retry_after(dice), &body)
        }
        Mutation::ForeignCode => {
            let (status, code) = dice.pick(&FOREIGN);
            plain(status, Vec::new(), &error(code))
        }
        Mutation::NoMultiDelete if kind == Kind::DeleteMany => {
            let (status, code) = dice.pick(&NO_MULTI);
            plain(status, Vec::new(), &if code.is_empty() { String::new() } else { error(code) })
        }
        Mutation::Truncate => Some(Envelope::Truncated(dice.below(1000))),
        Mutation::Cut => Some(Envelope::Cut(dice.below(1000))),
        Mutation::Close => Some(Envelope::Closed),
        Mutation::Silence => Some(Envelope::Silence),
        Mutation::Delay => Some(Envelope::Late(dice.pick(&[20, 100, TOO_LATE]))),
        Mutation::Gzip => Some(Envelope::Gzip { said: true }),
        Mutation::UndeclaredGzip => Some(Envelope::Gzip { said: false }),
        _ => None,
    }
}

/// An error as the body of an answer.
pub fn error(code: &str) -> String {
    format!("<Error><Code>{code}</Code><Message>As a hostile store says.</Message></Error>")
}

fn retry_after(dice: &mut Dice) -> Vec<(&'static str, String)> {
    let value =
        dice.pick(&["", "", "", "0", "1", "soon", "-1", "86400", "Fri, 31 Dec 2100 23:59:59 GMT"]);
    if value.is_empty() { Vec::new() } else { vec![("retry-after", value.to_owned())] }
}

/// The data as gzip, in stored blocks: what matters is that a reader has to undo it.
pub fn gzip(data: &[u8]) -> Vec<u8> {
    const CRC: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
    let mut out = vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF];
    let blocks: Vec<_> = if data.is_empty() { vec![data] } else { data.chunks(0xFFFF).collect() };
    for (index, block) in blocks.iter().enumerate() {
        let length = block.len() as u16;
        out.push(u8::from(index + 1 == blocks.len()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(*block);
    }
    out.extend(CRC.checksum(data).to_le_bytes());
    out.extend((data.len() as u32).to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(mutation: Mutation, kind: Kind, seed: u64) -> Envelope {
        Envelope::of(&[(mutation, Dice::new(seed, "", 0))], kind)
    }

    #[test]
    fn what_can_only_mean_done_must_have_happened() {
        let empty = of(Mutation::EmptyBody, Kind::DeleteOne, 0);
        assert!(empty.confirms(Kind::DeleteOne) && empty.confirms(Kind::DeleteMany));
        let missing = Envelope::Other { status: 404, headers: Vec::new(), body: String::new() };
        assert!(missing.confirms(Kind::DeleteOne) && !missing.confirms(Kind::DeleteMany));
        let no_bucket =
            Envelope::Other { status: 404, headers: Vec::new(), body: error("NoSuchBucket") };
        assert!(!no_bucket.confirms(Kind::DeleteOne));
        for mutation in [
            Mutation::Html,
            Mutation::Json,
            Mutation::Close,
            Mutation::Silence,
            Mutation::Throttled,
        ] {
            for kind in [Kind::DeleteMany, Kind::DeleteOne] {
                assert!(!of(mutation, kind, 1).confirms(kind), "{mutation:?}");
            }
        }
        assert!(of(Mutation::EmptyResult, Kind::DeleteMany, 0).confirms(Kind::DeleteMany));
        assert!(Envelope::Whole.confirms(Kind::DeleteOne));
    }

    #[test]
    fn no_wrong_status_passes_for_a_listing() {
        for seed in 0..200 {
            if let Envelope::Other { status, body, .. } =
                of(Mutation::WrongStatus, Kind::Objects, seed)
            {
                assert!(status >= 300 || body.is_empty());
            }
        }
    }

    #[test]
    fn gzip_can_be_undone() {
        // A stored block: header, length, its complement, the bytes, checksum, length.
        let packed = gzip(b"abc");
        assert_eq!(&packed[10..15], [1, 3, 0, 0xFC, 0xFF]);
        assert_eq!(&packed[15..18], b"abc");
        assert_eq!(packed[18..22], 0x352441C2_u32.to_le_bytes());
    }
}
