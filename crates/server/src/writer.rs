//! The one thread that writes.
//!
//! It takes every command that waits, does each as a part of one transaction, commits once, and
//! only then answers. The more wait, the more share a commit.

use std::thread::JoinHandle;

use serde_json::Value;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use windlass_domain::chain::{Hash, Provenance};
use windlass_domain::op::OpId;
use windlass_domain::{Code, Refusal};
use windlass_ledger::{Error, Fate, Fault, Ledger, Refused, Undo};
use windlass_ops::Context;
use windlass_ops::once::running;
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
    /// Nothing is taken after this.
    Close,
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
        self.jobs.try_send(Waiting::Command { job, answer }).map_err(|full| not_taken(&full))?;
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
        self.jobs.try_send(Waiting::Knock(heard)).map_err(|full| not_taken(&full))?;
        let answered = answered.await;
        Ok(answered.map_err(|source| Fault::bug("the writer ended early").because(source))?)
    }

    /// Lets what waits be done, and takes no more, whoever still knows the way here. Waits for a
    /// place in the queue.
    pub(crate) fn close(&self) {
        // If nobody takes it, the thread has ended.
        let _taken = self.jobs.blocking_send(Waiting::Close);
    }
}

fn not_taken<T>(why: &TrySendError<T>) -> Refusal {
    let message = match why {
        TrySendError::Full(_) => "more commands wait to be written than the server takes",
        TrySendError::Closed(_) => "the server is about to stop",
    };
    Refusal::new(Code::ServerBusy, message).hint("try again in a moment")
}

fn work(cx: &mut Context, mut waiting: mpsc::Receiver<Waiting>, counted: &dyn Fn(usize)) {
    let mut batch = Vec::new();
    while waiting.blocking_recv_many(&mut batch, LARGEST) > 0 {
        let (mut jobs, mut answers) = (Vec::new(), Vec::new());
        let (mut notes, mut knocks) = (Vec::new(), Vec::new());
        for next in batch.drain(..) {
            match next {
                Waiting::Command { job, answer } => {
                    jobs.push(job);
                    answers.push(answer);
                }
                Waiting::Note(note) => notes.push(note),
                Waiting::Knock(heard) => knocks.push(heard),
                Waiting::Close => waiting.close(),
            }
        }
        if !jobs.is_empty() {
            counted(jobs.len());
        }
        for (answer, done) in answers.into_iter().zip(together(cx, &jobs, &notes)) {
            // Whoever asked may be gone; what was done stays done.
            let _heard = answer.send(done);
        }
        for heard in knocks {
            let _heard = heard.send(());
        }
    }
    if let Ok(ledger) = cx.ledger() {
        ledger.tidy();
    }
}

/// Keeps what was refused, where those who make keys can see it. Nothing else depends on it.
fn keep(cx: &mut Context, notes: &[Note]) {
    if !notes.is_empty()
        && let Err(error) = write_down(cx, notes)
    {
        tracing::warn!(%error, "refusals could not be kept");
    }
}

fn write_down(cx: &mut Context, notes: &[Note]) -> Result<(), Error> {
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

/// Does all of them in one transaction, which keeps the notes too.
fn together(cx: &mut Context, jobs: &[Job], notes: &[Note]) -> Vec<Done> {
    match jobs {
        [] => {
            keep(cx, notes);
            return Vec::new();
        }
        [job] if notes.is_empty() => return vec![run(cx, job)],
        _ => {}
    }
    for attempt in 0..ATTEMPTS {
        let undo = if attempt == 0 { Undo::Together } else { Undo::Each };
        if let Err(fault) = cx.ledger().and_then(|ledger| ledger.begin_group(undo)) {
            return jobs.iter().map(|job| Err(not_begun(job, &fault).into())).collect();
        }
        let done: Vec<Done> = jobs.iter().map(|job| run(cx, job)).collect();
        keep(cx, notes);
        match cx.ledger().and_then(Ledger::end_group) {
            Ok(Fate::Committed) => return done,
            Ok(Fate::Lost) => {}
            Err(fault) => return uncommitted(done, &fault),
        }
    }
    // Each alone has a fate of its own.
    let done = jobs.iter().map(|job| run(cx, job)).collect();
    keep(cx, notes);
    done
}

fn run(cx: &mut Context, job: &Job) -> Done {
    admit(cx, &job.caller)?;
    cx.op_id.clone_from(&job.op_id);
    job.request.run(cx)
}

/// What somebody is told whose command was not even begun; the same as if it had come alone.
fn not_begun(job: &Job, fault: &Fault) -> Fault {
    let asks_for_once = |arguments: Value| arguments.get("auto_op_id") == Some(&true.into());
    match &job.op_id {
        Some(op_id) => running(again(fault), Some(op_id)),
        None if job.request.arguments().is_ok_and(asks_for_once) => running(again(fault), None),
        None => again(fault),
    }
}

/// What each is told of a group that was not committed. From the first that was done, all answers rest
/// on what is not there, refusals too.
fn uncommitted(done: Vec<Done>, fault: &Fault) -> Vec<Done> {
    let mut is_after_work = false;
    let told = done.into_iter().map(|done| {
        is_after_work |= done.is_ok();
        if is_after_work { Err(again(fault).into()) } else { done }
    });
    told.collect()
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

#[cfg(test)]
mod tests {
    use std::fs::File;

    use serde_json::json;

    use super::*;
    use crate::desk::Call;
    use crate::sample;

    fn job(arguments: Value, op_id: Option<&str>) -> Job {
        let Call { entry, arguments, caller, .. } = sample::call("task.add", arguments);
        let request = entry.from_json(arguments).unwrap();
        Job { request, caller, op_id: op_id.map(|op_id| OpId::parse(op_id).unwrap()) }
    }

    fn codes(done: Vec<Done>) -> Vec<Option<Code>> {
        done.into_iter().map(|done| done.err().map(|error| error.code())).collect()
    }

    #[test]
    fn a_refusal_that_rests_on_what_was_never_committed_is_not_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut cx = sample::office(folder.path()).context();
        let (bad, good) = (json!({"title": "x", "project": "nowhere"}), json!({"title": "x"}));
        let jobs = [bad.clone(), good, bad].map(|arguments| job(arguments, None));
        let done = together(&mut cx, &jobs, &[]);
        let refused = Some(Code::ProjectNotFound);
        let fault = Fault::new(Code::LedgerFull, "no space is left");
        let told = codes(uncommitted(done, &fault));
        assert_eq!(told, [refused, Some(Code::LedgerFull), Some(Code::LedgerFull)]);
    }

    #[test]
    fn a_locked_ledger_is_told_in_a_group_as_it_is_told_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mut cx = sample::office(folder.path()).context();
        let title = || json!({"title": "x"});
        assert!(run(&mut cx, &job(title(), None)).is_ok());
        let lock = File::options().read(true).open(folder.path().join("ledger.db.lock")).unwrap();
        lock.lock().unwrap();
        let alone = [run(&mut cx, &job(title(), Some("one"))), run(&mut cx, &job(title(), None))];
        let jobs = [job(title(), Some("one")), job(title(), None)];
        let expected = [Some(Code::OpRunning), Some(Code::LedgerLocked)];
        assert_eq!(codes(alone.into()), expected);
        assert_eq!(codes(together(&mut cx, &jobs, &[])), expected);
    }
}
