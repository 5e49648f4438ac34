//! A line to a server, for callers that wait for each answer.

use tokio::runtime::{Builder, Runtime};

use super::{Client, Lost, Reply, Request, Server};

/// A client with the one thread it needs: the caller's own. What is kept open between two requests
/// is kept as long as the line.
#[derive(Debug)]
pub struct Line {
    /// Taken when the line goes.
    runtime: Option<Runtime>,
    client: Client,
}

impl Line {
    pub fn to(server: Server) -> Result<Self, Lost> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| Lost {
            reason: format!("no connection can be waited for: {error}"),
            may_have_arrived: false,
        })?;
        Ok(Self { runtime: Some(runtime), client: Client::new(server)? })
    }

    /// See [`Client::send`].
    pub fn send(&self, request: &Request) -> Result<Reply, Lost> {
        match &self.runtime {
            Some(runtime) => runtime.block_on(self.client.send(request)),
            None => Err(Lost { reason: "the line is closed".to_owned(), may_have_arrived: false }),
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        // A name that is being looked up cannot be broken off, and is not waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
