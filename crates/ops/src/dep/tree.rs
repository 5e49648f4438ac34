//! `dep tree`.

use std::collections::BTreeSet;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{Code, Refusal, Status, TaskId, Time};
use windlass_ledger::{Error, Fault, Snapshot};

use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone, counted};
use crate::view::ProjectNames;

/// Deeper than this nobody reads, and no program should have to nest.
const DEEPEST: u32 = 100;

/// Shows what a task waits for, and what that waits for, and so on.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Tree {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// The other way round: what waits for it
    #[arg(long)]
    #[serde(default)]
    pub dependents: bool,
    /// How many steps to go at most
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true)]
    #[serde(default = "ten")]
    pub depth: i64,
}

fn ten() -> i64 {
    10
}

/// A task with everything behind it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TreeShown {
    pub direction: Direction,
    pub tree: TreeNode,
    /// How many different tasks there are below the first.
    pub total: u64,
    /// How many of them are neither done nor archived nor missing.
    pub open: u64,
    /// Something lies deeper than was looked.
    pub cut: bool,
}

/// Which way a tree grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// To what is waited for.
    Dependencies,
    /// To what waits.
    Dependents,
}

/// A task of a tree.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TreeNode {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    /// Null when the task is not in this ledger.
    pub title: Option<String>,
    pub project: Option<String>,
    #[schemars(with = "Option<String>")]
    pub status: Option<Status>,
    pub agent: Option<String>,
    /// Nothing waits for it any more.
    pub settled: bool,
    /// What is below it is shown where the same task stands elsewhere in the tree.
    pub repeated: bool,
    /// There is more below it than was looked for.
    pub cut: bool,
    /// The tasks it waits for, or that wait for it.
    pub below: Vec<TreeNode>,
}

impl Operation for Tree {
    type Output = TreeShown;
    const NAME: &'static str = "dep.tree";
    const ABOUT: &'static str = "Show all that a task waits for, step by step";
    const EXAMPLE: &'static str = "windlass dep tree 8F3K2Q --depth 3";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<TreeShown, Error> {
        let depth = self.deepest()?;
        let direction = match self.dependents {
            true => Direction::Dependents,
            false => Direction::Dependencies,
        };
        cx.read(|snapshot| {
            let root = snapshot.task_named(&self.task)?;
            let walk = Walk::from(snapshot, root.id, direction, depth)?;
            let (total, open) = walk.counts();
            let cut = walk.steps.iter().any(|step| step.node.cut);
            Ok(TreeShown { direction, tree: walk.into_tree()?, total, open, cut })
        })
    }
}

impl Tree {
    fn deepest(&self) -> Result<u32, Refusal> {
        let depth = u32::try_from(self.depth).ok();
        depth.filter(|depth| (1..=DEEPEST).contains(depth)).ok_or_else(|| {
            Refusal::new(
                Code::InvalidValue,
                format!("depth {} is not between 1 and {DEEPEST}", self.depth),
            )
            .hint("give --depth 10")
            .detail("field", "depth")
            .detail("limit", DEEPEST)
            .detail("given", self.depth)
        })
    }
}

/// Every place of a tree, in the order of its distance from the root.
struct Walk {
    steps: Vec<Step>,
}

struct Step {
    node: TreeNode,
    /// The place above it.
    above: Option<usize>,
    depth: u32,
}

impl Walk {
    /// Goes from near to far, so that a task is expanded where it is nearest to the root.
    fn from(
        snapshot: &mut Snapshot<'_>,
        root: TaskId,
        direction: Direction,
        deepest: u32,
    ) -> Result<Self, Fault> {
        let mut names = ProjectNames::default();
        let mut met = BTreeSet::from([root]);
        let first = TreeNode::load(snapshot, &mut names, root)?;
        let mut steps = vec![Step { node: first, above: None, depth: 0 }];
        let mut next = 0;
        while let Some(Step { node, depth, .. }) = steps.get_mut(next) {
            // Nothing goes on behind a task that is missing, even if its edges were kept.
            let is_expanded = !node.repeated && node.status.is_some();
            let (depth, id) = (*depth, node.task_id);
            let below = match (is_expanded, direction) {
                (false, _) => Vec::new(),
                (true, Direction::Dependencies) => snapshot.prerequisites(id)?,
                (true, Direction::Dependents) => snapshot.dependents(id)?,
            };
            if depth == deepest {
                node.cut = !below.is_empty();
            } else {
                for id in below {
                    let mut node = TreeNode::load(snapshot, &mut names, id)?;
                    node.repeated = !met.insert(id);
                    steps.push(Step { node, above: Some(next), depth: depth + 1 });
                }
            }
            next += 1;
        }
        Ok(Self { steps })
    }

    fn counts(&self) -> (u64, u64) {
        let below = self.steps.iter().skip(1).filter(|step| !step.node.repeated);
        let open = below.clone().filter(|step| !step.node.settled).count();
        (below.count() as u64, open as u64)
    }

    /// From the far end, each place is put below the one above it.
    fn into_tree(mut self) -> Result<TreeNode, Fault> {
        while let Some(Step { mut node, above, .. }) = self.steps.pop() {
            node.below.reverse();
            let Some(above) = above else { return Ok(node) };
            let above = self.steps.get_mut(above);
            above.ok_or_else(|| Fault::bug("a tree has no trunk"))?.node.below.push(node);
        }
        Err(Fault::bug("a tree has no root"))
    }
}

impl TreeNode {
    fn load(
        snapshot: &mut Snapshot<'_>,
        names: &mut ProjectNames,
        id: TaskId,
    ) -> Result<Self, Fault> {
        let task = snapshot.task(id)?;
        let project = task.as_ref().map(|task| names.of(snapshot, task.project)).transpose()?;
        Ok(Self {
            task_id: id,
            project,
            status: task.as_ref().map(|task| task.status),
            agent: task.as_ref().and_then(|task| task.agent.clone()),
            settled: task.as_ref().is_none_or(|task| task.status.is_settled()),
            title: task.map(|task| task.title),
            repeated: false,
            cut: false,
            below: Vec::new(),
        })
    }

    /// One line about the task.
    fn line(&self, before: &str) -> Cell {
        let status = self.status.map_or("missing", Status::as_str);
        // The title comes last: it is cut where a page is narrow.
        let facts = [
            Some(status),
            self.project.as_deref(),
            self.agent.as_deref(),
            self.repeated.then_some("shown elsewhere"),
            self.cut.then_some("more below"),
        ];
        let facts: Vec<&str> = facts.into_iter().flatten().collect();
        let mut text = format!("{before}{} {}", self.task_id.short(), facts.join(" · "));
        if let Some(title) = &self.title {
            text = format!("{text}: {title}");
        }
        let tone = match self.settled {
            true => Tone::Dim,
            false => self.status.map_or(Tone::Dim, |status| Cell::from(status).tone),
        };
        Cell::toned(text, tone)
    }

    /// The lines below it; `before` is what all of them begin with.
    fn draw_below(&self, before: &str, mut sheet: Sheet) -> Sheet {
        let last = self.below.len().saturating_sub(1);
        for (index, node) in self.below.iter().enumerate() {
            let (branch, trunk) =
                if index == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            sheet = sheet.and_drawn(node.line(&format!("{before}{branch}")));
            sheet = node.draw_below(&format!("{before}{trunk}"), sheet);
        }
        sheet
    }
}

impl Output for TreeShown {
    fn sheet(&self, _now: Time) -> Sheet {
        let sheet = Sheet::default().and_drawn(self.tree.line(""));
        let sheet = self.tree.draw_below("", sheet);
        let tasks = counted(self.total, "task");
        let told = match (self.direction, self.total) {
            (Direction::Dependencies, 0) => "it waits for nothing".to_owned(),
            (Direction::Dependents, 0) => "nothing waits for it".to_owned(),
            (Direction::Dependencies, _) => format!("it waits for {tasks}, {} open", self.open),
            (Direction::Dependents, 1) => format!("1 task waits for it, {} open", self.open),
            (Direction::Dependents, _) => format!("{tasks} wait for it, {} open", self.open),
        };
        let more = if self.cut { "; there is more below, see --depth" } else { "" };
        sheet.and_line(Cell::dim(format!("{told}{more}")))
    }
}
