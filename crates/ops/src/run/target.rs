//! Which run is meant, and whether its files are as they were left.

use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::run::edit::OutsideEdits;
use windlass_domain::run::name::RunId;
use windlass_domain::run::state_file::parse;
use windlass_domain::{Code, Refusal, RunKey};
use windlass_ledger::{Error, KeptRun, Snapshot};

use super::change::Whereabouts;
use super::files::{Files, RunFiles};
use super::list::List;
use super::mirror::{self, Mirror};
use super::outside::{Edited, Import};
use super::repository::text;
use super::view::RunRow;
use crate::context::{self, Context};

/// The variable that names a run where no argument does.
const VARIABLE: &str = "HOTL_RUN_ID";

/// The run that a call is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Target {
    /// The id of the run; without one, `HOTL_RUN_ID`, or the only run of the folder
    #[arg(long, value_name = "ID")]
    pub run_id: Option<String>,
    /// The folder of the run; without one, where you are
    #[arg(long, value_name = "PATH")]
    pub folder: Option<String>,
    /// The machine that has the folder; without one, this machine
    #[arg(long, value_name = "NAME")]
    pub machine: Option<String>,
}

impl Target {
    pub fn of(run: RunKey) -> Self {
        Self { run_id: Some(run.to_string()), ..Self::default() }
    }

    /// The same for a run that is named by an argument of its own.
    pub(super) fn named(run: Option<&String>, rest: &Self) -> Self {
        Self { run_id: run.cloned().or_else(|| rest.run_id.clone()), ..rest.clone() }
    }

    /// The run itself, where that is what was given, and not a name.
    pub(super) fn key(&self) -> Option<RunKey> {
        self.run_id.as_ref()?.parse().ok()
    }

    /// The run as the ledger has it.
    pub(crate) fn find(&self, snapshot: &mut Snapshot<'_>) -> Result<KeptRun, Error> {
        let Some(given) = &self.run_id else {
            return Err(Refusal::new(Code::InvalidValue, "no run is named")
                .hint("say which: run_id, as `windlass run list` shows it")
                .detail("field", "run_id")
                .into());
        };
        if let Some(key) = self.key()
            && let Some(kept) = snapshot.run(key)?
        {
            return Ok(kept);
        }
        let name = RunId::parse(given)?;
        if let (Some(machine), Some(folder)) = (&self.machine, &self.folder)
            && let Some(kept) = snapshot.run_named(machine, folder, &name)?
        {
            return Ok(kept);
        }
        let mut called = snapshot.runs_called(&name)?;
        match called.len() {
            0 | 1 => called.pop().ok_or_else(|| unknown(given).into()),
            _ => Err(ambiguous(given, &called).into()),
        }
    }

    /// The run itself, found where the caller is: by its id, or as the only one of the folder. Its
    /// files are looked at; a state file that another hand changed is refused or taken over.
    pub(super) fn settled(&self, cx: &mut Context) -> Result<Self, Error> {
        if cx.surroundings.files == context::Files::Servers {
            return Ok(self.clone());
        }
        let found = self.look(cx)?;
        Ok(Self::of(found.run))
    }

    /// The same with the files of the run as they should be.
    pub(super) fn look(&self, cx: &mut Context) -> Result<RunFiles, Error> {
        let here = Here::of(self, cx)?;
        let found = here.found(cx, self.run_id.clone())?;
        here.verify(cx, found)
    }

    /// The same, where a run that is named needs no looking for.
    pub(super) fn named_or_only(&self, cx: &mut Context) -> Result<Self, Error> {
        match self.run_id {
            Some(_) => Ok(self.clone()),
            None => self.chosen(cx),
        }
    }

    /// The run itself, for who only looks at it. Where outside edits count, they are seen.
    pub(super) fn chosen(&self, cx: &mut Context) -> Result<Self, Error> {
        if cx.surroundings.files == context::Files::Servers {
            return Ok(self.clone());
        }
        if cx.settings.settings.runs_outside_edits == OutsideEdits::Adopt {
            return self.settled(cx);
        }
        let here = Here::of(self, cx)?;
        Ok(Self::of(here.found(cx, self.run_id.clone())?.run))
    }
}

fn variable(cx: &Context) -> Option<String> {
    cx.surroundings.variables.all().get(VARIABLE).filter(|value| !value.is_empty()).cloned()
}

fn unknown(run_id: &str) -> Refusal {
    Refusal::new(Code::RunNotFound, format!("there is no run {run_id}"))
        .hint("see the runs: windlass run list")
        .detail("run_id", run_id)
}

/// Each is named by its key, which also works when its folder is gone.
fn ambiguous(run_id: &str, called: &[KeptRun]) -> Refusal {
    let keys: Vec<String> = called.iter().map(|kept| kept.run.key.to_string()).collect();
    let runs: Vec<Whereabouts> = called.iter().map(|kept| Whereabouts::of(&kept.run)).collect();
    Refusal::new(Code::IdAmbiguous, format!("several folders have a run {run_id}"))
        .hint(format!("say which: --run-id {}", keys.join(" or ")))
        .detail("run_id", run_id)
        .detail("runs", runs)
}

/// A folder of a machine, seen from where the caller is.
pub(super) struct Here {
    pub(super) folder: String,
    pub(super) machine: String,
    /// The files of the folder are within reach.
    mirror: Option<Mirror>,
}

impl Here {
    pub(super) fn of(target: &Target, cx: &Context) -> Result<Self, Error> {
        let own = &cx.surroundings.host;
        let machine = target.machine.clone().unwrap_or_else(|| own.clone());
        let is_here = machine == *own;
        let folder = match &target.folder {
            Some(folder) if !is_here => folder.clone(),
            Some(folder) => text(&known(cx, folder)?)?,
            None => text(&working(cx)?)?,
        };
        let mirror = is_here.then(|| Mirror::of(Path::new(&folder)));
        Ok(Self { folder, machine, mirror })
    }

    /// The run of that id, or else the only one.
    fn found(&self, cx: &mut Context, run_id: Option<String>) -> Result<RunFiles, Error> {
        if let Some(run_id) = run_id.or_else(|| variable(cx)) {
            return self.named(cx, &run_id);
        }
        let run_id = self.only(cx)?;
        self.files(cx, &run_id, None)
    }

    /// A run by its id; one that only a state file knows is taken over first.
    fn named(&self, cx: &mut Context, run_id: &str) -> Result<RunFiles, Error> {
        match self.files(cx, run_id, None) {
            Err(Error::Refused(refusal)) if refusal.code == Code::RunNotFound => {
                let name = RunId::parse(run_id)?;
                let text = self.mirror.as_ref().and_then(|mirror| mirror.state(name.as_str()));
                let Some(text) = text else {
                    let names: Vec<String> =
                        self.runs(cx)?.into_iter().map(|run| run.run_id).collect();
                    return Err(refusal.detail("runs", names).into());
                };
                self.import(cx, text)?;
                self.files(cx, run_id, None)
            }
            found => found,
        }
    }

    /// The only run of the folder. Those that ended count when there is no other.
    fn only(&self, cx: &mut Context) -> Result<String, Error> {
        self.import_unknown(cx)?;
        let mut runs = self.runs(cx)?;
        // A run whose state file somebody removed is of the past, as long as others have theirs.
        if let Some(mirror) = &self.mirror
            && runs.iter().any(|run| mirror.has(&run.run_id))
        {
            runs.retain(|run| mirror.has(&run.run_id));
        }
        if runs.iter().any(RunRow::is_open) {
            runs.retain(RunRow::is_open);
        }
        let folder = &self.folder;
        match runs.as_slice() {
            [run] => Ok(run.run.to_string()),
            [] => Err(Refusal::new(Code::RunNotFound, "No active HOTL run found in .hotl/state/")
                .hint("start one: windlass run start FILE")
                .detail("folder", folder)
                .into()),
            several => {
                let names: Vec<&str> = several.iter().map(|run| run.run_id.as_str()).collect();
                let message = "Multiple HOTL runs found in .hotl/state/. Select one with --run-id \
                               <run-id> or HOTL_RUN_ID.";
                Err(Refusal::new(Code::IdAmbiguous, message)
                    .hint(format!("say which: --run-id {}", names.join(" or ")))
                    .detail("folder", folder)
                    .detail("runs", &names)
                    .into())
            }
        }
    }

    fn runs(&self, cx: &mut Context) -> Result<Vec<RunRow>, Error> {
        let list = List {
            folder: Some(self.folder.clone()),
            machine: Some(self.machine.clone()),
            limit: u64::MAX,
            ..List::default()
        };
        Ok(cx.perform(&list)?.runs)
    }

    fn files(&self, cx: &mut Context, run: &str, at: Option<u64>) -> Result<RunFiles, Error> {
        let target = Target {
            run_id: Some(run.to_owned()),
            folder: Some(self.folder.clone()),
            machine: Some(self.machine.clone()),
        };
        cx.perform(&Files { target, revision: at, ..Files::default() })
    }

    /// Takes over the runs that only their state files know. A file that cannot be read hinders only
    /// where there is no other.
    fn import_unknown(&self, cx: &mut Context) -> Result<(), Error> {
        let Some(mirror) = &self.mirror else { return Ok(()) };
        let mut names = mirror.names();
        if names.is_empty() {
            return Ok(());
        }
        let known = self.runs(cx)?;
        let count = names.len();
        names.retain(|name| known.iter().all(|run| run.run_id != name.as_str()));
        let is_alone = count == 1;
        for name in names {
            let Some(text) = mirror.state(name.as_str()) else { continue };
            if parse(&text).is_ok_and(|state| state.is_keepsake_in(&self.folder)) {
                continue;
            }
            match self.import(cx, text) {
                Err(Error::Refused(refusal)) if !is_alone => {
                    cx.notice(&format!("{name}.json was passed over: {}", refusal.message));
                }
                imported => imported?,
            }
        }
        Ok(())
    }

    fn import(&self, cx: &mut Context, state: String) -> Result<(), Error> {
        let (folder, machine) = (self.folder.clone(), self.machine.clone());
        cx.perform(&Import { state, folder, machine }).map(drop)
    }

    /// Compares the state file with what the ledger says it should be.
    fn verify(&self, cx: &mut Context, found: RunFiles) -> Result<RunFiles, Error> {
        let mirror = match &self.mirror {
            Some(mirror) if mirror.is_of(&found) => mirror,
            Some(_) | None => return Ok(found),
        };
        let run = found.run.to_string();
        let name = RunId::parse(&found.run_id)?;
        let Some(text) = mirror.state(name.as_str()) else {
            if !mirror.has(name.as_str()) {
                mirror::write(cx, &found.whereabouts());
            }
            return Ok(found);
        };
        if text == found.state {
            return Ok(found);
        }
        let revision = mirror::revision_of(&text).unwrap_or_default();
        if !self.files(cx, &run, Some(revision))?.knows(&text) {
            cx.perform(&Edited { target: Target::of(found.run), state: text })?;
        }
        // It is old, because somebody was interrupted, or worked elsewhere, or it was taken over.
        // This call may be refused, and so the last for a while.
        mirror::write(cx, &found.whereabouts());
        self.files(cx, &run, None)
    }
}

/// Where the caller is.
fn working(cx: &Context) -> Result<PathBuf, Error> {
    canonical(cx, ".")
}

/// A folder that may be gone: then it is called what it was.
fn known(cx: &Context, path: &str) -> Result<PathBuf, Error> {
    canonical(cx, path).or_else(|unusable| {
        let path = cx.surroundings.folder.clone().unwrap_or_default().join(path);
        let above = path.parent().and_then(|above| above.canonicalize().ok());
        match above.zip(path.file_name()) {
            Some((above, name)) if !path.exists() => Ok(above.join(name)),
            _ => Err(unusable),
        }
    })
}

pub(super) fn canonical(cx: &Context, path: &str) -> Result<PathBuf, Error> {
    let base = cx.surroundings.folder.clone().unwrap_or_default();
    let path = base.join(path);
    path.canonicalize().map_err(|error| crate::exchange::unusable(&path, &error).into())
}
