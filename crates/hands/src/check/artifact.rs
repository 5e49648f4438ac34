//! A file that must be there, hold a text, or be among others of its kind.

mod files;
mod text;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use globset::{GlobBuilder, GlobMatcher};

use super::inside::{self, NotInside};
use super::pulse::{self, Pulse, Watch};
use super::{Outcome, Why};
use crate::reason;
use files::{Interrupted, NotSeen};
use text::Text;

/// How many of the files that match are read.
const MOST_FILES: usize = 20;

/// A file or folder, and what must be true of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// The folder that the path must not leave.
    pub root: PathBuf,
    pub path: Option<String>,
    pub assert: Assert,
    pub timeout: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assert {
    Exists,
    Contains(Option<String>),
    MatchesGlob(Option<String>),
    /// One that nobody knows.
    Other(String),
}

impl Artifact {
    pub fn run(&self, watch: Watch<'_>) -> Outcome {
        let mut look = Look { pulse: Pulse::new(watch), until: pulse::end_of(self.timeout) };
        self.look(&mut look).unwrap_or_else(|outcome| outcome)
    }

    /// What comes to an end early is an outcome as well.
    fn look(&self, look: &mut Look<'_>) -> Result<Outcome, Outcome> {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let path = given(&self.path).ok_or_else(|| unclear("artifact verify missing path"))?;
        let found = Found { root: &self.root, path: &path };
        match &self.assert {
            Assert::Exists => found.exists(look),
            Assert::Contains(value) => {
                let missing = || unclear("artifact assert kind contains requires value");
                found.contains(&given(value).ok_or_else(missing)?, look)
            }
            Assert::MatchesGlob(value) => {
                let missing = || unclear("artifact assert kind matches-glob requires value");
                let glob = given(value).ok_or_else(missing)?;
                found.matches(&glob, &matcher(&glob)?, look)
            }
            Assert::Other(kind) => {
                Err(unclear(format!("unsupported artifact assert kind: {kind}")))
            }
        }
    }
}

fn unclear(message: impl Into<String>) -> Outcome {
    Outcome::undecided(Why::Unclear, message)
}

fn matcher(glob: &str) -> Result<GlobMatcher, Outcome> {
    if glob.contains('/') {
        return Err(unclear(
            "artifact assert kind matches-glob expects a filename glob; put the directory in path",
        ));
    }
    let built = GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build();
    let built = built.map_err(|error| {
        unclear(format!("artifact assert kind matches-glob has no valid glob: {}", error.kind()))
    })?;
    Ok(built.compile_matcher())
}

/// While files are read.
struct Look<'a> {
    pulse: Pulse<'a>,
    until: Instant,
}

/// A path as it was written, to be found.
struct Found<'a> {
    root: &'a Path,
    path: &'a str,
}

impl Found<'_> {
    fn exists(&self, look: &mut Look<'_>) -> Result<Outcome, Outcome> {
        let real = self.resolve("artifact missing")?;
        let exists = Outcome::passed(format!("artifact exists: {}", self.path));
        match files::seen(Path::new(self.path), &real, None, look) {
            Ok(seen) => Ok(exists.with_files([seen])),
            Err(NotSeen::Interrupted(Interrupted::TimeIsOver, seen)) => {
                Ok(exists.with_files([seen]).note("it is too large to be read in time"))
            }
            Err(NotSeen::Interrupted(Interrupted::Stopped, _)) => Err(stopped()),
            // It is there, all the same.
            Err(NotSeen::Unreadable(error)) => {
                Ok(exists.note(format!("it cannot be read: {}", reason::root_cause(&error))))
            }
        }
    }

    fn contains(&self, value: &str, look: &mut Look<'_>) -> Result<Outcome, Outcome> {
        let path = self.path;
        let real = self.resolve("artifact missing")?;
        if !real.is_file() {
            return Err(Outcome::failed(format!("artifact missing: {path}"))
                .note("there is something, but it is not a file"));
        }
        let mut text = Text::new(value.as_bytes());
        let seen = files::seen(Path::new(path), &real, Some(&mut text), look);
        match (seen, text.is_found()) {
            (Err(NotSeen::Interrupted(Interrupted::Stopped, _)), _) => Err(stopped()),
            (Err(NotSeen::Unreadable(error)), _) => Err(self.unusable(&error)),
            (Ok(seen), true) => {
                Ok(Outcome::passed(format!("artifact contains expected text: {path}"))
                    .with_files([seen]))
            }
            (Ok(seen), false) => {
                Ok(Outcome::failed(format!("artifact missing expected text in {path}"))
                    .with_files([seen]))
            }
            (Err(NotSeen::Interrupted(Interrupted::TimeIsOver, seen)), true) => {
                Ok(Outcome::passed(format!("artifact contains expected text: {path}"))
                    .with_files([seen])
                    .note("it is too large to be read in time"))
            }
            (Err(NotSeen::Interrupted(Interrupted::TimeIsOver, seen)), false) => {
                Ok(Outcome::failed(format!("artifact missing expected text in {path}"))
                    .with_files([seen])
                    .note("its time was over before all of it was read"))
            }
        }
    }

    fn matches(
        &self,
        glob: &str,
        matcher: &GlobMatcher,
        look: &mut Look<'_>,
    ) -> Result<Outcome, Outcome> {
        let path = self.path;
        let real = self.resolve("artifact directory missing")?;
        if !real.is_dir() {
            return Err(Outcome::failed(format!("artifact directory missing: {path}")));
        }
        let names = self.matching(&real, glob, matcher).map_err(|error| self.unusable(&error))?;
        if names.is_empty() {
            return Ok(Outcome::failed(format!("no artifact matches {glob} in {path}")));
        }
        let mut outcome = Outcome::passed(format!("artifact matches glob: {path}/{glob}"));
        for name in names.iter().take(MOST_FILES) {
            match files::seen(&Path::new(path).join(name), &real.join(name), None, look) {
                Ok(seen) | Err(NotSeen::Interrupted(Interrupted::TimeIsOver, seen)) => {
                    outcome.files.push(seen);
                }
                Err(NotSeen::Interrupted(Interrupted::Stopped, _)) => return Err(stopped()),
                Err(NotSeen::Unreadable(error)) => {
                    let why = reason::root_cause(&error);
                    outcome.notes.push(format!("{} cannot be read: {why}", name.display()));
                }
            }
        }
        if names.len() > MOST_FILES {
            let count = names.len();
            outcome.notes.push(format!("{count} files match; the first {MOST_FILES} were read"));
        }
        Ok(outcome)
    }

    /// The names of the files right in a folder that match, in order. As in a shell, what begins with
    /// a dot is matched by a dot only.
    fn matching(
        &self,
        folder: &Path,
        glob: &str,
        matcher: &GlobMatcher,
    ) -> io::Result<Vec<PathBuf>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            let name = PathBuf::from(entry?.file_name());
            let is_hidden = name.as_os_str().as_encoded_bytes().starts_with(b".");
            let is_meant = matcher.is_match(&name) && (!is_hidden || glob.starts_with('.'));
            let is_file = || {
                let real = inside::resolve(self.root, &folder.join(&name));
                real.is_ok_and(|real| real.is_file())
            };
            if is_meant && is_file() {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    fn resolve(&self, missing: &str) -> Result<PathBuf, Outcome> {
        let path = self.path;
        inside::resolve(self.root, Path::new(path)).map_err(|error| match error {
            NotInside::Missing => Outcome::failed(format!("{missing}: {path}")),
            NotInside::Outside => {
                Outcome::failed(format!("artifact path leaves the execution root: {path}"))
            }
            NotInside::Unusable(error) => self.unusable(&error),
        })
    }

    fn unusable(&self, error: &io::Error) -> Outcome {
        let why = reason::root_cause(error);
        Outcome::undecided(Why::NotRun, format!("artifact cannot be read: {}: {why}", self.path))
    }
}

fn stopped() -> Outcome {
    Outcome::undecided(Why::Stopped, "stopped")
}

#[cfg(test)]
mod tests;
