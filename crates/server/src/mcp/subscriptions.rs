//! Who wants to be told when a resource changes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{SubscriptionContext, SubscriptionSendError};
use rmcp::{Peer, RoleServer};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::task::AbortOnDropHandle;
use windlass_domain::{Code, Refusal};
use windlass_ledger::Error;

use super::resources::Thing;
use super::watch::{Touched, Watch};

/// Most addresses one session may watch.
pub(super) const MOST: usize = 256;

/// Addresses and what they name.
type Wanted = BTreeMap<String, Thing>;

/// The subscriptions of one session.
#[derive(Debug, Clone, Default)]
pub(super) struct Subscriptions {
    wanted: Arc<Mutex<Wanted>>,
    /// Sends the notifications. It has no part in this, so that it ends with the session.
    telling: Arc<Mutex<Option<AbortOnDropHandle<()>>>>,
}

fn lock<T>(inside: &Mutex<T>) -> MutexGuard<'_, T> {
    inside.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Subscriptions {
    pub(super) async fn add(
        &self,
        uri: String,
        thing: Thing,
        watch: &Watch,
        peer: Peer<RoleServer>,
    ) -> Result<(), Error> {
        let changes = watch.listen().await?;
        let mut wanted = lock(&self.wanted);
        if wanted.len() >= MOST && !wanted.contains_key(&uri) {
            return Err(too_many().into());
        }
        wanted.insert(uri, thing);
        let mut telling = lock(&self.telling);
        if telling.as_ref().is_none_or(AbortOnDropHandle::is_finished) {
            let told = tokio::spawn(tell(Arc::clone(&self.wanted), changes, peer));
            *telling = Some(AbortOnDropHandle::new(told));
        }
        Ok(())
    }

    /// Nobody listens any more once the last address is gone.
    pub(super) fn remove(&self, uri: &str) {
        let mut wanted = lock(&self.wanted);
        wanted.remove(uri);
        if wanted.is_empty() {
            *lock(&self.telling) = None;
        }
    }
}

async fn tell(
    wanted: Arc<Mutex<Wanted>>,
    mut changes: broadcast::Receiver<Arc<Touched>>,
    peer: Peer<RoleServer>,
) {
    while let Some(change) = next(&mut changes).await {
        let uris = change.of(&lock(&wanted));
        for uri in uris {
            let update = ResourceUpdatedNotificationParam::new(uri);
            if peer.notify_resource_updated(update).await.is_err() {
                return;
            }
        }
    }
}

/// Tells of changes until the caller has heard enough. Each address is told once at the beginning: it
/// may have changed since the caller was promised to hear of it.
pub(super) async fn listen(
    context: &SubscriptionContext,
    wanted: &Wanted,
    mut changes: broadcast::Receiver<Arc<Touched>>,
) {
    let mut told = tell_of(context, Change::Anything.of(wanted)).await;
    while told.is_ok() {
        let change = tokio::select! {
            change = next(&mut changes) => change,
            () = context.cancelled() => None,
        };
        let Some(change) = change else { return };
        told = tell_of(context, change.of(wanted)).await;
    }
}

async fn tell_of(
    context: &SubscriptionContext,
    uris: Vec<String>,
) -> Result<(), SubscriptionSendError> {
    for uri in uris {
        context.sink().notify_resource_updated(uri).await?;
    }
    Ok(())
}

pub(super) fn too_many() -> Refusal {
    Refusal::new(Code::InvalidValue, format!("a session watches at most {MOST} resources"))
        .hint("unsubscribe from some first")
        .detail("limit", MOST)
}

/// What may have changed.
pub(super) enum Change {
    Some(Arc<Touched>),
    /// Too much happened to say what.
    Anything,
}

impl Change {
    /// A key may be another than it was.
    pub(super) fn is_about_keys(&self) -> bool {
        match self {
            Self::Some(touched) => touched.keys,
            Self::Anything => true,
        }
    }

    fn of(&self, wanted: &Wanted) -> Vec<String> {
        let is_changed = |thing: &Thing| match self {
            Self::Some(touched) => thing.is_touched(touched),
            Self::Anything => true,
        };
        let changed = wanted.iter().filter(|(_, thing)| is_changed(thing));
        changed.map(|(uri, _)| uri.clone()).collect()
    }
}

/// The next change; nothing when there will be none.
pub(super) async fn next(changes: &mut broadcast::Receiver<Arc<Touched>>) -> Option<Change> {
    match changes.recv().await {
        Ok(touched) => Some(Change::Some(touched)),
        Err(RecvError::Lagged(_)) => Some(Change::Anything),
        Err(RecvError::Closed) => None,
    }
}
