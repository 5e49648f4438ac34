//! The graph: which task waits for which, drawn from left to right.

pub(crate) mod canvas;
pub(crate) mod layout;

use std::collections::{HashMap, HashSet};

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use windlass_domain::{Status, TaskId};
use windlass_ops::dep::{Graph, GraphEdge, GraphNode, Graphed};

use super::Visit;
use super::form::Form;
use super::layout::{Page, Section, framed};
use super::look::{self, address, cut, empty, grouped, status_name, task_path};
use super::trouble::Trouble;
use canvas::{canvas, heads, way};
use layout::{HEIGHT, WIDTH, lay_out};

/// More tasks than this are no drawing any more.
const MOST_TASKS: usize = 300;
/// Dependencies that are looked at for one.
const MOST_EDGES: u64 = 2_000;
/// Letters of a title that fit into a box.
pub(crate) const TITLE_COLUMNS: usize = 24;

/// `GET /graph`.
pub(super) async fn page(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let wants_open = query.first("show") == Some("open");
    let all = match wants_open {
        true => None,
        false => Some(ask(&visit, Graph { all: true, ..asked(&visit) }).await?),
    };
    let shown = match all {
        Some(all) if fits(&all) => Shown { graph: all, cut: None },
        all => {
            let open = ask(&visit, asked(&visit)).await?;
            let too_many = all.map(|all| all.total);
            Shown::open(open, too_many)
        }
    };
    let main = html! {
        div.head {
            h1 { "Graph" }
            nav.tabs aria-label="Which dependencies" {
                (tab(&visit, "Everything", "", !wants_open))
                (tab(&visit, "Open work", "open", wants_open))
            }
            (legend())
        }
        (shown.notice())
        (drawing(&visit, &shown.graph))
        (list(&shown.graph))
    };
    let mut page = Page::new("Graph", Section::Graph, main);
    page.assets = &["drawings.css", "pan.js"];
    Ok(framed(&visit, page))
}

fn asked(visit: &Visit) -> Graph {
    let project = visit.project.clone();
    Graph { project, all: false, limit: Some(MOST_EDGES), format: None }
}

async fn ask(visit: &Visit, question: Graph) -> Result<Graphed, Trouble> {
    visit.ask(question).await
}

fn fits(graph: &Graphed) -> bool {
    graph.nodes.len() <= MOST_TASKS && graph.total <= MOST_EDGES
}

fn tab(visit: &Visit, name: &str, show: &str, is_here: bool) -> Markup {
    let project = visit.project.as_deref().unwrap_or_default();
    let path = address("/graph", &[("project", project), ("show", show)]);
    html! { a href=(path) aria-current=[is_here.then_some("page")] { (name) } }
}

/// What is drawn, and what had to be left out.
struct Shown {
    graph: Graphed,
    cut: Option<String>,
}

impl Shown {
    /// The open part, of which no more than fits.
    fn open(mut graph: Graphed, all: Option<u64>) -> Self {
        let mut said = all.map(|all| {
            let all = grouped(all);
            format!("There are {all} dependencies: only those with open work are drawn.")
        });
        if !fits(&graph) {
            let total = grouped(graph.total);
            said = Some(format!(
                "There are {total} dependencies with open work: the first {MOST_TASKS} tasks are \
                 drawn. Choose a project to see less."
            ));
            cut_short(&mut graph);
        }
        Self { graph, cut: said }
    }

    fn notice(&self) -> Markup {
        html! { @if let Some(said) = &self.cut { div.notice.warn { p { (said) } } } }
    }
}

/// Keeps as many dependencies as there is room for tasks.
fn cut_short(graph: &mut Graphed) {
    let mut kept: HashSet<TaskId> = HashSet::new();
    graph.edges.retain(|edge| {
        let ends = [edge.from_task_id, edge.to_task_id];
        let new = ends.iter().filter(|id| !kept.contains(*id)).count();
        let fits = kept.len() + new <= MOST_TASKS;
        if fits {
            kept.extend(ends);
        }
        fits
    });
    graph.nodes.retain(|node| kept.contains(&node.task_id));
}

fn is_open(node: &GraphNode) -> bool {
    node.status.is_some_and(|status| !status.is_settled())
}

/// How many tasks wait for each, though it is open.
fn blocked_by(graph: &Graphed) -> HashMap<TaskId, usize> {
    let mut blocked: HashMap<TaskId, usize> = HashMap::new();
    for edge in graph.edges.iter().filter(|edge| edge.blocking) {
        *blocked.entry(edge.to_task_id).or_default() += 1;
    }
    blocked
}

fn drawing(visit: &Visit, graph: &Graphed) -> Markup {
    if graph.edges.is_empty() {
        let said = "Nothing waits for anything here. A dependency is added on the page of a task, or by \
                    windlass task add-dep.";
        return html! { section.panel #graph data-live { (empty(said)) } };
    }
    let numbers: HashMap<TaskId, usize> =
        graph.nodes.iter().enumerate().map(|(number, node)| (node.task_id, number)).collect();
    let number = |id: &TaskId| numbers.get(id).copied().unwrap_or(0);
    let lines: Vec<(usize, usize)> = graph
        .edges
        .iter()
        .map(|edge| (number(&edge.to_task_id), number(&edge.from_task_id)))
        .collect();
    let drawn = lay_out(graph.nodes.len(), &lines);
    let blocked = blocked_by(graph);
    canvas(
        "Graph of dependencies",
        &drawn,
        html! {
            (heads(&["blocking", "settled"]))
            @for (edge, corners) in graph.edges.iter().zip(&drawn.lines) { (line(edge, corners)) }
            @for (number, node) in graph.nodes.iter().enumerate() {
                (task(visit, node, drawn.corner(number), blocked.get(&node.task_id).copied()))
            }
        },
    )
}

/// A line from a task to one that waits for it.
fn line(edge: &GraphEdge, corners: &[(i64, i64)]) -> Markup {
    let kind = if edge.blocking { "blocking" } else { "settled" };
    html! {
        path class={ "way " (kind) @if edge.cross_project { " across" } } d=(way(corners))
            marker-end={ "url(#head-" (kind) ")" } {}
    }
}

/// A task as a box that leads to its page.
fn task(visit: &Visit, node: &GraphNode, (x, y): (i64, i64), blocks: Option<usize>) -> Markup {
    let title = node.title.as_deref().unwrap_or("not in this ledger");
    let status = node.status.map_or("missing", Status::as_str);
    let is_elsewhere = visit.project.is_some() && node.project != visit.project;
    let name = status_text(node);
    let waits = blocks.map(|count| match count {
        1 => "1 task waits for it".to_owned(),
        count => format!("{count} tasks wait for it"),
    });
    let whole = [
        Some(title.to_owned()),
        Some(name.to_owned()),
        node.project.as_ref().map(|project| format!("project {project}")),
        node.agent.as_ref().map(|agent| format!("agent {agent}")),
        waits.clone(),
    ];
    let whole = whole.into_iter().flatten().collect::<Vec<_>>().join("\n");
    let class = format!(
        "task is-{status}{}{}",
        if blocks.is_some() { " blocker" } else { "" },
        if is_elsewhere { " elsewhere" } else { "" }
    );
    html! {
        a class=(class) href=(task_path(node.task_id)) {
            title { (whole) }
            svg x=(x) y=(y) width=(WIDTH) height=(HEIGHT) {
                rect.box x="1.5" y="1.5" width=(WIDTH - 3) height=(HEIGHT - 3) rx="7" {}
                rect.bar x="1.5" y="1.5" width="5" height=(HEIGHT - 3) rx="2.5" {}
                text.title x="16" y="22" { (cut(title, TITLE_COLUMNS)) }
                text.under x="16" y="41" { tspan.status { (name) } tspan.soft { " · " (under(node, is_elsewhere)) } }
                @if let Some(count) = blocks {
                    text.blocks x=(WIDTH - 12) y="41" text-anchor="end" { "blocks " (count) }
                }
            }
        }
    }
}

/// What is told beside the status: the project of a task of another one, else its id.
fn under(node: &GraphNode, is_elsewhere: bool) -> String {
    match (&node.project, is_elsewhere) {
        (Some(project), true) => cut(project, 12),
        _ => node.task_id.short(),
    }
}

fn status_text(node: &GraphNode) -> &'static str {
    node.status.map_or("Missing", status_name)
}

fn legend() -> Markup {
    html! {
        ul.legend aria-label="How to read it" {
            li { svg width="34" height="10" aria-hidden="true" { path.way.blocking d="M1 5H33" {} } "open: the task to the right waits" }
            li { svg width="34" height="10" aria-hidden="true" { path.way.settled d="M1 5H33" {} } "settled" }
            li { svg width="34" height="10" aria-hidden="true" { path.way.blocking.across d="M1 5H33" {} } "to another project" }
        }
    }
}

/// The same in words.
fn list(graph: &Graphed) -> Markup {
    if graph.edges.is_empty() {
        return html! {};
    }
    let nodes: HashMap<TaskId, &GraphNode> =
        graph.nodes.iter().map(|node| (node.task_id, node)).collect();
    let blocked = blocked_by(graph);
    let mut blockers: Vec<&GraphNode> = graph
        .nodes
        .iter()
        .filter(|node| is_open(node) && blocked.contains_key(&node.task_id))
        .collect();
    blockers.sort_by_key(|node| std::cmp::Reverse(blocked.get(&node.task_id).copied()));
    html! {
        div.columns-2.below {
            (look::panel("blockers", "Open blockers", Some(blockers.len() as u64), html! {
                @if blockers.is_empty() { (empty("Nothing that is open holds anything up.")) }
                @else {
                    ul.rows {
                        @for node in blockers.iter().take(12) {
                            li {
                                (named(node))
                                span.soft.nowrap { (blocked.get(&node.task_id).copied().unwrap_or(0)) " waiting" }
                            }
                        }
                    }
                }
            }))
            section.panel #edges data-live {
                details.fold {
                    summary { "All dependencies in words (" (grouped(graph.edges.len() as u64)) ")" }
                    ul.rows {
                        @for edge in &graph.edges {
                            li {
                                div {
                                    @if let Some(node) = nodes.get(&edge.from_task_id) { (named(node)) }
                                    div.soft { "waits for " @if !edge.blocking { "(settled) " } }
                                    @if let Some(node) = nodes.get(&edge.to_task_id) { (named(node)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn named(node: &GraphNode) -> Markup {
    html! {
        span.named {
            (look::task_title(node.task_id, node.title.as_deref().unwrap_or("not in this ledger")))
            @if let Some(status) = node.status { " " (look::status(status)) }
            @if let Some(project) = &node.project { " " span.soft.small { (project) } }
        }
    }
}
