//! SQL that is the same in both dialects, each beside the index it relies on.
//!
//! Parameters are written `$1, $2, …` and must first appear in that order: SQLite numbers them by
//! appearance, PostgreSQL by name.

use windlass_domain::{ProjectId, Status, TaskId, Time};

use crate::cell::Cell;
use crate::record::urgency;
use crate::search::SearchFilter;
use crate::store::{ListFilter, Order, QueueFilter};

/// Every table of the views but the index of words, which each database keeps in its own way.
/// What is not here is the log or a working row: `effects`, `outbox` and `refusals` hold those, and
/// are never rebuilt.
pub(crate) const VIEWS: [&str; 23] = [
    "projects",
    "tasks",
    "task_details",
    "task_tags",
    "queue",
    "dependencies",
    "agents",
    "activity",
    "workflow_ops",
    "hooks",
    "deliveries",
    "keys",
    "runs",
    "chunks",
    "chunk_links",
    "chunk_facets",
    "facet_counts",
    "chunk_owners",
    "chunk_words",
    "chunk_vocabulary",
    "chunk_trigrams",
    "sessions",
    "definitions",
];

macro_rules! event_columns_but_seq {
    () => {
        "id, at, stream, stream_seq, kind, v, data, data_hash, actor, on_behalf_of, session, \
         correlation, causation, op, hash"
    };
}

macro_rules! event_columns {
    () => {
        concat!("seq, ", event_columns_but_seq!())
    };
}

macro_rules! task_columns {
    () => {
        "created_seq, id, tail, version, project_id, parent_id, title, status, archived_from, \
         urgency, due_at, tags, agent, fence, claimed_at, active_at, lease_until, lease_ms, lease_expired, \
         auto_unpause, progress, stale_after_minutes, pipeline, stage, role, open_dependencies, open_children, \
         created_at, updated_at, started_at, finished_at"
    };
}

macro_rules! project_columns {
    () => {
        "created_seq, id, version, name, description, repo, protected, frozen, frozen_reason, \
         deleted, backlog, ready, in_progress, blocked, done, archived, claimable, created_at, updated_at"
    };
}

pub(crate) const TASK_COLUMNS: &str = task_columns!();
pub(crate) const PROJECT_COLUMNS: &str = project_columns!();

/// The condition of `events_notes`, which a statement repeats to be answered by it.
macro_rules! is_note {
    () => {
        "(kind = 'comment_added' OR kind = 'checkpoint_recorded' OR kind = 'task_blocked')"
    };
}

pub(crate) const INSERT_EVENT: &str = concat!(
    "INSERT INTO events (",
    event_columns!(),
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
);

/// The same for SQLite, which gives the next number itself. A row that is refused leaves nothing
/// either way; but where SQLite has to expect a wrong number, or to undo the statement alone, it
/// begins a savepoint, for which the index of words is written down each time.
pub(crate) const APPEND_EVENT: &str = concat!(
    "INSERT OR FAIL INTO events (",
    event_columns_but_seq!(),
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"
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
    " FROM events WHERE stream = $1 AND ",
    is_note!(),
    " ORDER BY seq"
);

/// By `events_notes`, whose condition follows from its own.
pub(crate) const CHECKPOINTS: &str = concat!(
    "SELECT ",
    event_columns!(),
    " FROM events WHERE stream = $1 AND kind = 'checkpoint_recorded' ORDER BY seq DESC LIMIT $2"
);

/// By `events_correlation`.
pub(crate) const CORRELATED: &str = concat!(
    "SELECT ",
    event_columns!(),
    " FROM events WHERE correlation = $1 AND seq > $2 ORDER BY seq LIMIT $3"
);

/// By the unique index on `id`.
pub(crate) const PROJECT: &str =
    concat!("SELECT ", project_columns!(), " FROM projects WHERE id = $1");

/// By `projects_name`.
pub(crate) const PROJECT_NAMED: &str =
    concat!("SELECT ", project_columns!(), " FROM projects WHERE name = $1 AND deleted = 0");

/// Also those that were deleted.
pub(crate) const PROJECTS: &str =
    concat!("SELECT ", project_columns!(), " FROM projects ORDER BY created_seq");

pub(crate) const INSERT_PROJECT: &str = concat!(
    "INSERT INTO projects (",
    project_columns!(),
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, \
     $19)"
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
     $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31)"
);

pub(crate) const DETAILS: &str =
    "SELECT description, links, metadata, note_words FROM task_details WHERE created_seq = $1";

pub(crate) const INSERT_DETAILS: &str = "INSERT INTO task_details \
     (created_seq, description, links, metadata, note_words) VALUES ($1, $2, $3, $4, $5)";

pub(crate) const UPDATE_DETAILS: &str = "UPDATE task_details \
     SET (description, links, metadata, note_words) = ($1, $2, $3, $4) WHERE created_seq = $5";

pub(crate) const INSERT_TAG: &str = "INSERT INTO task_tags (tag, created_seq) VALUES ($1, $2)";
pub(crate) const DELETE_TAG: &str = "DELETE FROM task_tags WHERE tag = $1 AND created_seq = $2";

pub(crate) const ENQUEUE: &str = "INSERT INTO queue \
     (tag, project_id, role, agent, urgency, due_key, created_seq) VALUES ($1, $2, $3, $4, $5, $6, $7)";
pub(crate) const DEQUEUE: &str = "DELETE FROM queue WHERE tag = $1 AND project_id = $2 \
     AND role = $3 AND agent = $4 AND urgency = $5 AND due_key = $6 AND created_seq = $7";

/// By the primary key of `queue`.
pub(crate) const TAG_DEPTH: &str =
    "SELECT count(*) FROM (SELECT 1 FROM queue WHERE tag = $1 LIMIT $2) AS found";

/// By `tasks_in_hand`.
pub(crate) const RAN_OUT_OF: &str = "SELECT id FROM tasks WHERE agent = $1 \
     AND status = 'in_progress' AND lease_until IS NOT NULL AND lease_until <= $2 ORDER BY lease_until LIMIT $3";

/// By `tasks_pause_over`.
pub(crate) const PAUSE_OVER: &str = concat!(
    "SELECT ",
    task_columns!(),
    " FROM tasks WHERE auto_unpause = 1 AND open_dependencies = 0 ORDER BY created_seq"
);

/// Held tasks, by `tasks_status`: there are not more of them than agents at work.
pub(crate) const HELD: &str = concat!(
    "SELECT ",
    task_columns!(),
    " FROM tasks WHERE status = 'in_progress' ORDER BY urgency, created_seq"
);

/// By `tasks_finished`.
pub(crate) const FINISHED_SINCE: &str = concat!(
    "SELECT ",
    task_columns!(),
    " FROM tasks WHERE finished_at IS NOT NULL AND finished_at >= $1 ORDER BY finished_at"
);

/// By `tasks_finished`.
pub(crate) const FINISHED_UNTIL: &str = concat!(
    "SELECT ",
    task_columns!(),
    " FROM tasks WHERE finished_at IS NOT NULL AND finished_at <= $1 ORDER BY created_seq"
);

/// By the primary key.
pub(crate) const EMPTY_EVENT: &str = "UPDATE events SET data = NULL, data_hash = $1 WHERE seq = $2";

/// By the primary keys: one row each.
pub(crate) const DELETE_TASK: [&str; 2] =
    ["DELETE FROM tasks WHERE created_seq = $1", "DELETE FROM task_details WHERE created_seq = $1"];
/// By the primary key.
pub(crate) const DELETE_EDGES_OF: &str = "DELETE FROM dependencies WHERE task_id = $1";

/// By the unique index on `name`.
pub(crate) const AGENT_NUMBER: &str = "SELECT number FROM agents WHERE name = $1";
pub(crate) const ADD_ACTIVITY: &str = "INSERT INTO activity (agent, seq) VALUES ($1, $2)";
pub(crate) const ADD_AGENT: &str = "INSERT INTO agents (number, name) VALUES ($1, $2)";
/// Everybody who acted, with the newest of their events: one probe of `activity` each.
pub(crate) const AGENTS: &str = "SELECT name, \
     (SELECT max(seq) FROM activity WHERE agent = number) FROM agents ORDER BY name";
/// By the primary key of `activity`.
pub(crate) const EVENTS_BY: &str = concat!(
    "SELECT ",
    event_columns!(),
    " FROM events WHERE seq IN (SELECT seq FROM activity \
     WHERE agent = (SELECT number FROM agents WHERE name = $1) AND seq < $2 \
     ORDER BY seq DESC LIMIT $3) ORDER BY seq DESC"
);
/// By the primary key of `activity`.
pub(crate) const COUNT_BY: &str = "SELECT count(*) FROM activity \
     WHERE agent = (SELECT number FROM agents WHERE name = $1)";

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
/// Of tasks that are here, each looked up by `tasks_id`.
pub(crate) const EDGES: &str = "SELECT task_id, depends_on FROM dependencies \
     WHERE EXISTS (SELECT 1 FROM tasks WHERE id = task_id) ORDER BY task_id, depends_on";
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

/// An op id that was used again after its record expired has a new record.
pub(crate) const INSERT_OP: &str = "INSERT INTO workflow_ops \
    (op_id, workflow, state, input_hash, result, fingerprint, created_at, updated_at, seq) \
    VALUES ($1, $2, 'completed', $3, $4, $5, $6, $6, $7) \
    ON CONFLICT (op_id) DO UPDATE SET workflow = excluded.workflow, \
    input_hash = excluded.input_hash, result = excluded.result, fingerprint = excluded.fingerprint, \
    created_at = excluded.created_at, updated_at = excluded.updated_at, seq = excluded.seq";
/// By the primary key.
pub(crate) const OP: &str = "SELECT op_id, workflow, input_hash, result, created_at, seq FROM workflow_ops WHERE op_id = $1";
/// By `workflow_ops_fingerprint`.
pub(crate) const OP_LEAVING: &str = "SELECT op_id, workflow, input_hash, result, created_at, seq \
    FROM workflow_ops WHERE fingerprint = $1 AND workflow = $2 AND input_hash = $3";
/// By `workflow_ops_age`.
pub(crate) const OPS_UNTIL: &str = "SELECT op_id, workflow, input_hash, result, created_at, seq \
    FROM workflow_ops WHERE created_at <= $1 ORDER BY created_at LIMIT $2";
pub(crate) const DELETE_OP: &str = "DELETE FROM workflow_ops WHERE op_id = $1";

pub(crate) const INSERT_EFFECT: &str =
    "INSERT INTO effects (event_seq, host, kind, data) VALUES ($1, $2, $3, $4)";
/// By `effects_host`.
pub(crate) const EFFECTS_FOR: &str =
    "SELECT id, event_seq, host, kind, data FROM effects WHERE host = $1 ORDER BY id LIMIT $2";
pub(crate) const DELETE_EFFECT: &str = "DELETE FROM effects WHERE id = $1";

/// How a database keeps the index of words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Index {
    /// The column that is a task's creation number.
    pub(crate) key: &'static str,
    /// The condition that a question is answered; `?` stands for the question.
    pub(crate) compare: &'static str,
    /// A table that shows all of it.
    pub(crate) readable: &'static str,
    /// Empties it.
    pub(crate) clear: &'static str,
    /// Whether what was looked up is kept before it is sorted. SQLite reads it in the wanted order;
    /// PostgreSQL would read everything in that order and hope to meet it soon.
    pub(crate) kept: &'static str,
}

/// Conditions and their values, numbered as they come.
#[derive(Default)]
pub(crate) struct Terms<'a> {
    pub(crate) texts: Vec<String>,
    pub(crate) values: Vec<Cell<'a>>,
}

impl<'a> Terms<'a> {
    /// A condition that ends in a value.
    pub(crate) fn with(&mut self, condition: &str, value: Cell<'a>) {
        let value = self.value(value);
        self.texts.push(format!("{condition} {value}"));
    }

    /// The same, so that no index is chosen for it: the one that gives the order is.
    pub(crate) fn beside(&mut self, condition: &str, value: Cell<'a>) {
        let value = self.value(value);
        self.texts.push(format!("({condition} {value}) IS TRUE"));
    }

    pub(crate) fn plain(&mut self, condition: &str) {
        self.texts.push(condition.to_owned());
    }

    pub(crate) fn value(&mut self, value: Cell<'a>) -> String {
        self.values.push(value);
        format!("${}", self.values.len())
    }

    fn list(&mut self, texts: &'a [String]) -> String {
        texts.iter().map(|text| self.value(Cell::Text(text))).collect::<Vec<_>>().join(", ")
    }
}

/// Something that may be true of few tasks, each with an index of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Narrow<'a> {
    /// The question for some words.
    Words(&'a str),
    /// By the primary key of `task_tags`.
    Tag(&'a str),
    AnyTag(&'a [String]),
    /// By `tasks_due`.
    Due(Option<Time>, Option<Time>),
}

/// Joins a task with its tags.
const ITS_TAG: &str = "task_tags.created_seq = tasks.created_seq";

impl<'a> Narrow<'a> {
    /// What narrows a list, in the order of the filter.
    pub(crate) fn all_of(filter: &'a ListFilter, question: &'a str) -> Vec<Self> {
        let mut all = Vec::new();
        all.extend((!filter.text.is_empty()).then_some(Self::Words(question)));
        all.extend(filter.tags.iter().map(|tag| Self::Tag(tag)));
        all.extend((!filter.tags_any.is_empty()).then_some(Self::AnyTag(&filter.tags_any)));
        let (after, before) = (filter.due_after, filter.due_before);
        all.extend((after.is_some() || before.is_some()).then_some(Self::Due(after, before)));
        all
    }

    /// The creation numbers of all tasks it is true of.
    fn found(self, index: Index, terms: &mut Terms<'a>) -> String {
        match self {
            Self::Words(question) => {
                let question = terms.value(Cell::Text(question));
                let answered = index.compare.replace('?', &question);
                format!("SELECT {} AS found_seq FROM search WHERE {answered}", index.key)
            }
            Self::Tag(tag) => {
                let tag = terms.value(Cell::Text(tag));
                format!("SELECT created_seq AS found_seq FROM task_tags WHERE tag = {tag}")
            }
            Self::AnyTag(tags) => {
                let tags = terms.list(tags);
                format!(
                    "SELECT DISTINCT created_seq AS found_seq FROM task_tags WHERE tag IN ({tags})"
                )
            }
            Self::Due(..) => {
                let due = self.holds(index, terms);
                format!("SELECT created_seq AS found_seq FROM tasks WHERE {due}")
            }
        }
    }

    /// The condition that it is true of a row of `tasks`.
    fn holds(self, index: Index, terms: &mut Terms<'a>) -> String {
        match self {
            Self::Words(_) => format!("created_seq IN ({})", self.found(index, terms)),
            Self::Tag(tag) => {
                let tag = terms.value(Cell::Text(tag));
                format!("EXISTS (SELECT 1 FROM task_tags WHERE tag = {tag} AND {ITS_TAG})")
            }
            Self::AnyTag(tags) => {
                let tags = terms.list(tags);
                format!("EXISTS (SELECT 1 FROM task_tags WHERE tag IN ({tags}) AND {ITS_TAG})")
            }
            Self::Due(after, before) => {
                // Literally the condition of the partial index, so that it can serve.
                let mut due = vec!["due_at IS NOT NULL".to_owned()];
                for (operator, time) in [(">=", after), ("<", before)] {
                    let time = time.map(|time| terms.value(Cell::Int(time.as_millis())));
                    due.extend(time.map(|time| format!("due_at {operator} {time}")));
                }
                due.join(" AND ")
            }
        }
    }

    /// The statement and values that count of how many tasks it is true, no further than `cap`.
    pub(crate) fn depth<T>(
        self,
        index: Index,
        cap: u64,
        run: impl FnOnce(&str, &[Cell<'_>]) -> T,
    ) -> T {
        let mut terms = Terms::default();
        let found = self.found(index, &mut terms);
        let cap = terms.value(Cell::count(cap));
        let text =
            format!("SELECT count(*) FROM (SELECT 1 FROM ({found}) AS few LIMIT {cap}) AS counted");
        run(&text, &terms.values)
    }
}

/// The statement and values of a list or, with `what` a count, of its total.
///
/// Each combination of project, status, agent and parent is served by the index whose columns it
/// fixes: `tasks_agent`, `tasks_parent`, `tasks_project_status`, `tasks_status`, `tasks_project` or
/// `tasks_all`, all of them already in the order of the list; what was finished last by
/// `tasks_finished`. A list that is narrowed begins with
/// the first of `narrow`: `CROSS JOIN` makes SQLite keep to that order.
pub(crate) fn list<T>(
    index: Index,
    filter: &ListFilter,
    narrow: &[Narrow<'_>],
    what: What,
    run: impl FnOnce(&str, &[Cell<'_>]) -> T,
) -> T {
    let project = filter.project.map(ProjectId::to_bytes);
    let parent = filter.parent.map(TaskId::to_bytes);
    let pattern = filter.agent_pattern.as_deref().map(like);
    let mut terms = Terms::default();
    let (with, from) = match narrow.first() {
        None => (String::new(), "tasks"),
        Some(first) => {
            let found = first.found(index, &mut terms);
            terms.plain("created_seq = found_seq");
            (format!("WITH few AS {} ({found}) ", index.kept), "few CROSS JOIN tasks")
        }
    };
    let fixed = [
        ("project_id =", project.as_ref().map(|id| Cell::Bytes(id))),
        ("parent_id =", parent.as_ref().map(|id| Cell::Bytes(id))),
        ("agent =", filter.agent.as_deref().map(Cell::Text)),
        ("status =", filter.wanted_status().map(|status| Cell::Text(status.as_str()))),
    ];
    for (condition, value) in fixed {
        let Some(value) = value else { continue };
        match filter.order {
            Order::Urgency => terms.with(condition, value),
            Order::Finished => terms.beside(condition, value),
        }
    }
    if let Some(pattern) = &pattern {
        let pattern = terms.value(Cell::Text(pattern));
        terms.plain(&format!("lower(agent) LIKE {pattern} ESCAPE '\\'"));
    }
    // Literally the conditions of the partial indexes, so that these can serve.
    let is_open = filter.wanted_status() != Some(Status::Archived) && !filter.archived;
    let plain = [
        ("status <> 'archived'", is_open),
        ("agent <> ''", filter.agent.is_some() || pattern.is_some()),
        ("parent_id IS NULL", filter.root),
        ("finished_at IS NOT NULL", filter.order == Order::Finished),
        ("open_dependencies = 0 AND open_children = 0", filter.available),
        ("project_id IN (SELECT id FROM projects WHERE frozen = 0)", filter.unfrozen),
    ];
    for (condition, _) in plain.into_iter().filter(|(_, wanted)| *wanted) {
        terms.plain(condition);
    }
    for narrow in narrow.iter().skip(1) {
        let holds = narrow.holds(index, &mut terms);
        terms.plain(&holds);
    }
    if let (Some(place), What::Rows) = (filter.after, what) {
        let urgency = terms.value(Cell::Int(urgency(place.priority)));
        let created_seq = terms.value(Cell::count(place.created_seq));
        terms.plain(&format!("(urgency, created_seq) > ({urgency}, {created_seq})"));
    }
    if terms.texts.is_empty() {
        terms.plain("1 = 1");
    }
    let conditions = terms.texts.join(" AND ");
    let text = match what {
        What::Rows => {
            let limit = terms.value(Cell::count(filter.limit));
            let offset = terms.value(Cell::count(filter.offset));
            let order = match filter.order {
                Order::Urgency => "urgency, created_seq",
                Order::Finished => "finished_at DESC, created_seq DESC",
            };
            format!(
                "{with}SELECT {TASK_COLUMNS} FROM {from} WHERE {conditions} \
                 ORDER BY {order} LIMIT {limit} OFFSET {offset}"
            )
        }
        What::Count => format!("{with}SELECT count(*) FROM {from} WHERE {conditions}"),
        What::CountByAgent => format!(
            "{with}SELECT agent, count(*) FROM {from} WHERE {conditions} \
             GROUP BY agent ORDER BY agent"
        ),
    };
    run(&text, &terms.values)
}

/// The statement and values of what an agent has in progress, by `tasks_in_hand`.
pub(crate) fn in_hand<T>(filter: &QueueFilter, run: impl FnOnce(&str, &[Cell<'_>]) -> T) -> T {
    let projects: Vec<[u8; 16]> = filter.projects.iter().map(|id| id.to_bytes()).collect();
    let mut terms = Terms::default();
    terms.with("agent =", Cell::Text(&filter.agent));
    terms.plain("status = 'in_progress'");
    if !projects.is_empty() {
        let places: Vec<String> = projects.iter().map(|id| terms.value(Cell::Bytes(id))).collect();
        terms.plain(&format!("project_id IN ({})", places.join(", ")));
    }
    for tag in &filter.tags {
        let tag = terms.value(Cell::Text(tag));
        terms.plain(&format!("EXISTS (SELECT 1 FROM task_tags WHERE tag = {tag} AND {ITS_TAG})"));
    }
    let conditions = terms.texts.join(" AND ");
    let text =
        format!("SELECT created_seq, urgency, due_at, claimed_at FROM tasks WHERE {conditions}");
    run(&text, &terms.values)
}

/// A pattern with `*` as the LIKE of both databases understands it.
fn like(pattern: &str) -> String {
    let mut like = String::new();
    for letter in pattern.chars() {
        match letter {
            '*' => like.push('%'),
            '%' | '_' | '\\' => {
                like.push('\\');
                like.push(letter);
            }
            letter => like.push(letter.to_ascii_lowercase()),
        }
    }
    like
}

/// The statement and values of a search, newest first, or of its total.
pub(crate) fn search<T>(
    index: Index,
    filter: &SearchFilter,
    what: What,
    question: &str,
    limit: u64,
    run: impl FnOnce(&str, &[Cell<'_>]) -> T,
) -> T {
    let project = filter.project.map(ProjectId::to_bytes);
    let mut terms = Terms::default();
    let found = Narrow::Words(question).found(index, &mut terms);
    terms.plain("1 = 1");
    if let Some(project) = &project {
        terms.with("tasks.project_id =", Cell::Bytes(project));
    }
    if let Some(status) = filter.status {
        terms.with("tasks.status =", Cell::Text(status.as_str()));
    }
    let from = match filter.project.is_some() || filter.status.is_some() {
        true => "few CROSS JOIN tasks WHERE created_seq = found_seq AND",
        false => "few WHERE",
    };
    let with = format!("WITH few AS {} ({found})", index.kept);
    let conditions = terms.texts.join(" AND ");
    let text = match what {
        What::Rows => {
            let limit = terms.value(Cell::count(limit));
            format!(
                "{with} SELECT found_seq FROM {from} {conditions} \
                 ORDER BY found_seq DESC LIMIT {limit}"
            )
        }
        What::Count | What::CountByAgent => {
            format!("{with} SELECT count(*) FROM {from} {conditions}")
        }
    };
    run(&text, &terms.values)
}

/// Whether a list is read or counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Rows,
    Count,
    /// Counted for each agent.
    CountByAgent,
}
