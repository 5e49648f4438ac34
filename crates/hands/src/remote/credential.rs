//! What a caller shows to be let in.

use std::fmt;
use std::path::PathBuf;

use secrecy::{ExposeSecret as _, SecretString};

/// A key, or the file in which the server of this machine keeps its token.
#[derive(Clone)]
pub enum Credential {
    Nothing,
    Key(SecretString),
    /// Read for every attempt: a server that starts again makes another.
    TokenFile(PathBuf),
}

impl Credential {
    pub(super) fn look_up(&self) -> Option<SecretString> {
        match self {
            Self::Nothing => None,
            Self::Key(key) => Some(key.clone()),
            Self::TokenFile(path) => {
                let text = std::fs::read_to_string(path).ok()?;
                Some(SecretString::from(text.trim()))
            }
        }
    }

    /// Whether there is something else to show by now than what was shown.
    pub(super) fn has_changed_since(&self, shown: Option<&SecretString>) -> bool {
        let now = self.look_up();
        now.as_ref().map(SecretString::expose_secret) != shown.map(SecretString::expose_secret)
    }
}

/// Where a token is kept is no secret.
impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("Nothing"),
            Self::Key(_) => f.write_str("Key"),
            Self::TokenFile(path) => write!(f, "TokenFile({})", path.display()),
        }
    }
}
