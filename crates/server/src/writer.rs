//! The one thread that writes.
//!
//! It takes every command that waits, does each in a part of its own of one transaction, commits
//! once, and only then answers. The more wait, the more share a commit.

use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot};
use windlass_domain::op::OpId;
use windlass_domain::{Code, Refusal};
use windlass_ledger::{Error, Fault};
use windlass_ops::Context;
use windlass_ops::table::{Answer, Request};

use crate::caller::Caller;
use crate::office::{Office, admit};

/// How many commands may wait. Whoever comes then is told to come back.
const MOST_WAITING: usize = 4_096;

/// A command that waits to be written.
pub(crate) struct Job {
    pub(crate) request: Box<dyn Request>,
    pub(crate) caller: Caller,
    pub(crate) op_id: Option<OpId>,
}

/// A command with the place where its answer is awaited.
struct Waiting {
    job: Job,
    answer: oneshot::Sender<Result<Box<dyn Answer>, Error>>,
}

/// The way to the thread.
pub(crate) struct Writer {
    jobs: mpsc::Sender<Waiting>,
}

impl Writer {
    pub(crate) fn start(office: &Office) -> (Self, JoinHandle<()>) {
        let (jobs, waiting) = mpsc::channel(MOST_WAITING);
        let mut cx = office.context();
        let thread = std::thread::spawn(move || work(&mut cx, waiting));
        (Self { jobs }, thread)
    }

    pub(crate) async fn write(&self, job: Job) -> Result<Box<dyn Answer>, Error> {
        let (answer, answered) = oneshot::channel();
        self.jobs.try_send(Waiting { job, answer }).map_err(|_| busy())?;
        let answered = answered.await;
        answered.map_err(|source| Fault::bug("the writer ended early").because(source))?
    }
}

fn busy() -> Refusal {
    Refusal::new(Code::ServerBusy, "more commands wait to be written than the server takes")
        .hint("try again in a moment")
}

fn work(cx: &mut Context, mut waiting: mpsc::Receiver<Waiting>) {
    while let Some(Waiting { job, answer }) = waiting.blocking_recv() {
        let done = run(cx, &job);
        // Whoever asked may be gone; what was done stays done.
        let _heard = answer.send(done);
    }
}

fn run(cx: &mut Context, job: &Job) -> Result<Box<dyn Answer>, Error> {
    admit(cx, &job.caller)?;
    cx.op_id.clone_from(&job.op_id);
    job.request.run(cx)
}
