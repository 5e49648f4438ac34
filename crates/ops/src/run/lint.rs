//! `run lint`: what is wrong with workflow files, before anything is done with them.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::run::file::{
    CompatReport, Finding, Severity, Verdict, compat_lint, inspect, place,
};
use windlass_domain::{Exit, Time};
use windlass_ledger::Error;

use super::shown::{Look, shown};
use super::source::read;
use crate::context::Context;
use crate::operation::{Access, Operation, Output, Place, Remotely};
use crate::sheet::{Cell, Sheet, Tone, counted};

/// Looks for what is wrong with workflow files.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Lint {
    /// Workflow files
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Say it as HOTL's lint does, with its rules alone
    #[arg(long)]
    #[serde(default)]
    pub compat: bool,
}

/// What was found.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Linted {
    /// No file has an error.
    pub sound: bool,
    pub files: Vec<LintedFile>,
    /// The lines of HOTL's lint, where those were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compat: Option<String>,
}

/// What was found in a file.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct LintedFile {
    pub file: String,
    pub errors: u64,
    pub warnings: u64,
    /// In the order of the file.
    pub findings: Vec<FoundAt>,
    /// Why it could not be looked at, which counts as an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
}

/// One finding, and where. Lines and columns begin at 1, columns count characters, and an end is
/// behind the last one.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct FoundAt {
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
    /// A word that never changes its meaning.
    pub code: String,
    /// `error` or `warning`.
    pub severity: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub related: Option<RelatedPlace>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SuggestedChange>,
    /// As a person is shown it.
    #[serde(skip)]
    shown: String,
}

/// Another place that has to do with a finding.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RelatedPlace {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// What to write from one place to another.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SuggestedChange {
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
    pub replacement: String,
}

impl Operation for Lint {
    type Output = Linted;
    const NAME: &'static str = "run.lint";
    const ABOUT: &'static str = "Look for what is wrong with workflow files, before they are run";
    const EXAMPLE: &'static str = "windlass run lint hotl-workflow-add-auth.md";
    const ACCESS: Access = Access::Read;
    const PLACE: Place = Place::Workplace;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, _cx: &mut Context) -> Result<Linted, Error> {
        if self.compat {
            return self.as_hotl();
        }
        let files = match self.files.as_slice() {
            [only] => vec![LintedFile::of(only)?],
            // The others are looked at all the same.
            several => several.iter().map(|path| LintedFile::of_one_of_many(path)).collect(),
        };
        Ok(Linted { sound: files.iter().all(|file| file.errors == 0), files, compat: None })
    }
}

impl Lint {
    fn as_hotl(&self) -> Result<Linted, Error> {
        let mut sound = true;
        let mut lines = Vec::new();
        for path in &self.files {
            let name = path.display().to_string();
            let report = match path.is_file() {
                true => compat_lint(&name, &read(path)?),
                false => CompatReport::not_found(&name),
            };
            sound &= report.verdict != Verdict::Failed;
            lines.extend(report.stderr.into_iter().chain(report.stdout));
        }
        let said = lines.into_iter().map(|line| line + "\n").collect();
        Ok(Linted { sound, files: Vec::new(), compat: Some(said) })
    }
}

fn found(name: &str, text: &str, finding: &Finding) -> FoundAt {
    let [(line, column), (end_line, end_column)] = ends(text, &finding.span);
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    FoundAt {
        line,
        column,
        end_line,
        end_column,
        code: finding.code.to_owned(),
        severity: severity.to_owned(),
        message: finding.message.clone(),
        related: finding.related.as_ref().map(|(span, message)| {
            let (line, column) = place(text, span.start);
            RelatedPlace { line, column, message: message.clone() }
        }),
        suggestion: finding.suggestion.as_ref().map(|suggestion| {
            let [(line, column), (end_line, end_column)] = ends(text, &suggestion.span);
            let replacement = suggestion.replacement.clone();
            SuggestedChange { line, column, end_line, end_column, replacement }
        }),
        shown: shown(name, text, finding, Look::Plain),
    }
}

fn ends(text: &str, span: &Range<usize>) -> [(usize, usize); 2] {
    [place(text, span.start), place(text, span.end)]
}

impl Output for Linted {
    fn sheet(&self, _now: Time) -> Sheet {
        self.files.iter().fold(Sheet::default(), |sheet, file| file.onto(sheet))
    }

    /// Warnings alone are no reason to stop.
    fn exit(&self) -> Exit {
        if self.sound { Exit::Done } else { Exit::Findings }
    }

    fn document(&self) -> Option<&str> {
        self.compat.as_deref()
    }

    /// Whoever asks for HOTL's lines reads them in a pipe too.
    fn is_verbatim(&self) -> bool {
        self.compat.is_some()
    }
}

impl LintedFile {
    fn of(path: &Path) -> Result<Self, Error> {
        let text = read(path)?;
        let name = path.display().to_string();
        let findings: Vec<_> =
            inspect(&text).iter().map(|finding| found(&name, &text, finding)).collect();
        let count = |severity| findings.iter().filter(|found| found.severity == severity).count();
        let (errors, warnings) = (count("error") as u64, count("warning") as u64);
        Ok(Self { file: name, errors, warnings, findings, unread: None })
    }

    fn of_one_of_many(path: &Path) -> Self {
        Self::of(path).unwrap_or_else(|error| Self {
            file: path.display().to_string(),
            errors: 1,
            warnings: 0,
            findings: Vec::new(),
            unread: Some(error.to_string()),
        })
    }

    fn onto(&self, mut sheet: Sheet) -> Sheet {
        for found in &self.findings {
            let tone = if found.severity == "error" { Tone::Bad } else { Tone::Busy };
            for (at, line) in found.shown.lines().enumerate() {
                sheet = match at {
                    0 => sheet.and_line(Cell::toned(line, tone)),
                    _ => sheet.and_drawn(line.into()),
                };
            }
            sheet = sheet.and_line("");
        }
        if let Some(why) = &self.unread {
            return sheet.and_line(Cell::toned(format!("{}: {why}", self.file), Tone::Bad));
        }
        let count = match (self.errors, self.warnings) {
            (0, 0) => return sheet.and_line(format!("{}: nothing wrong", self.file)),
            (errors, 0) => counted(errors, "error"),
            (0, warnings) => counted(warnings, "warning"),
            (errors, warnings) => {
                format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"))
            }
        };
        sheet.and_line(format!("{}: {count}", self.file))
    }
}
