//! The key of this installation: it signs what others shall be able to check, with ed25519.
//!
//! It is in a file that only its user can read, made when something is signed for the first time.
//! Of several processes that make it at once, one does, and all use that one. It is never made anew
//! in the place of a file that is there, whatever that holds.

use std::fmt;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use sha2::{Digest as _, Sha256};

const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";
const LINE: usize = 64;
/// Longer than any key.
const MOST_BYTES: u64 = 4_096;
/// Bytes of a digest that name a key.
const ID_BYTES: usize = 8;

/// Why there is no key to sign with.
#[derive(Debug, thiserror::Error)]
pub enum NoKey {
    #[error("{}", path.display())]
    Unusable { path: PathBuf, source: io::Error },
    /// Somebody else could have signed with it.
    #[error("{} can be read by others than its owner (mode {mode:o})", path.display())]
    Open { path: PathBuf, mode: u32 },
    #[error("{} holds no ed25519 key: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("the system has no random bytes")]
    NoRandomness,
}

/// A key that signs.
pub struct Key(Ed25519KeyPair);

/// A secret is not for logs.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("public", &self.public()).finish_non_exhaustive()
    }
}

impl Key {
    /// The key in a file, made if there is no such file.
    pub fn at(path: &Path) -> Result<Self, NoKey> {
        if let Some(key) = Self::find(path)? {
            return Ok(key);
        }
        make(path)?;
        let gone = || unusable(path)(ErrorKind::NotFound.into());
        Self::find(path)?.ok_or_else(gone)
    }

    /// The key in a file; nothing if there is no such file.
    pub fn find(path: &Path) -> Result<Option<Self>, NoKey> {
        let Some(text) = read(path)? else { return Ok(None) };
        let damaged = |why: String| NoKey::Damaged { path: path.to_owned(), why };
        let document = decoded(&text).ok_or_else(|| damaged("it is not PEM".to_owned()))?;
        let pair = Ed25519KeyPair::from_pkcs8(&document);
        pair.map(Self).map(Some).map_err(|why| damaged(why.to_string()))
    }

    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(self.0.public_key().as_ref());
        PublicKey(bytes)
    }

    /// The signature of some bytes, in base64.
    pub fn sign(&self, bytes: &[u8]) -> String {
        STANDARD.encode(self.0.sign(bytes))
    }
}

/// What anybody may know of a key, and checks its signatures with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// Reads it in base64.
    pub fn parse(text: &str) -> Option<Self> {
        STANDARD.decode(text).ok()?.try_into().map(Self).ok()
    }

    /// The beginning of its digest.
    pub fn id(&self) -> String {
        let digest = Sha256::digest(self.0);
        digest.iter().take(ID_BYTES).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
    }

    /// Whether its key made this signature of these bytes.
    pub fn signed(&self, bytes: &[u8], signature: &str) -> bool {
        let Ok(signature) = STANDARD.decode(signature) else { return false };
        UnparsedPublicKey::new(&ED25519, self.0).verify(bytes, &signature).is_ok()
    }
}

/// In base64.
impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD.encode(self.0))
    }
}

fn unusable(path: &Path) -> impl FnOnce(io::Error) -> NoKey {
    |source| NoKey::Unusable { path: path.to_owned(), source }
}

fn read(path: &Path) -> Result<Option<String>, NoKey> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => return Ok(None),
        Err(error) => return Err(unusable(path)(error)),
    };
    if !metadata.is_file() {
        let what = io::Error::new(ErrorKind::InvalidInput, "it is not a file");
        return Err(unusable(path)(what));
    }
    let mode = metadata.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(NoKey::Open { path: path.to_owned(), mode });
    }
    let mut text = String::new();
    let file = File::open(path).map_err(unusable(path))?;
    match file.take(MOST_BYTES).read_to_string(&mut text) {
        Ok(_) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            Err(NoKey::Damaged { path: path.to_owned(), why: "it is not text".to_owned() })
        }
        Err(error) => Err(unusable(path)(error)),
    }
}

/// Puts a new key where there is none. It is written beside its place and linked there whole, so
/// that nobody reads a part of it, and so that what somebody else put there first stays.
fn make(path: &Path) -> Result<(), NoKey> {
    let document =
        Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| NoKey::NoRandomness)?;
    let place = || -> io::Result<()> {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new("."));
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // Only its owner can read a file that is made like this.
        let mut file = tempfile::Builder::new().prefix(".windlass-").tempfile_in(folder)?;
        file.write_all(encoded(document.as_ref()).as_bytes())?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(path) {
            Ok(_) => File::open(folder)?.sync_all(),
            Err(taken) if taken.error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(failed) => Err(failed.error),
        }
    };
    place().map_err(unusable(path))
}

fn encoded(document: &[u8]) -> String {
    let text = STANDARD.encode(document);
    let mut lines = vec![BEGIN];
    let mut rest = text.as_str();
    while let Some((line, after)) = rest.split_at_checked(LINE) {
        lines.push(line);
        rest = after;
    }
    lines.extend(Some(rest).filter(|rest| !rest.is_empty()));
    lines.push(END);
    lines.join("\n") + "\n"
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let inside = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    let letters: String = inside.split_whitespace().collect();
    STANDARD.decode(letters).ok()
}

#[cfg(test)]
mod tests;
