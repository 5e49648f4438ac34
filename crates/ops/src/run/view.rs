//! Runs as they are shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::run::check::{CheckResult, Outcome, is_real};
use windlass_domain::run::file::Check;
use windlass_domain::run::word::{OwnerStatus, RunStatus, StepStatus};
use windlass_domain::run::{Run, StepState};
use windlass_domain::{RunKey, Time};

use super::waiting::WaitingView;
use crate::operation::Output;
use crate::sheet::{Cell, Sheet, Tone, ago};

/// A step of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepView {
    /// Its place, from 1.
    pub step: u32,
    pub name: String,
    /// What is to be done.
    pub action: String,
    /// What is checked, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// pending, `in_progress`, done, failed or blocked.
    #[schemars(with = "String")]
    pub status: StepStatus,
    pub attempts: u32,
    pub max_attempts: u32,
    /// It has a check that checks something.
    pub checked: bool,
    /// While it is in progress: how many of its checks were made in this attempt.
    #[serde(default, skip_serializing_if = "is_none_made")]
    pub checks_made: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<bool>,
    /// human or auto, where somebody must approve it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// approved or rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// By what right: attested, terminal, page, key or rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_reason: Option<String>,
    /// The check that failed, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_check: Option<String>,
    /// What its checks wrote, as far as it is kept: beginning and end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
}

impl StepView {
    pub(super) fn of(run: &Run, number: u32) -> Option<Self> {
        run.step(number).ok().map(|step| Self::new(run, number, step))
    }

    pub(super) fn all(run: &Run) -> Vec<Self> {
        (1..).zip(&run.steps).map(|(number, step)| Self::new(run, number, step)).collect()
    }

    fn new(run: &Run, number: u32, step: &StepState) -> Self {
        // Before the step is done, what was decided is one check of it.
        let decided = step.decided.as_ref().filter(|_| match step.status {
            StepStatus::Done | StepStatus::Blocked => true,
            StepStatus::Pending | StepStatus::InProgress | StepStatus::Failed => false,
        });
        let (stdout, stderr) = step.written();
        let written = |text: Option<String>| {
            text.map(|text| text.trim_end().to_owned()).filter(|text| !text.is_empty())
        };
        let gate = step.gate.as_ref().map(|gate| gate.as_str().to_owned());
        let asked = || run.needs_gate(step).then(|| "human".to_owned());
        Self {
            step: number,
            name: step.name.clone(),
            action: step.action.clone(),
            checks: step.checks.iter().filter(|check| is_real(check)).map(line_of).collect(),
            status: step.status,
            attempts: step.attempts,
            max_attempts: step.max_iterations,
            checked: step.is_checked(),
            checks_made: match step.status {
                StepStatus::InProgress => step.results.len(),
                StepStatus::Pending
                | StepStatus::Done
                | StepStatus::Failed
                | StepStatus::Blocked => 0,
            },
            passed: step.passed,
            gate: gate.or_else(asked),
            decision: decided.map(|decided| decided.decision.to_string()),
            decided_by: decided.and_then(|decided| decided.by.clone()),
            authority: decided.map(|decided| decided.authority.to_string()),
            started_by: step.started_by.clone(),
            block_reason: step.block.as_ref().map(|block| block.reason.clone()),
            failed_check: failed_check(step, &step.results),
            stdout: written(stdout),
            stderr: written(stderr),
        }
    }

    /// What the checks of a step that did not pass wrote.
    pub(super) fn troubles(&self) -> impl Iterator<Item = &str> {
        let failed = self.status == StepStatus::Failed || self.block_reason.is_some();
        [&self.stderr, &self.stdout]
            .into_iter()
            .flatten()
            .filter(move |_| failed)
            .map(String::as_str)
    }

    /// The step in a list that is told while the run goes on.
    pub(super) fn line(&self) -> String {
        let Self { step, name, attempts, max_attempts, .. } = self;
        let mark = match self.status {
            StepStatus::Done => "✓",
            StepStatus::InProgress => "→",
            StepStatus::Failed | StepStatus::Blocked => "✗",
            StepStatus::Pending => return format!("  · {step}. {name}"),
        };
        format!("  {mark} {step}. {name} (attempt {attempts} of {max_attempts})")
    }

    /// Whether somebody decided it, or must, or will be asked.
    fn gate_in_words(&self, waits: bool) -> String {
        match (&self.decision, &self.gate) {
            (Some(decision), _) => decision.clone(),
            (None, _) if waits => "waits".to_owned(),
            (None, Some(gate)) if gate == "human" => "asks a person".to_owned(),
            (None, Some(gate)) if gate == "auto" => "decides itself".to_owned(),
            (None, Some(gate)) => gate.clone(),
            (None, None) => String::new(),
        }
    }

    fn row(&self, waits: bool) -> Vec<Cell> {
        let attempts = match self.attempts {
            0 => String::new(),
            attempts => format!("{attempts} of {}", self.max_attempts),
        };
        let status = match (self.status, self.checked) {
            (StepStatus::Done, false) => "done, unverified".to_owned(),
            (status, _) => spoken(status.as_str()),
        };
        vec![
            self.step.to_string().into(),
            self.name.clone().into(),
            Cell::toned(status, step_tone(self.status)),
            attempts.into(),
            self.gate_in_words(waits).into(),
        ]
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it so")]
fn is_none_made(checks: &usize) -> bool {
    *checks == 0
}

/// Checks are made up to the first that does not pass.
pub(super) fn failed_check(step: &StepState, results: &[CheckResult]) -> Option<String> {
    let result = results.last().filter(|result| result.outcome == Outcome::Failed)?;
    let check = line_of(step.checks.get(result.check)?);
    let how = match (result.exit_code, result.signal, &result.ending) {
        (Some(code), _, _) => format!("ended with {code}"),
        (None, Some(signal), _) => format!("was ended by signal {signal}"),
        (None, None, Some(why)) => format!("failed ({why})"),
        (None, None, None) => "failed".to_owned(),
    };
    let (number, all) = (result.check + 1, step.checks.len());
    let check = check.lines().next().unwrap_or_default();
    Some(format!("check {number} of {all} {how}: {check}"))
}

/// A check in one line.
pub(super) fn line_of(check: &Check) -> String {
    let text = |given: &Option<String>| given.clone().unwrap_or_default();
    match check {
        Check::Shell { command, .. } => format!("shell: {}", text(command)),
        Check::Artifact { path, assert, .. } => {
            let assert = assert.as_ref().map_or_else(String::new, |assert| {
                let value = assert.value.as_ref().map_or_else(String::new, |v| format!(" {v}"));
                format!(" {}{value}", assert.kind.as_str())
            });
            format!("artifact: {}{assert}", text(path))
        }
        Check::Browser { url, check, .. } => format!("browser: {} - {}", text(url), text(check)),
        Check::Review { prompt } => format!("human review: {}", text(prompt)),
        Check::Unknown { kind } => format!("unknown: {kind}"),
    }
}

pub(super) fn step_tone(status: StepStatus) -> Tone {
    match status {
        StepStatus::Pending => Tone::Plain,
        StepStatus::InProgress => Tone::Busy,
        StepStatus::Done => Tone::Good,
        StepStatus::Failed | StepStatus::Blocked => Tone::Bad,
    }
}

fn run_tone(status: RunStatus) -> Tone {
    match status {
        RunStatus::Completed | RunStatus::ReadyToFinish => Tone::Good,
        RunStatus::Running | RunStatus::Paused => Tone::Busy,
        RunStatus::Blocked | RunStatus::Abandoned => Tone::Bad,
    }
}

/// A word of the files as people say it.
pub(super) fn spoken(word: &str) -> String {
    word.replace('_', " ")
}

/// The same for several, as a fact; nothing where there are none.
pub(super) fn spoken_fact<'a>(name: &'a str, words: &[String]) -> Option<(&'a str, Cell)> {
    let spoken: Vec<String> = words.iter().map(|word| spoken(word)).collect();
    (!spoken.is_empty()).then(|| (name, spoken.join(", ").into()))
}

/// Whether what a run did is proven.
pub(super) fn proven(sufficient: bool) -> Cell {
    match sufficient {
        true => Cell::toned("yes", Tone::Good),
        false => Cell::toned("not yet", Tone::Busy),
    }
}

/// The status of a run, by colour and by name.
pub(super) fn run_status(status: RunStatus) -> Cell {
    Cell::toned(spoken(status.as_str()), run_tone(status))
}

/// What stops a run, and the commands with which it goes on.
pub(super) fn blocked_lines<'a>(
    blockers: impl Iterator<Item = &'a String>,
    ways_on: &[String],
) -> Vec<Cell> {
    let blockers = blockers.map(|what| Cell::toned(format!("blocked: {what}"), Tone::Bad));
    let ways = ways_on.iter().map(|way| Cell::from(format!("go on with: {way}")));
    blockers.chain(ways).collect()
}

/// A run, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunView {
    #[schemars(with = "String")]
    pub run: RunKey,
    pub run_id: String,
    #[schemars(with = "String")]
    pub status: RunStatus,
    pub intent: String,
    pub success_criteria: String,
    /// low, medium or high.
    pub risk_level: String,
    /// enforced or attested.
    pub gates: String,
    pub workflow_path: String,
    pub branch: String,
    /// The commit that keeps changes which were put aside for it; `git stash apply` takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stash: Option<String>,
    /// The reference that keeps where its branch was before it began again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rescue: Option<String>,
    pub folder: String,
    pub machine: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The fence of the claim under which it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<u64>,
    #[schemars(with = "String")]
    pub started_at: Time,
    #[schemars(with = "String")]
    pub updated_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub completed_at: Option<Time>,
    /// kept, merged, published or discarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disposition: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    pub waiting: Vec<WaitingView>,
    pub blockers: Vec<String>,
    /// The commands with which it goes on, while it is blocked or a step of it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways_on: Vec<String>,
    pub steps: Vec<StepView>,
}

impl RunView {
    pub(super) fn of(run: &Run, now: Time) -> Self {
        Self {
            run: run.key,
            run_id: run.name.to_string(),
            status: run.status(),
            intent: run.intent.clone(),
            success_criteria: run.success_criteria.clone(),
            risk_level: run.risk.as_str().to_owned(),
            gates: run.gates.to_string(),
            workflow_path: run.place.workflow_path.clone(),
            branch: run.place.branch.clone(),
            stash: run.place.stash.clone(),
            rescue: run.place.rescue.clone(),
            folder: run.place.folder.clone(),
            machine: run.place.machine.clone(),
            task: run.tie.map(|tie| tie.task.to_string()),
            fence: run.tie.map(|tie| tie.fence),
            started_at: run.started_at,
            updated_at: run.updated_at,
            completed_at: run.completed_at,
            disposition: run.finish.as_ref().map(|finish| finish.disposition.to_string()),
            owner: run.owner.id.clone().filter(|_| run.owner.status == OwnerStatus::Active),
            waiting: WaitingView::all(run, now),
            blockers: run.blockers().into_iter().map(|blocker| blocker.what).collect(),
            ways_on: run.ways_on(),
            steps: StepView::all(run),
        }
    }
}

impl Output for RunView {
    fn sheet(&self, now: Time) -> Sheet {
        let given = |name: &'static str, value: &Option<String>| {
            value.as_ref().map(|value| (name, Cell::from(value.clone())))
        };
        let facts = [("status", run_status(self.status)), ("intent", self.intent.clone().into())]
            .into_iter();
        let facts = facts
            .chain(given("task", &self.task))
            .chain(given("owner", &self.owner))
            .chain(given("work", &self.disposition))
            .chain([
                ("branch", Cell::from(self.branch.clone())),
                ("folder", Cell::from(self.folder.clone())),
                ("gates", Cell::from(self.gates.clone())),
                ("risk", Cell::from(self.risk_level.clone())),
                ("started", Cell::from(ago(self.started_at, now))),
            ]);
        let waits =
            |step: &StepView| self.waiting.iter().any(|waiting| waiting.step == Some(step.step));
        let rows = self.steps.iter().map(|step| step.row(waits(step))).collect();
        let columns = ["step", "name…", "status", "attempts", "gate"];
        let mut sheet = Sheet::default()
            .and_heading(self.run_id.clone())
            .and_facts(facts)
            .and_table(&columns, rows);
        for line in self.waiting.iter().flat_map(|waiting| waiting.lines(now)) {
            sheet = sheet.and_line(Cell::toned(line, Tone::Busy));
        }
        for line in blocked_lines(self.blockers.iter(), &self.ways_on) {
            sheet = sheet.and_line(line);
        }
        sheet
    }
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunRow {
    #[schemars(with = "String")]
    pub run: RunKey,
    pub run_id: String,
    #[schemars(with = "String")]
    pub status: RunStatus,
    pub intent: String,
    pub branch: String,
    pub folder: String,
    pub machine: String,
    pub current_step: u32,
    pub total_steps: usize,
    pub completed_steps: usize,
    /// How many answers of a person it waits for.
    pub waiting: usize,
    /// What they are about, as people call it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<String>,
    /// Since when the first of them is overdue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub overdue_since: Option<Time>,
    #[schemars(with = "String")]
    pub started_at: Time,
    #[schemars(with = "String")]
    pub updated_at: Time,
}

impl RunRow {
    pub(super) fn of(run: &Run, now: Time) -> Self {
        let waiting = run.waiting();
        let done = run.steps.iter().filter(|step| step.status == StepStatus::Done);
        Self {
            run: run.key,
            run_id: run.name.to_string(),
            status: run.status(),
            intent: run.intent.clone(),
            branch: run.place.branch.clone(),
            folder: run.place.folder.clone(),
            machine: run.place.machine.clone(),
            current_step: run.current_step,
            total_steps: run.steps.len(),
            completed_steps: done.count(),
            overdue_since: waiting.iter().filter_map(|one| one.overdue_since(now)).min(),
            waiting: waiting.len(),
            waits_for: waiting.iter().map(|one| one.on.title()).collect(),
            started_at: run.started_at,
            updated_at: run.updated_at,
        }
    }

    /// Something may still become of it.
    pub(super) fn is_open(&self) -> bool {
        !self.status.is_over()
    }

    /// Which run it is, and how far it has come.
    pub(super) fn standing(&self) -> [Cell; 3] {
        let done = format!("{} of {}", self.completed_steps, self.total_steps);
        [self.run_id.clone().into(), run_status(self.status), done.into()]
    }

    /// What it waits for, or since when that is overdue.
    pub(super) fn waits_cell(&self, now: Time) -> Cell {
        let waits_for = match (self.waits_for.as_slice(), self.overdue_since) {
            (_, Some(since)) => format!("overdue since {}", ago(since, now)),
            ([], None) => String::new(),
            ([one], None) => one.clone(),
            (several, None) => format!("{} answers", several.len()),
        };
        Cell::toned(waits_for, Tone::Busy)
    }

    pub(super) fn rest(&self, now: Time) -> [Cell; 2] {
        [ago(self.updated_at, now).into(), self.intent.clone().into()]
    }
}
