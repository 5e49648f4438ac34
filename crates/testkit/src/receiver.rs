//! A receiver of hooks: a small HTTP server that remembers what it was sent and answers, or fails
//! to, by plan.
//!
//! It speaks as much HTTP/1.1 as a client needs that sends bodies of a known length.

#![expect(clippy::panic, reason = "a receiver that cannot listen ends its test")]

pub(crate) mod wire;

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use rustix::net::{AddressFamily, SocketType};

use crate::wait;

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// How many came before it.
    pub number: usize,
    pub method: String,
    pub path: String,
    /// In the order they were sent, with names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Received {
    /// The first value of a header, whose name is given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What the receiver does with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A whole answer with a short body.
    Status(u16, Vec<(String, String)>),
    /// A whole answer, but every byte of it is sent by itself.
    Trickle(u16),
    /// Nothing until [`Receiver::go_on`], then 204.
    Stall,
    /// The connection is closed without an answer.
    Hangup,
    /// Bytes that are not HTTP.
    Garbage,
    /// 200, and a body that never ends.
    Endless,
}

impl Answer {
    pub fn status(status: u16) -> Self {
        Self::Status(status, Vec::new())
    }

    pub fn with_header(status: u16, name: &str, value: impl Into<String>) -> Self {
        Self::Status(status, vec![(name.to_owned(), value.into())])
    }
}

/// Listens on a port of its own at 127.0.0.1 until it is dropped.
#[derive(Debug)]
pub struct Receiver {
    address: SocketAddr,
    /// Bound and never listening: nobody else is given the port while the receiver is away.
    _port: OwnedFd,
    shared: Arc<Shared>,
    listening: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    plan: Box<dyn Fn(&Received) -> Answer + Send + Sync>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    received: Vec<Received>,
    /// Whether the port is open.
    present: bool,
    /// Raised by each [`Receiver::go_on`].
    releases: usize,
    connections: HashMap<SocketAddr, TcpStream>,
    accepted: usize,
}

impl Receiver {
    #[track_caller]
    pub fn start(plan: impl Fn(&Received) -> Answer + Send + Sync + 'static) -> Self {
        let (port, address) = hold_port().unwrap_or_else(|error| panic!("no port: {error}"));
        let (plan, state) = (Box::new(plan), Mutex::default());
        let shared = Arc::new(Shared { plan, state, changed: Condvar::new() });
        let receiver = Self { address, _port: port, shared, listening: Mutex::new(None) };
        receiver.come_back();
        receiver
    }

    /// One that answers every request with the same status.
    #[track_caller]
    pub fn answering(status: u16) -> Self {
        Self::start(move |_| Answer::status(status))
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of a path such as `/hook`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// All requests so far, in the order they arrived.
    pub fn received(&self) -> Vec<Received> {
        self.shared.state().received.clone()
    }

    pub fn count(&self) -> usize {
        self.shared.state().received.len()
    }

    /// How many connections were opened to it so far.
    pub fn connections(&self) -> usize {
        self.shared.state().accepted
    }

    /// Answers all that are stalled now.
    pub fn go_on(&self) {
        self.shared.state().releases += 1;
        self.shared.changed.notify_all();
    }

    /// Waits until all that was sent to it has arrived and nobody is connected any more. Meanwhile
    /// nothing is stalled.
    #[track_caller]
    pub fn settle(&self) {
        let last = TcpStream::connect(self.address);
        let last = last.unwrap_or_else(|error| panic!("nobody listens: {error}"));
        let own = last.local_addr().unwrap_or_else(|error| panic!("not connected: {error}"));
        // They are let in as they came, so whoever came before is in as well.
        wait::until("everybody is in", || self.shared.state().connections.contains_key(&own));
        drop(last);
        wait::until("everybody is gone", || {
            self.go_on();
            self.shared.state().connections.is_empty()
        });
    }

    /// Closes every connection; from now on the port refuses them.
    pub fn disappear(&self) {
        let Some(listening) = self.listening().take() else { return };
        self.shared.state().present = false;
        self.shared.changed.notify_all();
        // The listener looks up only when somebody comes.
        drop(TcpStream::connect(self.address));
        drop(listening.join());
        for (_, connection) in self.shared.state().connections.drain() {
            drop(connection.shutdown(Shutdown::Both));
        }
    }

    /// Listens again on the same port.
    #[track_caller]
    pub fn come_back(&self) {
        let mut listening = self.listening();
        if listening.is_some() {
            return;
        }
        let listener = TcpListener::bind(self.address)
            .unwrap_or_else(|error| panic!("cannot listen on {}: {error}", self.address));
        self.shared.state().present = true;
        let shared = Arc::clone(&self.shared);
        *listening = Some(thread::spawn(move || listen(&listener, &shared)));
    }

    fn listening(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.listening.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.disappear();
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("state", &self.state).finish_non_exhaustive()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the request and looks up what to do with it.
    fn receive(&self, mut request: Received) -> Answer {
        // Made before the lock is taken, for which many connections wait.
        let mut kept = request.clone();
        {
            let mut state = self.state();
            request.number = state.received.len();
            kept.number = request.number;
            state.received.push(kept);
        }
        (self.plan)(&request)
    }

    /// Waits at the stall; whether there is still somebody to answer.
    fn stall(&self) -> bool {
        let state = self.state();
        let releases = state.releases;
        let waiting = |state: &mut State| state.present && state.releases == releases;
        let state = self.changed.wait_while(state, waiting).unwrap_or_else(PoisonError::into_inner);
        state.present
    }
}

fn hold_port() -> io::Result<(OwnedFd, SocketAddr)> {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None)?;
    // The listener can share the port only when both ask for it.
    rustix::net::sockopt::set_socket_reuseaddr(&socket, true)?;
    rustix::net::bind(&socket, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    let address = rustix::net::getsockname(&socket)?;
    let address = SocketAddr::try_from(address).map_err(io::Error::from)?;
    Ok((socket, address))
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    while let Ok((connection, client)) = listener.accept() {
        {
            let mut state = shared.state();
            if !state.present {
                return;
            }
            state.accepted += 1;
            if let Ok(handle) = connection.try_clone() {
                state.connections.insert(client, handle);
            }
        }
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // A client that breaks off is none of our concern.
            drop(wire::serve(&connection, &shared));
            drop(connection.shutdown(Shutdown::Both));
            shared.state().connections.remove(&client);
        });
    }
}

#[cfg(test)]
mod tests;
