//! The desk of `windlass serve`: one thread that writes for everybody, those who follow what it
//! wrote, and everything that can go wrong below it.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

mod following;
mod full;
mod hold;
mod killing;
mod losing;
mod sharing;

use std::io;
use std::net::SocketAddr;
use std::thread::{self, ScopedJoinHandle};

use serde_json::{Value, json};
use windlass_testkit::http::{self, Request, Response};
use windlass_testkit::{Run, Served, wait};
use windlass_tests::history;
use windlass_tests::ledgers::{Ledger, text};

use crate::hold::Hold;

/// A ledger and the server before it.
struct Desk {
    ledger: Ledger,
    served: Served,
}

impl Desk {
    /// Serves a ledger that has a project `queue`.
    #[track_caller]
    fn on(ledger: Ledger) -> Self {
        Self::of(ledger, serve)
    }

    /// The same with a server of the test's own.
    #[track_caller]
    fn of(ledger: Ledger, serve: impl FnOnce(&Ledger) -> Run) -> Self {
        let _made = ledger.answer(&["project", "create", "queue"]);
        let served = Served::from_run(&ledger.home, &serve(&ledger));
        Self { ledger, served }
    }

    fn on_sqlite() -> Self {
        Self::on(Ledger::on_sqlite())
    }

    fn on_postgres() -> Option<Self> {
        Ledger::on_postgres().map(Self::on)
    }

    /// Lets the server end and starts another at the same address.
    #[track_caller]
    fn after(self, end: impl FnOnce(Served)) -> Self {
        let Self { ledger, served } = self;
        let address = served.address().to_string();
        end(served);
        let run = ledger.windlass(&["serve", "--listen", &address]);
        let served = Served::from_run(&ledger.home, &run);
        Self { ledger, served }
    }

    fn client(&self) -> Client {
        Client { address: self.served.address(), token: self.served.token() }
    }

    /// A number of `/metrics`.
    #[track_caller]
    fn number(&self, name: &str) -> usize {
        let text = self.served.get("/metrics").ok().text();
        let value = text.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
        let value = value.unwrap_or_else(|| panic!("no {name} in\n{text}"));
        value.parse().unwrap()
    }

    fn commits(&self) -> usize {
        self.number("windlass_commit_commands_count")
    }

    /// Lets the writer be busy with the first command while the others come, then lets it go on:
    /// these others share a commit. `meanwhile` happens just before it goes on, and lets it. Gives
    /// the answers of all.
    #[track_caller]
    fn share(&self, commands: &[Command], meanwhile: impl FnOnce(Hold)) -> Vec<Response> {
        let hold = Hold::of(&self.ledger);
        let (client, commits) = (&self.client(), self.commits());
        thread::scope(|scope| {
            let begin = |(number, command)| {
                let sent = scope.spawn(move || client.does(command));
                wait::until("the writer has it or it waits", || match number {
                    0 => self.commits() > commits,
                    _ => self.number("windlass_commands_waiting") == number,
                });
                sent
            };
            let sent: Vec<ScopedJoinHandle<'_, _>> =
                commands.iter().enumerate().map(begin).collect();
            meanwhile(hold);
            sent.into_iter().map(|sent| sent.join().unwrap().unwrap()).collect()
        })
    }

    /// Lets these commands share a commit, and nothing else happen.
    #[track_caller]
    fn share_a_commit(&self, commands: &[Command]) -> Vec<Response> {
        let mut answers = self.share(&[&[add("the first")], commands].concat(), drop);
        let _added = answers.remove(0).ok();
        answers
    }

    /// The titles of all tasks, in alphabetical order.
    #[track_caller]
    fn titles(&self) -> Vec<String> {
        titles(&self.ledger)
    }
}

/// A server on a ledger, ready to be started.
#[track_caller]
fn serve(ledger: &Ledger) -> Run {
    ledger.windlass(&["serve", "--listen", "127.0.0.1:0"])
}

#[track_caller]
fn titles(ledger: &Ledger) -> Vec<String> {
    let listed = ledger.answer(&["task", "list", "--limit", "1000"]);
    let mut titles: Vec<String> =
        listed["tasks"].as_array().unwrap().iter().map(|task| text(&task["title"])).collect();
    titles.sort();
    titles
}

/// The log and the views are whole, and agree.
#[track_caller]
fn is_whole(ledger: &Ledger) {
    assert_eq!(ledger.answer(&["audit", "verify"])["sound"], true);
    assert_eq!(history::wrong_in_log(&log(ledger)), []);
    assert_eq!(ledger.answer(&["doctor", "--rebuild"])["healthy"], true);
}

#[track_caller]
fn log(ledger: &Ledger) -> Vec<history::Event> {
    history::events(&ledger.windlass(&["events"]).run().ok().stdout).unwrap()
}

/// A request for an operation.
#[derive(Debug, Clone)]
struct Command {
    operation: &'static str,
    arguments: Value,
    op_id: Option<String>,
}

impl Command {
    fn new(operation: &'static str, arguments: Value) -> Self {
        Self { operation, arguments, op_id: None }
    }

    fn op_id(self, op_id: impl Into<String>) -> Self {
        Self { op_id: Some(op_id.into()), ..self }
    }
}

fn add(title: impl Into<String>) -> Command {
    let title: String = title.into();
    let arguments = json!({"title": title, "project": "queue", "status": "ready"});
    Command::new("task.add", arguments)
}

/// Somebody who uses a server that may be away.
#[derive(Debug, Clone)]
struct Client {
    address: SocketAddr,
    token: String,
}

impl Client {
    fn does(&self, command: &Command) -> io::Result<Response> {
        let path = format!("/v1/ops/{}", command.operation);
        let mut request = Request::json(&path, &command.arguments).bearer(&self.token);
        if let Some(op_id) = &command.op_id {
            request = request.header("windlass-op-id", op_id);
        }
        http::send(self.address, &request)
    }
}
