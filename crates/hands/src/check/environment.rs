//! The environment of a command that is no part of us: whatever the caller has, but for our secrets
//! and for what would change how a shell reads the command.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;

/// Of the shell's own options, and files that it would read first.
const OPTIONS: [&str; 5] = ["BASHOPTS", "BASH_ENV", "ENV", "POSIXLY_CORRECT", "SHELLOPTS"];

/// The last words of names of ours that are secrets.
const SECRETS: [&str; 5] = ["KEY", "PASSWORD", "SECRET", "SIGNATURE", "TOKEN"];

/// Of a workflow's controller, by which it would be let in as that.
const OWNER: &str = "HOTL_OWNER_TOKEN";

/// Variables that a command gets.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

/// The names alone: some values are the secrets of others.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Environment {
    /// What the caller has, without our secrets.
    pub fn of_caller(
        variables: impl IntoIterator<Item = (impl Into<OsString>, impl Into<OsString>)>,
    ) -> Self {
        let all = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self(all.filter(|(name, value)| is_passed_on(name, value)).collect())
    }

    /// With one more, or another value, whatever it is.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    pub(super) fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.0.iter()
    }
}

fn is_passed_on(name: &OsStr, value: &OsStr) -> bool {
    let name = name.to_string_lossy();
    if OPTIONS.contains(&&*name) || name == OWNER {
        return false;
    }
    let Some(own) = name.strip_prefix("WINDLASS_") else { return true };
    let last = own.rsplit('_').next().unwrap_or(own);
    !SECRETS.contains(&last) && !names_a_password(&value.to_string_lossy())
}

/// An address such as `postgres://user:password@host/`, or words with `password=` among them.
fn names_a_password(value: &str) -> bool {
    let authority = value.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or(rest));
    let user = authority.and_then(|authority| authority.rsplit_once('@')).map(|(user, _)| user);
    user.is_some_and(|user| user.contains(':')) || value.contains("password=")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(variables: &[(&str, &str)]) -> Vec<String> {
        let environment = Environment::of_caller(variables.iter().copied());
        environment.iter().map(|(name, _)| name.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn our_secrets_are_not_passed_on() {
        let secret = [
            ("WINDLASS_KEY", "k"),
            ("WINDLASS_SERVER_TOKEN", "t"),
            ("HOTL_OWNER_TOKEN", "t"),
            ("WINDLASS_HOOK_SIGNATURE", "s"),
            ("WINDLASS_DB", "postgres://u:p@host/db"),
            ("WINDLASS_SERVER", "http://u:p@host"),
        ];
        assert_eq!(names(&secret), [""; 0]);
    }

    #[test]
    fn what_is_no_secret_of_ours_is_passed_on() {
        let plain = [
            ("GITHUB_TOKEN", "theirs"),
            ("HOME", "/root"),
            ("WINDLASS_DB", "postgres://user@host/a:b@c"),
            ("WINDLASS_SERVER", "http://127.0.0.1:7777"),
        ];
        assert_eq!(names(&plain), plain.map(|(name, _)| name));
    }

    #[test]
    fn options_of_the_shell_are_not_passed_on() {
        assert_eq!(names(&[("SHELLOPTS", "nounset"), ("ENV", "/x"), ("BASH_ENV", "/x")]), [""; 0]);
    }

    #[test]
    fn what_is_given_is_given() {
        let given = Environment::default().with("WINDLASS_RUN", "r").with("WINDLASS_RUN", "s");
        assert_eq!(given.get("WINDLASS_RUN"), Some(OsStr::new("s")));
    }
}
