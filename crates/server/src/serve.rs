//! `serve`: listens, answers, and stops without dropping what it began.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;
use windlass_domain::{Code, Refusal};
use windlass_ledger::{Error, Fault, Ledger};

use crate::connections::Connections;
use crate::desk::{Desk, Office};
use crate::http::{Doorkeeper, House, Readiness, Room, Stays, places, router};
use crate::limits::Limits;
use crate::live::Live;
use crate::mcp::http::Mcp;
use crate::metrics::Limited;
use crate::sweep::Sweep;
use crate::ticket::Tickets;
use crate::token::Token;

/// How long requests may take to end when the server stops.
const FAREWELL: Duration = Duration::from_secs(20);
/// How long the commit may take that is under way then.
const LAST_COMMIT: Duration = Duration::from_secs(5);
/// A server that was told to stop has ended after this.
pub const LONGEST_STOP: Duration = FAREWELL.saturating_add(LAST_COMMIT);
/// How long nobody is let in after the system could not let somebody in.
const PAUSE: Duration = Duration::from_millis(50);

/// How a server is started.
#[derive(Debug)]
pub struct Options {
    pub listen: SocketAddr,
    /// Names by which it is called, beside `localhost` and addresses.
    pub names: Vec<String>,
    /// How often each key may come in a second; 0 is as often as it likes.
    pub rate: u32,
    /// Where tokens are kept.
    pub tokens: PathBuf,
    pub office: Office,
}

/// Serves until it is told to stop. `ready` hears the address once callers are answered.
pub fn run(options: Options, ready: impl FnOnce(SocketAddr)) -> Result<(), Error> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| {
        Fault::new(Code::Bug, format!("no threads can be started: {error}"))
            .hint("check the limits of the machine")
    })?;
    let served = runtime.block_on(serve(options, ready));
    // Whatever is still under way was told to end, or is to be left.
    runtime.shutdown_background();
    served
}

async fn serve(options: Options, ready: impl FnOnce(SocketAddr)) -> Result<(), Error> {
    let Options { listen, names, rate, tokens, office } = options;
    let unusable = |error: std::io::Error| address_unusable(listen, &error);
    let mut stops = Stops::listen().map_err(unusable)?;
    let listener = TcpListener::bind(listen).await.map_err(unusable)?;
    let address = listener.local_addr().map_err(unusable)?;
    let user = office.surroundings.user.clone();
    let stop = CancellationToken::new();
    let (desk, live) = open(office.clone(), address, stop.clone()).await?;
    let is_loopback = address.ip().is_loopback();
    let token = is_loopback.then(|| Token::make(&tokens, address)).transpose()?;
    let mcp = Mcp::new(desk.clone(), office, stop.clone());
    let digest = token.as_ref().map(|token| Sha256::digest(token.text().as_bytes()).into());
    let tickets = token.as_ref().map(|token| Tickets::of(token.text())).transpose()?;
    let (stays, port) = (Stays::default(), address.port());
    tokio::spawn(Sweep::new(desk.clone(), user.clone()).run(stop.clone()));
    let doorkeeper = Doorkeeper { token: digest, tickets, stays, user, names, port };
    let house = House {
        desk: desk.clone(),
        live,
        doorkeeper,
        mcp,
        limits: Limits::new(rate),
        readiness: Readiness::default(),
        room: Room::default(),
        followers: places(),
    };
    let connections = Connections::new(router(Arc::new(house)));
    tracing::info!(%address, "listening on http://{address}");
    ready(address);

    answer(&listener, &connections, &desk, &mut stops).await;
    // As long as the address is ours, nobody else has put a token there.
    drop(token);
    drop(listener);
    stop.cancel();
    tracing::info!("stopping: what was begun is finished; a second signal ends at once");
    tokio::select! {
        closed = farewell(connections, desk) => closed?,
        () = stops.next() => tracing::warn!("ended at once"),
    }
    Ok(())
}

/// Opens the ledger, which may wait for a database, on a thread that may.
async fn open(
    office: Office,
    address: SocketAddr,
    stop: CancellationToken,
) -> Result<(Desk, Live), Error> {
    let opened = tokio::task::spawn_blocking(move || {
        let desk = Desk::open(office.clone())?;
        if !address.ip().is_loopback() {
            refuse_without_keys(&office, address)?;
        }
        let live = Live::start(&office, desk.clone(), stop)?;
        Ok((desk, live))
    });
    opened.await.map_err(|source| Fault::bug("the ledger was not opened").because(source))?
}

/// Lets callers in until the server shall stop.
async fn answer(listener: &TcpListener, connections: &Connections, desk: &Desk, stops: &mut Stops) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stops.next() => return,
        };
        match accepted {
            Ok((stream, from)) => {
                if !connections.take(stream, from) {
                    desk.metrics().limited(Limited::Connections);
                }
            }
            // A caller that is gone already, or too many files: those who are here go on.
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Finishes what was begun.
async fn farewell(connections: Connections, desk: Desk) -> Result<(), Fault> {
    if tokio::time::timeout(FAREWELL, connections.finish()).await.is_err() {
        tracing::warn!("some requests did not end in time");
    }
    let closed = tokio::task::spawn_blocking(move || desk.close());
    let Ok(closed) = tokio::time::timeout(LAST_COMMIT, closed).await else {
        // What is not committed leaves nothing behind, and nobody has heard that it was done.
        tracing::warn!("the ledger did not let the last commands be written in time");
        return Ok(());
    };
    closed.map_err(|source| Fault::bug("the writer did not end").because(source))
}

/// The signals by which a server is told to stop.
struct Stops {
    terminate: Signal,
    interrupt: Signal,
}

impl Stops {
    fn listen() -> std::io::Result<Self> {
        let terminate = signal(SignalKind::terminate())?;
        Ok(Self { terminate, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Where others can reach it, nobody gets in without a key; without any, nobody could get in at all.
fn refuse_without_keys(office: &Office, address: SocketAddr) -> Result<(), Error> {
    let mut ledger = Ledger::open(&office.workplace.location, office.workplace.options())?;
    let has_one = ledger.read(|snapshot| {
        let now = snapshot.now();
        Ok(snapshot.keys()?.iter().any(|key| key.is_valid(now)))
    })?;
    match has_one {
        true => Ok(()),
        false => Err(Refusal::new(
            Code::KeyRequired,
            format!("{address} can be reached by others, and the ledger has no valid key"),
        )
        .hint("make one first: windlass key create --for person:NAME --role admin")
        .detail("listen", address.to_string())
        .into()),
    }
}

fn address_unusable(listen: SocketAddr, error: &std::io::Error) -> Fault {
    Fault::new(Code::AddressUnusable, format!("cannot listen on {listen}: {error}"))
        .hint("choose another: windlass serve --listen 127.0.0.1:0")
        .detail("listen", listen.to_string())
}
