//! Which proxy requests go through: that of the options, or that of the environment, as curl reads it.

use std::fmt;

use aws_smithy_http_client::proxy::ProxyConfig;
use url::Url;

use super::settings::{Setting, from_environment, variable};
use crate::exec::s3::fault::Fault;
use crate::exec::s3::shown::without_user;

/// Hosts on this machine. A proxy of the environment would reach another machine by these names.
const NEAR: &str = "localhost,127.0.0.0/8,::1";
/// Addresses at which clouds serve the credentials of their machines. They are never reached by a proxy.
const METADATA: &str = "169.254.0.0/16,fd00:ec2::/32";

/// What the user says of a proxy.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Choice {
    /// Nothing, so that the environment decides.
    #[default]
    Environment,
    /// No proxy, whatever the environment says.
    Direct,
    /// This one, for every host.
    Url(String),
}

impl fmt::Debug for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment => f.write_str("Environment"),
            Self::Direct => f.write_str("Direct"),
            Self::Url(url) => f.write_str(&without_user(url)),
        }
    }
}

/// How to reach a host.
#[derive(Clone)]
pub struct Route {
    /// What the client of the SDK takes.
    pub config: ProxyConfig,
    /// The proxy, as an error may show it, unless there is none.
    pub shown: Option<String>,
    /// Whether the proxy itself is spoken to by TLS.
    pub is_https: bool,
}

impl Route {
    fn direct() -> Self {
        Self { config: ProxyConfig::disabled(), shown: None, is_https: false }
    }

    fn by(proxy: &Proxy, exceptions: &str) -> Self {
        Self {
            config: proxy.config.clone().no_proxy(exceptions),
            shown: Some(proxy.shown.clone()),
            is_https: proxy.is_https,
        }
    }
}

/// A proxy that was read.
struct Proxy {
    config: ProxyConfig,
    shown: String,
    is_https: bool,
}

/// What is wrong with the URL of a proxy.
pub fn find_fault(text: &str) -> Option<&'static str> {
    parse(text).err()
}

fn parse(text: &str) -> Result<Proxy, &'static str> {
    const URL: &str = "a URL such as 'http://user:password@proxy.example:3128'";
    let text = text.trim();
    let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let url = Url::parse(&text).map_err(|_| URL)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("a URL of an HTTP proxy: there is no support for others, such as SOCKS");
    }
    if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
        return Err(URL);
    }
    let config = ProxyConfig::all(url.as_str()).map_err(|_| URL)?;
    let port = url.port_or_known_default().ok_or(URL)?;
    let shown = format!("{}://{}:{port}", url.scheme(), url.host_str().ok_or(URL)?);
    Ok(Proxy { config, shown, is_https: url.scheme() == "https" })
}

/// The route to hosts of one scheme and port.
pub fn route(choice: &Choice, is_https: bool, port: u16) -> Result<Route, Fault> {
    match choice {
        Choice::Direct => Ok(Route::direct()),
        Choice::Url(url) => {
            let proxy = parse(url).map_err(|remedy| {
                let setting = Setting { text: url.clone(), source: "proxy".to_owned() };
                setting.fault(remedy, &without_user(url))
            })?;
            Ok(Route::by(&proxy, METADATA))
        }
        Choice::Environment => {
            let Some(setting) = of_environment(is_https) else { return Ok(Route::direct()) };
            let proxy = parse(&setting.text)
                .map_err(|remedy| setting.fault(remedy, &without_user(&setting.text)))?;
            let told = variable("no_proxy").or_else(|| variable("NO_PROXY")).unwrap_or_default();
            let exceptions = format!("{},{NEAR},{METADATA}", exceptions(&told, port));
            Ok(Route::by(&proxy, &exceptions))
        }
    }
}

fn of_environment(is_https: bool) -> Option<Setting> {
    let [lower, upper] =
        if is_https { ["https_proxy", "HTTPS_PROXY"] } else { ["http_proxy", "HTTP_PROXY"] };
    // A web server tells its CGI programs the header `Proxy` of a request as HTTP_PROXY: anybody may have said that.
    let is_cgi = !is_https && variable("REQUEST_METHOD").is_some();
    from_environment(lower)
        // Windows does not tell the two names apart.
        .filter(|_| !(is_cgi && cfg!(windows)))
        .or_else(|| from_environment(upper).filter(|_| !is_cgi))
        .or_else(|| from_environment("all_proxy"))
        .or_else(|| from_environment("ALL_PROXY"))
}

/// The hosts of NO_PROXY as the matcher takes them: separated by commas, and those with a port only if it is the one that is asked.
fn exceptions(told: &str, port: u16) -> String {
    let names = told.split([',', ' ', '\t', '\n']).map(str::trim).filter(|name| !name.is_empty());
    let names = names.filter_map(|name| {
        let name = name.strip_prefix("*.").map_or(name, |rest| rest);
        let (host, told) = match name.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, rest)) => (host, rest.strip_prefix(':')),
            None if name.matches(':').count() == 1 => {
                let (host, told) = name.split_once(':')?;
                (host, Some(told))
            }
            None => (name, None),
        };
        let is_meant = told.is_none_or(|told| told.parse() == Ok(port));
        is_meant.then(|| host.trim_end_matches('.'))
    });
    names.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_read_as_curl_does() {
        let table = [
            ("", ""),
            ("a.test, .b.test c.test", "a.test,.b.test,c.test"),
            ("*", "*"),
            ("*.corp.test", "corp.test"),
            ("10.0.0.0/8,192.168.1.7", "10.0.0.0/8,192.168.1.7"),
            ("a.test:9000,b.test:80", "a.test"),
            ("[::1]:9000,[::2]:80,[::3],::4", "::1,::3,::4"),
            ("a.test.", "a.test"),
        ];
        for (told, expected) in table {
            assert_eq!(exceptions(told, 9000), expected, "{told}");
        }
    }

    #[test]
    fn proxies_are_shown_without_their_users() {
        for text in
            ["http://user:hush@proxy:3128", "user:hush@proxy:3128", "http://user:hush@PROXY:3128/"]
        {
            let proxy = parse(text).ok().unwrap();
            assert_eq!(proxy.shown, "http://proxy:3128");
            assert!(!format!("{:?}", Choice::Url(text.to_owned())).contains("hush"), "{text}");
        }
        assert_eq!(parse("https://proxy").ok().unwrap().shown, "https://proxy:443");
        for text in
            ["", "socks5://proxy", "http://proxy/path", "http://proxy?a", "http://a b", "ftp://x"]
        {
            assert!(find_fault(text).is_some(), "{text}");
        }
    }
}
