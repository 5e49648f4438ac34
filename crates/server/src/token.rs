//! The token of a server on loopback: a secret in a file that only its user can read. Whoever can
//! read it is that user.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
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

/// Where the server on `port` keeps its token.
pub fn path_in(folder: &Path, port: u16) -> PathBuf {
    folder.join(format!("{port}.token"))
}

/// The token of the server on `port`, if there is one that we may read.
pub fn read(folder: &Path, port: u16) -> Option<String> {
    fs::read_to_string(path_in(folder, port)).ok().map(|text| text.trim().to_owned())
}

/// The ports of all servers that keep a token here.
pub fn ports(folder: &Path) -> Vec<u16> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut ports: Vec<u16> = files
        .filter_map(|file| file.file_name().to_str()?.strip_suffix(".token")?.parse().ok())
        .collect();
    ports.sort_unstable();
    ports
}

impl Token {
    /// Makes a new one for the server on `port`. One that was left by a server that was killed is
    /// replaced: nobody else has the port.
    pub fn make(folder: &Path, port: u16) -> Result<Self, Fault> {
        let path = path_in(folder, port);
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
        // Left behind it opens nothing: the next server on the port makes another.
        let _removed = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_not_shown_by_chance() {
        let folder = tempfile::tempdir().unwrap();
        let token = Token::make(folder.path(), 7077).unwrap();
        assert!(!format!("{token:?}").contains(token.text()));
    }
}
