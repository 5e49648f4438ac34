//! A line to a server, for callers that wait for each answer.

use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use super::watch::{Heard, Watch};
use super::{Client, Lost, Reply, Request, Server};

/// A client with the one thread it needs: the caller's own. What is kept open between two requests
/// is kept as long as the line.
#[derive(Debug)]
pub struct Line {
    /// Taken when the line goes.
    runtime: Option<Runtime>,
    client: Client,
    watch: Option<Watch>,
}

impl Line {
    pub fn to(server: Server) -> Result<Self, Lost> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| Lost {
            reason: format!("no connection can be waited for: {error}"),
            may_have_arrived: false,
        })?;
        Ok(Self { runtime: Some(runtime), client: Client::new(server)?, watch: None })
    }

    /// See [`Client::send`].
    pub fn send(&self, request: &Request) -> Result<Reply, Lost> {
        match &self.runtime {
            Some(runtime) => runtime.block_on(self.client.send(request)),
            None => Err(Lost { reason: "the line is closed".to_owned(), may_have_arrived: false }),
        }
    }
}

impl Line {
    /// Waits until there may be an event after `seq`, but not longer than `patience`; whether it is
    /// worth asking. A server that cannot be listened to is asked every now and then.
    pub fn wait_beyond(&mut self, seq: u64, patience: Duration) -> bool {
        let Some(runtime) = &self.runtime else { return true };
        runtime.block_on(async {
            if self.watch.is_none() {
                self.watch = self.client.watch(seq).await;
            }
            let Some(watch) = &mut self.watch else {
                tokio::time::sleep(patience).await;
                return true;
            };
            match watch.beyond(seq, patience).await {
                Heard::Event => true,
                Heard::Nothing => false,
                Heard::End => {
                    self.watch = None;
                    true
                }
            }
        })
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.watch = None;
        // A name that is being looked up cannot be broken off, and is not waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
