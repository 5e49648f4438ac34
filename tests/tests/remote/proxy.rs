//! Somebody between a client and its server, who cuts connections by plan.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use windlass_testkit::wait;

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is carried there, and the answer back.
    Carried,
    /// It never gets there.
    Swallowed,
    /// It gets there, and no answer comes back.
    Unanswered,
    /// The answer breaks off in the middle.
    HalfAnswered,
    /// Somebody else answers that the server cannot be reached, when it was.
    BadGateway,
}

/// Listens until the test ends. The first requests have the fates of the plan; the rest are carried.
#[derive(Debug)]
pub(crate) struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    server: SocketAddr,
    plan: Mutex<Vec<Fate>>,
    requests: AtomicUsize,
}

impl Proxy {
    pub(crate) fn to(server: SocketAddr, plan: &[Fate]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let mut plan = plan.to_vec();
        plan.reverse();
        let (plan, requests) = (Mutex::new(plan), AtomicUsize::new(0));
        let shared = Arc::new(Shared { server, plan, requests });
        let all = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let shared = Arc::clone(&all);
                // A connection that breaks is what this is about.
                thread::spawn(move || drop(carry(&client, &shared)));
            }
        });
        Self { address, shared }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many requests came.
    pub(crate) fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }

    #[track_caller]
    pub(crate) fn waits_for_a_request(&self) {
        wait::until("a request has come", || self.requests() > 0);
    }
}

/// Carries the requests of one connection, each in a connection of its own.
fn carry(client: &TcpStream, shared: &Shared) -> io::Result<()> {
    let mut input = BufReader::new(client);
    while let Some(request) = message(&mut input)? {
        shared.requests.fetch_add(1, Ordering::SeqCst);
        let fate = shared.plan.lock().unwrap().pop().unwrap_or(Fate::Carried);
        if fate == Fate::Swallowed {
            return Ok(());
        }
        let mut server = TcpStream::connect(shared.server)?;
        server.write_all(&request)?;
        let answer = message(&mut BufReader::new(&server))?.unwrap_or_default();
        let mut back = client;
        match fate {
            Fate::Carried if answer.is_empty() => return Ok(()),
            Fate::Carried => back.write_all(&answer)?,
            Fate::Swallowed | Fate::Unanswered => return Ok(()),
            Fate::HalfAnswered => return back.write_all(&answer[..answer.len() - 10]),
            Fate::BadGateway => {
                let page = "<h1>bad gateway</h1>";
                let length = page.len();
                write!(back, "HTTP/1.1 502 No\r\ncontent-length: {length}\r\n\r\n{page}")?;
            }
        }
    }
    Ok(())
}

/// A request or an answer with its body; nothing at the end.
fn message(input: &mut BufReader<&TcpStream>) -> io::Result<Option<Vec<u8>>> {
    let mut whole = Vec::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        whole.extend_from_slice(line.as_bytes());
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    whole.extend(body);
    Ok(Some(whole))
}
