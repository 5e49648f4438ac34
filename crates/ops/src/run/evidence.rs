//! `run evidence`: what the checks of a run showed, attempt by attempt.
//!
//! Outputs are shown from the ledger, by their beginning and end. Logs and pictures are files in the
//! folder of the run; they are had only where that folder is, and only as they were recorded.

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chain::Hash;
use windlass_domain::event::RunEvent;
use windlass_domain::run::check::{self, CheckResult, Exhibit, both_ends};
use windlass_domain::run::event::StepVerified;
use windlass_domain::run::word::{OutcomeWord, VerdictWord};
use windlass_domain::run::{Run, StepState};
use windlass_domain::{Code, Event, Refusal, RunKey, Time};
use windlass_hands::evidence::{self, Unfit};
use windlass_ledger::{Error, Fault, Snapshot};

use super::change::Whereabouts;
use super::target::Target;
use super::view::{failed_check, line_of, spoken};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone, ago};

/// Larger files are not handed out; the folder has them.
const MOST_BYTES: u64 = 16 << 20;

/// Shows what the checks of a run showed.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Evidence {
    /// The run; without one, the only run of the folder
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Only of this step
    #[arg(long, value_name = "N")]
    pub step: Option<u32>,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
}

/// What the checks of a run showed, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    #[serde(flatten)]
    pub whereabouts: Whereabouts,
    pub attempts: Vec<AttemptView>,
}

/// Checks of a step that were made together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptView {
    pub step: u32,
    pub attempt: u32,
    #[schemars(with = "String")]
    pub at: Time,
    /// passed, failed, `needs_person` or undecidable.
    #[schemars(with = "String")]
    pub verdict: VerdictWord,
    /// The check that did not pass, and how it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_check: Option<String>,
    pub checks: Vec<SeenView>,
}

/// One check, and what it showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeenView {
    /// Its place in the list of the step, from 1.
    pub check: usize,
    /// What was checked, in a line.
    pub what: String,
    /// passed, failed or undecided.
    #[schemars(with = "String")]
    pub outcome: OutcomeWord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<i64>,
    pub stdout: WrittenView,
    pub stderr: WrittenView,
    /// How it ended, where neither its exit code nor its output says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<String>,
    /// The whole output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<FileView>,
    /// The files that were looked at, and the picture that was taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileView>,
}

/// What a check wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WrittenView {
    pub size_bytes: u64,
    /// The beginning.
    pub head: String,
    /// The end, where the beginning is not all of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
    /// How many bytes are neither in the beginning nor in the end.
    #[serde(default, skip_serializing_if = "is_none_left_out")]
    pub left_out_bytes: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it so")]
fn is_none_left_out(bytes: &u64) -> bool {
    *bytes == 0
}

/// A file of the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileView {
    pub name: String,
    pub path: String,
    pub size_bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    pub state: FileState,
}

/// Whether a file of the evidence can be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    Here,
    Missing,
    /// It is there, and not what the check left.
    Changed,
    /// On another machine.
    Elsewhere,
    /// It is no part of the evidence that is kept.
    Apart,
    /// It is there, and too large to be handed out.
    TooLarge,
    /// It is there, and cannot be read, or nobody knows what it was.
    Unreadable,
}

impl Operation for Evidence {
    type Output = Shown;
    const NAME: &'static str = "run.evidence";
    const ABOUT: &'static str = "Show what the checks of a run showed, attempt by attempt";
    const EXAMPLE: &'static str = "windlass run evidence --step 2";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Shown, Error> {
        let target = Target::named(self.run.as_ref(), &self.target).chosen(cx)?;
        let machine = cx.surroundings.host.clone();
        cx.read(|snapshot| {
            let run = target.find(snapshot)?.run;
            if let Some(number) = self.step {
                run.step(number)?;
            }
            let mut attempts = Vec::new();
            for (data, at) in verifications(snapshot, run.key)? {
                if self.step.is_none_or(|number| number == data.step) {
                    attempts.push(AttemptView::of(&run, &machine, &data, at));
                }
            }
            Ok(Shown { whereabouts: Whereabouts::of(&run), attempts })
        })
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        let target = Target::named(self.run.as_ref(), &self.target).chosen(cx)?;
        Ok(Some(Self { run: None, target, ..self.clone() }))
    }
}

/// All checks of a run that were made, the oldest first.
fn verifications(
    snapshot: &mut Snapshot<'_>,
    key: RunKey,
) -> Result<Vec<(StepVerified, Time)>, Fault> {
    let mut found = Vec::new();
    for recorded in snapshot.whole_history(key.into())? {
        if let Some(Event::Run(event)) = recorded.event()?
            && let RunEvent::StepVerified(data) = *event
        {
            found.push((data, recorded.header.at));
        }
    }
    Ok(found)
}

impl AttemptView {
    fn of(run: &Run, machine: &str, data: &StepVerified, at: Time) -> Self {
        let step = run.step(data.step).ok();
        let seen = data.results.iter().map(|result| SeenView::of(run, machine, step, result));
        let failed_check = step.and_then(|step| failed_check(step, &data.results));
        let (step, attempt, verdict) = (data.step, data.attempt, data.verdict.word());
        Self { step, attempt, at, verdict, failed_check, checks: seen.collect() }
    }
}

impl SeenView {
    fn of(run: &Run, machine: &str, step: Option<&StepState>, result: &CheckResult) -> Self {
        let file = |exhibit: &Exhibit| FileView::of(run, machine, exhibit);
        let check = step.and_then(|step| step.checks.get(result.check));
        let times = result.ended_at.zip(result.started_at);
        Self {
            check: result.check + 1,
            what: check.map(line_of).unwrap_or_default(),
            outcome: result.outcome.word(),
            exit_code: result.exit_code,
            signal: result.signal,
            took_ms: times.map(|(ended, started)| ended.millis_since(started)),
            stdout: WrittenView::of(&result.stdout),
            stderr: WrittenView::of(&result.stderr),
            ending: result.ending.clone(),
            log: result.log.as_ref().map(file),
            files: result.exhibits.iter().map(file).collect(),
        }
    }

    /// A line of its own, then what it wrote and where the files are.
    fn add_to(&self, sheet: Sheet) -> Sheet {
        let how = match (self.exit_code, self.signal) {
            (Some(code), _) => format!(", exit code {code}"),
            (None, Some(signal)) => format!(", signal {signal}"),
            (None, None) => String::new(),
        };
        let tone = match self.outcome {
            OutcomeWord::Passed => Tone::Good,
            OutcomeWord::Failed => Tone::Bad,
            OutcomeWord::Undecided => Tone::Busy,
        };
        let what = self.what.lines().next().unwrap_or_default();
        let line = format!("check {} {}{how}: {what}", self.check, self.outcome);
        let mut sheet = sheet.and_line(Cell::toned(line, tone));
        for written in [&self.stdout, &self.stderr] {
            for text in written.texts() {
                sheet = sheet.and_text(text);
            }
        }
        if let Some(ending) = &self.ending {
            sheet = sheet.and_line(ending.as_str());
        }
        let files = self.log.iter().chain(&self.files);
        files.fold(sheet, |sheet, file| sheet.and_line(Cell::dim(file.line())))
    }
}

impl WrittenView {
    fn of(output: &check::Output) -> Self {
        let check::Output { text, tail, size_bytes, left_out_bytes, sha256: _ } = output.clone();
        Self { size_bytes, head: text, tail, left_out_bytes }
    }

    /// What is shown, with a word on what is not.
    pub(super) fn texts(&self) -> Vec<String> {
        both_ends(&self.head, self.left_out_bytes, &self.tail)
    }
}

impl FileView {
    fn of(run: &Run, machine: &str, exhibit: &Exhibit) -> Self {
        let folder = folder_of(run, machine);
        let name = name_of(run, exhibit);
        let last = Path::new(&exhibit.path).file_name().and_then(|name| name.to_str());
        Self {
            name: name.or(last).unwrap_or(&exhibit.path).to_owned(),
            path: name.map_or_else(
                || exhibit.path.clone(),
                |name| evidence::place(folder, run.name.as_str()).join(name).display().to_string(),
            ),
            size_bytes: exhibit.size_bytes,
            sha256: exhibit.sha256.map(|hash| hash.to_string()),
            state: FileState::of(run, machine, exhibit, name),
        }
    }

    pub fn is_picture(&self) -> bool {
        kind_of(&self.name) == Some(Kind::Picture)
    }

    fn line(&self) -> String {
        match self.state {
            FileState::Missing => format!("{} (not there any more)", self.path),
            FileState::Changed => format!("{} (changed since)", self.path),
            FileState::Unreadable => format!("{} (cannot be read)", self.path),
            FileState::Here | FileState::Elsewhere | FileState::Apart | FileState::TooLarge => {
                self.path.clone()
            }
        }
    }
}

impl FileState {
    /// Of a file that has this name where evidence is kept.
    fn of(run: &Run, machine: &str, exhibit: &Exhibit, name: Option<&str>) -> Self {
        let folder = folder_of(run, machine);
        match name {
            None => Self::Apart,
            Some(_) if run.place.machine != machine => Self::Elsewhere,
            Some(name) => match as_left(folder, run, exhibit, name) {
                Ok(_) => Self::Here,
                Err(NotAsLeft::Changed) => Self::Changed,
                Err(NotAsLeft::Unfit(Unfit::Missing)) => Self::Missing,
                Err(NotAsLeft::Unfit(Unfit::TooLarge(_))) => Self::TooLarge,
                Err(
                    NotAsLeft::Unknown | NotAsLeft::Unfit(Unfit::Misplaced | Unfit::Unreadable(_)),
                ) => Self::Unreadable,
            },
        }
    }
}

/// Why a file is not what a check left.
enum NotAsLeft {
    Unfit(Unfit),
    Changed,
    /// Nobody recorded what it was.
    Unknown,
}

/// The bytes of a file, if they are what the check left.
fn as_left(folder: &Path, run: &Run, exhibit: &Exhibit, name: &str) -> Result<Vec<u8>, NotAsLeft> {
    let bytes =
        evidence::read(folder, run.name.as_str(), name, MOST_BYTES).map_err(NotAsLeft::Unfit)?;
    match exhibit.sha256 {
        None => Err(NotAsLeft::Unknown),
        Some(left) if left == Hash::of(&bytes) => Ok(bytes),
        Some(_) => Err(NotAsLeft::Changed),
    }
}

/// The folder that has the evidence of a run: its own, or when the worktree is gone the repository,
/// or the checkout of it that was left then.
fn folder_of<'a>(run: &'a Run, machine: &str) -> &'a Path {
    let own = Path::new(&run.place.folder);
    if run.place.machine != machine {
        return own;
    }
    let preserved = run
        .finish
        .as_ref()
        .and_then(|finish| Path::new(finish.details.artifacts_preserved_at.as_deref()?).parent());
    let has = |folder: &&Path| evidence::place(folder, run.name.as_str()).is_dir();
    let all = [Some(own), Some(Path::new(&run.place.repo_root)), preserved];
    all.into_iter().flatten().find(has).unwrap_or(own)
}

/// The name of a file that is kept as evidence of this run.
fn name_of<'a>(run: &Run, exhibit: &'a Exhibit) -> Option<&'a str> {
    let place = evidence::place(Path::new(&run.place.folder), run.name.as_str());
    let name = Path::new(&exhibit.path).strip_prefix(&place).ok()?.to_str()?;
    Some(name).filter(|name| evidence::is_plain(name) && kind_of(name).is_some())
}

/// What a kept file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Picture,
    Text,
}

fn kind_of(name: &str) -> Option<Kind> {
    match Path::new(name).extension()?.to_str()? {
        "png" => Some(Kind::Picture),
        "log" => Some(Kind::Text),
        _ => None,
    }
}

/// A file of the evidence as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub kind: Kind,
    pub bytes: Vec<u8>,
}

impl Kept {
    /// The file of that name, if a check of the run left it and it is what that check saw.
    pub fn of(cx: &mut Context, run: &str, name: &str) -> Result<Self, Error> {
        let target = Target { run_id: Some(run.to_owned()), ..Target::default() };
        let (run, found) = cx.read(|snapshot| {
            let run = target.find(snapshot)?.run;
            // The newest wins, should two have left the same name.
            let mut found = None;
            for (data, _) in verifications(snapshot, run.key)? {
                let all = data.results.into_iter();
                let mut files =
                    all.flat_map(|result| result.log.into_iter().chain(result.exhibits));
                let named = files.find(|file| name_of(&run, file) == Some(name));
                found = named.or(found);
            }
            Ok((run, found))
        })?;
        let refused = |message: String| {
            Refusal::new(Code::PathNotFound, message)
                .hint(format!("see what there is: windlass run evidence {}", run.name))
                .detail("run_id", run.name.as_str())
                .detail("name", name)
        };
        let unknown = || refused(format!("run {} left no evidence '{name}'", run.name));
        let (kind, file) = kind_of(name).zip(found).ok_or_else(unknown)?;
        if run.place.machine != cx.surroundings.host {
            let message = format!("{name} is on {}: {}", run.place.machine, file.path);
            return Err(refused(message).into());
        }
        let folder = folder_of(&run, &run.place.machine);
        // Nothing is handed out but what was seen, whatever is there now.
        let bytes = as_left(folder, &run, &file, name)
            .map_err(|why| refused(why.told(name, &file.path)))?;
        Ok(Self { kind, bytes })
    }
}

impl NotAsLeft {
    fn told(&self, name: &str, path: &str) -> String {
        match self {
            Self::Changed => format!("{name} is not what the check left"),
            Self::Unknown => format!("nobody recorded what {name} was"),
            Self::Unfit(Unfit::Missing) => format!("{name} is not there any more"),
            Self::Unfit(Unfit::Misplaced) => format!("{name} is no file in its place"),
            Self::Unfit(Unfit::TooLarge(size)) => {
                format!("{name} has {size} bytes, too many to show: {path}")
            }
            Self::Unfit(Unfit::Unreadable(error)) => format!("{name} cannot be read: {error}"),
        }
    }
}

impl Output for Shown {
    fn sheet(&self, now: Time) -> Sheet {
        if self.attempts.is_empty() {
            return Sheet::line(format!("no checks of run {} were made", self.whereabouts.run_id));
        }
        let mut sheet = Sheet::default();
        for attempt in &self.attempts {
            let AttemptView { step, attempt: number, at, verdict, checks, .. } = attempt;
            let verdict = spoken(verdict.as_str());
            let when = ago(*at, now);
            sheet = sheet.and_heading(format!("step {step}, attempt {number}: {verdict}, {when}"));
            sheet = checks.iter().fold(sheet, |sheet, seen| seen.add_to(sheet));
        }
        sheet
    }
}
