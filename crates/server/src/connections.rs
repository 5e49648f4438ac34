//! Connections: so many at once, each with a farewell that is heard.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep, timeout};

use crate::http::journal::Peer;

/// How many may be connected at once: followers, and those who ask for something.
const MOST: u64 = 10_000 + 2_048;
/// Files that the server opens beside connections.
const OTHER_FILES: u64 = 128;
/// How many of those who are too many are told so at once.
const MOST_TURNED_AWAY: usize = 64;
/// How long a caller may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// Longest head of a request that is read.
const HEAD_BYTES: usize = 64 * 1024;
/// How long a caller may take nothing of what is said to it.
const STALL: Duration = Duration::from_secs(30);
/// How long a connection that is over may take to hear the last answer.
const LINGER: Duration = Duration::from_secs(2);

/// Turned away before anything is read.
const FULL: &str = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n\
     content-type: application/problem+json\r\n";
const FULL_BODY: &str = "{\"type\":\"/errors/server_busy\",\"title\":\"Try again\",\"status\":503,\
     \"detail\":\"too many are connected already\",\"code\":\"server_busy\",\
     \"hint\":\"try again in a moment\",\"details\":{},\"suggestions\":[],\"exit\":8}";

/// Where callers come in.
pub(crate) struct Connections {
    http: http1::Builder,
    service: TowerToHyperService<Router>,
    places: Arc<Semaphore>,
    turned_away: Arc<Semaphore>,
    graceful: GracefulShutdown,
}

impl Connections {
    pub(crate) fn new(router: Router) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES);
        let places = usize::try_from(most()).unwrap_or(Semaphore::MAX_PERMITS);
        Self {
            http,
            service: TowerToHyperService::new(router),
            places: Arc::new(Semaphore::new(places)),
            turned_away: Arc::new(Semaphore::new(MOST_TURNED_AWAY)),
            graceful: GracefulShutdown::new(),
        }
    }

    /// Answers whoever is at the other end, if there is room; says whether there was.
    pub(crate) fn take(&self, stream: TcpStream, from: SocketAddr) -> bool {
        let _small_packets = stream.set_nodelay(true);
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            if let Ok(place) = Arc::clone(&self.turned_away).try_acquire_owned() {
                tokio::spawn(turn_away(stream, place));
            }
            return false;
        };
        let stream = Connection { stream: Some((stream, place)), stalled: None };
        let connection =
            self.http.serve_connection(TokioIo::new(stream), self.answering(from.ip()));
        let connection = self.graceful.watch(connection);
        tokio::spawn(async move {
            // What goes wrong here concerns this caller alone, who sees it.
            let _ended = connection.await;
        });
        true
    }

    /// The service, told where requests come from.
    fn answering(
        &self,
        from: IpAddr,
    ) -> impl hyper::service::HttpService<
        hyper::body::Incoming,
        ResBody = axum::body::Body,
        Error = std::convert::Infallible,
        Future: Send,
    > + use<> {
        let service = self.service.clone();
        service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
            request.extensions_mut().insert(Peer(from));
            service.call(request)
        })
    }

    /// Waits until everything that was begun is answered.
    pub(crate) async fn finish(self) {
        self.graceful.shutdown().await;
    }
}

/// As many as there may be files, and no more than is sensible. The process asks for all that it
/// may have.
fn most() -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = MOST + OTHER_FILES;
    let possible = maximum.map_or(wanted, |maximum| maximum.min(wanted));
    let has_enough = current.is_none_or(|current| current >= possible);
    let raised = has_enough
        || setrlimit(Resource::Nofile, Rlimit { current: Some(possible), maximum }).is_ok();
    let files = if raised { possible } else { current.unwrap_or(wanted) };
    files.saturating_sub(OTHER_FILES).max(1)
}

async fn turn_away(mut stream: TcpStream, _place: OwnedSemaphorePermit) {
    let answer = format!("{FULL}content-length: {}\r\n\r\n{FULL_BODY}", FULL_BODY.len());
    let said = async {
        stream.write_all(answer.as_bytes()).await?;
        part(&mut stream).await
    };
    // Whoever does not hear it finds the connection closed.
    let _heard = timeout(LINGER, said).await;
}

/// Ends a connection from our side and lets the other side finish its sentence. What it still sends
/// would otherwise make it lose the answer.
async fn part(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.shutdown().await?;
    let mut unread = vec![0; 16 * 1024];
    while stream.read(&mut unread).await? > 0 {}
    Ok(())
}

/// A connection that parts in peace when it is dropped.
struct Connection {
    /// There until then.
    stream: Option<(TcpStream, OwnedSemaphorePermit)>,
    /// How long the other side may still take nothing, while it does.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    fn stream(&mut self) -> std::io::Result<Pin<&mut TcpStream>> {
        let stream = self.stream.as_mut().map(|(stream, _)| Pin::new(stream));
        stream.ok_or_else(|| std::io::ErrorKind::NotConnected.into())
    }

    /// Gives up a caller that takes nothing: what waits for it would be kept for ever.
    fn unless_stalled<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<std::io::Result<T>>,
    ) -> Poll<std::io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(STALL)));
        stalled.as_mut().poll(cx).map(|()| Err(std::io::ErrorKind::TimedOut.into()))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let Some((mut stream, place)) = self.stream.take() else { return };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let _parted = timeout(LINGER, part(&mut stream)).await;
                drop(place);
            });
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        self.stream()?.poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let written = self.stream()?.poll_write(cx, bytes);
        self.unless_stalled(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let written = self.stream()?.poll_write_vectored(cx, parts);
        self.unless_stalled(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        self.stream()?.poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        self.stream()?.poll_shutdown(cx)
    }
}
