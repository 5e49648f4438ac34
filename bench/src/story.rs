//! What has happened to the tasks of a filled ledger, told event by event.

use serde_json::{Map, Value};
use windlass_domain::claim::{Request, claim, renew};
use windlass_domain::completion::Obstacles;
use windlass_domain::duration::Span;
use windlass_domain::event::{CommentAdded, ProjectCreated, TaskCreated};
use windlass_domain::ownership::{Bearer, Required};
use windlass_domain::progress::{checkpoint, progress};
use windlass_domain::transition::complete;
use windlass_domain::{Event, ProjectId, Status, Task, TaskId, Time};
use windlass_ledger::{Error, Fault, Transaction};

/// The time between two tasks, as their ids tell it.
const APART: Span = Span::from_millis(1_000);
/// The random part of an id.
const RANDOM_BITS: u32 = 80;

/// Who holds the tasks that are held.
pub const HOLDER: &str = "holder";
/// 180 characters.
pub const DESCRIPTION: &str = "The button in the second row does not answer when the list above it \
is still loading. Seen on a phone with a slow line; see the log of Tuesday. Expected: it waits \
and then answers.";

/// What has happened to the tasks of a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Story {
    /// Half of them are ready, the others wait in the backlog or are done; some wait for others.
    Mixed,
    /// All of them are ready.
    Ready,
    /// All of them are done, after [`EVENTS_OF_A_LIFE`] events each.
    Life,
}

/// Created, claimed, renewed, three checkpoints, a comment, progress, done, a last comment.
pub const EVENTS_OF_A_LIFE: u64 = 10;

/// Makes one task after the other.
#[derive(Debug)]
pub(crate) struct Teller {
    projects: Vec<ProjectId>,
    number: usize,
    /// When the next task comes.
    next: Time,
    last: Option<TaskId>,
}

impl Teller {
    /// Makes the projects; the tasks will come from then on.
    pub(crate) fn new(
        tx: &mut Transaction<'_>,
        projects: usize,
        from: Time,
    ) -> Result<Self, Error> {
        let mut made = Vec::new();
        for number in 0..projects {
            let id = tx.new_project_id()?;
            let project = ProjectCreated {
                name: format!("project-{number}"),
                description: None,
                repo: None,
                protected: false,
            };
            tx.create(id, project)?;
            made.push(id);
        }
        Ok(Self { projects: made, number: 0, next: from, last: None })
    }

    /// Makes a task and everything that happens to it.
    pub(crate) fn tell(&mut self, tx: &mut Transaction<'_>, story: Story) -> Result<TaskId, Error> {
        let mut created = self.created()?;
        if story == Story::Mixed {
            created.status = match self.number % 8 {
                0..4 => Status::Ready,
                4 | 5 => Status::Backlog,
                _ => Status::Done,
            };
            if self.number % 16 == 3 {
                created.depends_on.extend(self.last);
            }
        }
        let id = self.create(tx, created)?;
        if story == Story::Life {
            live(tx, id)?;
        }
        Ok(id)
    }

    /// Makes a task that [`HOLDER`] holds.
    pub(crate) fn hold(&mut self, tx: &mut Transaction<'_>) -> Result<TaskId, Error> {
        let created = self.created()?;
        let id = self.create(tx, created)?;
        let task = loaded(tx, id)?;
        take(tx, &task)?;
        Ok(id)
    }

    fn created(&self) -> Result<TaskCreated, Fault> {
        let number = self.number;
        let project = self.projects.get(number / 16 % self.projects.len().max(1));
        Ok(TaskCreated {
            project: *project.ok_or_else(|| Fault::bug("no project"))?,
            title: format!("The button in the second row does not answer ({number})"),
            status: Status::Ready,
            parent: None,
            description: Some(DESCRIPTION.to_owned()),
            links: Vec::new(),
            tags: vec![format!("area-{}", number % 20), format!("kind-{}", number % 7)],
            priority: u8::try_from(number % 4).unwrap_or_default(),
            due_at: None,
            metadata: Map::new(),
            stale_after_minutes: None,
            agent: None,
            depends_on: Vec::new(),
            stage: None,
            forced: None,
        })
    }

    /// The tasks of one transaction would all be of one moment, and their ids in no order. In life
    /// they come one by one, and new rows go to the end of an index.
    fn create(&mut self, tx: &mut Transaction<'_>, created: TaskCreated) -> Result<TaskId, Error> {
        let random = u128::from_be_bytes(tx.new_task_id()?.to_bytes()) % (1 << RANDOM_BITS);
        let id = TaskId::from_parts(self.next, random);
        tx.create(id, created)?;
        self.next = self.next.plus(APART);
        self.number += 1;
        self.last = Some(id);
        Ok(id)
    }
}

fn take(tx: &mut Transaction<'_>, task: &Task) -> Result<Task, Error> {
    let project = tx.project(task.project)?;
    let request = Request {
        agent: HOLDER,
        role: None,
        lease: Some(Span::parse("lease", "30m")?),
        now: tx.now(),
    };
    let claimed = claim(task, &project, &Obstacles::default(), &request)?;
    tx.record_task(task, claimed)
}

fn live(tx: &mut Transaction<'_>, id: TaskId) -> Result<(), Error> {
    let bearer = Bearer {
        name: HOLDER.to_owned(),
        named: true,
        fence: Some(1),
        force: None,
        required: Required::default(),
    };
    let task = loaded(tx, id)?;
    let mut task = take(tx, &task)?;
    // A supervisor renews when a good part of the lease is over.
    let later = tx.now().plus(Span::parse("later", "15m")?);
    let renewed = renew(&task, &bearer, None, later)?;
    task = tx.record_task(&task, renewed)?;
    for percent in [20, 50, 80] {
        let name = "the failing test is written and passes".to_owned();
        let saved = checkpoint(&task, &bearer, name, small_data(percent), Some(percent))?;
        task = tx.record_task(&task, [saved])?;
    }
    let first = said("It happens on every slow connection, not only on phones.");
    task = tx.record_task(&task, [first])?;
    let nearly = progress(&task, &bearer, 90)?;
    task = tx.record_task(&task, [nearly])?;
    let done = complete(&task, &bearer, &Obstacles::default())?;
    task = tx.record_task(&task, [done, said("All tests pass.")])?;
    if task.version == EVENTS_OF_A_LIFE {
        return Ok(());
    }
    Err(Fault::bug(format!("a life had {} events", task.version)).into())
}

fn said(text: &str) -> Event {
    CommentAdded { text: text.to_owned() }.into()
}

fn small_data(percent: u8) -> Map<String, Value> {
    let mut data = Map::new();
    data.insert("branch".to_owned(), "fix/slow-button".into());
    data.insert("files".to_owned(), percent.into());
    data
}

fn loaded(tx: &mut Transaction<'_>, id: TaskId) -> Result<Task, Error> {
    Ok(tx.task(id)?.ok_or_else(|| Fault::bug("a new task is missing"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_has_180_characters() {
        assert_eq!(DESCRIPTION.chars().count(), 180);
    }
}
