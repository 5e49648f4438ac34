//! Where a server is.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

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

    /// Where on this machine the server may be, in numbers; nothing when it is on another.
    pub fn here(&self) -> Vec<SocketAddr> {
        let (Some(host), Some(port)) = (self.0.host_str(), self.0.port_or_known_default()) else {
            return Vec::new();
        };
        let number = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let numbers = match number {
            Ok(number) if number.is_loopback() => vec![number],
            Err(_) if host.eq_ignore_ascii_case("localhost") => {
                vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
            }
            _ => Vec::new(),
        };
        numbers.into_iter().map(|number| SocketAddr::new(number, port)).collect()
    }

    /// The same server by the number of its host, so that nobody else can be meant.
    #[must_use]
    pub fn at(&self, here: SocketAddr) -> Self {
        let mut url = self.0.clone();
        // A URL of a server has a host, which can be another.
        let _changed = url.set_ip_host(here.ip());
        Self(url)
    }

    /// Whether what is said can be heard by nobody else, and the name of the host is checked.
    pub fn is_tls(&self) -> bool {
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
            assert_eq!(address.to_string(), shown);
            assert_eq!(address.0.port_or_known_default(), Some(port));
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
    fn a_server_on_this_machine_may_be_at_two_addresses_until_one_is_chosen() {
        let named = Address::parse("http://localhost:7077/below").unwrap();
        let [four, six] = ["127.0.0.1:7077", "[::1]:7077"].map(|here| here.parse().unwrap());
        assert_eq!(named.here(), [four, six]);
        assert_eq!(named.at(six).to_string(), "http://[::1]:7077/below");
        assert_eq!(named.at(six).here(), [six]);
        assert_eq!(Address::parse("http://10.0.0.1").unwrap().here(), []);
    }

    #[test]
    fn loopback_is_told_by_name_and_by_number() {
        let is_loopback = |text: &str| !Address::parse(text).unwrap().here().is_empty();
        assert!(
            ["http://localhost", "http://127.1.2.3:1", "http://[::1]:2"]
                .map(is_loopback)
                .iter()
                .all(|yes| *yes)
        );
        assert!(!is_loopback("http://10.0.0.1") && !is_loopback("http://localhost.example"));
    }
}
