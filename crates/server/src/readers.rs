//! Threads that look at the ledger while somebody else writes.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::spawn_blocking;
use windlass_ledger::{Error, Fault};
use windlass_ops::Context;

use crate::caller::Caller;
use crate::office::{Office, admit};
use crate::places::Places;

/// How many look at once. Each has a connection of its own.
const MOST: usize = 8;
/// How many of them one key may have. The others of its requests wait.
const MOST_EACH: usize = 4;
/// How many go through the whole ledger at once, beside those.
const MOST_LONG: usize = 2;
/// How many of them one key may have.
const MOST_LONG_EACH: usize = 1;

/// Contexts that wait for something to look up.
pub(crate) struct Readers {
    office: Office,
    idle: Arc<Mutex<Vec<Context>>>,
    places: Places,
    long: Places,
}

impl Readers {
    pub(crate) fn new(office: Office) -> Self {
        let (places, long) = (Places::new(MOST, MOST_EACH), Places::new(MOST_LONG, MOST_LONG_EACH));
        Self { office, idle: Arc::default(), places, long }
    }

    /// Looks at the ledger for `caller`, on a thread that may wait for it.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        caller: Caller,
        look: impl FnOnce(&mut Context) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.look_from(&self.places, caller, look).await
    }

    /// The same for what takes long, beside which short looks go on.
    pub(crate) async fn look_long<T: Send + 'static>(
        &self,
        caller: Caller,
        look: impl FnOnce(&mut Context) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.look_from(&self.long, caller, look).await
    }

    async fn look_from<T: Send + 'static>(
        &self,
        places: &Places,
        caller: Caller,
        look: impl FnOnce(&mut Context) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let place = places.take(caller.owner()).await?;
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tokio::runtime::Runtime;

    use super::*;
    use crate::sample;

    #[test]
    fn those_who_read_everything_leave_room_for_those_who_look_something_up() {
        let folder = tempfile::tempdir().unwrap();
        let readers = Arc::new(Readers::new(sample::office(folder.path())));
        let runtime = Runtime::new().unwrap();
        let (ends, begun) = (Arc::new(std::sync::Barrier::new(MOST_LONG + 1)), mpsc::channel());
        for _ in 0..MOST_LONG {
            let (readers, ends, begins) =
                (Arc::clone(&readers), Arc::clone(&ends), begun.0.clone());
            runtime.spawn(async move {
                let long = move |_: &mut Context| {
                    begins.send(()).ok();
                    ends.wait();
                    Ok(())
                };
                readers.look_long(sample::anna(), long).await
            });
        }
        for _ in 0..MOST_LONG {
            begun.1.recv().unwrap();
        }
        let looked = runtime.block_on(readers.look(sample::anna(), |_| Ok("here")));
        assert_eq!(looked.unwrap(), "here");
        ends.wait();
    }
}
