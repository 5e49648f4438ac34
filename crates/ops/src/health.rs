//! `doctor`, `validate` and `audit`: is the ledger sound?

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chain::{Hash, Head};
use windlass_domain::{Code, Exit, Refusal, Status, TaskId, Time};
use windlass_ledger::{Error, Fault, ListFilter, Location, Snapshot, audit};

use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone, counted, in_short};

/// Checks the ledger from the files up.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Doctor {
    /// Replay the log into fresh views and put them in place of the old ones
    #[arg(long)]
    #[serde(default)]
    pub rebuild: bool,
}

/// What was checked and found.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Examined {
    /// The same as `healthy`.
    pub success: bool,
    /// `healthy` or `unhealthy`.
    pub status: String,
    /// `local-only` for a file, `remote-only` for a server.
    pub mode: String,
    pub healthy: bool,
    pub events: u64,
    pub checks: Checks,
}

/// What was looked at.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Checks {
    pub files: Check,
    pub chain: Check,
    /// Only with a rebuild.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub views: Option<Check>,
    pub counters: Check,
    pub outbox: Check,
}

/// One check.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// `pass` or `fail`.
    pub status: String,
    /// The first of the findings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    pub findings: Vec<String>,
}

impl Check {
    fn new(findings: Vec<String>) -> Self {
        let status = if findings.is_empty() { "pass" } else { "fail" };
        Self { status: status.to_owned(), message: findings.first().cloned(), findings }
    }

    fn passed(&self) -> bool {
        self.findings.is_empty()
    }
}

impl Checks {
    /// In the order they were made.
    fn named(&self) -> impl Iterator<Item = (&'static str, &Check)> {
        let views = self.views.as_ref().map(|views| ("views", views));
        let before = [("files", &self.files), ("chain", &self.chain)];
        before
            .into_iter()
            .chain(views)
            .chain([("counters", &self.counters), ("outbox", &self.outbox)])
    }
}

impl Operation for Doctor {
    type Output = Examined;
    const NAME: &'static str = "doctor";
    const ABOUT: &'static str =
        "Check the ledger: files, hash chain, counters; --rebuild the views";
    const EXAMPLE: &'static str = "windlass doctor --rebuild";
    const ACCESS: Access = Access::Admin;

    fn run(&self, cx: &mut Context) -> Result<Examined, Error> {
        let (events, files, chain) = cx.read(|snapshot| {
            let chain = audit(snapshot, None)?;
            let files = Check::new(snapshot.integrity()?);
            Ok((chain.head.seq, files, Check::new(chain.findings)))
        })?;
        // Before anything else reads the views: they may be what is broken.
        let views = self.rebuild.then(|| rebuilt(cx)).transpose()?;
        let counters = Check::new(cx.read(|snapshot| Ok(miscounted(snapshot)?))?);
        let outbox = Check::new(cx.read(|snapshot| Ok(strayed(snapshot)?))?);
        let checks = Checks { files, chain, views, counters, outbox };
        let healthy = checks.named().all(|(_, check)| check.passed());
        let status = if healthy { "healthy" } else { "unhealthy" }.to_owned();
        let mode = mode(&cx.workplace.location).to_owned();
        Ok(Examined { success: healthy, status, mode, healthy, events, checks })
    }
}

/// Where a ledger is, in HZL's words.
pub(crate) fn mode(location: &Location) -> &'static str {
    match location {
        Location::Sqlite(_) => "local-only",
        Location::Postgres(_) => "remote-only",
    }
}

/// Puts fresh views in place of the old ones, and tells where those were wrong.
fn rebuilt(cx: &mut Context) -> Result<Check, Error> {
    let rebuilt = cx.ledger()?.rebuild()?;
    let findings = rebuilt.differences.iter().map(|found| {
        format!("{}: {} rows were wrong, {} were missing", found.view, found.wrong, found.missing)
    });
    Ok(Check::new(findings.collect()))
}

/// Rows of the outbox that are not those of the deliveries that wait.
fn strayed(snapshot: &mut Snapshot<'_>) -> Result<Vec<String>, Fault> {
    let (stray, left_out) = snapshot.outbox_strays()?;
    let findings = [
        (stray, "in the outbox without a delivery that waits"),
        (left_out, "waiting without a row in the outbox"),
    ];
    let some = findings.into_iter().filter(|(count, _)| *count > 0);
    Ok(some.map(|(count, what)| format!("{count} {what}; --rebuild puts it right")).collect())
}

/// Projects whose counters are not the numbers of their tasks.
fn miscounted(snapshot: &mut Snapshot<'_>) -> Result<Vec<String>, Fault> {
    let mut findings = Vec::new();
    for project in snapshot.all_projects()? {
        let mut compare = |what: &str, kept: i64, filter: ListFilter| -> Result<(), Fault> {
            let counted = snapshot.count(&ListFilter { project: Some(project.id), ..filter })?;
            if u64::try_from(kept) != Ok(counted) {
                findings.push(format!(
                    "project {} counts {kept} {what} tasks and has {counted}",
                    project.name
                ));
            }
            Ok(())
        };
        for status in Status::ALL {
            let filter = ListFilter { status: Some(status), ..ListFilter::default() };
            compare(status.as_str(), project.counts.of(status), filter)?;
        }
        let available = ListFilter { available: true, ..ListFilter::default() };
        compare("claimable", project.counts.claimable, available)?;
    }
    Ok(findings)
}

impl Output for Examined {
    fn sheet(&self, _now: Time) -> Sheet {
        let mut sheet = Sheet::default();
        for (name, check) in self.checks.named() {
            let (word, tone) =
                if check.passed() { ("ok", Tone::Good) } else { ("wrong", Tone::Bad) };
            sheet = sheet.and_line(Cell::toned(format!("{word:<6}{name}"), tone));
            for finding in &check.findings {
                sheet = sheet.and_line(format!("      {finding}"));
            }
        }
        sheet.and_line(Cell::dim(counted(self.events, "event")))
    }

    fn exit(&self) -> Exit {
        if self.healthy { Exit::Done } else { Exit::Findings }
    }
}

/// Checks the dependencies for circles and missing ends.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Validate {}

/// What is wrong with the dependencies. They are valid when nothing waits in a circle; what waits
/// for a missing task is not held up by it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Validated {
    pub is_valid: bool,
    pub issues: Vec<Issue>,
    pub cycles: Vec<Vec<CycleEdge>>,
    pub missing_deps: Vec<MissingDep>,
}

/// Something that is wrong; `details` is the circle or the missing dependency itself.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "details", rename_all = "snake_case")]
pub enum Problem {
    Cycle(Vec<CycleEdge>),
    MissingDep(MissingDep),
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Issue {
    #[serde(flatten)]
    pub problem: Problem,
    /// `error`, or `warning` for what holds nothing up.
    pub severity: String,
    pub message: String,
    /// How to end it, where there is one command for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One step along a circle.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CycleEdge {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    #[schemars(with = "String")]
    pub depends_on_id: TaskId,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MissingDep {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    #[schemars(with = "String")]
    pub missing_dep_id: TaskId,
}

impl Issue {
    fn of_cycle(cycle: &[CycleEdge]) -> Self {
        let shown: Vec<String> = cycle.iter().map(|edge| edge.task_id.short()).collect();
        Self {
            problem: Problem::Cycle(cycle.to_vec()),
            severity: "error".to_owned(),
            message: format!("these tasks wait for each other: {}", shown.join(", ")),
            hint: None,
        }
    }

    /// A task that is not here can be named by its whole id only.
    fn of_missing(missing: &MissingDep, status: Status) -> Self {
        let MissingDep { task_id, missing_dep_id } = missing;
        let is_left_alone = status == Status::Archived;
        Self {
            problem: Problem::MissingDep(missing.clone()),
            severity: "warning".to_owned(),
            message: format!(
                "{task_id} waits for {missing_dep_id}, which is not in this ledger and counts as \
                 settled"
            ),
            hint: (!is_left_alone)
                .then(|| format!("windlass task remove-dep {task_id} {missing_dep_id}")),
        }
    }
}

impl Operation for Validate {
    type Output = Validated;
    const NAME: &'static str = "validate";
    const ABOUT: &'static str = "Check the dependencies for circles and missing tasks";
    const EXAMPLE: &'static str = "windlass validate";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Validated, Error> {
        cx.read(|snapshot| {
            let cycles: Vec<Vec<CycleEdge>> =
                circles(&snapshot.edges()?).iter().map(|circle| edges_of(circle)).collect();
            let mut issues: Vec<Issue> =
                cycles.iter().map(|cycle| Issue::of_cycle(cycle)).collect();
            let mut missing_deps = Vec::new();
            for (task_id, missing_dep_id) in snapshot.orphan_edges()? {
                // Where both ends are missing, nothing waits.
                let Some(task) = snapshot.task(task_id)? else { continue };
                let missing = MissingDep { task_id, missing_dep_id };
                issues.push(Issue::of_missing(&missing, task.status));
                missing_deps.push(missing);
            }
            Ok(Validated { is_valid: cycles.is_empty(), issues, cycles, missing_deps })
        })
    }
}

/// The steps of a circle; the last leads back to the first.
fn edges_of(circle: &[TaskId]) -> Vec<CycleEdge> {
    let next = circle.iter().cycle().skip(1);
    circle
        .iter()
        .zip(next)
        .map(|(task_id, on)| CycleEdge { task_id: *task_id, depends_on_id: *on })
        .collect()
}

/// Circles of tasks that wait for each other; no task is named in two of them.
fn circles(edges: &[(TaskId, TaskId)]) -> Vec<Vec<TaskId>> {
    let mut waits_for: BTreeMap<TaskId, BTreeSet<TaskId>> = BTreeMap::new();
    for (task, on) in edges {
        waits_for.entry(*task).or_default().insert(*on);
    }
    let mut circles = Vec::new();
    // Walk along what each task waits for; a task met twice closes a circle, a dead end is no part
    // of one. Either way a task leaves the map for good, so each is walked over once.
    while let Some(start) = waits_for.keys().next().copied() {
        let mut way = vec![start];
        while let Some(last) = way.last().copied() {
            let next =
                waits_for.get(&last).and_then(|on| on.iter().find(|on| waits_for.contains_key(on)));
            match next.copied() {
                None => {
                    waits_for.remove(&last);
                    way.pop();
                }
                Some(next) => match way.iter().position(|task| *task == next) {
                    Some(begin) => {
                        let circle = way.split_off(begin);
                        for task in &circle {
                            waits_for.remove(task);
                        }
                        circles.push(circle);
                    }
                    None => way.push(next),
                },
            }
        }
    }
    circles
}

impl Output for Validated {
    fn sheet(&self, _now: Time) -> Sheet {
        let mut sheet = match self.is_valid {
            true => Sheet::line(Cell::toned("the dependencies are sound", Tone::Good)),
            false => Sheet::default(),
        };
        for issue in &self.issues {
            sheet = sheet.and_line(format!("{}: {}", issue.severity, in_short(&issue.message)));
            if let Some(hint) = &issue.hint {
                sheet = sheet.and_line(Cell::dim(format!("  end it: {hint}")));
            }
        }
        sheet
    }

    fn exit(&self) -> Exit {
        if self.is_valid { Exit::Done } else { Exit::Findings }
    }
}

/// Prints the end of the log, to be kept elsewhere.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct AuditHead {}

/// The end of the log.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct HeadView {
    pub seq: u64,
    pub hash: String,
}

impl From<Head> for HeadView {
    fn from(head: Head) -> Self {
        Self { seq: head.seq, hash: head.hash.to_string() }
    }
}

impl Operation for AuditHead {
    type Output = HeadView;
    const NAME: &'static str = "audit.head";
    const ABOUT: &'static str = "Print seq and hash of the last event, to be kept elsewhere";
    const EXAMPLE: &'static str = "windlass audit head";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<HeadView, Error> {
        let head = cx.read(|snapshot| Ok(snapshot.head()?))?;
        Ok(HeadView::from(head))
    }
}

impl Output for HeadView {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::line(format!("{}:{}", self.seq, self.hash))
    }
}

/// Recomputes the hash chain.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct AuditVerify {
    /// A head that was kept elsewhere; finds a log that was cut or rewritten
    #[arg(long, value_name = "SEQ:HASH")]
    #[serde(default)]
    pub expect: Option<String>,
}

/// How far the chain is sound.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Verified {
    pub sound: bool,
    pub seq: u64,
    pub hash: String,
    /// Events whose data were pruned.
    pub pruned: u64,
    pub findings: Vec<String>,
}

impl Operation for AuditVerify {
    type Output = Verified;
    const NAME: &'static str = "audit.verify";
    const ABOUT: &'static str = "Recompute the hash chain of the log";
    const EXAMPLE: &'static str = "windlass audit verify";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Verified, Error> {
        let expect = self.expect.as_deref().map(head).transpose()?;
        let found = cx.read(|snapshot| Ok(audit(snapshot, expect)?))?;
        Ok(Verified {
            sound: found.findings.is_empty(),
            seq: found.head.seq,
            hash: found.head.hash.to_string(),
            pruned: found.pruned,
            findings: found.findings,
        })
    }
}

/// Reads what `audit head` printed.
fn head(text: &str) -> Result<Head, Refusal> {
    text.split_once(':')
        .and_then(|(seq, hash)| Some(Head { seq: seq.parse().ok()?, hash: Hash::from_hex(hash)? }))
        .ok_or_else(|| {
            Refusal::new(Code::InvalidValue, format!("expect '{text}' is not SEQ:HASH"))
                .hint("give what windlass audit head printed")
                .detail("field", "expect")
                .detail("given", text)
        })
}

impl Output for Verified {
    fn sheet(&self, _now: Time) -> Sheet {
        if self.sound {
            let events = counted(self.seq, "event");
            let text = format!("the chain of {events} is sound and ends in {}", self.hash);
            return Sheet::line(Cell::toned(text, Tone::Good));
        }
        let mut sheet = Sheet::line(Cell::toned(
            format!("the chain is sound up to event {}", self.seq),
            Tone::Bad,
        ));
        for finding in &self.findings {
            sheet = sheet.and_line(format!("· {finding}"));
        }
        sheet
    }

    fn exit(&self) -> Exit {
        if self.sound { Exit::Done } else { Exit::Findings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u8) -> TaskId {
        TaskId::from_bytes([number; 16])
    }

    #[test]
    fn only_the_tasks_on_a_circle_are_named() {
        let edges = [(1, 2), (2, 3), (3, 2), (3, 4), (5, 1), (4, 6), (6, 7), (7, 6)];
        let found = circles(&edges.map(|(a, b)| (id(a), id(b))));
        assert_eq!(found, [vec![id(2), id(3)], vec![id(6), id(7)]]);
        assert!(circles(&[(id(1), id(2))]).is_empty());
    }

    #[test]
    fn the_last_step_of_a_circle_leads_back_to_the_first() {
        let edges = edges_of(&[id(1), id(2), id(3)]);
        let shown: Vec<(TaskId, TaskId)> =
            edges.iter().map(|edge| (edge.task_id, edge.depends_on_id)).collect();
        assert_eq!(shown, [(id(1), id(2)), (id(2), id(3)), (id(3), id(1))]);
    }

    #[test]
    fn a_head_is_read_as_it_is_printed() {
        let hash = Hash::of(b"x");
        assert_eq!(head(&format!("7:{hash}")).unwrap(), Head { seq: 7, hash });
        for wrong in ["", "7", "7:zz", ":", "x:00"] {
            assert_eq!(head(wrong).unwrap_err().code, Code::InvalidValue, "{wrong}");
        }
    }
}
