//! State files that another hand wrote: `run edited` and `run import`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::run::edit::outside_edit;
use windlass_domain::run::event::RunImported;
use windlass_domain::run::state_file::parse;
use windlass_domain::run::word::Gates;
use windlass_ledger::Error;

use super::change::{Changed, Stored};
use super::target::Target;
use crate::context::Context;
use crate::operation::{Access, Operation};

/// Records that another hand changed the state file of a run.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Edited {
    /// What the file says now
    #[arg(long, value_name = "JSON")]
    pub state: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
}

impl Operation for Edited {
    type Output = Changed;
    const NAME: &'static str = "run.edited";
    const ABOUT: &'static str =
        "Record that another hand changed a state file; refused, or taken over by the settings";
    const EXAMPLE: &'static str = "windlass run edited --state \"$(cat FILE)\" --run-id RUN";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let target = self.target.named_or_only(cx)?;
        let then = cx.settings.settings.runs_outside_edits;
        let (name, _) = cx.identity(None)?;
        let told: Result<Changed, Stored> = cx.write(&name, |tx| {
            let kept = target.find(tx)?;
            let found = outside_edit(&kept.run, &self.state, then)?;
            let after = match found.events.is_empty() {
                true => kept,
                false => tx.record_run(&kept, found.events)?,
            };
            Ok(match found.refusal {
                Some(refusal) => Err(Stored::of(refusal)),
                None => Ok(Changed::new(
                    &after.run,
                    None,
                    "the state file was taken over".to_owned(),
                    tx.now(),
                )),
            })
        })?;
        told.map_err(|stored| stored.refusal().into())
    }
}

/// Takes a run over from a state file that no ledger knows.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Import {
    /// What the file says
    #[arg(long, value_name = "JSON")]
    pub state: String,
    /// The folder that holds `.hotl`
    #[arg(long, value_name = "PATH")]
    pub folder: String,
    /// The machine that has the folder
    #[arg(long, value_name = "NAME")]
    pub machine: String,
}

impl Operation for Import {
    type Output = Changed;
    const NAME: &'static str = "run.import";
    const ABOUT: &'static str = "Take a run over from a state file that no ledger knows";
    const EXAMPLE: &'static str =
        "windlass run import --state \"$(cat FILE)\" --folder /work/app --machine here";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let state = parse(&self.state)?;
        let gates = cx.settings.settings.runs_gates.unwrap_or(Gates::Attested);
        let gate_timeout = cx.settings.settings.runs_gate_timeout.span();
        let (name, _) = cx.identity(None)?;
        cx.write(&name, |tx| {
            if let Some(kept) = tx.run_named(&self.machine, &self.folder, &state.run_id)? {
                let done = format!("run {} is known", state.run_id);
                return Ok(Changed::new(&kept.run, None, done, tx.now()));
            }
            let kept = tx.begin_run(RunImported {
                state: state.clone(),
                folder: self.folder.clone(),
                machine: self.machine.clone(),
                gates,
                gate_timeout,
            })?;
            let done = format!("run {} was taken over", state.run_id);
            Ok(Changed::new(&kept.run, None, done, tx.now()))
        })
    }
}
