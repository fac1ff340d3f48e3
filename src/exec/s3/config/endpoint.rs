//! What an endpoint may look like. A URL that the SDK would misread is refused by name.

use url::{Host, Url};

use super::settings::Setting;
use crate::exec::s3::fault::Fault;
use crate::exec::s3::shown::without_user;

/// Where a store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Its URL, whose path ends in a slash: the SDK appends the bucket to it as it is.
    pub url: String,
    /// Whether it speaks TLS.
    pub is_https: bool,
    /// Its port.
    pub port: u16,
}

/// The endpoint that a text means, or what it must be.
pub fn parse(text: &str) -> Result<Endpoint, &'static str> {
    const URL: &str = "a URL such as 'https://store.example'";
    let mut url = Url::parse(text.trim()).map_err(|_| URL)?;
    let is_https = match url.scheme() {
        "https" => true,
        "http" => false,
        _ => return Err(URL),
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a URL without a user and a password: keys are given by `credentials`");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("a URL without a query and a fragment, such as 'https://store.example/path'");
    }
    let port = url.port_or_known_default().ok_or(URL)?;
    // A name with characters that no request line can carry.
    if matches!(url.host(), Some(Host::Domain(name)) if name.contains(['\'', '"', '`', '{', '}'])) {
        return Err(URL);
    }
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    // A path keeps its slash at the end; to a bare host the SDK adds one itself.
    let text = if url.path() == "/" { url.as_str().trim_end_matches('/') } else { url.as_str() };
    Ok(Endpoint { url: text.to_owned(), is_https, port })
}

/// The endpoint of a setting.
pub fn of_setting(setting: &Setting) -> Result<Endpoint, Fault> {
    parse(&setting.text).map_err(|remedy| setting.fault(remedy, &without_user(&setting.text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_end_as_the_sdk_needs_it() {
        let table = [
            ("http://h/storage/v1/s3", "http://h/storage/v1/s3/", false, 80),
            ("http://h/storage/v1/s3/", "http://h/storage/v1/s3/", false, 80),
            ("https://h", "https://h", true, 443),
            ("https://h/", "https://h", true, 443),
            ("https://STORE.Example:8443", "https://store.example:8443", true, 8443),
            ("http://[::1]:9000/", "http://[::1]:9000", false, 9000),
            (" http://h:9000 ", "http://h:9000", false, 9000),
        ];
        for (text, url, is_https, port) in table {
            let expected = Endpoint { url: url.to_owned(), is_https, port };
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_endpoint_is_refused() {
        for text in [
            "",
            "localhost:9000",
            "ftp://h",
            "http://",
            "http://h?a=b",
            "http://h/p?",
            "http://h/#f",
            "http://u@h",
            "http://u:p@h",
            "http://a b",
            "http://h:99999",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
