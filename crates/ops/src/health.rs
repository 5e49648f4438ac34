//! `doctor`, `validate` and `audit`: is the ledger sound?

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chain::{Hash, Head};
use windlass_domain::{Code, Exit, Refusal, Status, TaskId, Time};
use windlass_ledger::{Error, Fault, ListFilter, Snapshot, audit};

use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone};

/// Checks the ledger from the files up.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Doctor {
    /// Replay the log into fresh views and put them in place of the old ones
    #[arg(long)]
    #[serde(default)]
    pub rebuild: bool,
}

/// What was checked and found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Examined {
    pub healthy: bool,
    pub events: u64,
    pub checks: Vec<Check>,
}

/// One check.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Check {
    pub name: &'static str,
    pub passed: bool,
    pub findings: Vec<String>,
}

impl Check {
    fn new(name: &'static str, findings: Vec<String>) -> Self {
        Self { name, passed: findings.is_empty(), findings }
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
        let (events, mut checks) = cx.read(|snapshot| {
            let chain = audit(snapshot, None)?;
            let checks = vec![
                Check::new("files", snapshot.integrity()?),
                Check::new("chain", chain.findings),
            ];
            Ok((chain.head.seq, checks))
        })?;
        // Before anything else reads the views: they may be what is broken.
        if self.rebuild {
            let rebuilt = cx.ledger()?.rebuild()?;
            let findings = rebuilt.differences.iter().map(|found| {
                format!(
                    "{}: {} rows were wrong, {} were missing",
                    found.view, found.wrong, found.missing
                )
            });
            checks.push(Check::new("views", findings.collect()));
        }
        checks.push(Check::new("counters", cx.read(|snapshot| Ok(miscounted(snapshot)?))?));
        Ok(Examined { healthy: checks.iter().all(|check| check.passed), events, checks })
    }
}

/// Projects whose counters are not the numbers of their tasks.
fn miscounted(snapshot: &mut Snapshot<'_>) -> Result<Vec<String>, Fault> {
    let mut findings = Vec::new();
    for project in snapshot.projects()? {
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
        for check in &self.checks {
            let (word, tone) = if check.passed { ("ok", Tone::Good) } else { ("wrong", Tone::Bad) };
            sheet = sheet.and_line(Cell::toned(format!("{word:<6}{}", check.name), tone));
            for finding in &check.findings {
                sheet = sheet.and_line(format!("      {finding}"));
            }
        }
        sheet.and_line(Cell::dim(format!("{} events", self.events)))
    }

    fn exit(&self) -> Exit {
        if self.healthy { Exit::Done } else { Exit::Findings }
    }
}

/// Checks the dependencies for circles and missing ends.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Validate {}

/// What is wrong with the dependencies.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Validated {
    pub is_valid: bool,
    pub issues: Vec<Issue>,
    #[schemars(with = "Vec<Vec<String>>")]
    pub cycles: Vec<Vec<TaskId>>,
    pub missing_deps: Vec<MissingDep>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Issue {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub severity: &'static str,
    pub message: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MissingDep {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    #[schemars(with = "String")]
    pub depends_on_id: TaskId,
}

impl Operation for Validate {
    type Output = Validated;
    const NAME: &'static str = "validate";
    const ABOUT: &'static str = "Check the dependencies for circles and missing tasks";
    const EXAMPLE: &'static str = "windlass validate";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Validated, Error> {
        cx.read(|snapshot| {
            let cycles = circles(&snapshot.edges()?);
            let missing_deps: Vec<MissingDep> = snapshot
                .orphan_edges()?
                .into_iter()
                .map(|(task_id, depends_on_id)| MissingDep { task_id, depends_on_id })
                .collect();
            let mut issues = Vec::new();
            for cycle in &cycles {
                let shown: Vec<String> = cycle.iter().map(|id| id.short()).collect();
                issues.push(Issue {
                    kind: "cycle",
                    severity: "error",
                    message: format!("these tasks wait for each other: {}", shown.join(", ")),
                });
            }
            for missing in &missing_deps {
                issues.push(Issue {
                    kind: "missing_dependency",
                    severity: "warning",
                    message: format!(
                        "{} waits for {}, which is not in this ledger and counts as settled",
                        missing.task_id, missing.depends_on_id
                    ),
                });
            }
            Ok(Validated { is_valid: issues.is_empty(), issues, cycles, missing_deps })
        })
    }
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
        if self.is_valid {
            return Sheet::line(Cell::toned("the dependencies are sound", Tone::Good));
        }
        let mut sheet = Sheet::default();
        for issue in &self.issues {
            sheet = sheet.and_line(format!("{}: {}", issue.severity, issue.message));
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
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HeadView {
    pub seq: u64,
    pub hash: String,
}

impl Operation for AuditHead {
    type Output = HeadView;
    const NAME: &'static str = "audit.head";
    const ABOUT: &'static str = "Print seq and hash of the last event, to be kept elsewhere";
    const EXAMPLE: &'static str = "windlass audit head";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<HeadView, Error> {
        let head = cx.read(|snapshot| Ok(snapshot.head()?))?;
        Ok(HeadView { seq: head.seq, hash: head.hash.to_string() })
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
#[derive(Debug, Clone, Serialize, JsonSchema)]
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
            let text =
                format!("the chain of {} events is sound and ends in {}", self.seq, self.hash);
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
    fn a_head_is_read_as_it_is_printed() {
        let hash = Hash::of(b"x");
        assert_eq!(head(&format!("7:{hash}")).unwrap(), Head { seq: 7, hash });
        for wrong in ["", "7", "7:zz", ":", "x:00"] {
            assert_eq!(head(wrong).unwrap_err().code, Code::InvalidValue, "{wrong}");
        }
    }
}
