//! An issue of beads as the history of a task: a function from values to values.

use serde_json::{Map, Value, json};
use windlass_domain::event::{
    Authority, CommentAdded, DependencyAdded, Event, StatusSet, TaskBlocked, TaskClaimed,
    TaskCreated, Won,
};
use windlass_domain::text::{self, LINK_CHARS, TITLE_CHARS};
use windlass_domain::{ProjectId, Status, TaskId, Time};

use super::issue::{Issue, State};
use crate::import::clean::Clean;

/// Who did what beads names nobody for.
const NOBODY: &str = "beads";
/// The kind of issue that is a task and nothing special.
const TASK: &str = "task";
/// The key of a task's metadata under which beads has its own.
pub(super) const KEY: &str = "beads";
/// Kinds of dependency that hold up only under conditions.
const CONDITIONAL: [&str; 2] = ["conditional-blocks", "waits-for"];

const UNOWNED: &str = "issues in progress without an assignee: ready here";
const NO_TIME: &str = "issues without the time of their creation: that of the import counts";
const SOMETIMES: &str = "dependencies that hold up only sometimes: kept as related";
const TOO_MUCH: &str = "relations to other issues that are too many for the metadata: left out";

/// What ties the new task to others, once that is settled.
#[derive(Debug)]
pub(super) struct Ties {
    pub(super) project: ProjectId,
    pub(super) parent: Option<TaskId>,
    /// The issues that it waits for, with their tasks.
    pub(super) on: Vec<(String, TaskId)>,
}

/// Something that happened to the task.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Did {
    pub(super) at: Time,
    pub(super) actor: String,
    pub(super) event: Event,
}

/// The history of an issue, oldest first.
pub(super) fn history(issue: &Issue, ties: &Ties, now: Time, clean: &mut Clean<'_>) -> Vec<Did> {
    let created_at = issue.created_at.unwrap_or_else(|| {
        clean.notes.add(NO_TIME, &issue.id);
        now
    });
    let creator = actor(issue.created_by.as_ref(), "created_by", clean);
    let mut on_since_creation = Vec::new();
    let mut later = Vec::new();
    for (id, on) in &ties.on {
        let tie = issue.dependencies.iter().find(|tie| tie.on == *id);
        match tie.and_then(|tie| Some((tie.at.filter(|at| *at > created_at)?, tie))) {
            Some((at, tie)) => {
                let actor = actor(tie.by.as_ref().or(issue.created_by.as_ref()), "author", clean);
                later.push(Did {
                    at,
                    actor,
                    event: DependencyAdded { on: *on, because: None }.into(),
                });
            }
            None => on_since_creation.push(*on),
        }
    }
    for comment in &issue.comments {
        let at = comment.at.unwrap_or(created_at);
        let actor = actor(comment.by.as_ref(), "author", clean);
        let text = clean.said(&comment.text);
        later.extend(text.map(|text| Did { at, actor, event: CommentAdded { text }.into() }));
    }
    let assignee = issue.assignee.as_ref().and_then(|name| clean.name("assignee", name));
    let at = issue.updated_at.unwrap_or(created_at);
    later.extend(settle(issue, assignee.as_deref(), &creator, at, clean));
    later.sort_by_key(|did| did.at);
    let event = created(issue, ties, on_since_creation, assignee, clean).into();
    let mut history = vec![Did { at: created_at, actor: creator, event }];
    history.extend(later);
    history
}

fn actor(name: Option<&String>, field: &str, clean: &mut Clean<'_>) -> String {
    let name = name.and_then(|name| clean.name(field, name));
    name.unwrap_or_else(|| NOBODY.to_owned())
}

/// What brought a ready task to where the issue stands.
fn settle(
    issue: &Issue,
    assignee: Option<&str>,
    creator: &str,
    at: Time,
    clean: &mut Clean<'_>,
) -> Option<Did> {
    let authority = Authority::Free;
    let actor = assignee.unwrap_or(creator).to_owned();
    match (issue.state, assignee) {
        (State::Open | State::Deferred | State::Tombstone, _) => None,
        (State::InProgress, None) => {
            clean.notes.add(UNOWNED, &issue.id);
            None
        }
        (State::InProgress, Some(agent)) => {
            let event = TaskClaimed {
                agent: agent.to_owned(),
                fence: 1,
                won: Won::Claimed,
                lease_until: None,
                lease_ms: None,
                taken_from: None,
                reason: None,
            };
            Some(Did { at, actor, event: event.into() })
        }
        (State::Blocked, _) => {
            let event = TaskBlocked { reason: None, auto_unpause: false, authority, forced: None };
            Some(Did { at, actor, event: event.into() })
        }
        (State::Closed, _) => {
            let event = StatusSet { to: Status::Done, authority, forced: None };
            Some(Did { at: issue.closed_at.unwrap_or(at), actor, event: event.into() })
        }
    }
}

fn created(
    issue: &Issue,
    ties: &Ties,
    depends_on: Vec<TaskId>,
    assignee: Option<String>,
    clean: &mut Clean<'_>,
) -> TaskCreated {
    let status = match issue.state {
        State::Deferred => Status::Backlog,
        State::Open | State::InProgress | State::Blocked | State::Closed | State::Tombstone => {
            Status::Ready
        }
    };
    let kind = issue.kind.iter().filter(|kind| *kind != TASK);
    let tags: Vec<String> = issue.labels.iter().chain(kind).cloned().collect();
    TaskCreated {
        project: ties.project,
        title: clean.title(&issue.title),
        status,
        parent: ties.parent,
        description: clean.long("description", &description(issue)),
        links: Vec::new(),
        tags: clean.tags(&tags),
        priority: issue.priority,
        due_at: None,
        metadata: metadata(issue, ties, clean),
        stale_after_minutes: None,
        // Who holds a task is told by the claim.
        agent: assignee.filter(|_| issue.state != State::InProgress),
        depends_on,
        stage: None,
        forced: None,
    }
}

/// All the long texts, each but the first under its heading.
fn description(issue: &Issue) -> String {
    let mut parts = vec![issue.description.trim_end().to_owned()];
    let sections = issue.sections.iter();
    parts.extend(sections.map(|(heading, text)| format!("## {heading}\n\n{}", text.trim_end())));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// What has no place of its own here.
fn metadata(issue: &Issue, ties: &Ties, clean: &mut Clean<'_>) -> Map<String, Value> {
    let short = |text: &String| text.chars().take(LINK_CHARS).collect::<String>();
    let is_cut = issue.title.chars().count() > TITLE_CHARS;
    let whole_title = Some(&issue.title).filter(|_| is_cut);
    let related = related(issue, ties, clean);
    let kept = [
        ("id", Some(json!(issue.id))),
        ("type", issue.kind.as_ref().map(|kind| json!(short(kind)))),
        ("title", whole_title.map(|title| json!(short(title)))),
        ("external_ref", issue.external_ref.as_ref().map(|external| json!(short(external)))),
        ("estimated_minutes", issue.estimated_minutes.map(|minutes| json!(minutes))),
        ("close_reason", issue.close_reason.as_ref().map(|reason| json!(short(reason)))),
        ("updated_at", issue.updated_at.map(|at| json!(at))),
        ("related", Some(Value::Array(related)).filter(|related| *related != json!([]))),
    ];
    let mut own: Map<String, Value> =
        kept.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
    let under_key =
        |own: &Map<String, Value>| Map::from_iter([(KEY.to_owned(), Value::Object(own.clone()))]);
    if text::metadata(&under_key(&own)).is_err() && own.remove("related").is_some() {
        clean.notes.add(TOO_MUCH, &issue.id);
    }
    clean.metadata(under_key(&own))
}

/// The relations to other issues that are nothing else here.
fn related(issue: &Issue, ties: &Ties, clean: &mut Clean<'_>) -> Vec<Value> {
    let mut related = Vec::new();
    let mut parents = 0;
    for tie in &issue.dependencies {
        let is_kept = match tie.kind.as_str() {
            "blocks" => false,
            super::plan::PARENT => {
                parents += 1;
                ties.parent.is_none() || parents > 1
            }
            kind => {
                if CONDITIONAL.contains(&kind) {
                    clean.notes.add(SOMETIMES, format_args!("{} {kind} {}", issue.id, tie.on));
                }
                true
            }
        };
        if is_kept {
            related.push(json!({"id": tie.on, "type": tie.kind}));
        }
    }
    related
}

#[cfg(test)]
mod tests;
