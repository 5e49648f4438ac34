//! Reading: what operations may ask of the ledger, in one consistent view of it.

use std::sync::Arc;

use windlass_domain::chain::{Hash, Head};
use windlass_domain::completion::Obstacles;
use windlass_domain::dependency;
use windlass_domain::hook::Hook;
use windlass_domain::id::Fragment;
use windlass_domain::op::{OpId, OpRecord};
use windlass_domain::project::Project;
use windlass_domain::words::Asked;
use windlass_domain::workflow::resume::InHand;
use windlass_domain::{
    Code, CorrelationId, EventId, ProjectId, Refusal, Stream, Task, TaskId, Time,
};

use crate::edges::{Edge, EdgeFilter};
use crate::fault::{Error, Fault};
use crate::record::{Details, Recorded};
use crate::search::{SearchFilter, Within};
use crate::store::{Agent, Candidate, DEPTH_CAP, Effect, ListFilter, QueueFilter, Store};

/// More matches than this are not listed when an id is ambiguous.
const CANDIDATES_SHOWN: usize = 5;
/// Events in which the fingerprint of a task is looked for first.
const LOOKED_BACK: u64 = 8;

/// The ledger at one moment.
pub struct Snapshot<'a> {
    pub(crate) store: &'a mut dyn Store,
    now: Time,
    listener: Option<Listener>,
    /// Those of the settings.
    hooks: Arc<[Hook]>,
}

/// Hears how many events were worked through, in operations over the whole log.
pub type Listener = Arc<dyn Fn(u64) + Send + Sync>;

impl std::fmt::Debug for Snapshot<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("now", &self.now).finish_non_exhaustive()
    }
}

impl<'a> Snapshot<'a> {
    pub(crate) fn new(store: &'a mut dyn Store, now: Time) -> Self {
        Self { store, now, listener: None, hooks: Arc::default() }
    }

    pub(crate) fn heard_by(mut self, listener: Option<Listener>) -> Self {
        self.listener = listener;
        self
    }

    /// Hooks that are defined outside the ledger.
    pub(crate) fn with_hooks(mut self, hooks: &Arc<[Hook]>) -> Self {
        self.hooks = Arc::clone(hooks);
        self
    }

    pub(crate) fn settings_hooks(&self) -> Arc<[Hook]> {
        Arc::clone(&self.hooks)
    }

    /// Tells that the log was worked through up to `seq`.
    pub(crate) fn tell(&self, seq: u64) {
        if let Some(listener) = &self.listener {
            listener(seq);
        }
    }

    /// The time of this transaction.
    pub fn now(&self) -> Time {
        self.now
    }

    pub fn head(&mut self) -> Result<Head, Fault> {
        self.store.head()
    }

    pub fn events_after(&mut self, seq: u64, limit: u64) -> Result<Vec<Recorded>, Fault> {
        self.store.events_after(seq, limit)
    }

    /// The newest events of a stream, oldest of them first.
    pub fn history(&mut self, stream: Stream, limit: u64) -> Result<Vec<Recorded>, Fault> {
        let mut events = self.store.history(stream, limit)?;
        events.reverse();
        Ok(events)
    }

    /// All events of a stream, oldest first.
    pub fn whole_history(&mut self, stream: Stream) -> Result<Vec<Recorded>, Fault> {
        self.history(stream, u64::from(u32::MAX))
    }

    /// Comments, checkpoints and reasons for blocks, oldest first.
    pub fn notes(&mut self, task: TaskId) -> Result<Vec<Recorded>, Fault> {
        self.store.notes(task)
    }

    /// The newest checkpoints of a task, newest first.
    pub fn checkpoints(&mut self, task: TaskId, limit: u64) -> Result<Vec<Recorded>, Fault> {
        self.store.checkpoints(task, limit)
    }

    /// The events after `seq` that one run or one execution recorded, at most `limit`.
    pub fn correlated(
        &mut self,
        by: CorrelationId,
        seq: u64,
        limit: u64,
    ) -> Result<Vec<Recorded>, Fault> {
        self.store.correlated(by, seq, limit)
    }

    /// The projects there are.
    pub fn projects(&mut self) -> Result<Vec<Project>, Fault> {
        let mut projects = self.store.projects()?;
        projects.retain(|project| !project.deleted);
        Ok(projects)
    }

    /// Also those that were deleted, in which there may still be archived tasks.
    pub fn all_projects(&mut self) -> Result<Vec<Project>, Fault> {
        self.store.projects()
    }

    pub fn project(&mut self, id: ProjectId) -> Result<Project, Fault> {
        self.store
            .project(id)?
            .ok_or_else(|| Fault::bug(format!("project {id} is not in its view")))
    }

    pub fn find_project(&mut self, name: &str) -> Result<Option<Project>, Fault> {
        self.store.project_named(name)
    }

    /// The project of that name, or a refusal that suggests others.
    pub fn project_named(&mut self, name: &str) -> Result<Project, Error> {
        if let Some(project) = self.store.project_named(name)? {
            return Ok(project);
        }
        let projects = self.projects()?;
        let names = projects.iter().map(|project| project.name.as_str());
        Err(Refusal::new(Code::ProjectNotFound, format!("there is no project '{name}'"))
            .hint("list them: windlass project list")
            .detail("project", name)
            .suggest(windlass_domain::near::near(name, names))
            .into())
    }

    /// The task that somebody names by its id or a part of it.
    pub fn task_named(&mut self, text: &str) -> Result<Task, Error> {
        let (part, prefix, suffix) = match Fragment::parse(text)? {
            Fragment::Whole(bytes) => {
                return self.task(TaskId::from_bytes(bytes))?.ok_or_else(|| not_found(text).into());
            }
            Fragment::Part { text, prefix, suffix } => (text, prefix, suffix),
        };
        let limit = CANDIDATES_SHOWN as u64 + 1;
        let mut found = match prefix {
            Some(range) => self.store.with_prefix(range, limit)?,
            None => Vec::new(),
        };
        found.extend(self.store.with_suffix(suffix, limit)?);
        // The tail key covers only the end of a long suffix.
        found.retain(|task| task.id.matches(&part));
        found.sort_by_key(|task| task.id);
        found.dedup_by_key(|task| task.id);
        match found.len() {
            0 => Err(not_found(text).into()),
            1 => found.pop().ok_or_else(|| Fault::bug("a match went away").into()),
            _ => Err(ambiguous(text, &found).into()),
        }
    }

    pub fn task(&mut self, id: TaskId) -> Result<Option<Task>, Fault> {
        self.store.task(id)
    }

    pub fn details(&mut self, task: &Task) -> Result<Details, Fault> {
        Ok(self.store.details(task.created_seq)?.unwrap_or_default())
    }

    pub fn children(&mut self, parent: TaskId) -> Result<Vec<Task>, Fault> {
        self.store.children(parent)
    }

    pub fn prerequisites(&mut self, task: TaskId) -> Result<Vec<TaskId>, Fault> {
        self.store.prerequisites(task)
    }

    pub fn dependents(&mut self, task: TaskId) -> Result<Vec<TaskId>, Fault> {
        self.store.dependents(task)
    }

    /// Every edge of a task that is here.
    pub fn edges(&mut self) -> Result<Vec<(TaskId, TaskId)>, Fault> {
        self.store.edges()
    }

    /// Edges with their ends, in the order of their ids.
    pub fn list_edges(&mut self, filter: &EdgeFilter) -> Result<Vec<Edge>, Fault> {
        self.store.list_edges(filter)
    }

    pub fn count_edges(&mut self, filter: &EdgeFilter) -> Result<u64, Fault> {
        self.store.count_edges(filter)
    }

    pub fn orphan_edges(&mut self) -> Result<Vec<(TaskId, TaskId)>, Fault> {
        self.store.orphan_edges()
    }

    /// What is open before a task; costs nothing when its counters say that nothing is.
    pub fn obstacles(&mut self, task: &Task) -> Result<Obstacles, Fault> {
        let mut obstacles = Obstacles::default();
        if task.open_dependencies > 0 {
            for id in self.store.prerequisites(task.id)? {
                if self.store.task(id)?.is_some_and(|other| !other.status.is_settled()) {
                    obstacles.dependencies.push(id);
                }
            }
        }
        if task.open_children > 0 {
            let children = self.store.children(task.id)?;
            let open = children.iter().filter(|child| !child.status.is_settled());
            obstacles.children.extend(open.map(|child| child.id));
        }
        Ok(obstacles)
    }

    /// The way along dependencies and subtasks from one task to another.
    pub fn waiting_path(&mut self, from: TaskId, to: TaskId) -> Result<Option<Vec<TaskId>>, Fault> {
        dependency::path(from, to, |task| {
            let mut waits_for = self.store.prerequisites(task)?;
            // Nothing goes on behind a task that was deleted, even if its edges were kept.
            if !waits_for.is_empty() && self.store.task(task)?.is_none() {
                waits_for.clear();
            }
            waits_for.extend(self.store.children(task)?.iter().map(|child| child.id));
            Ok(waits_for)
        })
    }

    pub fn list(&mut self, filter: &ListFilter) -> Result<Vec<Task>, Fault> {
        self.store.list(filter)
    }

    pub fn count(&mut self, filter: &ListFilter) -> Result<u64, Fault> {
        self.store.count(filter)
    }

    /// How many tasks of a list each agent has, '' standing for nobody.
    pub fn count_by_agent(&mut self, filter: &ListFilter) -> Result<Vec<(String, u64)>, Fault> {
        self.store.count_by_agent(filter)
    }

    /// Tasks in which all the words are found, at most `limit`: in the title before in tags and
    /// description before in comments and checkpoints, then the newest first.
    pub fn search(
        &mut self,
        asked: &[Asked],
        filter: &SearchFilter,
        limit: usize,
    ) -> Result<Vec<Task>, Fault> {
        let mut found: Vec<u64> = Vec::new();
        for within in Within::RANKED {
            if found.len() >= limit {
                break;
            }
            // What a better place found is found again at every place after it.
            let wanted = (limit + found.len()) as u64;
            for created_seq in self.store.found(asked, within, filter, wanted)? {
                if found.len() < limit && !found.contains(&created_seq) {
                    found.push(created_seq);
                }
            }
        }
        let mut tasks = Vec::with_capacity(found.len());
        for created_seq in found {
            tasks.extend(self.store.task_created_at(created_seq)?);
        }
        Ok(tasks)
    }

    /// In how many tasks all the words are found.
    pub fn count_found(&mut self, asked: &[Asked], filter: &SearchFilter) -> Result<u64, Fault> {
        self.store.count_found(asked, filter)
    }

    /// All tasks in progress.
    pub fn held(&mut self) -> Result<Vec<Task>, Fault> {
        self.store.held()
    }

    /// Tasks that became done or archived since then and still are, in that order.
    pub fn finished_since(&mut self, time: Time) -> Result<Vec<Task>, Fault> {
        self.store.finished_since(time)
    }

    /// Tasks that are done or archived since then or longer, in order of creation.
    pub fn finished_until(&mut self, time: Time) -> Result<Vec<Task>, Fault> {
        self.store.finished_until(time)
    }

    /// Everybody who acted.
    pub fn agents(&mut self) -> Result<Vec<Agent>, Fault> {
        self.store.agents()
    }

    /// The newest events of somebody before `seq`, newest first.
    pub fn events_by(
        &mut self,
        name: &str,
        before: u64,
        limit: u64,
    ) -> Result<Vec<Recorded>, Fault> {
        self.store.events_by(name, before, limit)
    }

    /// How many events somebody did.
    pub fn count_by(&mut self, name: &str) -> Result<u64, Fault> {
        self.store.count_by(name)
    }

    /// The tasks this caller would get next, best first, at most `limit`.
    ///
    /// A ready task comes from the front of the queue; a held one when its lease has run out.
    pub fn claimable(&mut self, filter: &QueueFilter, limit: usize) -> Result<Vec<Task>, Fault> {
        let filter = self.rarest_tag_first(filter)?;
        let mut found = self.store.queue_front(&filter, limit as u64)?;
        found.extend(self.store.ran_out(&filter, self.now)?);
        found.sort_by(|one, other| Candidate::place(one).cmp(&other.place()));
        found.truncate(limit);
        let mut tasks = Vec::with_capacity(found.len());
        for candidate in found {
            tasks.extend(self.store.task_created_at(candidate.created_seq)?);
        }
        Ok(tasks)
    }

    /// The same among the subtasks of one task, which are few.
    pub fn claimable_children(
        &mut self,
        parent: TaskId,
        filter: &QueueFilter,
        limit: usize,
    ) -> Result<Vec<Task>, Fault> {
        let mut found = Vec::new();
        for child in self.store.children(parent)? {
            let frozen = self.project(child.project)?.frozen;
            if !frozen && filter.admits(&child, self.now) {
                found.push(child);
            }
        }
        found.sort_by(|one, other| {
            let place = |task| Candidate::of(task, &filter.agent).place();
            place(one).cmp(&place(other))
        });
        found.truncate(limit);
        Ok(found)
    }

    /// What the caller has in progress already, under the same filter.
    pub fn in_hand(&mut self, filter: &QueueFilter) -> Result<Vec<InHand>, Fault> {
        self.store.in_hand(filter)
    }

    pub fn task_created_at(&mut self, created_seq: u64) -> Result<Task, Fault> {
        let found = self.store.task_created_at(created_seq)?;
        found.ok_or_else(|| Fault::bug(format!("no task was created at {created_seq}")))
    }

    /// The caller's own claims that ran out: it may go on with them, the queue does not give them.
    pub fn own_expired(&mut self, agent: &str) -> Result<Vec<TaskId>, Fault> {
        self.store.ran_out_of(agent, self.now, CANDIDATES_SHOWN as u64)
    }

    fn rarest_tag_first(&mut self, filter: &QueueFilter) -> Result<QueueFilter, Fault> {
        let mut filter = filter.clone();
        if filter.tags.len() > 1 {
            let mut by_depth = Vec::new();
            for tag in filter.tags {
                by_depth.push((self.store.tag_depth(&tag, DEPTH_CAP)?, tag));
            }
            by_depth.sort();
            filter.tags = by_depth.into_iter().map(|(_, tag)| tag).collect();
        }
        Ok(filter)
    }

    /// What was executed under an op id; nothing once that is too old to be remembered.
    pub fn op(&mut self, op_id: &OpId) -> Result<Option<OpRecord>, Fault> {
        let found = self.store.op(op_id.as_str())?;
        Ok(found.filter(|record| !record.is_expired(self.now)))
    }

    /// The execution of that request which left a task with this fingerprint.
    pub fn op_leaving(
        &mut self,
        after: EventId,
        operation: &str,
        input: &Hash,
    ) -> Result<Option<OpRecord>, Fault> {
        let found = self.store.op_leaving(after, operation, input)?;
        Ok(found.filter(|record| !record.is_expired(self.now)))
    }

    /// The fingerprint of a task: its last event that changed its status, owner or dependencies.
    pub fn fingerprint(&mut self, task: &Task) -> Result<EventId, Fault> {
        let mut asked = LOOKED_BACK;
        loop {
            let history = self.store.history(task.id.into(), asked)?;
            for recorded in &history {
                if recorded.event()?.is_some_and(|event| event.changes_fingerprint()) {
                    return Ok(recorded.header.id);
                }
            }
            if (history.len() as u64) < asked {
                return Err(Fault::bug(format!("task {} has no beginning", task.id)));
            }
            asked *= 8;
        }
    }

    /// What this machine has to do.
    pub fn effects_for(&mut self, host: &str, limit: u64) -> Result<Vec<Effect>, Fault> {
        self.store.effects_for(host, limit)
    }

    /// What the database itself finds wrong with its files.
    pub fn integrity(&mut self) -> Result<Vec<String>, Fault> {
        self.store.integrity()
    }
}

fn not_found(text: &str) -> Refusal {
    Refusal::new(Code::TaskNotFound, format!("there is no task '{text}'"))
        .hint("list the tasks with their ids: windlass task list")
        .detail("given", text)
}

fn ambiguous(text: &str, found: &[Task]) -> Refusal {
    let shown = found.iter().take(CANDIDATES_SHOWN);
    let named: Vec<String> =
        shown.clone().map(|task| format!("{} ({})", task.id, task.title)).collect();
    let more = if found.len() > CANDIDATES_SHOWN { " and more" } else { "" };
    Refusal::new(Code::IdAmbiguous, format!("'{text}' could be {}{more}", named.join(", ")))
        .hint("give more characters of the id")
        .detail("given", text)
        .detail("candidates", shown.clone().map(|task| task.id).collect::<Vec<_>>())
        .suggest(shown.map(|task| task.id.to_string()))
}
