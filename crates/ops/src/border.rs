//! The dependencies across the border of tasks that go somewhere together, and what a caller wants
//! to become of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::edges::{self, Choice, Edge, Fate, LISTED};
use windlass_domain::{Code, ProjectId, Refusal, TaskId, dependency};
use windlass_ledger::{Error, Fault, Snapshot, Transaction};

use crate::sheet::{Cell, Sheet, counted};
use crate::view::{ProjectNames, usage};

/// More than this nobody reads before choosing.
const NAMED: usize = 10;

/// What becomes of dependencies between tasks that go and tasks that stay.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AtBorder {
    /// Dependencies between these tasks and others: keep them, or settle them so that nothing waits
    #[arg(long, value_enum, value_name = "WHAT")]
    pub edges: Option<Edges>,
    /// Let other tasks wait for this one instead
    #[arg(long, value_name = "TASK")]
    pub rewrite_deps: Option<String>,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Edges {
    Keep,
    Settle,
}

/// A dependency that led across the border.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TouchedEdge {
    /// The task that waits, or waited.
    #[schemars(with = "String")]
    pub from_task_id: TaskId,
    /// What it waits for, or waited.
    #[schemars(with = "String")]
    pub to_task_id: TaskId,
    pub from_title: String,
    pub to_title: String,
    /// Where they were before.
    pub from_project: String,
    pub to_project: String,
    /// `kept`, `removed` or `rewritten`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// What it waits for instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub rewritten_to: Option<TaskId>,
}

impl AtBorder {
    /// What the caller wants; nothing when that was not said.
    pub(crate) fn choice(&self, snapshot: &mut Snapshot<'_>) -> Result<Option<Choice>, Error> {
        match (self.edges, &self.rewrite_deps) {
            (None, None) => Ok(None),
            (Some(Edges::Keep), None) => Ok(Some(Choice::Keep)),
            (Some(Edges::Settle), None) => Ok(Some(Choice::Settle)),
            (None, Some(task)) => Ok(Some(Choice::Rewrite(snapshot.task_named(task)?.id))),
            (Some(_), Some(_)) => {
                Err(usage("--edges and --rewrite-deps exclude each other", "give one of them")
                    .into())
            }
        }
    }
}

/// Tasks that go somewhere together.
pub(crate) struct Going<'a> {
    pub(crate) set: &'a BTreeSet<TaskId>,
    /// The project they go to, if they go to one: what is there already is not outside.
    pub(crate) to: Option<ProjectId>,
    pub(crate) because: String,
}

/// Does with the dependencies across the border what was chosen, and records it.
pub(crate) fn settle(
    tx: &mut Transaction<'_>,
    going: &Going<'_>,
    choice: Option<Choice>,
) -> Result<Vec<TouchedEdge>, Error> {
    let touched = touched(tx, going)?;
    let decided = match edges::decide(&touched, going.set, choice) {
        Ok(decided) => decided,
        Err(refusal) if refusal.code == Code::EdgesOutside => {
            let listed = touched.iter().take(LISTED).copied();
            return Err(with_titles(refusal, &TouchedEdge::load_all(tx, listed)?).into());
        }
        Err(refusal) => return Err(refusal.into()),
    };
    let mut shown = TouchedEdge::load_all(tx, touched)?;
    for ((edge, fate), shown) in decided.iter().zip(&mut shown) {
        record(tx, edge.from, edges::record(*edge, *fate, &going.because))?;
        shown.outcome = Some(fate.as_str().to_owned());
        if let Fate::Rewritten(task) = fate {
            shown.rewritten_to = Some(*task);
        }
    }
    wait_instead(tx, &decided, &going.because)?;
    Ok(shown)
}

/// The dependencies across the border. One to a task that is no longer here has nothing to lose,
/// and one to a task in the project they go to ends inside it.
fn touched(tx: &mut Transaction<'_>, going: &Going<'_>) -> Result<Vec<Edge>, Fault> {
    let (set, mut found) = (going.set, Vec::new());
    for task in set {
        found.extend(tx.prerequisites(*task)?.into_iter().map(|to| Edge { from: *task, to }));
        found.extend(tx.dependents(*task)?.into_iter().map(|from| Edge { from, to: *task }));
    }
    let mut touched = edges::touched(found, set);
    let ends = touched.iter().flat_map(|edge| [edge.from, edge.to]);
    let others: BTreeSet<TaskId> = ends.filter(|end| !set.contains(end)).collect();
    let mut outside = BTreeSet::new();
    for other in others {
        if tx.task(other)?.is_some_and(|task| Some(task.project) != going.to) {
            outside.insert(other);
        }
    }
    touched.retain(|edge| outside.contains(&edge.from) || outside.contains(&edge.to));
    Ok(touched)
}

/// What each task waits for by dependencies that were kept.
pub(crate) fn kept(touched: &[TouchedEdge]) -> BTreeMap<TaskId, Vec<TaskId>> {
    let mut kept: BTreeMap<TaskId, Vec<TaskId>> = BTreeMap::new();
    for edge in touched.iter().filter(|edge| edge.outcome.as_deref() == Some(Fate::Kept.as_str())) {
        kept.entry(edge.from_task_id).or_default().push(edge.to_task_id);
    }
    kept
}

/// Lets those who waited for tasks that go wait for another one, each once and in no circle.
fn wait_instead(
    tx: &mut Transaction<'_>,
    decided: &[(Edge, Fate)],
    because: &str,
) -> Result<(), Error> {
    for (edge, fate) in decided {
        let Fate::Rewritten(on) = *fate else { continue };
        if tx.prerequisites(edge.from)?.contains(&on) {
            continue;
        }
        if let Some(way) = tx.waiting_path(on, edge.from)? {
            return Err(dependency::cycle(edge.from, on, &way).into());
        }
        record(tx, edge.from, edges::instead(on, because))?;
    }
    Ok(())
}

fn record(
    tx: &mut Transaction<'_>,
    id: TaskId,
    event: windlass_domain::Event,
) -> Result<(), Error> {
    let task = tx.task(id)?.ok_or_else(|| Fault::bug("a task that waits is not here"))?;
    tx.record_task(&task, [event]).map(drop)
}

/// A person cannot choose by ids alone.
fn with_titles(mut refusal: Refusal, shown: &[TouchedEdge]) -> Refusal {
    for edge in shown.iter().take(NAMED) {
        let _infallible = write!(refusal.message, "\n  {}", edge.in_words());
    }
    let count = refusal.details.get("edge_count").and_then(serde_json::Value::as_u64);
    let more = count.unwrap_or_default().saturating_sub(NAMED as u64);
    if more > 0 {
        let _infallible = write!(refusal.message, "\n  and {more} more");
    }
    refusal.detail("edges", shown)
}

impl TouchedEdge {
    fn load_all(
        snapshot: &mut Snapshot<'_>,
        edges: impl IntoIterator<Item = Edge>,
    ) -> Result<Vec<Self>, Fault> {
        let mut names = ProjectNames::default();
        edges.into_iter().map(|edge| Self::load(snapshot, &mut names, edge)).collect()
    }

    /// Both ends by name, from the task that waits to what it waits for.
    fn in_words(&self) -> String {
        let Self { from_task_id, from_title, from_project, .. } = self;
        let Self { to_task_id, to_title, to_project, .. } = self;
        format!(
            "{from_task_id} {from_title} ({from_project}) → {to_task_id} {to_title} ({to_project})"
        )
    }

    fn load(
        snapshot: &mut Snapshot<'_>,
        names: &mut ProjectNames,
        edge: Edge,
    ) -> Result<Self, Fault> {
        let mut end = |id: TaskId| {
            let task =
                snapshot.task(id)?.ok_or_else(|| Fault::bug("an end of an edge is not here"))?;
            let project = names.of(snapshot, task.project)?;
            Ok::<_, Fault>((task.title, project))
        };
        let (from_title, from_project) = end(edge.from)?;
        let (to_title, to_project) = end(edge.to)?;
        Ok(Self {
            from_task_id: edge.from,
            to_task_id: edge.to,
            from_title,
            to_title,
            from_project,
            to_project,
            outcome: None,
            rewritten_to: None,
        })
    }

    fn line(&self) -> String {
        let (from, to) = (self.from_task_id.short(), self.to_task_id.short());
        match (self.outcome.as_deref(), self.rewritten_to) {
            (_, Some(instead)) => {
                format!("  {from} waits for {} instead of {to}", instead.short())
            }
            (Some("removed"), None) => format!("  {from} no longer waits for {to}"),
            (_, None) => format!("  {from} → {to} stays"),
        }
    }
}

/// What was done with dependencies, below what was done with tasks.
pub(crate) fn told(mut sheet: Sheet, touched: &[TouchedEdge]) -> Sheet {
    for edge in touched.iter().take(LISTED) {
        sheet = sheet.and_line(Cell::dim(edge.line()));
    }
    match touched.len().saturating_sub(LISTED) {
        0 => sheet,
        more => sheet.and_line(Cell::dim(format!("  and {} more", counted(more as u64, "edge")))),
    }
}
