//! Several machines: two servers on one PostgreSQL, workers that reach the ledger only through
//! them, and followers, while one of the servers is killed and comes back, twice.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what goes wrong in a helper of a test ends the test"
)]

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use windlass_testkit::barrier::start_together;
use windlass_testkit::http::{self, Heard, Request};
use windlass_testkit::{Run, Served, home, wait};
use windlass_tests::ledgers::{Ledger, text};

const WORKERS: usize = 32;

/// Claims, saves a checkpoint and completes until there is nothing left. Each command has an op id
/// and is repeated with it while the server cannot be reached (exit 5); anything else ends the worker.
///
/// `$0` is the program, `$1` the name of the worker.
const WORKER: &str = r#"
number=0
again() {
    until answer=$("$@" --op-id "$op"); do
        test $? = 5 || { printf '%s\n' "$answer" >&2; exit 1; }
    done
}
while :; do
    number=$((number + 1))
    op=$1-$number-claim again "$0" task claim --next -P queue
    task=$(printf '%s' "$answer" | sed -n 's/^{"task_id":"\([^"]*\)".*/\1/p')
    test -n "$task" || exit 0
    op=$1-$number-checkpoint again "$0" task checkpoint "$task" half --fence 1
    op=$1-$number-complete again "$0" task complete "$task" --fence 1
done"#;

#[test]
fn thirty_two_worker_processes_drain_a_queue_through_two_servers_while_one_is_killed_twice() {
    drain(300);
}

#[test]
#[ignore = "minutes: the same with as many tasks as a fleet has in a day"]
fn thirty_two_worker_processes_drain_five_thousand_tasks_while_a_server_is_killed_twice() {
    drain(5_000);
}

fn drain(tasks: usize) {
    let Some(ledger) = Ledger::on_postgres() else {
        return;
    };
    add_queue(&ledger, tasks);
    let (steady, shaky) = (serve(&ledger, any_port()), serve(&ledger, any_port()));
    let addresses = [steady.address(), shaky.address()];
    // Only admins are told of keys, of which every worker has one.
    let follower_key = key(&ledger, "person:watcher", "admin");
    let end = AtomicU64::new(u64::MAX);
    thread::scope(|scope| {
        let followers: Vec<_> = addresses
            .iter()
            .map(|address| scope.spawn(|| follow(*address, &follower_key, &end)))
            .collect();
        let shaky = Mutex::new(Some(shaky));
        let workers = start_workers(&ledger, addresses);
        for part in [1, 2] {
            let done = tasks * part / 3;
            wait::until("a part of the tasks is done", || count_done(&ledger) >= done);
            let mut server = shaky.lock().unwrap();
            server.take().unwrap().kill();
            *server = Some(serve(&ledger, addresses[1]));
        }
        finish(workers);
        end.store(ledger.events(), Ordering::SeqCst);
        for follower in followers {
            let seen = follower.join().unwrap();
            assert_eq!(
                seen,
                (1..=ledger.events()).collect::<Vec<_>>(),
                "each event once, in order"
            );
        }
    });
    each_task_was_done_once(&ledger, tasks);
    assert_eq!(ledger.answer(&["doctor", "--rebuild"])["healthy"], true);
    drop(steady);
}

fn any_port() -> SocketAddr {
    ([127, 0, 0, 1], 0).into()
}

fn serve(ledger: &Ledger, address: SocketAddr) -> Served {
    let listen = address.to_string();
    Served::from_run(&ledger.home, &ledger.windlass(&["serve", "--listen", &listen]))
}

fn add_queue(ledger: &Ledger, count: usize) {
    let _made = ledger.answer(&["project", "create", "queue"]);
    let titles: Vec<String> = (0..count).map(|number| format!("task {number}")).collect();
    let add = ledger.windlass(&["task", "add", "--from", "-", "-P", "queue", "-s", "ready"]);
    let _added = add.stdin(titles.join("\n")).run().ok();
}

fn key(ledger: &Ledger, owner: &str, role: &str) -> String {
    text(&ledger.answer(&["key", "create", "--for", owner, "--role", role])["key"])
}

/// Every worker has a key of its own; half of them go to each server.
fn start_workers(ledger: &Ledger, addresses: [SocketAddr; 2]) -> Vec<(Run, Child)> {
    let runs: Vec<Run> = (0..WORKERS)
        .map(|number| {
            let name = format!("worker-{number}");
            ledger
                .home
                .program("/bin/sh")
                .args(["-c", WORKER])
                .args([home::binary().as_os_str(), name.as_ref()])
                .env("WINDLASS_SERVER", format!("http://{}", addresses[number % 2]))
                .env("WINDLASS_KEY", key(ledger, &format!("agent:{name}"), "worker"))
        })
        .collect();
    let children = start_together(&runs);
    runs.into_iter().zip(children).collect()
}

fn finish(workers: Vec<(Run, Child)>) {
    for (run, child) in workers {
        let outcome = run.finish(child).ok();
        assert_eq!(outcome.stderr, "", "a worker complained\n{outcome}");
    }
}

fn count_done(ledger: &Ledger) -> usize {
    let shown = ledger.answer(&["project", "show", "queue"]);
    let done = &shown["statuses"]["done"];
    usize::try_from(done.as_u64().unwrap_or_else(|| panic!("{shown}"))).unwrap()
}

/// Reads the stream of one server to the end of the log, and comes back with the id of the last
/// event whenever the stream ends.
fn follow(address: SocketAddr, key: &str, end: &AtomicU64) -> Vec<u64> {
    let mut seen = Vec::new();
    while last(&seen) < end.load(Ordering::SeqCst) {
        let request = Request::get("/v1/events/stream?after=0").bearer(key);
        let request = request.header("last-event-id", last(&seen).to_string());
        // While the server is away there is nobody to follow.
        let Ok(stream) = http::try_follow(address, &request) else { continue };
        while last(&seen) < end.load(Ordering::SeqCst) {
            match stream.heard(Duration::from_millis(100)) {
                Ok(Heard::Event(event)) if event.kind == "bye" => break,
                Ok(Heard::Event(event)) => seen.push(event.id.parse().unwrap()),
                Ok(Heard::Comment(_) | Heard::Retry(_)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    }
    seen
}

fn last(seen: &[u64]) -> u64 {
    seen.last().copied().unwrap_or(0)
}

/// One claim and one completion for each, by the same worker.
fn each_task_was_done_once(ledger: &Ledger, tasks: usize) {
    let mut claims: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut completions: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for event in ledger.events_after(0) {
        let kept = match event["kind"].as_str() {
            Some("task_claimed") => &mut claims,
            Some("task_completed") => &mut completions,
            _ => continue,
        };
        kept.entry(text(&event["stream"])).or_default().push(event["actor"].clone());
    }
    assert_eq!(claims.len(), tasks);
    assert!(claims.values().all(|by| by.len() == 1), "a task was claimed twice");
    assert_eq!(claims, completions, "who claimed a task completed it, once");
}
