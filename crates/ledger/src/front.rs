//! The front of the queue, as far as a transaction has read it.
//!
//! The claims of a group ask for the first tasks of the same queue, one after the other. What one of
//! them read, the next need not: a task that leaves the queue leaves the front, and where one enters,
//! the front is read again.

use std::collections::VecDeque;

use windlass_domain::{ProjectId, Task, Time};

use crate::store::Candidate;

/// More queues than this are not remembered at once.
const MOST: usize = 64;

/// What is known of all queues.
#[derive(Default)]
pub(crate) struct Fronts {
    fronts: Vec<(Queue, Front)>,
    calm: Vec<(Queue, Time)>,
}

/// The claimable tasks of a project, under a tag and for a role; '' is any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Queue {
    pub(crate) tag: String,
    pub(crate) project: ProjectId,
    pub(crate) role: String,
}

/// The beginning of a queue.
#[derive(Debug, Clone)]
pub(crate) struct Front {
    /// The first tasks that are routed to nobody.
    pub(crate) open: VecDeque<Candidate>,
    /// There are no others.
    pub(crate) is_all: bool,
    /// There may be tasks that are routed to somebody.
    pub(crate) has_routed: bool,
}

impl Fronts {
    pub(crate) fn forget_all(&mut self) {
        self.fronts.clear();
        self.calm.clear();
    }

    /// The front of a queue, if so much of it is known.
    pub(crate) fn of(&self, queue: &Queue, limit: usize) -> Option<&Front> {
        let (_, front) = self.fronts.iter().find(|(known, _)| known == queue)?;
        (front.is_all || front.open.len() >= limit).then_some(front)
    }

    /// A front that was just read.
    pub(crate) fn meet(&mut self, queue: Queue, front: Front) {
        self.forget(&queue);
        if self.fronts.len() >= MOST {
            self.fronts.clear();
        }
        self.fronts.push((queue, front));
    }

    fn forget(&mut self, queue: &Queue) {
        self.fronts.retain(|(known, _)| known != queue);
    }

    /// A task entered the queue of that tag.
    pub(crate) fn enter(&mut self, tag: &str, task: &Task) {
        self.fronts.retain(|(known, _)| !known.is_of(tag, task));
    }

    /// A task left the queue of that tag.
    pub(crate) fn leave(&mut self, tag: &str, task: &Task) {
        for (_, front) in self.fronts.iter_mut().filter(|(known, _)| known.is_of(tag, task)) {
            front.open.retain(|candidate| candidate.created_seq != task.created_seq);
        }
    }

    /// Whether no claim there had run out by then.
    pub(crate) fn is_calm(&self, queue: &Queue, now: Time) -> bool {
        self.calm.iter().any(|(known, until)| known == queue && *until == now)
    }

    pub(crate) fn meet_calm(&mut self, queue: Queue, now: Time) {
        if self.calm.len() >= MOST {
            self.calm.clear();
        }
        self.calm.push((queue, now));
    }

    /// A task is stored like this now.
    pub(crate) fn change(&mut self, task: &Task) {
        if let Some(lease_until) = task.lease_until {
            self.calm.retain(|(_, now)| lease_until > *now);
        }
    }
}

impl Queue {
    fn is_of(&self, tag: &str, task: &Task) -> bool {
        self.tag == tag
            && self.project == task.project
            && self.role == task.role.as_deref().unwrap_or_default()
    }
}
