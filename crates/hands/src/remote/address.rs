//! Where a server is.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

/// The address of a server: `http://` or `https://`, a host, and perhaps a port and a path below
/// which it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(Url);

/// Why a text is no address of a server. It does not repeat the text, which may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotAnAddress(String);

impl Address {
    pub fn parse(text: &str) -> Result<Self, NotAnAddress> {
        let wrong = |why: &str| Err(NotAnAddress(why.to_owned()));
        let url = match Url::parse(text) {
            Ok(url) => url,
            Err(error) => return wrong(&format!("not a URL: {error}")),
        };
        if !matches!(url.scheme(), "http" | "https") {
            return wrong("a server's URL begins with http:// or https://");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return wrong("a server's URL names no user and no password: a key is for that");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return wrong("a server's URL ends with its path");
        }
        Ok(Self(url))
    }

    /// Whether the server is on this machine.
    pub fn is_loopback(&self) -> bool {
        let Some(host) = self.0.host_str() else { return false };
        let number = host.trim_start_matches('[').trim_end_matches(']');
        host.eq_ignore_ascii_case("localhost")
            || number.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    pub fn port(&self) -> Option<u16> {
        self.0.port_or_known_default()
    }

    pub(super) fn is_tls(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// A path of the server.
    pub(super) fn join(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}{path}", self.0.path().trim_end_matches('/')));
        url
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_by_scheme_host_port_and_path() {
        for (text, shown, port) in [
            ("http://127.0.0.1:7077", "http://127.0.0.1:7077", 7077),
            ("http://127.0.0.1:7077/", "http://127.0.0.1:7077", 7077),
            ("https://work.example/windlass/", "https://work.example/windlass", 443),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!((address.to_string().as_str(), address.port()), (shown, Some(port)));
            assert_eq!(address.join("/v1/ops/events").as_str(), format!("{shown}/v1/ops/events"));
        }
    }

    #[test]
    fn what_is_no_address_is_refused_without_repeating_it() {
        for text in ["work.example", "ftp://h/", "http://u:hush@h/", "http://h/?hush", "http://"] {
            let wrong = Address::parse(text).unwrap_err().to_string();
            assert!(!wrong.contains("hush"), "{wrong}");
        }
    }

    #[test]
    fn loopback_is_told_by_name_and_by_number() {
        let is_loopback = |text: &str| Address::parse(text).unwrap().is_loopback();
        assert!(
            ["http://localhost", "http://127.1.2.3:1", "http://[::1]:2"]
                .map(is_loopback)
                .iter()
                .all(|yes| *yes)
        );
        assert!(!is_loopback("http://10.0.0.1") && !is_loopback("http://localhost.example"));
    }
}
