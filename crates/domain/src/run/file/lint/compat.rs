//! The same findings as HOTL's lint says them: one line each, and one line at the end.
//!
//! A file that HOTL passes and that cannot be run here is failed with our own words, since what HOTL
//! made of it was a broken state. Rules that HOTL does not have are left out.

use super::both;
use super::security::Keywords;
use crate::run::file::finding::{Finding, Severity, place};

/// What HOTL's lint would have said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompatReport {
    /// For standard error.
    pub stderr: Vec<String>,
    /// For standard output.
    pub stdout: Vec<String>,
    pub verdict: Verdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    /// Exit 1.
    Failed,
    /// It is no workflow file: exit 0.
    Skipped,
}

/// Looks at a file by the path it was given as.
pub fn compat_lint(path: &str, text: &str) -> CompatReport {
    let name = base_name(path);
    if let Some(said) = skipped(path, name) {
        return CompatReport { stderr: vec![said], stdout: Vec::new(), verdict: Verdict::Skipped };
    }
    let mut stderr = failures(text);
    if stderr.is_empty() {
        let stdout = vec![format!("LINT PASSED: {name}")];
        return CompatReport { stderr, stdout, verdict: Verdict::Passed };
    }
    stderr.push(format!("LINT FAILED: {} error(s) in {name}", stderr.len()));
    CompatReport { stderr, stdout: Vec::new(), verdict: Verdict::Failed }
}

impl CompatReport {
    /// What is said of a file that is not there.
    pub fn not_found(path: &str) -> Self {
        let stderr = vec![format!("FAIL: File not found: {path}")];
        Self { stderr, stdout: Vec::new(), verdict: Verdict::Failed }
    }
}

/// In the order of the text. Without what reading refuses, a file cannot be run.
fn failures(text: &str) -> Vec<String> {
    let (reading, rules) = both(text, Keywords::Parts);
    let refused =
        reading.iter().filter_map(|finding| Some((finding.span.start, refused(finding, text)?)));
    let broken = rules.iter().filter_map(|finding| Some((finding.span.start, finding.compat()?)));
    let mut failures: Vec<(usize, String)> = broken.chain(refused).collect();
    failures.sort_by_key(|(at, _)| *at);
    failures.into_iter().map(|(_, said)| format!("FAIL: {said}")).collect()
}

fn refused(finding: &Finding, text: &str) -> Option<String> {
    let (line, _) = place(text, finding.span.start);
    let said = finding.compat().or_else(|| Some(format!("line {line}: {}", finding.message)));
    said.filter(|_| finding.severity == Severity::Error)
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn skipped(path: &str, name: &str) -> Option<String> {
    let in_folder = |folder: &str| {
        let parent = path.strip_suffix(name).unwrap_or_default().trim_end_matches('/');
        parent == folder || parent.strip_suffix(folder).is_some_and(|above| above.ends_with('/'))
    };
    let is_markdown = name.strip_suffix(".md").is_some();
    let is_design = is_markdown && in_folder("docs/designs")
        || name.ends_with("-design.md")
        || name.ends_with("-plan.md");
    let is_workflow = name.ends_with("-workflow.md") && in_folder("docs/plans")
        || is_markdown && name.starts_with("hotl-workflow-");
    match (is_design, is_workflow) {
        (false, true) => None,
        (true, _) => Some(format!("SKIP: {name} is a design doc, which Windlass does not lint")),
        (false, false) => Some(format!("SKIP: {name} is not a HOTL design doc or workflow file")),
    }
}
