//! Rebuilding the views from the log.

use crate::fault::Fault;
use crate::snapshot::Listener;
use crate::store::{Difference, Store};
use crate::views::Views;

/// Events read at a time.
const BATCH: u64 = 10_000;
/// Touched tasks kept in memory before they are written.
const KEPT: usize = 20_000;

/// What a rebuild found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    pub events: u64,
    /// Where the views had been different; they are right now.
    pub differences: Vec<Difference>,
}

/// Replays the log into empty views and returns how many events it has.
pub(crate) fn replay(store: &mut dyn Store, listener: Option<&Listener>) -> Result<u64, Fault> {
    store.known().forget_all();
    let mut views = Views::from_nothing(store);
    let mut seq = 0;
    loop {
        let batch = views.events_after(seq, BATCH)?;
        let Some(last) = batch.last() else { break };
        seq = last.header.seq;
        for recorded in &batch {
            views.apply(recorded)?;
        }
        if views.waiting() > KEPT {
            views.flush()?;
        }
        if let Some(listener) = listener {
            listener(seq);
        }
    }
    views.flush()?;
    drop(views);
    store.reconcile_outbox()?;
    Ok(seq)
}

/// Replays the log into fresh views and compares them with those that were there.
pub(crate) fn rebuild(
    store: &mut dyn Store,
    listener: Option<&Listener>,
) -> Result<Rebuilt, Fault> {
    store.set_views_aside()?;
    store.clear_views()?;
    let events = replay(store, listener)?;
    let differences = store.compare_views()?;
    Ok(Rebuilt { events, differences })
}
