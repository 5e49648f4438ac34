//! `run files`: the state file and the report of a run, as they should be.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chain::Hash;
use windlass_domain::event::RunEvent;
use windlass_domain::run::Run;
use windlass_domain::run::report::{Told, replay, report};
use windlass_domain::run::state_file::{StateFile, parse};
use windlass_domain::{Event, RunKey, Time};
use windlass_ledger::{Error, Fault, Snapshot};

use super::change::Whereabouts;
use super::source::plan_hash;
use super::target::Target;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;

/// Tells what the files of a run should say.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Files {
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    /// Also the state file as it was at this revision
    #[arg(long, value_name = "N")]
    pub revision: Option<u64>,
    /// Also the report
    #[arg(long)]
    pub report: bool,
    /// Also the hash of what the workflow file asked for
    #[arg(long)]
    pub plan: bool,
}

/// The files of a run.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunFiles {
    #[schemars(with = "String")]
    pub run: RunKey,
    pub run_id: String,
    /// The folder that holds `.hotl`.
    pub folder: String,
    pub machine: String,
    pub revision: u64,
    /// The commit that the run ended at, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// What `.hotl/state/<run id>.json` says.
    pub state: String,
    /// What it said at the revision that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// The digest of the last state file that was taken over from another hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_over: Option<String>,
    /// What `.hotl/reports/<run id>.md` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// With the report or the plan: what the run was started with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<Plan>,
}

/// A workflow file as it was when a run was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    pub path: String,
    /// Of the file, byte by byte.
    pub file_sha256: String,
    /// Of what it asked for, without the marks of what is done, if that was wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl RunFiles {
    fn of(run: &Run) -> Result<Self, Fault> {
        Ok(Self {
            run: run.key,
            run_id: run.name.to_string(),
            folder: run.place.folder.clone(),
            machine: run.place.machine.clone(),
            revision: run.revision,
            ended_at: run.head_after.clone(),
            state: state_text(run)?,
            then: None,
            taken_over: None,
            report: None,
            workflow: None,
        })
    }

    pub(super) fn whereabouts(&self) -> Whereabouts {
        Whereabouts {
            run: self.run,
            run_id: self.run_id.clone(),
            folder: self.folder.clone(),
            machine: self.machine.clone(),
        }
    }
}

impl RunFiles {
    /// Whether the ledger knows a state file: as it wrote it, or as it took it over.
    pub(super) fn knows(&self, text: &str) -> bool {
        self.then.as_deref() == Some(text)
            || self.taken_over.is_some()
                && self.taken_over == parse(text).ok().as_ref().and_then(digest)
    }
}

/// The same for every text that says the same.
fn digest(state: &StateFile) -> Option<String> {
    serde_json::to_vec(state).ok().map(|text| Hash::of(&text).to_string())
}

impl Operation for Files {
    type Output = RunFiles;
    const NAME: &'static str = "run.files";
    const ABOUT: &'static str = "Show what the state file and the report of a run should say";
    const EXAMPLE: &'static str = "windlass run files --run-id add-auth-20261115T093000Z --report";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<RunFiles, Error> {
        let target = self.target.named_or_only(cx)?;
        cx.read(|snapshot| {
            if self.revision.is_none() && !self.report && !self.plan {
                return Ok(RunFiles::of(&target.find(snapshot)?.run)?);
            }
            let (key, events) = told(&target, snapshot)?;
            let Told { run, log, then } =
                replay(key, self.revision, events.iter().map(|(event, at)| (event.as_ref(), *at)))
                    .map_err(Fault::from)?;
            let mut files = RunFiles::of(&run)?;
            files.taken_over = taken_over(&events).and_then(digest);
            files.then = then.as_ref().map(state_text).transpose()?;
            files.report = self.report.then(|| report(&run, &log));
            if self.report || self.plan {
                files.workflow = events.first().and_then(|(event, _)| self.workflow(event));
            }
            Ok(files)
        })
    }
}

impl Files {
    fn workflow(&self, first: &RunEvent) -> Option<Plan> {
        let RunEvent::RunStarted(started) = first else { return None };
        let path = started.place.workflow_path.clone();
        let sha256 = self.plan.then(|| plan_hash(&started.file).to_string());
        Some(Plan { path, file_sha256: started.file_sha256.to_string(), sha256 })
    }
}

/// The run that is meant, with what happened to it. Its events tell all of it, so the view is asked
/// only where the key of the run is not given.
fn told(target: &Target, snapshot: &mut Snapshot<'_>) -> Result<(RunKey, Events), Error> {
    if let Some(key) = target.key() {
        let events = history(snapshot, key)?;
        if !events.is_empty() {
            return Ok((key, events));
        }
    }
    let key = target.find(snapshot)?.run.key;
    Ok((key, history(snapshot, key)?))
}

/// The text of the state file.
fn state_text(run: &Run) -> Result<String, Fault> {
    run.state_text().map_err(|source| Fault::bug("a state file is not JSON").because(source))
}

/// What happened to a run, in order.
pub(super) type Events = Vec<(Box<RunEvent>, Time)>;

pub(super) fn history(snapshot: &mut Snapshot<'_>, run: RunKey) -> Result<Events, Error> {
    let mut events = Vec::new();
    for recorded in snapshot.whole_history(run.into())? {
        if let Some(Event::Run(event)) = recorded.event().map_err(Fault::from)? {
            events.push((event, recorded.header.at));
        }
    }
    Ok(events)
}

/// The last state file that became the state of the run.
fn taken_over(events: &[(Box<RunEvent>, Time)]) -> Option<&StateFile> {
    events.iter().rev().find_map(|(event, _)| match event.as_ref() {
        RunEvent::RunEdited(edited) => edited.adopted.as_ref(),
        RunEvent::RunImported(imported) => Some(&imported.state),
        _ => None,
    })
}

impl Output for RunFiles {
    fn sheet(&self, _now: Time) -> Sheet {
        let sheet = Sheet::default().and_text(self.state.trim_end());
        match &self.report {
            Some(report) => sheet.and_text(report.trim_end()),
            None => sheet,
        }
    }
}
