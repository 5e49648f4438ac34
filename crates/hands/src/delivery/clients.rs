//! The HTTP clients, which keep their connections open for the next message.
//!
//! Root certificates are the machine's own. Reading them takes a while, so there are two clients,
//! and the one for TLS is made when it is first needed.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use rustls::ClientConfig;

use super::courier::NotReady;
use crate::{reason, tls};

/// Shorter than receivers keep an idle connection, so that they rarely close it under our hands.
const IDLE: Duration = Duration::from_secs(4);

#[derive(Debug)]
pub(super) struct Clients {
    concurrency: usize,
    plain: Client,
    tls: OnceLock<Result<Client, String>>,
}

impl Clients {
    pub(super) fn new(concurrency: usize) -> Result<Self, NotReady> {
        let plain = client(tls::trusting_nobody()?, concurrency)?;
        Ok(Self { concurrency, plain, tls: OnceLock::new() })
    }

    /// The client for this URL, or why there is none.
    pub(super) fn to(&self, url: &Url) -> Result<Client, String> {
        if url.scheme() != "https" {
            return Ok(self.plain.clone());
        }
        let no_tls = |error| format!("cannot set TLS up: {}", reason::root_cause(&error));
        self.tls.get_or_init(|| self.for_tls().map_err(no_tls)).clone()
    }

    fn for_tls(&self) -> Result<Client, NotReady> {
        client(tls::trusting_as_this_machine()?, self.concurrency)
    }
}

/// Redirects are ours to follow, and the environment, proxies included, is not ours to read.
fn client(tls: ClientConfig, concurrency: usize) -> Result<Client, NotReady> {
    let client = Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(Policy::none())
        .no_proxy()
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(concurrency)
        .build()?;
    Ok(client)
}
