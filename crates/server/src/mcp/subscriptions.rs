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
const MOST: usize = 256;

/// Addresses and what they name.
type Wanted = BTreeMap<String, Thing>;

/// The subscriptions of one session.
#[derive(Debug, Clone, Default)]
pub(super) struct Subscriptions(Arc<Mutex<Inside>>);

#[derive(Debug, Default)]
struct Inside {
    wanted: Wanted,
    /// Sends the notifications; ends with the session.
    telling: Option<AbortOnDropHandle<()>>,
}

impl Subscriptions {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn add(
        &self,
        uri: String,
        thing: Thing,
        watch: &Watch,
        peer: Peer<RoleServer>,
    ) -> Result<(), Error> {
        let changes = watch.listen().await?;
        let mut inside = self.lock();
        if inside.wanted.len() >= MOST && !inside.wanted.contains_key(&uri) {
            return Err(too_many().into());
        }
        inside.wanted.insert(uri, thing);
        if inside.telling.as_ref().is_none_or(AbortOnDropHandle::is_finished) {
            let told = tokio::spawn(self.clone().tell(changes, peer));
            inside.telling = Some(AbortOnDropHandle::new(told));
        }
        Ok(())
    }

    /// Nobody listens any more once the last address is gone.
    pub(super) fn remove(&self, uri: &str) {
        let mut inside = self.lock();
        inside.wanted.remove(uri);
        if inside.wanted.is_empty() {
            inside.telling = None;
        }
    }

    async fn tell(self, mut changes: broadcast::Receiver<Arc<Touched>>, peer: Peer<RoleServer>) {
        while let Some(change) = next(&mut changes).await {
            let uris = change.of(&self.lock().wanted);
            for uri in uris {
                let update = ResourceUpdatedNotificationParam::new(uri);
                if peer.notify_resource_updated(update).await.is_err() {
                    return;
                }
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
enum Change {
    Some(Arc<Touched>),
    /// Too much happened to say what.
    Anything,
}

impl Change {
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
async fn next(changes: &mut broadcast::Receiver<Arc<Touched>>) -> Option<Change> {
    match changes.recv().await {
        Ok(touched) => Some(Change::Some(touched)),
        Err(RecvError::Lagged(_)) => Some(Change::Anything),
        Err(RecvError::Closed) => None,
    }
}
