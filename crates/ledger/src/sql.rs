//! SQL that is the same in both dialects, each beside the index it relies on.
//!
//! Parameters are written `$1, $2, …` and must first appear in that order: SQLite numbers them by
//! appearance, PostgreSQL by name.

use windlass_domain::{ProjectId, Status, TaskId};

use crate::cell::Cell;
use crate::store::ListFilter;

/// Every table of the views. What is not here is the log or a working row.
pub(crate) const VIEWS: [&str; 6] =
    ["projects", "tasks", "task_details", "task_tags", "queue", "dependencies"];

macro_rules! event_columns {
    () => {
        "seq, id, at, stream, stream_seq, kind, v, data, data_hash, actor, on_behalf_of, session, \
         correlation, causation, op, hash"
    };
}

macro_rules! task_columns {
    () => {
        "created_seq, id, tail, version, project_id, parent_id, title, status, archived_from, \
         urgency, due_at, tags, agent, fence, claimed_at, lease_until, lease_ms, lease_expired, \
         progress, stale_after_minutes, pipeline, stage, role, open_dependencies, open_children, \
         created_at, updated_at, finished_at"
    };
}

macro_rules! project_columns {
    () => {
        "created_seq, id, version, name, description, repo, protected, frozen, frozen_reason, \
         backlog, ready, in_progress, blocked, done, archived, claimable, created_at, updated_at"
    };
}

pub(crate) const TASK_COLUMNS: &str = task_columns!();

pub(crate) const INSERT_EVENT: &str = concat!(
    "INSERT INTO events (",
    event_columns!(),
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
);

/// By the primary key.
pub(crate) const EVENTS_AFTER: &str =
    concat!("SELECT ", event_columns!(), " FROM events WHERE seq > $1 ORDER BY seq LIMIT $2");

/// By `events_stream`.
pub(crate) const HISTORY: &str = concat!(
    "SELECT ",
    event_columns!(),
    " FROM events WHERE stream = $1 ORDER BY stream_seq DESC LIMIT $2"
);

/// By `events_notes`.
pub(crate) const NOTES: &str = concat!(
    "SELECT ",
    event_columns!(),
    " FROM events WHERE stream = $1 \
     AND kind IN ('comment_added', 'checkpoint_recorded', 'task_blocked') ORDER BY seq"
);

/// By the unique index on `id`.
pub(crate) const PROJECT: &str =
    concat!("SELECT ", project_columns!(), " FROM projects WHERE id = $1");

/// By the unique index on `name`.
pub(crate) const PROJECT_NAMED: &str =
    concat!("SELECT ", project_columns!(), " FROM projects WHERE name = $1");

pub(crate) const PROJECTS: &str =
    concat!("SELECT ", project_columns!(), " FROM projects ORDER BY created_seq");

pub(crate) const INSERT_PROJECT: &str = concat!(
    "INSERT INTO projects (",
    project_columns!(),
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)"
);

/// By the primary key.
pub(crate) const UPDATE_PROJECT: &str = concat!(
    "UPDATE projects SET (",
    project_columns!(),
    ") = ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) \
     WHERE created_seq = $1"
);

/// By `tasks_id`.
pub(crate) const TASK: &str = concat!("SELECT ", task_columns!(), " FROM tasks WHERE id = $1");

/// By the primary key.
pub(crate) const TASK_CREATED_AT: &str =
    concat!("SELECT ", task_columns!(), " FROM tasks WHERE created_seq = $1");

pub(crate) const INSERT_TASK: &str = concat!(
    "INSERT INTO tasks (",
    task_columns!(),
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, \
     $19, $20, $21, $22, $23, $24, $25, $26, $27, $28)"
);

/// By the primary key.
pub(crate) const UPDATE_TASK: &str = concat!(
    "UPDATE tasks SET (",
    task_columns!(),
    ") = ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, \
     $19, $20, $21, $22, $23, $24, $25, $26, $27, $28) WHERE created_seq = $1"
);

pub(crate) const DETAILS: &str =
    "SELECT description, links, metadata FROM task_details WHERE created_seq = $1";

pub(crate) const INSERT_DETAILS: &str =
    "INSERT INTO task_details (created_seq, description, links, metadata) VALUES ($1, $2, $3, $4)";

pub(crate) const UPDATE_DETAILS: &str = "UPDATE task_details \
     SET (created_seq, description, links, metadata) = ($1, $2, $3, $4) WHERE created_seq = $1";

pub(crate) const INSERT_TAG: &str = "INSERT INTO task_tags (tag, created_seq) VALUES ($1, $2)";
pub(crate) const DELETE_TAG: &str = "DELETE FROM task_tags WHERE tag = $1 AND created_seq = $2";

pub(crate) const ENQUEUE: &str = "INSERT INTO queue \
     (tag, project_id, role, agent, urgency, due_key, created_seq) VALUES ($1, $2, $3, $4, $5, $6, $7)";
pub(crate) const DEQUEUE: &str = "DELETE FROM queue WHERE tag = $1 AND project_id = $2 \
     AND role = $3 AND agent = $4 AND urgency = $5 AND due_key = $6 AND created_seq = $7";

/// By the primary key of `queue`.
pub(crate) const TAG_DEPTH: &str =
    "SELECT count(*) FROM (SELECT 1 FROM queue WHERE tag = $1 LIMIT $2) AS found";

/// By `tasks_own_leases`.
pub(crate) const RAN_OUT_OF: &str = "SELECT id FROM tasks WHERE agent = $1 \
     AND lease_until IS NOT NULL AND lease_until <= $2 ORDER BY lease_until LIMIT $3";

pub(crate) const ADD_EDGE: &str =
    "INSERT INTO dependencies (task_id, depends_on) VALUES ($1, $2) ON CONFLICT DO NOTHING";
pub(crate) const REMOVE_EDGE: &str =
    "DELETE FROM dependencies WHERE task_id = $1 AND depends_on = $2";
/// By the primary key.
pub(crate) const PREREQUISITES: &str =
    "SELECT depends_on FROM dependencies WHERE task_id = $1 ORDER BY depends_on";
/// By `dependencies_dependents`.
pub(crate) const DEPENDENTS: &str =
    "SELECT task_id FROM dependencies WHERE depends_on = $1 ORDER BY task_id";
pub(crate) const EDGES: &str =
    "SELECT task_id, depends_on FROM dependencies ORDER BY task_id, depends_on";
pub(crate) const ORPHAN_EDGES: &str = "SELECT task_id, depends_on FROM dependencies \
     WHERE NOT EXISTS (SELECT 1 FROM tasks WHERE id = depends_on) ORDER BY task_id, depends_on";

/// By `tasks_parent`.
pub(crate) const CHILDREN: &str = concat!(
    "SELECT ",
    task_columns!(),
    " FROM tasks WHERE parent_id = $1 ORDER BY urgency, created_seq"
);

/// By `tasks_id`.
pub(crate) const WITH_PREFIX: &str = concat!(
    "SELECT ",
    task_columns!(),
    " FROM tasks WHERE id BETWEEN $1 AND $2 ORDER BY id LIMIT $3"
);

/// By `tasks_tail`.
pub(crate) const WITH_SUFFIX: &str = concat!(
    "SELECT ",
    task_columns!(),
    " FROM tasks WHERE tail BETWEEN $1 AND $2 ORDER BY tail LIMIT $3"
);

pub(crate) const INSERT_EFFECT: &str =
    "INSERT INTO effects (event_seq, host, kind, data) VALUES ($1, $2, $3, $4)";
/// By `effects_host`.
pub(crate) const EFFECTS_FOR: &str =
    "SELECT id, event_seq, host, kind, data FROM effects WHERE host = $1 ORDER BY id LIMIT $2";
pub(crate) const DELETE_EFFECT: &str = "DELETE FROM effects WHERE id = $1";

/// The statement and values of a list or, with `what` a count, of its total.
///
/// Each combination of filters is served by the index whose columns it fixes: `tasks_agent`,
/// `tasks_parent`, `tasks_project_status`, `tasks_status`, `tasks_project` or `tasks_all`, all of
/// them already in the order of the list.
pub(crate) fn list<T>(
    filter: &ListFilter,
    what: What,
    run: impl FnOnce(&str, &[Cell<'_>]) -> T,
) -> T {
    let project = filter.project.map(ProjectId::to_bytes);
    let parent = filter.parent.map(TaskId::to_bytes);
    let mut values: Vec<Cell<'_>> = Vec::new();
    let mut terms: Vec<String> = Vec::new();
    let fixed = [
        ("project_id", project.as_ref().map(|id| Cell::Bytes(id))),
        ("parent_id", parent.as_ref().map(|id| Cell::Bytes(id))),
        ("agent", filter.agent.as_deref().map(Cell::Text)),
        ("status", filter.wanted_status().map(|status| Cell::Text(status.as_str()))),
    ];
    for (column, value) in fixed {
        if let Some(value) = value {
            values.push(value);
            terms.push(format!("{column} = ${}", values.len()));
        }
    }
    // Literally the conditions of the partial indexes, so that these can serve.
    if filter.wanted_status() != Some(Status::Archived) {
        terms.push("status <> 'archived'".to_owned());
    }
    if filter.agent.is_some() {
        terms.push("agent <> ''".to_owned());
    }
    if filter.root {
        terms.push("parent_id IS NULL".to_owned());
    }
    if filter.available {
        terms.push("open_dependencies = 0 AND open_children = 0".to_owned());
    }
    let terms = terms.join(" AND ");
    let text = match what {
        What::Rows => {
            values.push(Cell::count(filter.limit));
            values.push(Cell::count(filter.offset));
            let last = values.len();
            format!(
                "SELECT {TASK_COLUMNS} FROM tasks WHERE {terms} \
                 ORDER BY urgency, created_seq LIMIT ${} OFFSET ${last}",
                last - 1
            )
        }
        What::Count => format!("SELECT count(*) FROM tasks WHERE {terms}"),
    };
    run(&text, &values)
}

/// Whether a list is read or counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Rows,
    Count,
}
