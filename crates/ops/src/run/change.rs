//! What changes a run: who does it, what they are answered, and the one way in which it is recorded.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::chain::Hash;
use windlass_domain::event::RunEvent;
use windlass_domain::key::Access;
use windlass_domain::run::gate;
use windlass_domain::run::reconcile::reconcile;
use windlass_domain::run::word::{Authority, RunStatus, StepStatus};
use windlass_domain::run::{Caller, Denied, Run};
use windlass_domain::{Code, Exit, Refusal, RunKey, Time};
use windlass_ledger::{Error, Fault, Transaction};

use super::mirror;
use super::target::Target;
use super::tie;
use super::view::{StepView, blocked_lines, spoken, step_tone};
use super::waiting::WaitingView;
use crate::context::{Context, Name, Presence};
use crate::operation::Output;
use crate::sheet::{Cell, Sheet, Tone};

/// The variable that holds the token of the owner of a run.
const OWNER_TOKEN: &str = "HOTL_OWNER_TOKEN";

/// Who acts on a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Doer {
    /// Who acts
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The token of the owner; better in `HOTL_OWNER_TOKEN`, where others cannot read it
    #[arg(long, value_name = "TOKEN")]
    pub owner_token: Option<String>,
}

impl Doer {
    /// With what only the place of the caller knows.
    pub(super) fn here(&self, cx: &Context) -> Self {
        let variables = cx.surroundings.variables.all();
        let token = variables.get(OWNER_TOKEN).filter(|token| !token.is_empty()).cloned();
        Self { owner_token: self.owner_token.clone().or(token), ..self.clone() }
    }

    pub(super) fn caller(&self, cx: &Context) -> Result<Caller, Refusal> {
        let (name, is_named) = cx.identity(Name::agent(self.agent.as_ref()))?;
        let token = self.here(cx).owner_token;
        Ok(Caller {
            name,
            is_named,
            authority: authority(cx),
            door: cx.surroundings.wishes.door.unwrap_or(cx.surroundings.door),
            token_sha256: token.map(|token| digest(&token)),
        })
    }
}

/// The hash of a token, as it is kept.
pub(super) fn digest(token: &str) -> String {
    Hash::of(token.as_bytes()).to_string()
}

/// By what right a caller acts: a key that may approve proves a person, a terminal or a page
/// suggests one.
fn authority(cx: &Context) -> Authority {
    match (&cx.key, cx.surroundings.presence) {
        (Some(key), _) if key.may(Access::Approve) => Authority::Key,
        (Some(_), _) | (None, Presence::Unknown) => Authority::Attested,
        (None, Presence::Terminal) => Authority::Terminal,
        (None, Presence::Page) => Authority::Page,
    }
}

/// A run, and where its files are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Whereabouts {
    #[schemars(with = "String")]
    pub run: RunKey,
    pub run_id: String,
    /// The folder that holds `.hotl`.
    pub folder: String,
    pub machine: String,
}

impl Whereabouts {
    pub(super) fn of(run: &Run) -> Self {
        Self {
            run: run.key,
            run_id: run.name.to_string(),
            folder: run.place.folder.clone(),
            machine: run.place.machine.clone(),
        }
    }
}

/// What came of a call that changes a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Changed {
    #[serde(flatten)]
    pub whereabouts: Whereabouts,
    /// One line: what was done.
    pub done: String,
    /// How far the run has come: running, paused, blocked, `ready_to_finish`, completed.
    #[schemars(with = "String")]
    pub status: RunStatus,
    /// The step that it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepView>,
    /// All steps, where the workflow file says `progress: verbose`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepView>,
    /// What the run waits for a person for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingView>,
    /// What stops it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    /// The commands with which it goes on, while it is blocked or a step of it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways_on: Vec<String>,
    /// What to do next.
    pub next_action: String,
}

impl Changed {
    pub(super) fn new(run: &Run, step: Option<u32>, done: String, now: Time) -> Self {
        let is_told = run.progress_verbose && step.is_some();
        let steps = if is_told { StepView::all(run) } else { Vec::new() };
        Self {
            whereabouts: Whereabouts::of(run),
            done,
            status: run.status(),
            step: step.and_then(|number| StepView::of(run, number)),
            steps,
            waiting: WaitingView::all(run, now),
            blockers: run.blockers().into_iter().map(|blocker| blocker.what).collect(),
            ways_on: run.ways_on(),
            next_action: reconcile(run, now).next_action.to_string(),
        }
    }

    /// Brings the files of the run up to date.
    pub(super) fn mirror(&self, cx: &mut Context) {
        mirror::write(cx, &self.whereabouts);
    }

    /// What was done says this already.
    fn is_told(&self, blocker: &str) -> bool {
        let reason = self.step.as_ref().and_then(|step| step.block_reason.as_deref());
        reason.is_some_and(|reason| self.done.ends_with(reason) && blocker.ends_with(reason))
    }

    /// Whether the step that was verified passed.
    pub fn step_is_done(&self) -> bool {
        self.step.as_ref().is_some_and(|step| step.status == StepStatus::Done)
    }
}

impl Output for Changed {
    fn sheet(&self, now: Time) -> Sheet {
        // A step that failed before and may be tried again is good news.
        let tone = match &self.step {
            None => Tone::Plain,
            Some(step) if step.status == StepStatus::Failed => Tone::Busy,
            Some(step) => step_tone(step.status),
        };
        self.and_standing(Sheet::line(Cell::toned(&self.done, tone)), now)
    }
}

impl Changed {
    /// How the run stands now, after what was done.
    fn and_standing(&self, mut sheet: Sheet, now: Time) -> Sheet {
        for step in &self.steps {
            sheet = sheet.and_line(Cell::toned(step.line(), step_tone(step.status)));
        }
        for line in self.waiting.iter().flat_map(|waiting| waiting.lines(now)) {
            sheet = sheet.and_line(Cell::toned(line, Tone::Busy));
        }
        let untold = self.blockers.iter().filter(|blocker| !self.is_told(blocker));
        for line in blocked_lines(untold, &self.ways_on) {
            sheet = sheet.and_line(line);
        }
        sheet.and_line(Cell::dim(format!(
            "run {} is {}",
            self.whereabouts.run_id,
            spoken(self.status.as_str())
        )))
    }
}

/// The same for a step that was verified: whether it passed is how the process ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verified {
    #[serde(flatten)]
    pub changed: Changed,
}

impl Output for Verified {
    /// With what the checks wrote that did not pass. Of another call that would be old news.
    fn sheet(&self, now: Time) -> Sheet {
        let Changed { done, step, .. } = &self.changed;
        let tone = step.as_ref().map_or(Tone::Plain, |step| step_tone(step.status));
        let mut sheet = Sheet::line(Cell::toned(done, tone));
        if let Some(step) = step {
            if let Some(failed) = &step.failed_check {
                sheet = sheet.and_line(failed.as_str());
            }
            for line in step.troubles() {
                sheet = sheet.and_text(line);
            }
        }
        self.changed.and_standing(sheet, now)
    }

    fn exit(&self) -> Exit {
        if self.changed.step_is_done() { Exit::Done } else { Exit::Findings }
    }
}

/// A refusal that is kept, because what it refuses has left a trace: a budget that stopped a call,
/// an edit of another hand.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Stored {
    code: String,
    message: String,
    hint: Option<String>,
    details: Map<String, Value>,
}

impl Stored {
    pub(super) fn of(refusal: Refusal) -> Self {
        let Refusal { code, message, hint, details, suggestions: _ } = refusal;
        Self { code: code.as_str().to_owned(), message, hint, details }
    }

    pub(super) fn refusal(self) -> Refusal {
        let Self { code, message, hint, details } = self;
        let code = Code::from_text(&code).unwrap_or(Code::RunNotRunning);
        Refusal { code, message, hint, details, suggestions: Vec::new() }
    }
}

/// What a call does to a run.
pub(super) struct Act<'a> {
    pub(super) target: &'a Target,
    pub(super) doer: &'a Doer,
}

impl Act<'_> {
    /// Decides by the rules, records what follows, and answers, in one transaction. `tell` gets the
    /// run as it was and as it is.
    pub(super) fn record<T: Serialize + serde::de::DeserializeOwned>(
        &self,
        cx: &mut Context,
        decide: impl Fn(&Run, &Caller, Time) -> Result<Vec<RunEvent>, Denied>,
        tell: impl Fn(&Run, &Run, Time) -> Result<T, Fault>,
    ) -> Result<T, Error> {
        self.record_and(cx, decide, |_, _| Ok(()), tell)
    }

    /// The same with more that is done in the transaction once the run is as it is.
    pub(super) fn record_and<T: Serialize + serde::de::DeserializeOwned>(
        &self,
        cx: &mut Context,
        decide: impl Fn(&Run, &Caller, Time) -> Result<Vec<RunEvent>, Denied>,
        also: impl Fn(&mut Transaction<'_>, &Run) -> Result<(), Error>,
        tell: impl Fn(&Run, &Run, Time) -> Result<T, Fault>,
    ) -> Result<T, Error> {
        let target = self.target.settled(cx)?;
        let caller = self.doer.caller(cx)?;
        let decided: Result<T, Stored> = cx.write(&caller.name, |tx| {
            let kept = target.find(tx)?;
            let claim = tie::claim_of(tx, &kept.run)?;
            let now = tx.now();
            let events = match decide(&kept.run, &caller, now) {
                Ok(events) => events,
                Err(Denied::Refused(refusal)) => return Err(refusal.into()),
                Err(Denied::Stopped(event, refusal)) => {
                    claim.under(&[])?;
                    tx.record_run(&kept, [*event])?;
                    return Ok(Err(Stored::of(refusal)));
                }
            };
            let task = claim.under(&events)?;
            if events.is_empty() {
                return Ok(Ok(tell(&kept.run, &kept.run, now)?));
            }
            // Whoever comes first after the time has noticed it.
            let noticed = gate::overdue(&kept.run, now);
            let after = tx.record_run(&kept, noticed.into_iter().chain(events))?;
            if let Some(task) = task {
                tie::follow(tx, &task, &kept.run, &after.run)?;
            }
            also(tx, &after.run)?;
            Ok(Ok(tell(&kept.run, &after.run, now)?))
        })?;
        decided.map_err(|stored| {
            // What stopped the call left its mark, and the files show it.
            mirror::refresh(cx, &target);
            stored.refusal().into()
        })
    }

    /// Asks all that `record_and` would ask, and records nothing. `also` gets the run as it would be,
    /// and `tell` as it is.
    pub(super) fn rehearse<T: Serialize + serde::de::DeserializeOwned>(
        &self,
        cx: &mut Context,
        decide: impl Fn(&Run, &Caller, Time) -> Result<Vec<RunEvent>, Denied>,
        also: impl Fn(&mut Transaction<'_>, &Run) -> Result<(), Error>,
        tell: impl Fn(&Run, &Run, Time) -> Result<T, Fault>,
    ) -> Result<T, Error> {
        let target = self.target.settled(cx)?;
        let caller = self.doer.caller(cx)?;
        cx.write(&caller.name, |tx| {
            let kept = target.find(tx)?;
            let claim = tie::claim_of(tx, &kept.run)?;
            let now = tx.now();
            let events = decide(&kept.run, &caller, now).map_err(Denied::into_refusal)?;
            claim.under(&events)?;
            let mut after = kept.run.clone();
            for event in &events {
                after.fold(event, now).map_err(Fault::from)?;
            }
            also(tx, &after)?;
            Ok(tell(&kept.run, &kept.run, now)?)
        })
    }

    /// The same for a call that answers how the run stands now.
    pub(super) fn change(
        &self,
        cx: &mut Context,
        step: Option<u32>,
        decide: impl Fn(&Run, &Caller, Time) -> Result<Vec<RunEvent>, Denied>,
        done: impl Fn(&Run) -> String,
    ) -> Result<Changed, Error> {
        self.record(cx, decide, |_, run, now| Ok(Changed::new(run, step, done(run), now)))
    }
}

/// A word of a list.
pub(super) fn word<W: Copy>(
    field: &str,
    given: &str,
    all: &[W],
    text: fn(W) -> &'static str,
) -> Result<W, Refusal> {
    let words: Vec<&str> = all.iter().map(|word| text(*word)).collect();
    let found = all.iter().copied().find(|word| text(*word) == given);
    found.ok_or_else(|| crate::settings::one_of(field, given, &words))
}
