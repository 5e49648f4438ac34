//! Messages that wait for somebody to be free.
//!
//! As many runners as there may be attempts at once take them from here, one after the other: a
//! message that waits costs next to nothing.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;

use super::attempt::Prepared;
use super::{InTime, Message, Outcome};

/// A message on its way to a target.
pub(super) struct Job {
    pub(super) prepared: Arc<Prepared>,
    pub(super) message: Message,
    pub(super) in_time: InTime,
    pub(super) report: Report,
}

impl Job {
    pub(super) async fn run(self) {
        let Self { prepared, message, in_time, report } = self;
        let outcome = match in_time() {
            true => prepared.attempt(message).await,
            false => Outcome::NotSent,
        };
        report.tell(outcome);
    }
}

#[derive(Debug)]
pub(super) struct Queue {
    /// Nothing from the moment it is stopped.
    waiting: Mutex<Option<VecDeque<Job>>>,
    /// One permit for each that waits; closed when it is stopped.
    count: Semaphore,
}

impl Queue {
    pub(super) fn new() -> Self {
        Self { waiting: Mutex::new(Some(VecDeque::new())), count: Semaphore::new(0) }
    }

    /// Puts a job at the end; one that comes too late is told so.
    pub(super) fn push(&self, job: Job) {
        match self.waiting().as_mut() {
            Some(waiting) => waiting.push_back(job),
            None => return job.report.tell(Outcome::NotSent),
        }
        self.count.add_permits(1);
    }

    /// Waits for a job; none when it was stopped.
    pub(super) async fn next(&self) -> Option<Job> {
        self.count.acquire().await.ok()?.forget();
        self.waiting().as_mut().and_then(VecDeque::pop_front)
    }

    /// Gives nothing out any more: what waits is not sent.
    pub(super) fn stop(&self) {
        self.count.close();
        for job in self.waiting().take().into_iter().flatten() {
            job.report.tell(Outcome::NotSent);
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.count.is_closed()
    }

    fn waiting(&self) -> MutexGuard<'_, Option<VecDeque<Job>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A message may hold what nobody else should read.
impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").finish_non_exhaustive()
    }
}

/// Tells the outcome of one delivery; dropped before it could, it tells that.
pub(super) struct Report {
    key: usize,
    outcome: Option<Outcome>,
    to: Sender<(usize, Outcome)>,
}

impl Report {
    pub(super) fn new(key: usize, to: Sender<(usize, Outcome)>) -> Self {
        Self { key, outcome: None, to }
    }

    pub(super) fn tell(mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        let outcome = self.outcome.take().unwrap_or_else(|| Outcome::failed("broken off"));
        // A courier that is gone has nobody left to tell.
        drop(self.to.send((self.key, outcome)));
    }
}
