//! Where a browser may go: to a web server, or to a file inside the root.

use std::path::Path;

use reqwest::Url;

use super::super::inside;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address(Url);

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    #[error("it is not a URL")]
    NoUrl,
    #[error("only http, https and files inside the execution root are opened")]
    Scheme,
    #[error("it has no host that can be looked up")]
    Host,
    #[error("the file is missing, or leaves the execution root")]
    File,
}

impl Address {
    pub(super) fn parse(text: &str, root: &Path) -> Result<Self, Refused> {
        let mut url = Url::parse(text).map_err(|_| Refused::NoUrl)?;
        match url.scheme() {
            "http" | "https" => {
                // It becomes part of a rule of the browser, in which some signs mean something.
                let is_plain =
                    |letter: char| letter.is_ascii_alphanumeric() || "-._:[]".contains(letter);
                let host = url.host_str().ok_or(Refused::Host)?;
                if !host.chars().all(is_plain) {
                    return Err(Refused::Host);
                }
            }
            "file" => {
                let path = url.to_file_path().map_err(|()| Refused::File)?;
                let real = inside::resolve(root, &path).map_err(|_| Refused::File)?;
                let real = Url::from_file_path(real).map_err(|()| Refused::File)?;
                url.set_path(real.path());
            }
            _ => return Err(Refused::Scheme),
        }
        Ok(Self(url))
    }

    pub(super) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The only one, besides this machine, that is reached.
    pub(super) fn host(&self) -> Option<&str> {
        // The brackets of a number with colons belong to the URL.
        self.0.host_str().map(|host| host.trim_matches(['[', ']']))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn web_servers_and_files_inside_are_allowed() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("a b.html"), "").unwrap();
        let file = Url::from_file_path(root.path().join("a b.html")).unwrap();
        let file = format!("{file}?a#b");
        for url in ["http://127.0.0.1:80/x", "https://example.com", "http://[::1]:1/", &file] {
            assert!(Address::parse(url, root.path()).is_ok(), "{url}");
        }
        assert!(Address::parse(&file, root.path()).unwrap().as_str().ends_with("/a%20b.html?a#b"));
    }

    #[test]
    fn all_else_is_refused() {
        let root = tempfile::tempdir().unwrap();
        for (url, refused) in [
            ("localhost:3000", Refused::Scheme),
            ("index.html", Refused::NoUrl),
            ("chrome://settings", Refused::Scheme),
            ("javascript:alert(1)", Refused::Scheme),
            ("data:text/html,x", Refused::Scheme),
            ("http://*/", Refused::Host),
            ("file:///etc/hostname", Refused::File),
            ("file://elsewhere/x", Refused::File),
        ] {
            assert_eq!(Address::parse(url, root.path()), Err(refused), "{url}");
        }
    }
}
