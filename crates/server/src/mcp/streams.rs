//! Streams that nobody closes: what a session is told without asking, and what listens for changes.
//!
//! Calls under way have their answer even when the server stops. These streams would wait for ever,
//! so they end at once, and also when the key of whoever opened them counts no more.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use futures_util::StreamExt as _;
use tokio::sync::broadcast;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use windlass_ledger::Error;

use super::subscriptions::next;
use super::watch::{Touched, Watch};
use crate::caller::{Caller, Owner};
use crate::desk::Desk;
use crate::shares::{Share, Shares};

/// Most streams at once.
const MOST: usize = 2_048;
/// Most streams of one key.
const MOST_EACH: usize = 256;
/// How often a key is looked at again that nothing is heard of: it may run out.
const LOOK_AGAIN: Duration = Duration::from_secs(15);

/// Where streams are opened.
#[derive(Debug)]
pub(super) struct Streams {
    desk: Desk,
    watch: Watch,
    stopping: CancellationToken,
    shares: Shares,
}

/// A stream that may be opened.
pub(super) struct Opened {
    share: Share,
    stopping: CancellationToken,
    key: Option<WatchedKey>,
}

/// A key that is looked at again whenever something happens to keys.
struct WatchedKey {
    desk: Desk,
    caller: Caller,
    changes: broadcast::Receiver<Arc<Touched>>,
}

impl Streams {
    pub(super) fn new(desk: Desk, watch: Watch, stopping: CancellationToken) -> Self {
        Self { desk, watch, stopping, shares: Shares::new("MCP streams", MOST, MOST_EACH) }
    }

    pub(super) async fn open(&self, caller: &Caller) -> Result<Opened, Error> {
        let share = self.shares.take(caller.owner())?;
        let key = match caller.owner() {
            Owner::Machine => None,
            Owner::Key(_) => {
                let changes = self.watch.listen().await?;
                Some(WatchedKey { desk: self.desk.clone(), caller: caller.clone(), changes })
            }
        };
        Ok(Opened { share, stopping: self.stopping.clone(), key })
    }
}

impl Opened {
    /// Carries what `body` says until it must end. `forbidden` is done when the key counts no more.
    pub(super) fn carry(
        self,
        body: Body,
        forbidden: impl Future<Output = ()> + Send + 'static,
    ) -> Body {
        let Self { share, stopping, key } = self;
        let end = async move {
            let lost = async {
                match key {
                    Some(key) => key.until_lost().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = stopping.cancelled() => {}
                () = lost => forbidden.await,
            }
        };
        Body::from_stream(share.during(Box::pin(body.into_data_stream().take_until(end))))
    }
}

impl WatchedKey {
    /// Returns when the key opens nothing any more.
    async fn until_lost(mut self) {
        loop {
            let later = Instant::now() + LOOK_AGAIN;
            loop {
                match timeout_at(later, next(&mut self.changes)).await {
                    Ok(Some(change)) if !change.is_about_keys() => {}
                    Ok(None) => return,
                    Ok(Some(_)) | Err(_) => break,
                }
            }
            let looked = self.desk.look(self.caller.clone(), |cx| cx.read(|_| Ok(()))).await;
            if matches!(looked, Err(Error::Refused(_))) {
                return;
            }
        }
    }
}
