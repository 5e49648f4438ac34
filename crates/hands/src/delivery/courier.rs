//! The courier: many attempts at once, for a caller that waits for none in particular.
//!
//! Deliveries go on in a thread of their own while the caller writes down what came of earlier ones.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};

use super::attempt::Prepared;
use super::clients::Clients;
use super::queue::{Job, Queue, Report};
use super::{InTime, Message, Outcome, Target, Variables};
use crate::signals;

/// What is still running when a courier goes away is broken off; a name that is being looked up
/// cannot be, and is not waited for longer than this.
const FAREWELL: Duration = Duration::from_secs(1);
/// Between two looks for more outcomes.
const GLANCE: Duration = Duration::from_millis(1);

/// Delivers messages, a bounded number at a time.
#[derive(Debug)]
pub struct Courier {
    runtime: Option<Runtime>,
    clients: Clients,
    queue: Arc<Queue>,
    report: Sender<(usize, Outcome)>,
    outcomes: Receiver<(usize, Outcome)>,
    under_way: usize,
}

/// A courier could not be made ready.
#[derive(Debug, thiserror::Error)]
pub enum NotReady {
    #[error("cannot start the courier's thread")]
    Thread(#[from] io::Error),
    #[error("cannot listen to signals")]
    Signals(#[source] io::Error),
    #[error("cannot set TLS up")]
    Tls(#[from] rustls::Error),
    #[error("cannot set HTTP up")]
    Http(#[from] reqwest::Error),
}

/// A target that is ready for messages. It holds what its variables stand for, so it is not kept
/// longer than it takes to hand them over.
#[derive(Debug, Clone)]
pub struct Ready(Arc<Prepared>);

/// Stops a courier, from any thread.
#[derive(Debug, Clone)]
pub struct Stopper(Arc<Queue>);

impl Stopper {
    /// From now on nothing is begun: what has not begun is [`Outcome::NotSent`], and what has ends
    /// within its limit.
    pub fn stop(&self) {
        self.0.stop();
    }
}

impl Courier {
    pub fn new(concurrency: NonZeroUsize) -> Result<Self, NotReady> {
        let mut builder = Builder::new_multi_thread();
        let runtime =
            builder.worker_threads(1).thread_name("windlass-courier").enable_all().build()?;
        let queue = Arc::new(Queue::new());
        for _ in 0..concurrency.get() {
            let queue = Arc::clone(&queue);
            runtime.spawn(async move {
                while let Some(job) = queue.next().await {
                    job.run().await;
                }
            });
        }
        let (report, outcomes) = mpsc::channel();
        Ok(Self {
            runtime: Some(runtime),
            clients: Clients::new(concurrency.get())?,
            queue,
            report,
            outcomes,
            under_way: 0,
        })
    }

    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.queue))
    }

    /// From now on SIGTERM and SIGINT stop it, and no longer end the process.
    pub fn stop_on_signals(&self) -> Result<(), NotReady> {
        let Some(runtime) = &self.runtime else { return Ok(()) };
        let _inside = runtime.enter();
        let asked = signals::to_stop().map_err(NotReady::Signals)?;
        let stopper = self.stopper();
        runtime.spawn(async move {
            asked.await;
            stopper.stop();
        });
        Ok(())
    }

    pub fn is_stopped(&self) -> bool {
        self.queue.is_stopped()
    }

    /// Makes a target ready for messages: its variables are looked up here and now. If it cannot be,
    /// the outcome says why.
    pub fn prepare(&self, target: &Target, variables: &Variables) -> Result<Ready, Outcome> {
        let prepared = Prepared::new(target, variables, &self.clients);
        prepared.map(|prepared| Ready(Arc::new(prepared))).map_err(Outcome::unsendable)
    }

    /// Takes a message, which is sent as soon as there is room, if that is in time. Its outcome will
    /// come under `key`, exactly once.
    pub fn hand_over(&mut self, key: usize, ready: &Ready, message: Message, in_time: InTime) {
        let report = Report::new(key, self.report.clone());
        self.under_way += 1;
        self.queue.push(Job { prepared: Arc::clone(&ready.0), message, in_time, report });
    }

    /// How many were handed over whose outcome has not been taken.
    pub fn under_way(&self) -> usize {
        self.under_way
    }

    /// Waits for an outcome, and returns it with all others that are there by then. Empty only when
    /// nothing is under way.
    #[must_use = "an outcome is told once"]
    pub fn outcomes(&mut self) -> Vec<(usize, Outcome)> {
        if self.under_way == 0 {
            return Vec::new();
        }
        let first = self.outcomes.recv();
        let outcomes: Vec<_> = first.into_iter().chain(self.outcomes.try_iter()).collect();
        self.under_way = self.under_way.saturating_sub(outcomes.len());
        outcomes
    }

    /// The same, but gives others a little time, until there are `enough`: who writes them down
    /// writes many at once. Nobody is woken for each of them.
    #[must_use = "an outcome is told once"]
    pub fn many_outcomes(&mut self, enough: usize, patience: Duration) -> Vec<(usize, Outcome)> {
        let mut outcomes = self.outcomes();
        let deadline = Instant::now() + patience;
        while self.under_way > 0 && outcomes.len() < enough && Instant::now() < deadline {
            thread::sleep(GLANCE);
            let before = outcomes.len();
            outcomes.extend(self.outcomes.try_iter());
            self.under_way = self.under_way.saturating_sub(outcomes.len() - before);
        }
        outcomes
    }
}

impl Drop for Courier {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(FAREWELL);
        }
    }
}
