//! What came of a check, and what follows for its step.

use serde::{Deserialize, Serialize};

use super::file::{AssertKind, Check};
use super::word::{OutcomeWord, VerdictWord};
use crate::Time;
use crate::chain::Hash;

/// What the reason of a check begins with that only a person can decide.
pub const REVIEW: &str = "human review required";

/// What a person is asked, of the reason of such a check.
pub fn asked(reason: &str) -> &str {
    reason.strip_prefix(REVIEW).unwrap_or(reason).trim_start_matches([':', ' '])
}

/// Bytes of an output that are shown, of its beginning and of its end each.
pub const SHOWN_BYTES: usize = 4096;

/// How one check ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Passed,
    Failed,
    /// It cannot be decided. A reason that begins with [`REVIEW`] asks for a person.
    Undecided(String),
}

impl Outcome {
    /// Why it cannot be decided.
    pub(super) fn reason_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Undecided(reason) => Some(reason),
            Self::Passed | Self::Failed => None,
        }
    }
}

/// What a check wrote: as much as is shown, and the digest of all of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Output {
    /// The beginning.
    pub text: String,
    /// The end, as far as it is not in the beginning.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
    #[serde(default)]
    pub size_bytes: u64,
    /// How many of them are neither in the beginning nor in the end.
    #[serde(default, skip_serializing_if = "is_none_left_out")]
    pub left_out_bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Hash>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it so")]
fn is_none_left_out(bytes: &u64) -> bool {
    *bytes == 0
}

impl Output {
    /// Beginning and end, with a word on what is between them.
    fn both_ends(&self) -> String {
        both_ends(&self.text, self.left_out_bytes, &self.tail).join("\n")
    }
}

/// What is shown of an output, with a word on what is not.
pub fn both_ends(head: &str, left_out_bytes: u64, tail: &str) -> Vec<String> {
    // Where nothing is left out, the end goes on where the beginning stops.
    let parts = match left_out_bytes {
        0 => vec![format!("{head}{tail}")],
        bytes => vec![head.to_owned(), format!("… {bytes} bytes are left out …"), tail.to_owned()],
    };
    let texts = parts.into_iter().map(|text| text.trim_end().to_owned());
    texts.filter(|text| !text.is_empty()).collect()
}

/// A file that shows what a check saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exhibit {
    pub path: String,
    #[serde(default)]
    pub size_bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Hash>,
}

/// What came of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Its place in the list of the step, from 0.
    pub check: usize,
    pub outcome: Outcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Time>,
    #[serde(default)]
    pub stdout: Output,
    #[serde(default)]
    pub stderr: Output,
    /// How it ended, where neither its exit code nor its output says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<String>,
    /// The whole output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<Exhibit>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exhibits: Vec<Exhibit>,
}

impl CheckResult {
    pub fn new(check: usize, outcome: Outcome) -> Self {
        Self {
            check,
            outcome,
            exit_code: None,
            signal: None,
            started_at: None,
            ended_at: None,
            stdout: Output::default(),
            stderr: Output::default(),
            ending: None,
            log: None,
            exhibits: Vec::new(),
        }
    }
}

impl Outcome {
    pub const fn word(&self) -> OutcomeWord {
        match self {
            Self::Passed => OutcomeWord::Passed,
            Self::Failed => OutcomeWord::Failed,
            Self::Undecided(_) => OutcomeWord::Undecided,
        }
    }
}

impl CheckResult {
    /// There is something to look at: a file, or what it wrote.
    pub(super) fn shows_something(&self) -> bool {
        let wrote = [&self.stdout, &self.stderr].iter().any(|output| !output.text.is_empty());
        wrote || self.log.is_some() || !self.exhibits.is_empty()
    }
}

/// What the results of a step's checks mean for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Passed,
    Failed,
    NeedsPerson { check: usize, reason: String },
    Undecidable { reason: String },
}

impl Verdict {
    pub const fn word(&self) -> VerdictWord {
        match self {
            Self::Passed => VerdictWord::Passed,
            Self::Failed => VerdictWord::Failed,
            Self::NeedsPerson { .. } => VerdictWord::NeedsPerson,
            Self::Undecidable { .. } => VerdictWord::Undecidable,
        }
    }
}

/// What is known of a check before anything is run; nothing where it must be run.
pub fn foregone(check: &Check) -> Option<Outcome> {
    let undecided = |reason: &str| Some(Outcome::Undecided(reason.to_owned()));
    match check {
        Check::Shell { .. } if !is_real(check) => Some(Outcome::Passed),
        Check::Review { prompt } => Some(Outcome::Undecided(match given(prompt.as_deref()) {
            Some(prompt) => format!("{REVIEW}: {prompt}"),
            None => REVIEW.to_owned(),
        })),
        Check::Browser { url, .. } if given(url.as_deref()).is_none() => {
            undecided("browser verify missing url")
        }
        Check::Browser { check, .. } if given(check.as_deref()).is_none() => {
            undecided("browser verify missing check")
        }
        Check::Shell { .. } | Check::Browser { .. } => None,
        Check::Artifact { path, .. } if given(path.as_deref()).is_none() => {
            undecided("artifact verify missing path")
        }
        Check::Artifact { assert, .. } => {
            let kind = assert.as_ref().map_or(&AssertKind::Missing, |assert| &assert.kind);
            let value = assert.as_ref().and_then(|assert| given(assert.value.as_deref()));
            match (kind, value) {
                (AssertKind::Contains, None) => {
                    undecided("artifact assert kind contains requires value")
                }
                (AssertKind::MatchesGlob, None) => {
                    undecided("artifact assert kind matches-glob requires value")
                }
                (AssertKind::MatchesGlob, Some(glob)) if glob.contains('/') => undecided(
                    "artifact assert kind matches-glob expects a filename glob; put the directory \
                     in path",
                ),
                (AssertKind::Exists | AssertKind::Contains | AssertKind::MatchesGlob, _) => None,
                (AssertKind::Other(_) | AssertKind::Missing, _) => Some(Outcome::Undecided(
                    format!("unsupported artifact assert kind: {}", kind.as_str()),
                )),
            }
        }
        Check::Unknown { kind } => {
            Some(Outcome::Undecided(format!("unsupported verify type: {kind}")))
        }
    }
}

/// It checks something: a command that is empty does not.
pub fn is_real(check: &Check) -> bool {
    match check {
        Check::Shell { command, .. } => given(command.as_deref()).is_some(),
        Check::Artifact { .. }
        | Check::Browser { .. }
        | Check::Review { .. }
        | Check::Unknown { .. } => true,
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

/// The verdict over results in the order of their checks.
pub(super) fn verdict(results: &[CheckResult]) -> Verdict {
    let decided = results.iter().find_map(|result| match &result.outcome {
        Outcome::Passed => None,
        Outcome::Failed => Some(Verdict::Failed),
        Outcome::Undecided(reason) if reason.starts_with(REVIEW) => {
            Some(Verdict::NeedsPerson { check: result.check, reason: reason.clone() })
        }
        Outcome::Undecided(reason) => Some(Verdict::Undecidable { reason: reason.clone() }),
    });
    decided.unwrap_or(Verdict::Passed)
}

/// The beginnings of the two outputs of a step, joined from its checks as `.hotl` has them: trailing
/// line breaks are trimmed and one is added, so that nothing is one line break.
pub(super) fn beginnings(results: &[CheckResult]) -> (String, String) {
    joined(results, |output| output.text.clone())
}

/// The same with what is known of their ends.
pub(super) fn both_outputs(results: &[CheckResult]) -> (String, String) {
    joined(results, Output::both_ends)
}

/// How a check ended is told after what it wrote, as a shell would.
fn joined(results: &[CheckResult], shown: fn(&Output) -> String) -> (String, String) {
    let join = |texts: Vec<String>| {
        let texts = texts.iter().map(|text| text.trim_end_matches('\n'));
        let mut text = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        text.push('\n');
        text
    };
    let stderr = results
        .iter()
        .flat_map(|result| std::iter::once(shown(&result.stderr)).chain(result.ending.clone()));
    (join(results.iter().map(|result| shown(&result.stdout)).collect()), join(stderr.collect()))
}

#[cfg(test)]
mod tests {
    use super::super::file::Assert;
    use super::*;

    fn artifact(path: Option<&str>, kind: AssertKind, value: Option<&str>) -> Check {
        let assert = Some(Assert { kind, value: value.map(str::to_owned) });
        Check::Artifact { path: path.map(str::to_owned), assert, timeout: None }
    }

    #[test]
    fn what_a_check_lacks_is_told_in_the_words_of_hotl() {
        let browser = |url: Option<&str>| Check::Browser {
            url: url.map(str::to_owned),
            check: None,
            timeout: None,
        };
        let rows = [
            (Check::Review { prompt: Some("look".into()) }, "human review required: look"),
            (Check::Review { prompt: None }, "human review required"),
            (Check::Unknown { kind: "magic".into() }, "unsupported verify type: magic"),
            (browser(None), "browser verify missing url"),
            (browser(Some("http://x")), "browser verify missing check"),
            (artifact(None, AssertKind::Exists, None), "artifact verify missing path"),
            (
                artifact(Some("f"), AssertKind::Contains, None),
                "artifact assert kind contains requires value",
            ),
            (
                artifact(Some("f"), AssertKind::MatchesGlob, None),
                "artifact assert kind matches-glob requires value",
            ),
            (
                artifact(Some("f"), AssertKind::MatchesGlob, Some("a/*")),
                "artifact assert kind matches-glob expects a filename glob; put the directory in \
                 path",
            ),
            (
                artifact(Some("f"), AssertKind::Other("is-nice".into()), None),
                "unsupported artifact assert kind: is-nice",
            ),
            (artifact(Some("f"), AssertKind::Missing, None), "unsupported artifact assert kind: "),
        ];
        for (check, reason) in rows {
            assert_eq!(foregone(&check), Some(Outcome::Undecided(reason.into())), "{check:?}");
        }
    }

    #[test]
    fn a_check_that_lacks_nothing_must_be_run() {
        assert_eq!(foregone(&artifact(Some("f"), AssertKind::Exists, None)), None);
        assert_eq!(foregone(&artifact(Some("f"), AssertKind::MatchesGlob, Some("*.md"))), None);
        assert_eq!(foregone(&Check::Shell { command: Some("true".into()), timeout: None }), None);
    }

    #[test]
    fn an_empty_command_passes_and_checks_nothing() {
        let check = Check::Shell { command: Some(" ".into()), timeout: None };
        assert_eq!(foregone(&check), Some(Outcome::Passed));
        assert!(!is_real(&check));
    }

    #[test]
    fn empty_output_is_one_line_break_and_outputs_of_a_list_are_joined() {
        let said = |check, text: &str| {
            let mut result = CheckResult::new(check, Outcome::Passed);
            result.stdout.text = text.into();
            result
        };
        let results = [said(0, "one\n\n"), said(1, ""), said(2, "two")];
        assert_eq!(beginnings(&results), ("one\ntwo\n".into(), "\n".into()));
    }

    #[test]
    fn the_end_of_an_output_and_of_its_check_are_told_after_a_gap() {
        let mut result = CheckResult::new(0, Outcome::Failed);
        let (text, tail) = ("one\n".to_owned(), "nine\n".to_owned());
        result.stderr = Output { text, tail, left_out_bytes: 7, ..Output::default() };
        result.ending = Some("timed out after 1s".into());
        let results = [result];
        assert_eq!(beginnings(&results).1, "one\ntimed out after 1s\n");
        let told = "one\n… 7 bytes are left out …\nnine\ntimed out after 1s\n";
        assert_eq!(both_outputs(&results).1, told);
    }
}
