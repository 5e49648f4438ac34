//! Threads that look at the ledger while somebody else writes.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use windlass_ledger::{Error, Fault};
use windlass_ops::Context;

use crate::caller::Caller;
use crate::office::{Office, admit};

/// How many look at once. Each has a connection of its own.
const MOST: usize = 8;

/// Contexts that wait for something to look up.
pub(crate) struct Readers {
    office: Office,
    idle: Arc<Mutex<Vec<Context>>>,
    places: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn new(office: Office) -> Self {
        Self { office, idle: Arc::default(), places: Arc::new(Semaphore::new(MOST)) }
    }

    /// Looks at the ledger for `caller`, on a thread that may wait for it.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        caller: Caller,
        look: impl FnOnce(&mut Context) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|source| Fault::bug("the desk is closed").because(source))?;
        let mut cx = self.take().unwrap_or_else(|| self.office.context());
        let idle = Arc::clone(&self.idle);
        let looked = spawn_blocking(move || {
            let found = admit(&mut cx, &caller).and_then(|()| look(&mut cx));
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(cx);
            drop(place);
            found
        });
        looked.await.map_err(|source| Fault::bug("a reader ended early").because(source))?
    }

    /// The contexts that wait, which wait no more.
    fn idle(&self) -> Vec<Context> {
        std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn take(&self) -> Option<Context> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        let idle = self.idle();
        // A connection takes leave of its database, which a thread of the runtime may not wait for.
        if !idle.is_empty() {
            drop(std::thread::spawn(move || drop(idle)));
        }
    }
}
