//! Names made from the name of a workflow file: its slug, the branch, the id of a run.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Code, Refusal, Time};

/// So that files named after a run keep to what a file system takes.
const SLUG_CHARS: usize = 160;
const RUN_ID_CHARS: usize = 200;
/// The slug of a file whose name has no letter that a slug may have.
const NAMELESS: &str = "workflow";

/// The slug of a workflow file: `hotl-workflow-X.md`, `YYYY-MM-DD-X-workflow.md` and
/// `X-workflow.md` have the slug X, another file its name without `.md`. What a slug may not have
/// becomes `-`.
pub fn slug(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let base = name.strip_suffix(".md").unwrap_or(name);
    let middle = base.strip_suffix("-workflow");
    let inner = base
        .strip_prefix("hotl-workflow-")
        .or_else(|| middle.map(|middle| undated(middle).unwrap_or(middle)))
        .filter(|inner| !inner.is_empty());
    slugified(inner.unwrap_or(base))
}

/// What follows a date and a dash.
fn undated(text: &str) -> Option<&str> {
    let (date, rest) = text.split_at_checked(10)?;
    let is_date = date.char_indices().all(|(at, letter)| match at {
        4 | 7 => letter == '-',
        _ => letter.is_ascii_digit(),
    });
    rest.strip_prefix('-').filter(|rest| is_date && !rest.is_empty())
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-')
}

fn slugified(text: &str) -> String {
    let replaced: String =
        text.chars().map(|letter| if is_allowed(letter) { letter } else { '-' }).collect();
    let begun = replaced.trim_start_matches(|letter: char| !letter.is_ascii_alphanumeric());
    let slug: String = begun.chars().take(SLUG_CHARS).collect();
    if slug.is_empty() { NAMELESS.to_owned() } else { slug }
}

/// A command about a run, which is named: several runs may be in a folder, and whoever reads it may
/// be in another one.
pub fn command(run_id: &str, words: impl fmt::Display) -> String {
    format!("windlass run {words} --run-id {run_id}")
}

/// The branch of a run whose file names none. A slug is nearly always part of a branch name; git
/// takes no `..`, no dot at the end and no `.lock`.
pub fn branch(slug: &str) -> String {
    let mut name = slugified(slug);
    while name.contains("..") {
        name = name.replace("..", ".");
    }
    let name = name.trim_end_matches('.');
    match name.strip_suffix(".lock") {
        Some(before) => format!("hotl/{before}-lock"),
        None => format!("hotl/{name}"),
    }
}

/// The id of a run. It is also a file name, so it has no letter that could lead elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(String);

impl RunId {
    /// `<slug>-<YYYYMMDDTHHMMSSZ>`, in whole seconds of UTC.
    pub fn new(slug: &str, at: Time) -> Self {
        let moment = jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or_default();
        Self(format!("{}-{}", slugified(slug), moment.strftime("%Y%m%dT%H%M%SZ")))
    }

    /// The same id with `-2`, `-3` … for a run that begins in the same second.
    #[must_use]
    pub fn again(&self, number: u32) -> Self {
        Self(format!("{}-{number}", self.0))
    }

    pub fn parse(given: &str) -> Result<Self, Refusal> {
        let begins_well = given.starts_with(|first: char| first.is_ascii_alphanumeric());
        if begins_well && given.chars().all(is_allowed) && given.len() <= RUN_ID_CHARS {
            return Ok(Self(given.to_owned()));
        }
        Err(Refusal::new(Code::InvalidValue, format!("invalid run id: '{given}'"))
            .hint("begin with a letter or digit, then use letters, digits, '.', '_' and '-'")
            .detail("field", "run_id")
            .detail("given", given))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for RunId {
    type Error = Refusal;

    fn try_from(given: String) -> Result<Self, Refusal> {
        Self::parse(&given)
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> Self {
        id.0
    }
}

impl std::str::FromStr for RunId {
    type Err = Refusal;

    fn from_str(given: &str) -> Result<Self, Refusal> {
        Self::parse(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slug_follows_from_the_name_of_the_file() {
        for (path, expected) in [
            ("hotl-workflow-add-auth.md", "add-auth"),
            ("docs/plans/2026-03-20-add-auth-workflow.md", "add-auth"),
            ("add-auth-workflow.md", "add-auth"),
            ("plain.md", "plain"),
            ("plain", "plain"),
            ("hotl-workflow-.md", "hotl-workflow-"),
            ("2026-03-20-workflow.md", "2026-03-20"),
            ("-workflow.md", "workflow"),
        ] {
            assert_eq!(slug(path), expected, "{path}");
        }
    }

    #[test]
    fn malformed_16_a_file_name_with_a_space_is_slugified() {
        assert_eq!(slug("hotl-workflow-add rate limits.md"), "add-rate-limits");
        assert_eq!(slug(".hidden ünï.md"), "hidden--n-");
        assert_eq!(slug("日本.md"), "workflow");
        assert!(RunId::parse(&slug(&"é x/".repeat(90))).is_ok());
    }

    #[test]
    fn the_branch_is_named_after_the_slug() {
        assert_eq!(branch("add-auth"), "hotl/add-auth");
        assert_eq!(branch(&slug("hotl-workflow-fix-login-timeout.md")), "hotl/fix-login-timeout");
    }

    #[test]
    fn a_branch_is_a_name_that_git_takes() {
        for (slug, expected) in [
            ("a...b", "hotl/a.b"),
            ("a.", "hotl/a"),
            ("a.lock", "hotl/a-lock"),
            ("a b", "hotl/a-b"),
        ] {
            assert_eq!(branch(slug), expected);
        }
    }

    #[test]
    fn the_id_of_a_run_is_its_slug_and_its_second() {
        let at = Time::parse("at", "2026-03-20T21:23:15.900Z").unwrap();
        let id = RunId::new("add-auth", at);
        assert_eq!(id.as_str(), "add-auth-20260320T212315Z");
        assert_eq!(id.again(2).as_str(), "add-auth-20260320T212315Z-2");
        assert_eq!(RunId::parse(id.as_str()), Ok(id));
    }

    #[test]
    fn an_id_that_could_lead_elsewhere_is_refused() {
        for given in ["", "../x", "a/b", ".a", "-a", "_a", "a b", "ä", "a\0", &"a".repeat(201)] {
            assert_eq!(RunId::parse(given).unwrap_err().code, Code::InvalidValue, "{given}");
        }
    }

    #[test]
    fn an_id_is_checked_when_it_is_read_from_json() {
        assert!(serde_json::from_str::<RunId>("\"a-1\"").is_ok());
        assert!(serde_json::from_str::<RunId>("\"../a\"").is_err());
    }
}
