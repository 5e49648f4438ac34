//! The one thread that writes.
//!
//! It takes every command that waits, does each as a part of one transaction, commits once, and
//! only then answers. The more wait, the more share a commit.

use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot};
use windlass_domain::chain::{Hash, Provenance};
use windlass_domain::op::OpId;
use windlass_domain::{Code, Refusal};
use windlass_ledger::{Error, Fate, Fault, Ledger, Refused, Undo};
use windlass_ops::Context;
use windlass_ops::table::{Answer, Request};

use crate::caller::Caller;
use crate::office::{Office, admit};

/// How many commands may wait. Whoever comes then is told to come back.
const MOST_WAITING: usize = 4_096;
/// How many commands share a commit at most, so that the first does not wait long for the last.
const LARGEST: usize = 256;
/// How often a group is tried: again where one of its commands had to be undone, or after a lost
/// connection.
const ATTEMPTS: u32 = 5;

/// A command that waits to be written.
pub(crate) struct Job {
    pub(crate) request: Box<dyn Request>,
    pub(crate) caller: Caller,
    pub(crate) op_id: Option<OpId>,
}

type Done = Result<Box<dyn Answer>, Error>;

/// That somebody with a key was refused something.
pub(crate) struct Note {
    pub(crate) digest: Hash,
    pub(crate) operation: &'static str,
    pub(crate) code: Code,
    pub(crate) message: String,
}

/// What waits for the thread.
enum Waiting {
    /// A command with the place where its answer is awaited.
    Command {
        job: Job,
        answer: oneshot::Sender<Done>,
    },
    Note(Note),
    /// Somebody who wants to know whether the thread is there.
    Knock(oneshot::Sender<()>),
}

/// The way to the thread.
pub(crate) struct Writer {
    jobs: mpsc::Sender<Waiting>,
}

impl Writer {
    /// Starts the thread. `counted` hears how many commands shared each commit.
    pub(crate) fn start(
        office: &Office,
        counted: impl Fn(usize) + Send + 'static,
    ) -> (Self, JoinHandle<()>) {
        let (jobs, waiting) = mpsc::channel(MOST_WAITING);
        let mut cx = office.context();
        let thread = std::thread::spawn(move || work(&mut cx, waiting, &counted));
        (Self { jobs }, thread)
    }

    pub(crate) async fn write(&self, job: Job) -> Done {
        let (answer, answered) = oneshot::channel();
        self.jobs.try_send(Waiting::Command { job, answer }).map_err(|_| busy())?;
        let answered = answered.await;
        answered.map_err(|source| Fault::bug("the writer ended early").because(source))?
    }

    /// How much waits.
    pub(crate) fn waiting(&self) -> usize {
        self.jobs.max_capacity() - self.jobs.capacity()
    }

    /// Keeps a note. Where too much waits already, notes are what can be spared.
    pub(crate) fn note(&self, note: Note) {
        let _taken = self.jobs.try_send(Waiting::Note(note));
    }

    /// Returns when everything that waited before is done.
    pub(crate) async fn knock(&self) -> Result<(), Error> {
        let (heard, answered) = oneshot::channel();
        self.jobs.try_send(Waiting::Knock(heard)).map_err(|_| busy())?;
        let answered = answered.await;
        Ok(answered.map_err(|source| Fault::bug("the writer ended early").because(source))?)
    }
}

fn busy() -> Refusal {
    Refusal::new(Code::ServerBusy, "more commands wait to be written than the server takes")
        .hint("try again in a moment")
}

fn work(cx: &mut Context, mut waiting: mpsc::Receiver<Waiting>, counted: &dyn Fn(usize)) {
    let mut batch = Vec::new();
    while waiting.blocking_recv_many(&mut batch, LARGEST) > 0 {
        let (mut jobs, mut answers) = (Vec::new(), Vec::new());
        let (mut notes, mut knocks) = (Vec::new(), Vec::new());
        for waiting in batch.drain(..) {
            match waiting {
                Waiting::Command { job, answer } => {
                    jobs.push(job);
                    answers.push(answer);
                }
                Waiting::Note(note) => notes.push(note),
                Waiting::Knock(heard) => knocks.push(heard),
            }
        }
        if !jobs.is_empty() {
            counted(jobs.len());
        }
        for (answer, done) in answers.into_iter().zip(together(cx, &jobs)) {
            // Whoever asked may be gone; what was done stays done.
            let _heard = answer.send(done);
        }
        if let Err(error) = keep(cx, &notes) {
            tracing::warn!(%error, "refusals could not be kept");
        }
        for heard in knocks {
            let _heard = heard.send(());
        }
    }
    if let Ok(ledger) = cx.ledger() {
        ledger.tidy();
    }
}

/// Keeps what was refused, where those who make keys can see it.
fn keep(cx: &mut Context, notes: &[Note]) -> Result<(), Error> {
    if notes.is_empty() {
        return Ok(());
    }
    let by = Provenance { actor: cx.surroundings.host.clone(), ..Provenance::default() };
    cx.ledger()?.write(&by, |tx| {
        let mut refused = Vec::with_capacity(notes.len());
        for Note { digest, operation, code, message } in notes {
            let key = tx.key_by_digest(digest)?;
            refused.push(Refused {
                at: tx.now(),
                key_id: key.as_ref().map(|key| key.id),
                prefix: key.map(|key| key.prefix),
                operation: (*operation).to_owned(),
                code: code.to_string(),
                message: message.clone(),
            });
        }
        Ok(tx.keep_refusals(&refused)?)
    })
}

/// Does all of them in one transaction.
fn together(cx: &mut Context, jobs: &[Job]) -> Vec<Done> {
    match jobs {
        [] => return Vec::new(),
        [job] => return vec![run(cx, job)],
        _ => {}
    }
    for attempt in 0..ATTEMPTS {
        let undo = if attempt == 0 { Undo::Together } else { Undo::Each };
        if let Err(fault) = cx.ledger().and_then(|ledger| ledger.begin_group(undo)) {
            return jobs.iter().map(|_| Err(again(&fault).into())).collect();
        }
        let done: Vec<Done> = jobs.iter().map(|job| run(cx, job)).collect();
        match cx.ledger().and_then(Ledger::end_group) {
            Ok(Fate::Committed) => return done,
            Ok(Fate::Lost) => {}
            // A refusal, too, may be for something that another of them did and that is gone now.
            Err(fault) => return jobs.iter().map(|_| Err(again(&fault).into())).collect(),
        }
    }
    // Each alone has a fate of its own.
    jobs.iter().map(|job| run(cx, job)).collect()
}

fn run(cx: &mut Context, job: &Job) -> Done {
    admit(cx, &job.caller)?;
    cx.op_id.clone_from(&job.op_id);
    job.request.run(cx)
}

/// The same fault for everybody whom it hit.
fn again(fault: &Fault) -> Fault {
    Fault {
        code: fault.code,
        message: fault.message.clone(),
        hint: fault.hint.clone(),
        details: fault.details.clone(),
        lost: fault.lost,
        source: None,
    }
}
