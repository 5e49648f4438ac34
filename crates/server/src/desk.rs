//! The desk: where operations are handed in, run and answered.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use serde_json::Value;
use windlass_domain::op::OpId;
use windlass_domain::{Code, Exit};
use windlass_ledger::{Error, Fault, Ledger};
use windlass_ops::Context;
use windlass_ops::operation::{Load, Operation, Place};
use windlass_ops::remote::workplace_only;
use windlass_ops::table::{Answer, Entry};

use crate::caller::Caller;
use crate::metrics::Metrics;
pub use crate::office::Office;
use crate::readers::Readers;
use crate::writer::{Job, Note, Writer};

/// A request for an operation.
#[derive(Debug, Clone)]
pub struct Call {
    pub entry: &'static Entry,
    /// Its arguments: an object with the fields of the operation.
    pub arguments: Value,
    pub caller: Caller,
    pub op_id: Option<OpId>,
}

/// What an operation answered.
pub struct Reply(Box<dyn Answer>);

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reply")
    }
}

impl Reply {
    /// One JSON document, the same as on the command line.
    pub fn json(&self) -> Result<String, Fault> {
        self.0.json()
    }

    /// How a process ends that got this answer.
    pub fn exit(&self) -> Exit {
        self.0.exit()
    }
}

/// Where operations are handed in. Cheap to clone.
#[derive(Clone)]
pub struct Desk(Arc<Inside>);

struct Inside {
    metrics: Arc<Metrics>,
    readers: Readers,
    writer: Writer,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Desk")
    }
}

impl Desk {
    /// Opens the ledger, which is made if it is not there.
    pub fn open(office: Office) -> Result<Self, Fault> {
        Ledger::open(&office.workplace.location, office.workplace.options())?.make()?;
        let metrics = Arc::new(Metrics::new());
        let counting = Arc::clone(&metrics);
        let (writer, thread) = Writer::start(&office, move |commands| counting.batch(commands));
        Ok(Self(Arc::new(Inside {
            metrics,
            readers: Readers::new(office),
            writer,
            thread: Mutex::new(Some(thread)),
        })))
    }

    /// What is counted here.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Does any operation of the table.
    pub async fn run(&self, call: Call) -> Result<Reply, Error> {
        let name = call.entry.name;
        self.counted(name, self.answer(call)).await
    }

    /// Counts an operation once it ends.
    async fn counted<T>(
        &self,
        name: &'static str,
        operation: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let began = Instant::now();
        let ended = operation.await;
        let code = ended.as_ref().err().map(Error::code);
        self.0.metrics.operation(name, code, began.elapsed());
        ended
    }

    async fn answer(&self, call: Call) -> Result<Reply, Error> {
        let Call { entry, arguments, caller, op_id } = call;
        if entry.place == Place::Workplace {
            return Err(workplace_only(entry.name).into());
        }
        let request = entry.from_json(arguments)?;
        let Inside { readers, writer, .. } = &*self.0;
        let asker = match &caller {
            Caller::Key { digest, .. } => Some(*digest),
            Caller::Local(_) => None,
        };
        let answer = match entry.load {
            Load::Look => readers.look(caller, move |cx| request.run(cx)).await,
            Load::Whole => readers.look_long(caller, move |cx| request.run(cx)).await,
            Load::Write => writer.write(Job { request, caller, op_id }).await,
        };
        if let (Err(Error::Refused(refusal)), Some(digest)) = (&answer, asker)
            && refusal.code.exit() == Exit::NotAllowed
            // A key that is none is somebody nobody knows, who could fill the table with it.
            && refusal.code != Code::KeyRequired
        {
            let (code, message) = (refusal.code, refusal.message.clone());
            writer.note(Note { digest, operation: entry.name, code, message });
        }
        answer.map(Reply)
    }

    /// Asks for something that changes nothing.
    pub async fn ask<O: Operation>(
        &self,
        caller: &Caller,
        question: O,
    ) -> Result<O::Output, Error> {
        let asked = self.look(caller.clone(), move |cx| cx.perform(&question));
        self.counted(O::NAME, asked).await
    }

    /// Looks at the ledger itself.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        caller: Caller,
        look: impl FnOnce(&mut Context) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.0.readers.look(caller, look).await
    }

    /// How much waits to be written.
    pub(crate) fn waiting(&self) -> usize {
        self.0.writer.waiting()
    }

    /// Waits until the writer has done what it was given before.
    pub(crate) async fn knock(&self) -> Result<(), Error> {
        self.0.writer.knock().await
    }

    /// Lets the commands that were taken be done, and takes no more. Whoever looks something up is
    /// not waited for.
    pub fn close(&self) {
        self.0.writer.close();
        let thread = self.0.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // It ends when nothing waits any more; its panics were told where they happened.
            let _ended = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::mpsc;
    use std::task::{Context as Waiting, Waker};
    use std::time::Duration;

    use serde_json::json;
    use tokio::runtime::Runtime;
    use windlass_domain::Code;

    use super::*;
    use crate::sample;

    #[test]
    fn somebody_who_still_looks_does_not_keep_the_desk_from_closing() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let _inside = runtime.enter();
        let desk = Desk::open(sample::office(folder.path())).unwrap();
        let mut looking = pin!(desk.run(sample::call("task.list", json!({}))));
        let _begun = looking.as_mut().poll(&mut Waiting::from_waker(Waker::noop()));
        let (closed, closing) = mpsc::channel();
        let own = desk.clone();
        std::thread::spawn(move || {
            own.close();
            closed.send(())
        });
        closing.recv_timeout(Duration::from_secs(20)).unwrap();
    }

    #[test]
    fn a_desk_that_is_closed_takes_no_more_to_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let desk = Desk::open(sample::office(folder.path())).unwrap();
        desk.close();
        let late = runtime.block_on(desk.run(sample::call("task.add", json!({"title": "late"}))));
        assert_eq!(late.err().map(|error| error.code()), Some(Code::ServerBusy));
    }

    #[test]
    fn the_views_are_not_rebuilt_while_everybody_waits() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let desk = Desk::open(sample::office(folder.path())).unwrap();
        let rebuild = sample::call("doctor", json!({"rebuild": true}));
        let refused = runtime.block_on(desk.run(rebuild)).err().map(|error| error.code());
        assert_eq!(refused, Some(Code::WorkplaceOnly));
    }
}
