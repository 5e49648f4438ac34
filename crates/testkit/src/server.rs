//! `windlass serve` as a process of its own, for the test that talks to it.

#![expect(clippy::panic, reason = "a server that does not start ends its test")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::http::{self, Request, Response, Stream};
use crate::run::Run;
use crate::{Home, wait};

const LISTENING: &str = "listening on http://";

/// A running server; dropping it kills it.
#[derive(Debug)]
pub struct Served {
    address: SocketAddr,
    token: PathBuf,
    child: Child,
    log: Arc<Mutex<String>>,
}

impl Served {
    /// Starts a server on a free port.
    #[track_caller]
    pub fn start(home: &Home, args: &[&str]) -> Self {
        Self::start_at(home, (Ipv4Addr::LOCALHOST, 0).into(), args)
    }

    /// Starts one at an address, for instance at that of a server that was killed.
    #[track_caller]
    pub fn start_at(home: &Home, address: SocketAddr, args: &[&str]) -> Self {
        let listen = address.to_string();
        let words = ["serve", "--listen", &listen];
        Self::from_run(home, &home.windlass(&[&words, args].concat()))
    }

    /// Starts one from a whole run of `windlass serve`, which a test may give another ledger.
    #[track_caller]
    pub fn from_run(home: &Home, run: &Run) -> Self {
        let mut child = run.spawn();
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            panic!("a server without pipes");
        };
        let log = Arc::default();
        let lines = lines_of(stdout);
        let kept = keep(stderr, Arc::clone(&log));
        let first = lines.recv_timeout(wait::LIMIT).unwrap_or_default();
        let address = first.strip_prefix(LISTENING).and_then(|address| address.parse().ok());
        let Some::<SocketAddr>(address) = address else {
            child.kill().ok();
            child.wait().ok();
            // All that it said is there once the reader has come to the end.
            kept.join().ok();
            let log = log.lock().unwrap_or_else(PoisonError::into_inner);
            panic!("the server did not say where it listens, but {first:?}\n{log}");
        };
        let token = home.data().join(format!("windlass/serve/{address}.token"));
        Self { address, token, child, log }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of a path such as `/tasks`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The file with the token, whether or not it is there.
    pub fn token_file(&self) -> &PathBuf {
        &self.token
    }

    #[track_caller]
    pub fn token(&self) -> String {
        match fs::read_to_string(&self.token) {
            Ok(token) => token.trim().to_owned(),
            Err(error) => panic!("cannot read {}: {error}", self.token.display()),
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What the server has written to standard error so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a request as it is, without showing anything.
    #[track_caller]
    pub fn send(&self, request: &Request) -> Response {
        match http::send(self.address, request) {
            Ok(response) => response,
            Err(error) => panic!("no answer to {request:?}: {error}\n{}", self.log()),
        }
    }

    /// Reads a path, showing the token.
    #[track_caller]
    pub fn get(&self, path: &str) -> Response {
        self.send(&Request::get(path).bearer(&self.token()))
    }

    /// Runs an operation, showing the token.
    #[track_caller]
    pub fn op(&self, name: &str, arguments: &Value) -> Response {
        let path = format!("/v1/ops/{name}");
        self.send(&Request::json(&path, arguments).bearer(&self.token()))
    }

    /// Follows the events, showing the token; the query begins with `?` or is empty.
    #[track_caller]
    pub fn follow(&self, query: &str) -> Stream {
        let path = format!("/v1/events/stream{query}");
        http::follow(self.address, &Request::get(&path).bearer(&self.token()))
    }

    /// Asks the server to stop and waits until it has.
    #[track_caller]
    pub fn stop(mut self) -> ExitStatus {
        self.ask_to_stop();
        self.wait()
    }

    /// Only asks: the server may still finish what it has begun.
    #[track_caller]
    pub fn ask_to_stop(&self) {
        self.signal(Signal::TERM);
    }

    /// Ends the server without a warning.
    pub fn kill(mut self) {
        self.end();
    }

    #[track_caller]
    fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        let child = &mut self.child;
        let ended = wait::happens(|| {
            status = child.try_wait().ok().flatten();
            status.is_some()
        });
        assert!(ended, "the server does not stop\n{}", self.log());
        status.unwrap_or_default()
    }

    #[track_caller]
    fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(Err(error)) = id.map(|id| kill_process(id, signal)) {
            panic!("cannot signal the server: {error}");
        }
    }

    fn end(&mut self) {
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads on after the first line too, so that the server never waits for a reader.
fn lines_of(output: impl Read + Send + 'static) -> Receiver<String> {
    let (tell, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            // Nobody may ask for the later ones.
            tell.send(line).ok();
        }
    });
    lines
}

fn keep(output: impl Read + Send + 'static, log: Arc<Mutex<String>>) -> JoinHandle<()> {
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.push_str(&line);
            log.push('\n');
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that says where it listens, and then what is asked of it.
    fn stand_in(home: &Home, script: &str) -> Served {
        Served::from_run(home, &home.program("/bin/sh").args(["-c", script]))
    }

    #[test]
    fn the_address_and_the_token_are_those_the_server_tells() {
        let home = Home::new();
        let file = home.data().join("windlass/serve/127.0.0.1:4711.token");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "secret\n").unwrap();
        let served = stand_in(&home, "echo listening on http://127.0.0.1:4711; exec sleep 600");
        assert_eq!(served.url("/tasks"), "http://127.0.0.1:4711/tasks");
        assert_eq!(served.token(), "secret");
    }

    #[test]
    fn stopping_lets_the_server_end_in_its_own_way() {
        let home = Home::new();
        let script = "trap 'exit 7' TERM; echo listening on http://127.0.0.1:1; \
                      while :; do sleep 0.01; done";
        assert_eq!(stand_in(&home, script).stop().code(), Some(7));
    }

    #[test]
    #[should_panic(expected = "port is taken")]
    fn a_server_that_does_not_start_shows_why() {
        let home = Home::new();
        drop(stand_in(&home, "echo port is taken >&2; exit 1"));
    }
}
