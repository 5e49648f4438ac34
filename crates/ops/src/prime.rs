//! `prime`: the few lines that an agent needs at the start of a sitting.

mod text;

use std::collections::HashMap;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::project::Project;
use windlass_domain::workflow::resume::{Policy, in_order};
use windlass_domain::{Event, ProjectId, Status, Task, TaskId, Time};
use windlass_ledger::{Error, Fault, ListFilter, QueueFilter, Snapshot};

use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;

/// Of more than these, only the number is told.
const HELD: usize = 2;
const READY: usize = 3;

/// Says what an agent holds, what is ready for it, and how it goes on.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Prime {
    /// Who begins; else as the environment or the settings tell
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub agent: Option<String>,
    /// Only of this project
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
}

/// What an agent needs to know.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Primed {
    /// Null when nobody said who begins.
    pub agent: Option<String>,
    /// The project from which tasks are taken; null for any.
    pub project: Option<String>,
    /// What it has in progress: the first two, in the order in which to go on.
    pub holds: Vec<Held>,
    pub holds_total: u64,
    /// What it could claim: the first three of the queue.
    pub ready: Vec<Ready>,
    pub ready_total: u64,
    pub waiting: Waiting,
    /// The commands of the loop.
    pub commands: Vec<Next>,
    /// The same in a few lines of Markdown.
    pub text: String,
}

/// A task that the agent has in progress.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Held {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub title: String,
    pub project: String,
    pub fence: u64,
    pub progress: Option<u8>,
    #[schemars(with = "Option<String>")]
    pub lease_until: Option<Time>,
    pub lease_expired: bool,
    pub checkpoint: Option<LastCheckpoint>,
}

/// How far somebody had come.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct LastCheckpoint {
    pub name: String,
    #[schemars(with = "String")]
    pub at: Time,
}

/// A task that the agent could claim.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Ready {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub title: String,
    pub project: String,
    pub priority: u8,
}

/// What nobody can be given now.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
pub struct Waiting {
    /// Ready, but behind open dependencies or subtasks.
    pub behind_others: u64,
    pub blocked: u64,
    /// How many of the blocked are this agent's.
    pub own_blocked: u64,
}

/// A command and when to use it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Next {
    pub when: String,
    pub command: String,
}

impl Operation for Prime {
    type Output = Primed;
    const NAME: &'static str = "prime";
    const ABOUT: &'static str = "Say what an agent needs to know at the start of a sitting";
    const EXAMPLE: &'static str = "windlass prime --agent worker-1";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Primed, Error> {
        let (name, is_named) = cx.identity(Name::agent(self.agent.as_ref()))?;
        let agent = is_named.then_some(name);
        let usual = cx.default_project().map(str::to_owned);
        let bound = cx.bound().to_vec();
        cx.read(|snapshot| {
            let from = self.project.as_ref().or(usual.as_ref());
            let project = from.map(|name| snapshot.project_named(name)).transpose()?;
            let only = project.as_ref().map(|project| vec![project.id]);
            let look = Look {
                snapshot,
                agent: agent.as_deref(),
                project: project.as_ref(),
                from: only.clone().unwrap_or_else(|| bound.clone()),
            };
            // What it holds matters wherever it is, unless somebody asks about one project.
            let held_in = only.filter(|_| self.project.is_some());
            look.prime(self.agent.as_deref(), held_in.unwrap_or_else(|| bound.clone()))
        })
    }
}

/// One look at the ledger for somebody.
struct Look<'a, 's> {
    snapshot: &'a mut Snapshot<'s>,
    agent: Option<&'a str>,
    /// The one project from which tasks are taken, where there is one.
    project: Option<&'a Project>,
    /// From where tasks are taken: every project when there are none.
    from: Vec<ProjectId>,
}

impl Look<'_, '_> {
    fn prime(mut self, given: Option<&str>, held_in: Vec<ProjectId>) -> Result<Primed, Error> {
        let names = self.names()?;
        let (holds, holds_total) = self.holds(held_in, &names)?;
        let (ready, ready_total) = self.ready(&names)?;
        let mut primed = Primed {
            agent: self.agent.map(str::to_owned),
            project: self.project.map(|project| project.name.clone()),
            commands: text::commands(self.agent, given, holds.first()),
            holds,
            holds_total,
            ready,
            ready_total,
            waiting: self.waiting()?,
            text: String::new(),
        };
        primed.text = text::told(&primed, self.snapshot.now());
        Ok(primed)
    }

    fn names(&mut self) -> Result<HashMap<ProjectId, String>, Fault> {
        let projects = self.snapshot.all_projects()?;
        Ok(projects.into_iter().map(|project| (project.id, project.name)).collect())
    }

    fn filter(&self, projects: Vec<ProjectId>) -> QueueFilter {
        QueueFilter {
            projects,
            agent: self.agent.unwrap_or_default().to_owned(),
            role: None,
            tags: Vec::new(),
        }
    }

    fn holds(
        &mut self,
        held_in: Vec<ProjectId>,
        names: &HashMap<ProjectId, String>,
    ) -> Result<(Vec<Held>, u64), Fault> {
        if self.agent.is_none() {
            return Ok((Vec::new(), 0));
        }
        let in_hand = self.snapshot.in_hand(&self.filter(held_in))?;
        let in_hand = in_order(Policy::Priority, in_hand);
        let mut holds = Vec::new();
        for held in in_hand.iter().take(HELD) {
            let task = self.snapshot.task_created_at(held.created_seq)?;
            holds.push(Held {
                checkpoint: self.last_checkpoint(task.id)?,
                task_id: task.id,
                project: named(names, &task),
                fence: task.fence,
                progress: task.progress,
                lease_until: task.lease_until,
                lease_expired: task.lease_ran_out(self.snapshot.now()),
                title: task.title,
            });
        }
        Ok((holds, in_hand.len() as u64))
    }

    fn last_checkpoint(&mut self, task: TaskId) -> Result<Option<LastCheckpoint>, Fault> {
        let newest = self.snapshot.checkpoints(task, 1)?;
        let Some(recorded) = newest.first() else { return Ok(None) };
        let at = recorded.header.at;
        Ok(match recorded.event()? {
            Some(Event::CheckpointRecorded(data)) => Some(LastCheckpoint { name: data.name, at }),
            _ => None,
        })
    }

    /// The queue of this agent: what is routed to nobody or to it, and claims of others that ran
    /// out.
    fn ready(&mut self, names: &HashMap<ProjectId, String>) -> Result<(Vec<Ready>, u64), Fault> {
        let filter = self.filter(self.from.clone());
        let first = self.snapshot.claimable(&filter, READY)?;
        let ready = first.into_iter().map(|task| Ready {
            project: named(names, &task),
            task_id: task.id,
            priority: task.priority,
            title: task.title,
        });
        let mut total = self.ran_out(&filter)?;
        for project in self.each() {
            let available =
                ListFilter { project, available: true, unfrozen: true, ..ListFilter::default() };
            let by_agent = self.snapshot.count_by_agent(&available)?;
            let for_it = |agent: &str| agent.is_empty() || agent == filter.agent;
            let routed = by_agent.iter().filter(|(agent, _)| for_it(agent));
            total += routed.map(|(_, count)| count).sum::<u64>();
        }
        Ok((ready.collect(), total))
    }

    /// What to ask of lists that know one project or all.
    fn each(&self) -> Vec<Option<ProjectId>> {
        match self.from.is_empty() {
            true => vec![None],
            false => self.from.iter().copied().map(Some).collect(),
        }
    }

    fn ran_out(&mut self, filter: &QueueFilter) -> Result<u64, Fault> {
        let now = self.snapshot.now();
        let mut count = 0;
        for task in self.snapshot.held()? {
            if filter.admits(&task, now) && !self.snapshot.project(task.project)?.frozen {
                count += 1;
            }
        }
        Ok(count)
    }

    fn waiting(&mut self) -> Result<Waiting, Fault> {
        let mut projects = self.snapshot.projects()?;
        if !self.from.is_empty() {
            projects.retain(|project| self.from.contains(&project.id));
        }
        let sum = |pick: fn(&Project) -> i64| {
            u64::try_from(projects.iter().map(pick).sum::<i64>()).unwrap_or_default()
        };
        let mut own_blocked = 0;
        for project in self.each().into_iter().filter(|_| self.agent.is_some()) {
            own_blocked += self.snapshot.count(&ListFilter {
                project,
                agent: self.agent.map(str::to_owned),
                status: Some(Status::Blocked),
                ..ListFilter::default()
            })?;
        }
        Ok(Waiting {
            behind_others: sum(|project| project.counts.ready - project.counts.claimable),
            blocked: sum(|project| project.counts.blocked),
            own_blocked,
        })
    }
}

fn named(names: &HashMap<ProjectId, String>, task: &Task) -> String {
    names.get(&task.project).cloned().unwrap_or_default()
}

impl Output for Primed {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::default().and_text(self.text.trim_end())
    }

    fn document(&self) -> Option<&str> {
        Some(&self.text)
    }
}
