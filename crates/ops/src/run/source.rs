//! A workflow file, read where the caller is.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use windlass_domain::chain::Hash;
use windlass_domain::near::near;
use windlass_domain::run::file::{
    Finding, LARGEST_BYTES, Parsed, Severity, WorkflowFile, canonical, lint, parse, place, tick,
};
use windlass_domain::run::name::slug;
use windlass_domain::{Code, Refusal};
use windlass_hands::regular::open;
use windlass_ledger::Error;

use super::repository::text;
use super::target;
use crate::context::Context;
use crate::exchange::unusable;

/// So many files of a folder are looked at, to say what may have been meant.
const LOOKED_AT: usize = 1000;

/// A workflow file and what it says.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// Absolute, behind all links.
    pub(super) path: String,
    pub(super) text: String,
    parsed: Parsed,
}

impl Source {
    pub(super) fn read(cx: &Context, path: &Path) -> Result<Self, Error> {
        let given = path.to_string_lossy();
        let text_of_file = read(path)?;
        let path = text(&target::canonical(cx, &given)?)?;
        let parsed = read_as(&given, &text_of_file)?;
        Ok(Self { path, text: text_of_file, parsed })
    }

    /// What it says.
    pub(super) fn file(&self) -> &WorkflowFile {
        &self.parsed.file
    }

    /// Refuses a file with mistakes, before anything is done with it.
    pub(super) fn must_be_sound(&self) -> Result<(), Refusal> {
        let findings = lint(&self.text, &self.parsed);
        let errors: Vec<&Finding> =
            findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
        match errors.is_empty() {
            true => Ok(()),
            false => Err(unsound(&self.path, &self.text, &errors)),
        }
    }
}

/// The text of a file, or enough of it to see that it is too large.
pub(super) fn read(path: &Path) -> Result<String, Error> {
    let mut bytes = Vec::new();
    let most = LARGEST_BYTES as u64 + 1;
    let read = opened(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => missing(path).into(),
        _ if path.is_dir() => folder(path).into(),
        _ => Error::from(unusable(path, &error)),
    })?;
    if bytes.len() > LARGEST_BYTES {
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    String::from_utf8(bytes).map_err(|wrong| {
        let at = wrong.utf8_error().valid_up_to();
        let message = format!("{} is not text in UTF-8: see byte {at}", path.display());
        Refusal::new(Code::InvalidValue, message)
            .hint("save the file as UTF-8")
            .detail("file", path.display().to_string())
            .detail("byte", at)
            .into()
    })
}

/// What the caller opened itself may be a pipe, as the output of another program is.
fn opened(path: &Path) -> io::Result<File> {
    match path == Path::new("/dev/stdin") || path.starts_with("/dev/fd") {
        true => File::open(path),
        false => open(path),
    }
}

/// There is no such file, but perhaps one with a name like it, or for the same work.
fn missing(path: &Path) -> Refusal {
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let names = documents(folder);
    let mut meant = near(&name, names.iter().map(String::as_str));
    if meant.is_empty() {
        let same_work = |other: &&String| slug(other) == slug(&name);
        meant.extend(names.iter().filter(same_work).cloned());
    }
    let meant: Vec<String> =
        meant.iter().map(|name| folder.join(name).display().to_string()).collect();
    let hint = match meant.first() {
        Some(meant) => format!("see whether it is this one: windlass run lint {meant}"),
        None => "name a workflow file that is there, and look at it first: windlass run lint FILE"
            .to_owned(),
    };
    let shown = path.display().to_string();
    Refusal::new(Code::PathNotFound, format!("there is no workflow file {shown}"))
        .hint(hint)
        .detail("file", shown)
        .suggest(meant)
}

/// The workflow files that a folder may have.
fn documents(folder: &Path) -> Vec<String> {
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    let found = fs::read_dir(folder).into_iter().flatten().flatten().take(LOOKED_AT);
    let paths = found.map(|file| file.path());
    let documents = paths.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let name = |path: PathBuf| path.file_name()?.to_str().map(str::to_owned);
    let mut names: Vec<String> = documents.filter_map(name).collect();
    names.sort_unstable();
    names
}

fn folder(path: &Path) -> Refusal {
    let shown = path.display().to_string();
    let inside: Vec<String> =
        documents(path).iter().map(|name| path.join(name).display().to_string()).collect();
    let hint = match inside.first() {
        Some(first) => format!("name a file that is in it: windlass run lint {first}"),
        None => "name a workflow file".to_owned(),
    };
    Refusal::new(Code::InvalidValue, format!("{shown} is a folder, and no workflow file"))
        .hint(hint)
        .detail("field", "file")
        .detail("file", shown)
}

/// What a workflow file says; a refusal that names every mistake when it has no one meaning.
pub(super) fn understood(path: &str, text: &str) -> Result<WorkflowFile, Refusal> {
    read_as(path, text).map(|parsed| parsed.file)
}

fn read_as(path: &str, text: &str) -> Result<Parsed, Refusal> {
    parse(text).map_err(|findings| unsound(path, text, &findings.iter().collect::<Vec<_>>()))
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

/// Whether a text is that of a workflow file of this hash, but for marks that were set in it since.
pub(super) fn is_copy(text: &str, sha256: &str) -> bool {
    let is_it = |text: &str| hash(text).to_string() == sha256;
    let unmarked = |parsed: &Parsed| {
        let none = std::iter::repeat_n(false, parsed.file.steps.len());
        tick(text, &parsed.places, none)
    };
    is_it(text) || parse(text).is_ok_and(|parsed| is_it(&unmarked(&parsed)))
}
