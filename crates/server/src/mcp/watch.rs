//! Watches the log, and says which tasks and projects its events touch.
//!
//! A thread of its own is woken by whoever writes, and is there only while somebody listens.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, broadcast, oneshot};
use windlass_domain::TaskId;
use windlass_domain::event::{Kind, Subject};
use windlass_ledger::{Error, Fault, Recorded, Snapshot};
use windlass_ops::Context;

use crate::desk::Office;

/// How long to wait for an event before looking whether anybody still listens.
const LOOK_UP: Duration = Duration::from_secs(1);
/// Events looked at together.
const PAGE: u64 = 1_000;
/// How far somebody who listens may fall behind until everything counts as touched.
const BACKLOG: usize = 64;

/// What some events touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Touched {
    /// Tasks that changed, and those whose page shows one that did: its parent, what waits for it.
    pub(super) tasks: BTreeSet<TaskId>,
    /// Projects by name.
    pub(super) projects: BTreeSet<String>,
    /// Something went from one project to another, or a project got another name.
    pub(super) every_project: bool,
    /// A key was made, changed or revoked.
    pub(super) keys: bool,
}

type Sender = broadcast::Sender<Arc<Touched>>;

/// The way to the thread.
#[derive(Clone)]
pub(crate) struct Watch(Arc<Inside>);

struct Inside {
    office: Office,
    /// There as long as the thread is.
    sender: Mutex<Option<Sender>>,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}

impl Watch {
    pub(crate) fn new(office: Office) -> Self {
        Self(Arc::new(Inside { office, sender: Mutex::new(None) }))
    }

    /// Hears of everything that is written from now on.
    pub(super) async fn listen(&self) -> Result<broadcast::Receiver<Arc<Touched>>, Error> {
        let mut running = self.0.sender.lock().await;
        if let Some(sender) = &*running {
            return Ok(sender.subscribe());
        }
        let (sender, receiver) = broadcast::channel(BACKLOG);
        let (began, beginning) = oneshot::channel();
        let inside = Arc::clone(&self.0);
        let own = sender.clone();
        let thread = std::thread::Builder::new().name("mcp watch".to_owned());
        let started = thread.spawn(move || watch(&inside, &own, began));
        started.map_err(|source| Fault::bug("no thread can be started").because(source))?;
        beginning.await.map_err(|source| Fault::bug("the watch ended early").because(source))??;
        *running = Some(sender);
        Ok(receiver)
    }
}

fn watch(inside: &Inside, sender: &Sender, began: oneshot::Sender<Result<(), Error>>) {
    let mut cx = inside.office.context();
    let mut seq = match cx.read(|snapshot| Ok(snapshot.head()?.seq)) {
        Ok(seq) => seq,
        Err(error) => {
            let _heard = began.send(Err(error));
            return;
        }
    };
    let _heard = began.send(Ok(()));
    loop {
        match look(&mut cx, &mut seq) {
            Ok(None) => {}
            // Nobody may be there to hear it.
            Ok(Some(touched)) => drop(sender.send(Arc::new(touched))),
            Err(error) => {
                tracing::warn!(%error, "the log cannot be watched for now");
                std::thread::sleep(LOOK_UP);
            }
        }
        if sender.receiver_count() == 0 {
            let mut running = inside.sender.blocking_lock();
            if sender.receiver_count() == 0 {
                *running = None;
                return;
            }
        }
    }
}

/// Waits for events after `seq`, for a while.
fn look(cx: &mut Context, seq: &mut u64) -> Result<Option<Touched>, Error> {
    if !cx.ledger()?.wait_beyond(*seq, LOOK_UP)? {
        return Ok(None);
    }
    let from = *seq;
    let (touched, last) = cx.read(|snapshot| {
        let events = snapshot.events_after(from, PAGE)?;
        let last = events.last().map_or(from, |event| event.header.seq);
        Ok((touched_by(snapshot, &events)?, last))
    })?;
    *seq = last;
    Ok(Some(touched))
}

fn touched_by(snapshot: &mut Snapshot<'_>, events: &[Recorded]) -> Result<Touched, Error> {
    let mut touched = Touched::default();
    let mut tasks = BTreeSet::new();
    for event in events {
        let Some(kind) = Kind::from_text(&event.header.kind) else { continue };
        match kind.subject() {
            Subject::Task => drop(tasks.insert(event.header.stream.task())),
            Subject::Project => touched.every_project = true,
            Subject::Key => touched.keys = true,
            _ => {}
        }
        touched.every_project |= kind == Kind::TaskMoved;
    }
    for id in tasks {
        touched.tasks.insert(id);
        let Some(task) = snapshot.task(id)? else { continue };
        touched.tasks.extend(task.parent);
        touched.tasks.extend(snapshot.dependents(id)?);
        touched.projects.insert(snapshot.project(task.project)?.name);
    }
    Ok(touched)
}
