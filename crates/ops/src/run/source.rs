//! A workflow file, read where the caller is.

use std::path::Path;

use windlass_domain::chain::Hash;
use windlass_domain::run::file::{
    Finding, Severity, WorkflowFile, canonical, inspect, parse, place,
};
use windlass_domain::{Code, Refusal};
use windlass_ledger::Error;

use super::lint::read;
use super::target::{canonical, text};
use crate::context::Context;

/// A workflow file and what it says.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// Absolute, behind all links.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) file: WorkflowFile,
}

impl Source {
    pub(super) fn read(cx: &Context, path: &Path) -> Result<Self, Error> {
        let given = path.to_string_lossy();
        let text_of_file = read(path)?;
        let path = text(&canonical(cx, &given)?)?;
        let file = understood(&given, &text_of_file)?;
        Ok(Self { path, text: text_of_file, file })
    }

    /// Refuses a file with mistakes, before anything is done with it.
    pub(super) fn must_be_sound(&self) -> Result<(), Refusal> {
        let findings = inspect(&self.text);
        let errors: Vec<&Finding> =
            findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
        match errors.is_empty() {
            true => Ok(()),
            false => Err(unsound(&self.path, &self.text, &errors)),
        }
    }
}

/// What a workflow file says; a refusal that names every mistake when it has no one meaning.
pub(super) fn understood(path: &str, text: &str) -> Result<WorkflowFile, Refusal> {
    parse(text)
        .map(|parsed| parsed.file)
        .map_err(|findings| unsound(path, text, &findings.iter().collect::<Vec<_>>()))
}

fn unsound(path: &str, text: &str, findings: &[&Finding]) -> Refusal {
    let said: Vec<String> = findings
        .iter()
        .map(|finding| {
            let (line, column) = place(text, finding.span.start);
            format!("{path}:{line}:{column}: {}", finding.message)
        })
        .collect();
    Refusal::new(Code::FileInvalid, said.join("\n"))
        .hint(format!("see it underlined: windlass run lint {path}"))
        .detail("file", path)
        .detail("findings", said)
}

/// The hash of a workflow file as it is executed.
pub(super) fn hash(text: &str) -> Hash {
    Hash::of(text.as_bytes())
}

/// The hash of what a workflow file asks for. The marks that an agent sets in it do not count.
pub(super) fn plan_hash(file: &WorkflowFile) -> Hash {
    let mut file = file.clone();
    for step in &mut file.steps {
        step.ticked = false;
    }
    Hash::of(canonical(&file).as_bytes())
}
