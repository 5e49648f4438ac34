//! The token of a server on loopback: a secret in a file that only its user can read. Whoever can
//! read it is that user.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use windlass_domain::Code;
use windlass_ledger::Fault;

/// A token in its file, which goes when the server does.
pub struct Token {
    text: String,
    path: PathBuf,
}

/// Where the server at `address` keeps its token. Two servers may have one port at two addresses, and
/// the token of one is not for the other to see.
pub fn path_in(folder: &Path, address: SocketAddr) -> PathBuf {
    folder.join(format!("{address}.token"))
}

/// The token of the server at `address`, if there is one that we may read.
pub fn read(folder: &Path, address: SocketAddr) -> Option<String> {
    fs::read_to_string(path_in(folder, address)).ok().map(|text| text.trim().to_owned())
}

/// The addresses of all servers that keep a token here. One that was killed has left its own.
pub fn addresses(folder: &Path) -> Vec<SocketAddr> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut addresses: Vec<SocketAddr> = files
        .filter_map(|file| file.file_name().to_str()?.strip_suffix(".token")?.parse().ok())
        .collect();
    addresses.sort_unstable();
    addresses
}

impl Token {
    /// Makes a new one for the server at `address`. One that was left by a server that was killed is
    /// replaced: nobody else has the address.
    pub fn make(folder: &Path, address: SocketAddr) -> Result<Self, Fault> {
        let path = path_in(folder, address);
        let unusable = |error: std::io::Error| {
            Fault::new(Code::FileUnusable, format!("{} cannot be written: {error}", path.display()))
                .hint("check the permissions of the folder and the space left")
                .detail("file", path.display().to_string())
        };
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)
            .map_err(|error| Fault::bug(format!("the system has no random bytes: {error}")))?;
        let text = format!("wlt_{}", URL_SAFE_NO_PAD.encode(bytes));
        fs::create_dir_all(folder).map_err(unusable)?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(unusable(error)),
            _ => {}
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(unusable)?;
        file.write_all(text.as_bytes()).map_err(unusable)?;
        Ok(Self { text, path })
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A secret is not for logs.
impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Token").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        // What the next server has put there is not ours to take. Ours, left behind, opens nothing.
        if fs::read_to_string(&self.path).is_ok_and(|text| text == self.text) {
            let _removed = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    const HERE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7077);
    const HERE_TOO: SocketAddr = SocketAddr::new(std::net::IpAddr::V6(Ipv6Addr::LOCALHOST), 7077);

    #[test]
    fn a_server_that_ends_leaves_the_token_of_the_one_that_follows() {
        let folder = tempfile::tempdir().unwrap();
        let first = Token::make(folder.path(), HERE).unwrap();
        let second = Token::make(folder.path(), HERE).unwrap();
        drop(first);
        assert_eq!(read(folder.path(), HERE).as_deref(), Some(second.text()));
    }

    #[test]
    fn a_server_that_ends_takes_its_token_along() {
        let folder = tempfile::tempdir().unwrap();
        drop(Token::make(folder.path(), HERE).unwrap());
        assert_eq!(read(folder.path(), HERE), None);
    }

    #[test]
    fn servers_on_one_port_at_two_addresses_have_a_token_each() {
        let folder = tempfile::tempdir().unwrap();
        let one = Token::make(folder.path(), HERE).unwrap();
        let two = Token::make(folder.path(), HERE_TOO).unwrap();
        assert_eq!(read(folder.path(), HERE).as_deref(), Some(one.text()));
        assert_eq!(read(folder.path(), HERE_TOO).as_deref(), Some(two.text()));
        assert_eq!(addresses(folder.path()), [HERE, HERE_TOO]);
    }

    #[test]
    fn a_token_is_not_shown_by_chance() {
        let folder = tempfile::tempdir().unwrap();
        let token = Token::make(folder.path(), HERE).unwrap();
        assert!(!format!("{token:?}").contains(token.text()));
    }
}
