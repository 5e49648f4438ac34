//! `dep graph`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{Refusal, Status, TaskId, Time};
use windlass_ledger::{EdgeFilter, EndFilter, Error};

use super::draw;
use super::list::EdgeView;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::settings::one_of;
use crate::sheet::Sheet;
use crate::view::{ProjectNames, limit};

/// Draws which task waits for which.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Graph {
    /// Only with a task of this project at either end
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Also where both tasks are done or archived
    #[arg(long)]
    #[serde(default)]
    pub all: bool,
    /// At most this many dependencies
    #[arg(short, long, value_name = "N", allow_negative_numbers = true)]
    #[serde(default)]
    pub limit: Option<u64>,
    /// dot or mermaid: a text for these programs; json: nodes and edges
    #[arg(long, value_name = "FORMAT")]
    #[serde(default)]
    pub format: Option<String>,
}

/// Tasks and which waits for which.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Graphed {
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
    /// How many dependencies there are in all.
    pub total: u64,
    /// The same in the language that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What a person is shown, once it was drawn.
    #[serde(skip)]
    drawn: OnceLock<String>,
}

/// A task that waits or is waited for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphNode {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    /// Null when the task is not in this ledger.
    pub title: Option<String>,
    pub project: Option<String>,
    #[schemars(with = "Option<String>")]
    pub status: Option<Status>,
    pub agent: Option<String>,
    pub missing: bool,
}

/// One task waits for another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphEdge {
    /// The task that waits.
    #[schemars(with = "String")]
    pub from_task_id: TaskId,
    /// The task it waits for.
    #[schemars(with = "String")]
    pub to_task_id: TaskId,
    pub cross_project: bool,
    /// The task that waits is here, and what it waits for is neither done nor archived nor missing.
    pub blocking: bool,
}

/// A language for graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Dot,
    Mermaid,
}

impl Graph {
    /// The language that was asked for. `text` and `md` are what people are usually shown.
    fn language(&self) -> Result<Option<Language>, Refusal> {
        match self.format.as_deref() {
            None | Some("json" | "text" | "md") => Ok(None),
            Some("dot") => Ok(Some(Language::Dot)),
            Some("mermaid") => Ok(Some(Language::Mermaid)),
            Some(other) => Err(one_of("format", other, &["dot", "mermaid", "json"])),
        }
    }
}

impl Operation for Graph {
    type Output = Graphed;
    const NAME: &'static str = "dep.graph";
    const ABOUT: &'static str = "Draw which task waits for which, for dot or mermaid";
    const EXAMPLE: &'static str = "windlass dep graph -P api --format dot | dot -Tsvg";
    const ACCESS: Access = Access::Read;
    const FORMATS: &'static [&'static str] = &["dot", "mermaid"];

    fn run(&self, cx: &mut Context) -> Result<Graphed, Error> {
        let language = self.language()?;
        let limit = self.limit.map(limit).transpose()?.unwrap_or(u64::from(u32::MAX));
        let (found, total) = cx.read(|snapshot| {
            let project = match &self.project {
                Some(name) => Some(snapshot.project_named(name)?.id),
                None => None,
            };
            let filter = EdgeFilter {
                either: EndFilter { project, ..EndFilter::default() },
                open: !self.all,
                limit,
                ..EdgeFilter::default()
            };
            let mut names = ProjectNames::default();
            let mut found = Vec::new();
            for edge in snapshot.list_edges(&filter)? {
                found.push(EdgeView::new(snapshot, &mut names, edge)?);
            }
            // Only what was cut short must be counted.
            let total = match found.len() as u64 {
                all if all < limit => all,
                _ => snapshot.count_edges(&filter)?,
            };
            Ok((found, total))
        })?;
        Ok(Graphed::new(found, total, language))
    }
}

impl Graphed {
    fn new(found: Vec<EdgeView>, total: u64, language: Option<Language>) -> Self {
        let mut nodes = BTreeMap::new();
        let mut edges = Vec::with_capacity(found.len());
        for edge in found {
            edges.push(GraphEdge {
                from_task_id: edge.from_task_id,
                to_task_id: edge.to_task_id,
                cross_project: edge.cross_project,
                blocking: edge.blocking,
            });
            let from = GraphNode {
                task_id: edge.from_task_id,
                title: edge.from_title,
                project: edge.from_project,
                status: edge.from_status,
                agent: edge.from_agent,
                missing: edge.missing_from,
            };
            let to = GraphNode {
                task_id: edge.to_task_id,
                title: edge.to_title,
                project: edge.to_project,
                status: edge.to_status,
                agent: edge.to_agent,
                missing: edge.missing_to,
            };
            for node in [from, to] {
                nodes.entry(node.task_id).or_insert(node);
            }
        }
        let nodes: Vec<GraphNode> = nodes.into_values().collect();
        let text = language.map(|language| match language {
            Language::Dot => draw::dot(&nodes, &edges),
            Language::Mermaid => draw::mermaid(&nodes, &edges),
        });
        Self { nodes, edges, total, text, drawn: OnceLock::new() }
    }

    fn drawn(&self) -> &str {
        match &self.text {
            Some(text) => text,
            None => self.drawn.get_or_init(|| draw::dot(&self.nodes, &self.edges)),
        }
    }
}

impl Output for Graphed {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::default().and_text(self.drawn().trim_end())
    }

    fn document(&self) -> Option<&str> {
        Some(self.drawn())
    }
}
