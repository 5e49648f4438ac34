//! Many processes at one ledger, all started at the same moment, on both databases.
//!
//! What they were told is compared with the log by the checker in `history.rs`, and the checker
//! itself is put to the test by workers that claim wrongly.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what goes wrong in a helper of a test ends the test"
)]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use windlass_domain::chain::Provenance;
use windlass_domain::{Event, ProjectId, TaskId, Time};
use windlass_ledger::{Clock, Location, Options, SystemClock, Transaction, export};
use windlass_testkit::barrier::start_together;
use windlass_testkit::{Outcome, Run, home, wait};
use windlass_tests::history::{self, Answer, Wrong};
use windlass_tests::ledgers::{Ledger, text};

/// Claims until there is nothing left; keeps every answer in a file and ends at the first error.
///
/// `$0` is the program to claim with, `$1` the name of the worker, `$2` the file.
const WORKER: &str = r#"
while answer=$("$0" task claim --next -P queue --agent "$1"); do
    printf '%s\n' "$answer" >>"$2"
    case $answer in *'"task_id":null'*) exit 0 ;; esac
done
printf '%s\n' "$answer" >&2
exit 1"#;

#[test]
fn sixty_four_processes_drain_two_thousand_tasks_each_once_on_sqlite() {
    drain_two_thousand(&Ledger::on_sqlite());
}

#[test]
fn sixty_four_processes_drain_two_thousand_tasks_each_once_on_postgresql() {
    let Some(ledger) = Ledger::on_postgres() else {
        return;
    };
    drain_two_thousand(&ledger);
}

fn drain_two_thousand(ledger: &Ledger) {
    add_queue(ledger, 2_000);
    let workers = vec![home::binary(); 64];
    let answers = drain(ledger, &workers);
    assert_eq!(answers.iter().map(Vec::len).sum::<usize>(), 2_000);
    assert!(answers.iter().all(|won| !won.is_empty()), "a worker that won nothing was in no race");
    assert_eq!(history::wrong_in_drain(&log(ledger), &answers.concat()), []);
    healthy(ledger);
}

/// Every second claim repeats the answer before it.
const REPEATS: &str = r#"
test -s "$own/answer" && cat "$own/answer" && rm "$own/answer" && exit
windlass "$@" | tee "$own/answer""#;

/// Every second claim gives out the newest task of the first worker as its own.
const COPIES: &str = r#"
if test -e "$own/honest" && test -s "$answers/w0"; then
    rm "$own/honest"
    tail -n 1 "$answers/w0" | sed "s/\"agent\":\"w0\"/\"agent\":\"$agent\"/g"
else
    touch "$own/honest"
    windlass "$@"
fi"#;

/// Every second claim looks at the queue and takes its first task without asking the ledger.
const LOOKS: &str = r#"
found=$(windlass task list --available --limit 1)
case $found in
    *'"task_id"'*) test -e "$own/honest" && rm "$own/honest" &&
        printf '%s\n' "$found" |
        sed "s/.*\"task_id\":\"\([^\"]*\)\".*/{\"agent\":\"$agent\",\"fence\":1,\"task_id\":\"\1\"}/" &&
        exit ;;
esac
touch "$own/honest"
windlass "$@""#;

/// Every second claim takes by force what the first worker won last.
const FORCES: &str = r#"
if test -e "$own/honest" && test -s "$answers/w0"; then
    rm "$own/honest"
    task=$(head -n 1 "$answers/w0" | sed 's/.*"task_id":"\([^"]*\)".*/\1/')
    windlass task steal "$task" --force --agent "$agent"
else
    touch "$own/honest"
    windlass "$@"
fi"#;

/// Every claim is made twice, and only the second is told.
const KEEPS_SILENT: &str = r#"
windlass "$@" >"$own/unsaid"
windlass "$@""#;

#[test]
fn a_worker_that_repeats_its_answer_is_found_among_honest_processes() {
    let wrong = drain_with_one_wrong_worker(REPEATS);
    let found = |one: &Wrong| matches!(one, Wrong::AnsweredAgain(_));
    assert!(wrong.iter().any(found), "{wrong:?}");
}

#[test]
fn a_worker_that_gives_out_a_task_of_another_is_found_among_honest_processes() {
    let wrong = drain_with_one_wrong_worker(COPIES);
    let found = |one: &Wrong| matches!(one, Wrong::AnswerWithoutEvent(_));
    assert!(wrong.iter().any(found), "{wrong:?}");
}

#[test]
fn a_worker_that_takes_what_it_sees_is_found_among_honest_processes() {
    let wrong = drain_with_one_wrong_worker(LOOKS);
    // Mostly somebody else wins what it took; now and then the queue gives it the same task again.
    let found = |one: &Wrong| matches!(one, Wrong::AnswerWithoutEvent(_) | Wrong::AnsweredAgain(_));
    assert!(wrong.iter().any(found), "{wrong:?}");
}

#[test]
fn a_worker_that_takes_by_force_is_found_among_honest_processes() {
    let wrong = drain_with_one_wrong_worker(FORCES);
    let found = |one: &Wrong| matches!(one, Wrong::NotOnce { .. });
    assert!(wrong.iter().any(found), "{wrong:?}");
}

#[test]
fn a_worker_that_keeps_a_claim_to_itself_is_found_among_honest_processes() {
    let wrong = drain_with_one_wrong_worker(KEEPS_SILENT);
    let found = |one: &Wrong| matches!(one, Wrong::EventWithoutAnswer(_));
    assert!(wrong.iter().any(found), "{wrong:?}");
}

/// What the checker says when the last of eight workers uses that script for the binary.
fn drain_with_one_wrong_worker(script: &str) -> Vec<Wrong> {
    let ledger = Ledger::on_sqlite();
    add_queue(&ledger, 80);
    let mut workers = vec![home::binary(); 7];
    workers.push(wrong_worker(&ledger, script));
    let answers = drain(&ledger, &workers);
    history::wrong_in_drain(&log(&ledger), &answers.concat())
}

/// A program that stands in for the binary; it finds the binary as `windlass`, its name in
/// `$agent`, a folder of its own and that of all answers.
fn wrong_worker(ledger: &Ledger, script: &str) -> PathBuf {
    let own = ledger.home.path().join("wrong");
    fs::create_dir(&own).unwrap();
    let program = own.join("windlass");
    let opening = format!(
        "#!/bin/sh\nagent=w7 own='{}' answers='{}'\nwindlass() {{ '{}' \"$@\"; }}\n",
        own.display(),
        answers_folder(ledger).display(),
        home::binary().display(),
    );
    fs::write(&program, opening + script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// Starts a worker for each program, lets them empty the queue, and gives the answers of each.
fn drain(ledger: &Ledger, workers: &[PathBuf]) -> Vec<Vec<Answer>> {
    let folder = answers_folder(ledger);
    fs::create_dir(&folder).unwrap();
    let files: Vec<PathBuf> =
        (0..workers.len()).map(|number| folder.join(format!("w{number}"))).collect();
    let runs: Vec<Run> =
        workers.iter().zip(&files).map(|(program, file)| worker(ledger, program, file)).collect();
    for outcome in race(&runs) {
        let outcome = outcome.ok();
        assert_eq!(outcome.stderr, "", "a worker complained\n{outcome}");
    }
    let read = |file| history::answers(&fs::read_to_string(file).unwrap()).unwrap();
    files.iter().map(read).collect()
}

fn worker(ledger: &Ledger, program: &Path, file: &Path) -> Run {
    ledger
        .home
        .program("/bin/sh")
        .args(["-c", WORKER])
        .args([program, Path::new(file.file_name().unwrap()), file])
        .db(&ledger.address)
}

fn answers_folder(ledger: &Ledger) -> PathBuf {
    ledger.home.path().join("answers")
}

#[test]
fn of_thirty_two_processes_that_steal_an_expired_lease_one_wins_on_sqlite() {
    steal_together(&Ledger::on_sqlite());
}

#[test]
fn of_thirty_two_processes_that_steal_an_expired_lease_one_wins_on_postgresql() {
    let Some(ledger) = Ledger::on_postgres() else {
        return;
    };
    steal_together(&ledger);
}

fn steal_together(ledger: &Ledger) {
    let task = add_task_with_expired_lease(ledger);
    let runs: Vec<Run> = (0..32)
        .map(|number| {
            let agent = format!("w{number}");
            let lease = ["--if-expired", "--lease", "30m", "--agent", &agent];
            windlass(ledger, &[&["task", "steal", &task], &lease[..]].concat())
        })
        .collect();
    let (won, refused): (Vec<Outcome>, Vec<Outcome>) =
        race(&runs).into_iter().partition(|run| run.code == Some(0));

    assert_eq!(won.len(), 1, "{won:?}");
    for loser in &refused {
        let _told = loser.refused("lease_not_expired", 3);
    }
    let mut answers = history::answers(&won[0].stdout).unwrap();
    assert_eq!(answers[0].fence, 2);
    answers.push(first_claim(task));
    let events = log(ledger);
    assert_eq!(history::wrong_in_log(&events), []);
    assert_eq!(history::wrong_in_answers(&events, &answers), []);
    healthy(ledger);
}

#[test]
fn thirty_two_processes_that_add_the_edges_of_a_ring_leave_it_open_on_sqlite() {
    close_ring_together(&Ledger::on_sqlite());
}

#[test]
fn thirty_two_processes_that_add_the_edges_of_a_ring_leave_it_open_on_postgresql() {
    let Some(ledger) = Ledger::on_postgres() else {
        return;
    };
    close_ring_together(&ledger);
}

fn close_ring_together(ledger: &Ledger) {
    let tasks = add_queue(ledger, 32);
    let next = tasks.iter().cycle().skip(1);
    let runs: Vec<Run> = tasks
        .iter()
        .zip(next)
        .map(|(task, next)| windlass(ledger, &["task", "add-dep", task, next]))
        .collect();
    let (added, refused): (Vec<Outcome>, Vec<Outcome>) =
        race(&runs).into_iter().partition(|run| run.code == Some(0));

    assert_eq!(refused.len(), 1, "{refused:?}");
    let _told = refused[0].refused("dependency_cycle", 3);
    assert!(added.iter().all(|run| run.json()["added"] == true));
    assert_eq!(ledger.answer(&["validate"])["isValid"], true);
    let events = log(ledger);
    let edges = events.iter().filter(|event| event.kind == "dependency_added");
    assert_eq!(edges.count(), 31);
    assert_eq!(history::wrong_in_log(&events), []);
    healthy(ledger);
}

/// Claims for a second, tells so, and finishes its work at the next line of its input.
const SLEEPER: &str = r#"
answer=$("$0" task claim --next -P queue --agent sleeper --lease 1s) || exit 9
printf '%s\n' "$answer" >"$1"
task=$(printf '%s\n' "$answer" | sed 's/.*"task_id":"\([^"]*\)".*/\1/')
read -r _
exec "$0" task complete "$task" --fence 1"#;

#[test]
fn a_holder_frozen_past_its_lease_is_refused_when_it_wakes_on_sqlite() {
    freeze_holder(&Ledger::on_sqlite());
}

#[test]
fn a_holder_frozen_past_its_lease_is_refused_when_it_wakes_on_postgresql() {
    let Some(ledger) = Ledger::on_postgres() else {
        return;
    };
    freeze_holder(&ledger);
}

fn freeze_holder(ledger: &Ledger) {
    let task = add_queue(ledger, 1).remove(0);
    let file = ledger.home.path().join("claimed");
    let run = ledger.home.program("/bin/sh").args(["-c", SLEEPER]);
    let run = run.args([&home::binary(), &file]).db(&ledger.address);
    let mut holder = run.command().stdin(Stdio::piped()).spawn().unwrap();
    wait::until("the holder has its task", || {
        fs::read_to_string(&file).is_ok_and(|answer| answer.ends_with('\n'))
    });
    signal(&holder, Signal::STOP);
    wait::until("the holder is frozen", || state(&holder) == 'T');
    // Had it not been frozen, it would now go on and complete the task in time.
    holder.stdin.take().unwrap().write_all(b"go on\n").unwrap();

    let taken = take_over(ledger, &task);
    assert_eq!((&taken["fence"], &taken["taken_from"]), (&json!(2), &json!("sleeper")));
    assert_eq!(state(&holder), 'T');
    signal(&holder, Signal::CONT);
    let refusal = run.finish(holder).refused("stale_claim", 3);
    assert_eq!(refusal["error"]["details"]["holder"], "waker");

    let kinds: Vec<String> = log(ledger).into_iter().map(|event| event.kind).collect();
    let expected = ["task_claimed", "claim_expired", "task_claimed"];
    assert_eq!(kinds[kinds.len() - 3..], expected);
    assert_eq!(ledger.status(&task), "in_progress");
    assert_eq!(history::wrong_in_log(&log(ledger)), []);
}

/// Claims the task as soon as its lease lets somebody else.
fn take_over(ledger: &Ledger, task: &str) -> serde_json::Value {
    let claim = windlass(ledger, &["task", "claim", task, "--agent", "waker"]);
    let mut taken = None;
    wait::until("the lease has run out", || {
        let outcome = claim.run();
        if outcome.code == Some(0) {
            taken = Some(outcome.json());
        } else {
            let _not_yet = outcome.refused("already_claimed", 3);
        }
        taken.is_some()
    });
    taken.unwrap()
}

fn signal(process: &Child, signal: Signal) {
    kill_process(Pid::from_child(process), signal).unwrap();
}

/// `T` when it is stopped.
fn state(process: &Child) -> char {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap();
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    fields.chars().next().unwrap()
}

/// As in life: unlike [`Ledger::windlass`], it waits for the disk.
fn windlass(ledger: &Ledger, args: &[&str]) -> Run {
    ledger.home.windlass(args).db(&ledger.address)
}

/// Starts all runs together and waits for all.
fn race(runs: &[Run]) -> Vec<Outcome> {
    let children = start_together(runs);
    runs.iter().zip(children).map(|(run, child)| run.finish(child)).collect()
}

fn log(ledger: &Ledger) -> Vec<history::Event> {
    history::events(&ledger.windlass(&["events"]).run().ok().stdout).unwrap()
}

/// The views are what the log says, too.
fn healthy(ledger: &Ledger) {
    assert_eq!(ledger.answer(&["doctor", "--rebuild"])["healthy"], true);
}

/// Fills an empty ledger with ready tasks of the project `queue`, and gives their ids.
fn add_queue(ledger: &Ledger, count: usize) -> Vec<String> {
    record(ledger, Arc::new(SystemClock), |tx| {
        let project = create_project(tx);
        let titles = (0..count).map(|number| format!("task {number}"));
        titles.map(|title| create_task(tx, project, &title)).collect()
    })
}

/// The same with one task that somebody claimed an hour ago for a minute.
fn add_task_with_expired_lease(ledger: &Ledger) -> String {
    record(ledger, Arc::new(AnHourAgo), |tx| {
        let project = create_project(tx);
        let id = create_task(tx, project, "abandoned");
        let claim = first_claim(String::new());
        let until = Time::from_millis(tx.now().as_millis() + 60_000);
        let data = json!({"agent": claim.agent, "fence": claim.fence, "won": "claimed",
            "lease_until": until, "lease_ms": 60_000});
        let task = tx.task_named(&id).unwrap();
        tx.record_task(&task, [event("task_claimed", data)]).unwrap();
        id
    })
}

fn first_claim(task: String) -> Answer {
    Answer { agent: "absent".to_owned(), task, fence: 1 }
}

struct AnHourAgo;

impl Clock for AnHourAgo {
    fn now(&self) -> Time {
        Time::from_millis(SystemClock.now().as_millis() - 3_600_000)
    }
}

/// Records a history in a ledger of its own, at once, and brings it into the ledger of the test.
fn record<T>(
    ledger: &Ledger,
    clock: Arc<dyn Clock>,
    mut work: impl FnMut(&mut Transaction<'_>) -> T,
) -> T {
    let folder = ledger.home.path().join("prepared");
    let location = Location::Sqlite(folder.join("ledger.db"));
    let options = Options { clock: Some(clock), ..Options::default() };
    let mut prepared = windlass_ledger::Ledger::open(&location, options).unwrap();
    let by = Provenance { actor: "test".to_owned(), ..Provenance::default() };
    let made = prepared.write(&by, |tx| Ok(work(tx))).unwrap();
    let mut lines = Vec::new();
    prepared.read(|snapshot| export(snapshot, &mut lines)).unwrap();
    let file = folder.join("ledger.ndjson");
    fs::write(&file, lines).unwrap();
    let imported = ledger.answer(&["import", "ledger", &file.display().to_string()]);
    assert_ne!(text(&imported["added"]), "0");
    made
}

fn create_project(tx: &mut Transaction<'_>) -> ProjectId {
    let id = tx.new_project_id().unwrap();
    tx.create(id, event("project_created", json!({"name": "queue"}))).unwrap();
    id
}

fn create_task(tx: &mut Transaction<'_>, project: ProjectId, title: &str) -> String {
    let id: TaskId = tx.new_task_id().unwrap();
    let data = json!({"project": project, "title": title, "status": "ready"});
    tx.create(id, event("task_created", data)).unwrap();
    id.to_string()
}

fn event(kind: &str, data: serde_json::Value) -> Event {
    Event::decode(kind, 1, &data.to_string()).unwrap()
}
