//! Where an answer sends us on to, and whether we go there.
//!
//! A message is for one receiver: it is never carried to another host, nor from TLS to plain text.

use reqwest::{StatusCode, Url};

/// How often one attempt lets itself be sent on.
pub(super) const MOST: usize = 3;

/// Where to post the same message again, or why not.
pub(super) fn follow(from: &Url, status: StatusCode, location: &str) -> Result<Url, String> {
    let code = status.as_u16();
    let Ok(mut to) = from.join(location) else {
        return Err(format!("answered {code} with a location that is no URL"));
    };
    if to.origin() != from.origin() || !from.has_host() {
        let elsewhere = to.origin().ascii_serialization();
        return Err(format!("redirected to {elsewhere}, which is not followed"));
    }
    // The others turn a message into a mere question for a page.
    if ![StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT].contains(&status) {
        return Err(format!("answered {code}: only 307 and 308 are followed"));
    }
    if to.set_username("").and_then(|()| to.set_password(None)).is_err() {
        return Err(format!("answered {code} with a location that is no URL"));
    }
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(status: u16, location: &str) -> Result<String, String> {
        let from = Url::parse("https://hooks.example/a/b").unwrap();
        let status = StatusCode::from_u16(status).unwrap();
        follow(&from, status, location).map(|to| to.to_string())
    }

    #[test]
    fn the_same_host_is_followed() {
        for location in
            ["/c", "../c", "https://hooks.example:443/c", "https://you:x@hooks.example/c"]
        {
            assert_eq!(
                followed(307, location).as_deref(),
                Ok("https://hooks.example/c"),
                "{location}"
            );
        }
    }

    #[test]
    fn another_host_port_or_scheme_is_not_followed_but_named() {
        for (location, origin) in [
            ("https://other.example/c?token=1", "https://other.example"),
            ("//other.example/c", "https://other.example"),
            ("https://hooks.example:8443/", "https://hooks.example:8443"),
            ("http://hooks.example/a/b", "http://hooks.example"),
        ] {
            let expected = format!("redirected to {origin}, which is not followed");
            assert_eq!(followed(308, location), Err(expected), "{location}");
        }
    }

    #[test]
    fn only_what_keeps_the_message_is_followed() {
        for status in [300, 301, 302, 303] {
            let expected = format!("answered {status}: only 307 and 308 are followed");
            assert_eq!(followed(status, "/c"), Err(expected));
        }
    }

    #[test]
    fn a_location_that_is_no_url_is_told() {
        let expected = "answered 307 with a location that is no URL".to_owned();
        assert_eq!(followed(307, "https://[/"), Err(expected));
    }
}
