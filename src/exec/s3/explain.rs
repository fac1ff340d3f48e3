//! What an answer means that is not one of S3, or that sends the client to another place.
//!
//! The readers of answers know the documents of S3 alone. A proxy, a login page, another service or the wrong region shows in
//! status, headers and text of an answer, and these are read here.

use super::config::region;
use super::fault::{Fault, Kind};
use super::shown::{shown_url, without_tags, words};

/// How many bytes of a body are looked at for its first words.
const LOOKED_AT: usize = 4096;

/// The parts of an answer that its reader does not look at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told<'a> {
    /// The status.
    pub status: u16,
    /// The URL that the answer sends the client to.
    pub location: Option<&'a str>,
    /// The region of the bucket, as a header says it.
    pub region: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
}

/// The fault that the reader found, with what the rest of the answer shows.
pub fn explain(fault: Fault, told: &Told<'_>) -> Fault {
    if let Some(region) = told.other_region(&fault) {
        let message = format!(
            "The bucket is in the region '{region}': set `region` to it{}",
            said(&fault.message)
        );
        return fatal("WrongRegion", fault, message);
    }
    let has_code = fault.code != format!("Http{}", told.status) && fault.code != "MalformedAnswer";
    if has_code {
        return match told.status {
            300..=399 => {
                let message = format!("{}{}", fault.message, told.redirect());
                Fault { message, ..fault }
            }
            _ => fault,
        };
    }
    let what = told.what();
    match told.status {
        300..=399 => {
            let message = format!(
                "The answer is a redirect, as no store of S3 sends it ({what}{}): check `endpoint`, and whether a login or a proxy stands before it",
                told.redirect()
            );
            fatal("NotS3", fault, message)
        }
        407 => {
            let message = format!(
                "The proxy asks for a user and a password ({what}): give them in the URL of `proxy`"
            );
            fatal("InvalidConfig", fault, message)
        }
        200..=299 if told.is_html() => {
            let message = format!(
                "The answer is a page, not one of S3 ({what}): check `endpoint`, and whether a login or a proxy stands before it"
            );
            fatal("NotS3", fault, message)
        }
        400 if told.speaks_of_tls() => {
            let message =
                format!("The endpoint wants TLS ({what}): begin `endpoint` with https://");
            fatal("NotS3", fault, message)
        }
        200..=299 => Fault { message: format!("{} ({what})", fault.message), ..fault },
        _ => Fault { message: format!("The answer is not one of S3 ({what})"), ..fault },
    }
}

fn fatal(code: &str, fault: Fault, message: String) -> Fault {
    Fault { kind: Kind::Fatal, code: code.to_owned(), message, ..fault }
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(" ({message})") }
}

impl Told<'_> {
    /// The region that the client should have asked, if the answer says so.
    fn other_region(&self, fault: &Fault) -> Option<String> {
        let is_redirect = matches!(self.status, 301 | 307 | 308);
        let is_about_region = matches!(
            fault.code.as_str(),
            "AuthorizationHeaderMalformed"
                | "PermanentRedirect"
                | "IllegalLocationConstraintException"
        );
        if !is_redirect && !is_about_region {
            return None;
        }
        let in_text = || {
            let (_, rest) = fault.message.split_once("expecting '")?;
            rest.split_once('\'').map(|(region, _)| region)
        };
        let region = self.region.or_else(|| self.element("Region")).or_else(in_text)?.trim();
        let is_region = !region.is_empty() && region::find_fault(region).is_none();
        is_region.then(|| region.to_owned())
    }

    /// The text of the first element of this name, if the body has one.
    fn element(&self, name: &str) -> Option<&str> {
        let text = std::str::from_utf8(self.head()).ok()?;
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        rest.split_once('<').map(|(text, _)| text)
    }

    fn redirect(&self) -> String {
        let place = self.location.or_else(|| self.element("Endpoint"));
        place.map(|place| format!(", to {}", shown_url(place))).unwrap_or_default()
    }

    /// Status, kind of the body, and its first words.
    fn what(&self) -> String {
        let name = reason(self.status);
        let status = self.status;
        if self.body.is_empty() {
            return format!("{status}{name} without a body");
        }
        let text = String::from_utf8_lossy(self.head());
        let (kind, words) = if self.is_html() {
            ("an HTML page", words(&without_tags(&text)))
        } else {
            let kind = match self.body.first() {
                Some(b'<') => "an XML document",
                Some(b'{' | b'[') => "JSON",
                _ => "a text",
            };
            (kind, words(&text))
        };
        format!("{status}{name} with {kind}: {words:?}")
    }

    fn is_html(&self) -> bool {
        let start = self.body.trim_ascii_start();
        let begins = |tag: &str| {
            start.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag.as_bytes()))
        };
        begins("<!doctype html") || begins("<html")
    }

    /// Whether this is how a server answers that wants TLS and got plain HTTP.
    fn speaks_of_tls(&self) -> bool {
        let text = String::from_utf8_lossy(self.head()).to_ascii_lowercase();
        text.contains("http request to an https server")
            || text.contains("plain http request was sent to https port")
            || text.contains("speaking plain http to an ssl-enabled server")
    }

    fn head(&self) -> &[u8] {
        let head = &self.body[..self.body.len().min(LOOKED_AT)];
        match std::str::from_utf8(head) {
            Err(error) if error.error_len().is_none() => &head[..error.valid_up_to()],
            _ => head,
        }
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        301 => " Moved Permanently",
        302 => " Found",
        303 => " See Other",
        307 => " Temporary Redirect",
        308 => " Permanent Redirect",
        400 => " Bad Request",
        401 => " Unauthorized",
        403 => " Forbidden",
        404 => " Not Found",
        405 => " Method Not Allowed",
        407 => " Proxy Authentication Required",
        411 => " Length Required",
        413 => " Payload Too Large",
        429 => " Too Many Requests",
        500 => " Internal Server Error",
        502 => " Bad Gateway",
        503 => " Service Unavailable",
        504 => " Gateway Timeout",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::super::shown::SHOWN;
    use super::*;

    fn explained(fault: Fault, told: Told<'_>) -> Fault {
        explain(fault, &told)
    }

    fn answered(status: u16, body: &str, location: Option<&str>, region: Option<&str>) -> Fault {
        let told = Told { status, location, region, body: body.as_bytes() };
        let fault = match status {
            200..=299 => Fault::passing("MalformedAnswer", "It is no S3 document".to_owned()),
            _ => Fault::answered(status, "", String::new()),
        };
        explained(fault, told)
    }

    /// Status, body, location, region; code, kind and words of the fault.
    type Row = (
        u16,
        &'static str,
        Option<&'static str>,
        Option<&'static str>,
        &'static str,
        Kind,
        &'static [&'static str],
    );

    #[test]
    fn what_is_no_answer_of_s3_is_told_by_what_it_is() {
        let page = "<!DOCTYPE html><html><head><title>Sign in</title><style>b { c }</style></head><body>\n<p>to Example</p>";
        let table: [Row; 10] = [
            (
                403,
                page,
                None,
                None,
                "Http403",
                Kind::Denied,
                &["403 Forbidden with an HTML page", "Sign in to Example"],
            ),
            (
                302,
                "",
                Some("https://login.test/a?token=hush"),
                None,
                "NotS3",
                Kind::Fatal,
                &["302 Found", "https://login.test/a", "`endpoint`"],
            ),
            (200, page, None, None, "NotS3", Kind::Fatal, &["200 with an HTML page", "Sign in"]),
            (200, "{\"a\": 1}", None, None, "MalformedAnswer", Kind::Passing, &["200 with JSON"]),
            (
                413,
                "",
                None,
                None,
                "Http413",
                Kind::Denied,
                &["413 Payload Too Large without a body"],
            ),
            (
                301,
                "",
                None,
                Some("eu-west-1"),
                "WrongRegion",
                Kind::Fatal,
                &["'eu-west-1'", "`region`"],
            ),
            (301, "", None, Some("\u{1b}[2J"), "NotS3", Kind::Fatal, &["301"]),
            (407, "", None, None, "InvalidConfig", Kind::Fatal, &["`proxy`"]),
            (
                502,
                "<html>bad gateway</html>",
                None,
                None,
                "Http502",
                Kind::Passing,
                &["bad gateway"],
            ),
            (
                400,
                "Client sent an HTTP request to an HTTPS server.\n",
                None,
                None,
                "NotS3",
                Kind::Fatal,
                &["https://"],
            ),
        ];
        for (status, body, location, region, code, kind, words) in table {
            let fault = answered(status, body, location, region);
            assert_eq!(
                (fault.code.as_str(), fault.kind, fault.status.unwrap_or(status)),
                (code, kind, status),
                "{status}"
            );
            for word in words {
                assert!(fault.message.contains(word), "{} should say {word}", fault.message);
            }
            assert!(!fault.message.contains("hush"), "{}", fault.message);
        }
    }

    #[test]
    fn the_region_is_read_wherever_a_store_tells_it() {
        let body =
            "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>";
        let text = "the region 'a' is wrong; expecting 'eu-west-1'";
        for (body, text) in [(body, ""), ("", text)] {
            let fault = Fault::answered(400, "AuthorizationHeaderMalformed", text.to_owned());
            let fault =
                explained(fault, Told { status: 400, body: body.as_bytes(), ..Told::default() });
            assert_eq!((fault.code.as_str(), fault.kind), ("WrongRegion", Kind::Fatal));
        }
        let fault = Fault::answered(403, "AccessDenied", "no".to_owned());
        let told = Told { status: 403, region: Some("eu-west-1"), ..Told::default() };
        assert_eq!(explained(fault.clone(), told), fault, "it is no fault of the region");
    }

    #[test]
    fn what_is_shown_is_short_and_printable() {
        let fault = answered(403, &format!("\u{1b}[31m\0{}", "ä".repeat(9000)), None, None);
        assert!(fault.message.chars().count() < 2 * SHOWN + 100, "{}", fault.message);
        assert!(!fault.message.contains(char::is_control));
    }
}
