//! `serve`: listens, answers, and stops without dropping what it began.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use sha2::{Digest as _, Sha256};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use windlass_domain::Code;
use windlass_ledger::Fault;

use crate::desk::{Desk, Office};
use crate::http::{Doorkeeper, House, router};
use crate::live::Live;
use crate::mcp::http::Mcp;
use crate::ticket::Tickets;
use crate::token::Token;

/// How long a caller may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// Longest head of a request that is read.
const HEAD_BYTES: usize = 64 * 1024;
/// How long requests may take to end when the server stops.
const FAREWELL: Duration = Duration::from_secs(20);

/// How a server is started.
#[derive(Debug)]
pub struct Options {
    pub listen: SocketAddr,
    /// Names by which it is called, beside `localhost` and addresses.
    pub names: Vec<String>,
    /// Where tokens are kept.
    pub tokens: PathBuf,
    pub office: Office,
}

/// Serves until it is told to stop. `ready` hears the address once callers are answered.
pub fn run(options: Options, ready: impl FnOnce(SocketAddr)) -> Result<(), Fault> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| {
        Fault::new(Code::Bug, format!("no threads can be started: {error}"))
            .hint("check the limits of the machine")
    })?;
    runtime.block_on(serve(options, ready))
}

async fn serve(options: Options, ready: impl FnOnce(SocketAddr)) -> Result<(), Fault> {
    let Options { listen, names, tokens, office } = options;
    let unusable = |error: std::io::Error| address_unusable(listen, &error);
    let mut terminate = signal(SignalKind::terminate()).map_err(unusable)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(unusable)?;
    let listener = TcpListener::bind(listen).await.map_err(unusable)?;
    let address = listener.local_addr().map_err(unusable)?;
    let token = match address.ip().is_loopback() {
        true => Some(Token::make(&tokens, address.port())?),
        false => None,
    };
    let user = office.surroundings.user.clone();
    let desk = Desk::open(office.clone())?;
    let stop = CancellationToken::new();
    let live = Live::start(&office, desk.clone(), stop.clone())?;
    let mcp = Mcp::new(desk.clone(), office, stop.clone());
    let digest = token.as_ref().map(|token| Sha256::digest(token.text().as_bytes()).into());
    let tickets = token.as_ref().map(|token| Tickets::of(token.text()));
    let doorkeeper = Doorkeeper { token: digest, tickets, user, names, port: address.port() };
    let house = House { desk: desk.clone(), live, doorkeeper, mcp };
    let service = TowerToHyperService::new(router(Arc::new(house)));
    ready(address);

    let graceful = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES);
    loop {
        let stream: TcpStream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // A caller that is gone already, or too many at once: those who are here go on.
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
        };
        let _small_packets = stream.set_nodelay(true);
        let connection = http.serve_connection(TokioIo::new(stream), service.clone());
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // What goes wrong here concerns this caller alone, who sees it.
            let _ended = connection.await;
        });
    }
    drop(listener);
    stop.cancel();
    let _in_time = tokio::time::timeout(FAREWELL, graceful.shutdown()).await;
    let closed = tokio::task::spawn_blocking(move || desk.close());
    closed.await.map_err(|source| Fault::bug("the writer did not end").because(source))?;
    drop(token);
    Ok(())
}

fn address_unusable(listen: SocketAddr, error: &std::io::Error) -> Fault {
    Fault::new(Code::AddressUnusable, format!("cannot listen on {listen}: {error}"))
        .hint("choose another: windlass serve --listen 127.0.0.1:0")
        .detail("listen", listen.to_string())
}
