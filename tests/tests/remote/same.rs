//! Every operation answers through a server what it answers without one: the same text, the same
//! JSON, the same exit code, refusals included.
//!
//! Each command is run on two copies of one ledger: on one as it is, on the other through a server.
//! What only looks comes first, because a server records more: under which op id a command was done.

use std::collections::BTreeSet;

use serde_json::Value;
use windlass_ops::operation::Remotely;
use windlass_ops::table::{Entry, TABLE};
use windlass_testkit::{Home, Outcome, Run};
use windlass_tests::ledgers::text;

use crate::house::{House, LEDGER, ours};
use crate::mask::{Mask, Named};

/// What is there before anything is compared; a task is known by the name before its command.
const BEFORE: &[&str] = &[
    "project create api -d 'the interface'",
    "project create web",
    "project create old",
    "LOGIN_ task add 'fix the login page' -P api -s ready -p 2 -t ui,urgent -d 'it hangs'",
    "DOCS__ task add 'write it down' -P api -s ready --depends-on LOGIN_ --due 2030-01-01",
    "HELD_1 task add 'one that is held' -P api -s ready",
    "HELD_2 task add 'another' -P api -s ready",
    "HELD_3 task add 'a third' -P api -s ready",
    "HELD_4 task add 'a fourth' -P api -s ready",
    "HELD_5 task add 'a fifth' -P api -s ready",
    "READY1 task add 'to be taken' -P web -s ready -p 3",
    "READY2 task add 'to be started' -P web -s ready",
    "READY3 task add 'to be delegated' -P web -s ready",
    "BLOCK_ task add 'a blocked one' -P web -s blocked",
    "DONE__ task add 'a done one' -P web -s done",
    "AWAY__ task add 'one that is put away' -P web",
    "PARENT task add 'a whole' -P web",
    "PART__ task add 'a part' --parent PARENT",
    "task archive AWAY__",
    "task claim HELD_1 --agent w1 --lease 1h",
    "task claim HELD_2 --agent w1 --lease 1h",
    "task claim HELD_3 --agent w1 --lease 1h",
    "task claim HELD_4 --agent w1 --lease 1h",
    "task claim HELD_5 --agent w1 --lease 1h",
    "task checkpoint HELD_1 half-way --data '{\"step\":1}' --agent w1",
    "task comment HELD_1 'it goes on' --author bob",
    "hook set on_done --url http://127.0.0.1:9/hook --max-attempts 1",
    "TELLS1 task add 'one that tells' -P web -s blocked",
    "TELLS2 task add 'another that tells' -P web -s blocked",
    "task complete TELLS1 --author ada",
    "task complete TELLS2 --author ada",
    "READY4 task add 'to be started by hand' -P web -s ready",
    "hook drain",
    "DELIV1 hook list --limit 1",
    "KEY__1 key create --for agent:w1 --role worker -P api",
    "KEY__2 key create --for agent:w2 --role worker",
    "agent register w1 --type dev_coder --tags rust",
    "lifecycle set mine --definition '{\"ttl\":\"1h\",\"consolidation_threshold\":1}'",
    "SITS_1 session start --agent w1 -P api --lifecycle dev",
    "SITS_2 session start --agent w2",
    "RUN__1 run begin --text '---\nintent: say it\nsuccess_criteria: said\nrisk_level: low\nmax_agents: 5\n---\n### 1. Say\naction: say\nloop: until said\nverify: true\ngate: human\n' --workflow-path /w.md --folder /one --machine m --gates attested",
    "RUN__2 run begin --text '---\nintent: say it\nsuccess_criteria: said\nrisk_level: low\nmax_agents: 5\n---\n### 1. Say\naction: say\nloop: until said\nverify: true\ngate: human\n' --workflow-path /w.md --folder /two --machine m --gates attested",
    "chunk write knowledge 'One database' 'Less to run' -P api --key one -t db",
    "chunk update one --content 'Less to run, less to break'",
    "chunk write lesson 'Say it in short' 'or nobody reads it' -P web --key short",
    "chunk link short one --reason 'learned there'",
    "chunk write dev_spec 'Log in by mail' 'With a link' -P api --key login",
    "chunk review one --usefulness 2 --correctness 4 --action outdated",
    "chunk type set risk --definition {}",
    "remember 'the staging API is slow' --agent w7",
];

/// What changes nothing.
const LOOKED_AT: &[&str] = &[
    "project list",
    "project show api",
    "project show nowhere",
    "task list",
    "task list -P api -s ready --tags ui --view full",
    "task list --limit 0",
    "task list -s sideways",
    "board",
    "board -P api",
    "task search login",
    "task search ''",
    "task show HELD_1",
    "task show PARENT --deep",
    "task show ZZZZZZ",
    "task show ZZ",
    "task history HELD_1",
    "task history ZZZZZZ",
    "task stuck",
    "task stuck --stale",
    "dep list",
    "dep list -P nowhere",
    "dep tree DOCS__",
    "dep tree ZZZZZZ",
    "dep graph",
    "dep graph --format dot",
    "dep graph --format svg",
    "workflow list",
    "workflow show handoff",
    "workflow show nothing",
    "run list",
    "run list --status paused",
    "run show RUN__1",
    "run show nothing-20261115T093000Z",
    "run evidence RUN__1",
    "run evidence RUN__1 --step 9",
    "run files --run-id RUN__1 --report",
    "run summary RUN__1",
    "run reconcile RUN__1",
    "run receipt show RUN__1",
    "run owner status --run-id RUN__1",
    "chunk show one",
    "chunk show one --version 1",
    "chunk show one --version 9",
    "chunk show login",
    "chunk show nothing",
    "chunk show the-staging-api-is-slow --agent w2",
    "chunk versions one",
    "chunk diff one",
    "chunk chain short",
    "chunk list",
    "chunk list --type knowledge --sort -updated --show title,content",
    "chunk list --type dev_spec --field status=new --sort priority",
    "chunk list --type dev_spek",
    "chunk search 'which database' --explain",
    "chunk search short --full --limit 1",
    "chunk search ''",
    "chunk inbox",
    "chunk inbox --signal loud",
    "chunk type list",
    "chunk type show dev_spec",
    "chunk type show dev_spek",
    "hook list",
    "hook list --state all",
    "hook show on_done",
    "hook show nothing",
    "key list",
    "key refusals",
    "whoami",
    "why DOCS__",
    "why ZZZZZZ",
    "stats",
    "stats --window soon",
    "timeline",
    "timeline -P nowhere",
    "agent status",
    "agent status --stats",
    "agent type list",
    "agent type list --all",
    "agent type show dev_coder",
    "agent type show nothing",
    "lifecycle list",
    "lifecycle show dev_coding",
    "lifecycle show 'no slug'",
    "session list",
    "session list --status active --of w1",
    "session list --status sideways",
    "session list --agent w2 --of w1",
    "session list -P api --lifecycle default --limit 1",
    "session list --cursor 1-2-3",
    "session show SITS_1",
    "session show SITS_1 --agent w2",
    "session show --agent w1",
    "session show",
    "inject preview --agent w1 -P api",
    "inject preview --agent w1 --lifecycle nothing",
    "inject preview --agent-type dev_coder -P api",
    "inject preview",
    "agent log w1",
    "agent log nobody",
    "prime",
    "prime --agent w1",
    "prime -P nowhere",
    "events",
    "events --limit 3",
    "events --from 5 --limit 2 --kind task_created",
    "events --compat hzl --limit 20",
    "events --limit 0",
    "validate",
    "audit head",
    "audit verify",
    "audit verify --from 3",
    "doctor",
    "doctor --op-id k2",
    "task list --op-id k",
    "task list --op-id ''",
    "guide",
    "explain stale_claim",
    "explain nothing",
    "sync",
    "lock",
    "sample-project",
    "task list --no-such-flag",
    "task nothing",
];

/// What changes something, or is refused because it would.
const DONE: &[&str] = &[
    "project create extra -d 'one more' --repo /src/extra",
    "project create extra",
    "project create '../x'",
    "project rename extra more",
    "project rename nowhere more",
    "project freeze web --reason 'release on Friday'",
    "task claim READY1 --agent w2",
    "project unfreeze web",
    "project unfreeze nowhere",
    "project delete old",
    "project delete nowhere",
    "chunk write decision 'Two databases' --file lines.txt -P api --source-file lines.txt",
    "chunk write decision 'Two databases' --file no-such-file -P api",
    "chunk write nothing a b",
    "chunk write knowledge One x -P api --key one",
    "remember 'it was slow again' --agent w7",
    "chunk update one --title 'One ledger' --if-version 2",
    "chunk update one --title 'Another' --if-version 2",
    "chunk update login --field status=blocked --field 'blocked_reason=no key'",
    "chunk update login --field status=planned",
    "chunk supersede short --with one --reason 'said better'",
    "chunk pin one",
    "chunk unpin one",
    "chunk expire one 30d",
    "chunk expire one soon",
    "chunk check-source two-databases",
    "chunk check-source one",
    "chunk link one commit:0123abc --reason 'done there'",
    "chunk unlink one commit:0123abc --reason 'not there'",
    "chunk review one --usefulness 5 --correctness 5 --action useful",
    "chunk review one --usefulness 9 --correctness 5 --action useful",
    "chunk dismiss one",
    "chunk delete one",
    "chunk delete two-databases",
    "chunk type set idea --from lines.txt",
    "chunk type hide lesson",
    "chunk type remove risk",
    "chunk type remove risk",
    "task add 'a new one' -P api -s ready -p 1 -t a,b --metadata '{\"b\":1,\"a\":[2]}'",
    "task add x -p 9",
    "task add x -P nowhere-at-all",
    "task add",
    "task add x --from lines.txt",
    "task add --from lines.txt -P api",
    "task add --from no-such-file",
    "task add --from objects.ndjson",
    "task add --from broken.ndjson",
    "task add --tasks 'one more line' -P api",
    "task add 'under a key' --op-id key-1",
    "task add 'under a key' --op-id key-1",
    "task add 'under the same key' --op-id key-1",
    "task claim READY1 --agent w2 --lease 30m",
    "task claim READY1 --agent w3",
    "task claim READY1",
    "task claim --next -P web --agent w4",
    "task claim --next -P old --agent w4",
    "task start READY4 --agent w2 --agent-id s1",
    "task claim READY3 --agent-id s2",
    "task claim LOGIN_ --agent-id ''",
    "task release READY3 --agent s2",
    "task claim READY2 --agent w2",
    "task renew HELD_1 --agent w1",
    "task renew HELD_1 --agent w9",
    "task renew HELD_1 --fence 77",
    "task checkpoint HELD_1 again --data '{\"z\":1,\"a\":2}' --progress 70 --agent w1",
    "task checkpoint HELD_1 '' --agent w1",
    "task progress HELD_1 80 --agent w1",
    "task progress HELD_1 180 --agent w1",
    "task comment HELD_1 'seen' --author bob",
    "task comment ZZZZZZ 'seen'",
    "task block HELD_2 --comment 'waiting' --agent w1",
    "task unblock HELD_2 --release --agent w1",
    "task unblock BLOCK_",
    "task release HELD_3 --agent w1",
    "task release HELD_3 --agent w1",
    "task complete HELD_4 --agent w9",
    "task complete HELD_4 --agent w1",
    "task complete PARENT",
    "task steal HELD_5 --if-expired --agent w9",
    "task steal HELD_5 --force --agent w9 --reason 'gone'",
    "task reopen DONE__ --comment 'it is back'",
    "task set-status DONE__ backlog",
    "task set-status DONE__ sideways",
    "task update LOGIN_ --priority 3 --tags api --title 'fix it'",
    "task update LOGIN_ --priority 3",
    "task update LOGIN_",
    "task update LOGIN_ --stale-after 30m",
    "task update LOGIN_ --clear-stale-after",
    "task update LOGIN_ --if-version 1 --priority 1",
    "task move LOGIN_ web",
    "task move LOGIN_ nowhere",
    "task add-dep READY3 LOGIN_",
    "task add-dep LOGIN_ READY3",
    "task remove-dep READY3 LOGIN_",
    "task archive DONE__",
    "task archive PARENT",
    "task restore AWAY__",
    "task restore LOGIN_",
    "workflow run start --agent w5 -P web --lease 30m",
    "workflow run start --agent w5 --auto-op-id",
    "workflow run handoff --from HELD_5 --title 'go on' --author w9 -P api --carry-checkpoints 3",
    "workflow run handoff --from HELD_5 --title 'go on'",
    "workflow run delegate --from READY2 --title 'look into it' --agent w7 --author w2 --auto-op-id",
    "workflow run delegate --from ZZZZZZ --title x --agent w7",
    "hook retry --all-failed",
    "hook retry ZZZZZZ",
    "hook discard DELIV1 --reason 'gone'",
    "hook discard ZZZZZZ --reason 'gone'",
    "hook set on_blocked --url http://127.0.0.1:9/ --secret hush",
    "hook set on_blocked --url http://127.0.0.1:9/",
    "hook set on_blocked --url ftp://x/",
    "hook remove on_blocked",
    "hook remove on_blocked",
    "agent register w3 --type dev_qa --search '{\"include_scopes\":[\"project\"]}'",
    "agent register w3 --type dev_q",
    "agent unregister w3",
    "agent unregister w3",
    "agent type set tester --definition '{\"lifecycle\":\"mine\"}'",
    "agent type set tester --definition '{\"lifecycle\":\"nothing\"}'",
    "agent type set tester --from definition.json",
    "agent type set tester",
    "lifecycle remove mine",
    "agent type hide tester",
    "agent type remove tester",
    "agent type remove dev_coder",
    "lifecycle set mine --from no-such-file",
    "lifecycle set mine --definition '{\"ttl\":\"1h\"}'",
    "lifecycle hide mine",
    "lifecycle remove mine",
    "session start --agent w1 -P nowhere",
    "session start",
    "session focus SITS_1 'the login' --tags auth --agent w1",
    "session focus SITS_1 '' --agent w1",
    "session take SITS_1 --agent w1",
    "session resume SITS_1 --agent w1",
    "session resume SITS_1 --agent w2",
    "session consolidate SITS_1 --keep ZZZZZZ --agent w1",
    "session consolidate SITS_1",
    "session end --agent w1",
    "session end --agent w1",
    "session end SITS_1 --agent w1",
    "key create --for agent:w1 --role worker -P api --expires 30d",
    "key create --for agent:w1 --role admin",
    "key create --for agent:w1 --role worker --op-id k",
    "key rotate KEY__1",
    "key rotate wl_nothing0",
    "key revoke KEY__2 --reason 'it was in a log'",
    "key revoke KEY__2",
    "key revoke wl_nothing0",
    "run begin --text '---\nintent: say it\nsuccess_criteria: said\nrisk_level: low\nmax_agents: 5\n---\n### 1. Say\naction: say\nloop: until said\nverify: true\ngate: human\n' --workflow-path /w.md --folder /three --machine m --gates attested",
    "run begin --text nothing --workflow-path /w.md --folder /f --machine m",
    "run step start 1 --run-id RUN__1",
    "run step start 1 --run-id RUN__1",
    "run step checks 1 --run-id RUN__1",
    "run step checked 1 --attempt 1 --results '[{\"check\":0,\"outcome\":\"failed\"}]' --run-id RUN__1",
    "run step retry 1 --run-id RUN__1",
    "run step block 1 --reason so --run-id RUN__1",
    "run step unblock 1 --reason so --run-id RUN__1",
    "run unblock --reason so --run-id RUN__1",
    "run step checked 1 --attempt 2 --results '[{\"check\":0,\"outcome\":\"passed\",\"exit_code\":0}]' --run-id RUN__1",
    "run gate 1 approved --run-id RUN__1",
    "run reopen 1 --reason so --run-id RUN__1",
    "run gate 1 approved --run-id RUN__1",
    "run budget check --run-id RUN__1",
    "run budget record agents 2 --run-id RUN__1",
    "run budget raise agents 9 --reason so --run-id RUN__1",
    "run action request external_write --target publish --idempotency-key k --run-id RUN__1",
    "run action decide action-1 approved --run-id RUN__1",
    "run action begin action-1 --idempotency-key k --run-id RUN__1",
    "run action complete action-1 uncertain --evidence-ref seen --run-id RUN__1",
    "run action reconcile action-1 succeeded --evidence-ref seen --run-id RUN__1",
    "run finalize --run-id RUN__1",
    "run finished kept --run-id RUN__1",
    "run finished merged --run-id RUN__2",
    "run owner claim --owner w1 --run-id RUN__2",
    "run owner heartbeat --run-id RUN__2",
    "run owner handoff --to-owner w2 --run-id RUN__2",
    "run owner release --run-id RUN__2",
    "run owner takeover --owner w2 --reason gone --run-id RUN__2",
    "run edited --state nothing --run-id RUN__2",
    "run import --state nothing --folder /f --machine m",
    "gc",
];

/// Lets an answer be read by a person or by a program.
const FORMS: [&str; 2] = ["text", "json"];

const FILES: [(&str, &str); 4] = [
    ("definition.json", "{\"lifecycle\":\"dev\",\"max_inject_tokens\":900}"),
    ("lines.txt", "the first\nthe second\n"),
    (
        "objects.ndjson",
        "{\"key\":\"k\",\"title\":\"one\"}\n{\"title\":\"two\",\"depends_on\":[\"k\"]}\n",
    ),
    ("broken.ndjson", "{\"title\":\"one\"}\n{\"titel\":\"two\"}\n"),
];

#[test]
fn every_operation_that_can_be_sent_is_compared() {
    let compared: BTreeSet<&str> =
        LOOKED_AT.iter().chain(DONE).filter_map(|command| operation(command)).collect();
    let sent = TABLE.iter().filter(|entry| entry.remotely == Remotely::Sent);
    let missing: Vec<&str> =
        sent.map(|entry| entry.name).filter(|name| !compared.contains(name)).collect();
    assert_eq!(missing, Vec::<&str>::new(), "nothing compares these with what they are here");
}

#[test]
fn every_answer_is_the_same_through_a_server() {
    let before = Before::new();
    for form in FORMS {
        let pair = Pair::new(&before, form);
        for command in LOOKED_AT {
            pair.compare_looks(command);
        }
        for command in DONE {
            pair.compare(command);
        }
        assert!(pair.house.is_whole());
    }
}

/// A ledger in which something has happened, and its tasks by name.
struct Before {
    home: Home,
    tasks: Vec<(String, &'static str)>,
}

impl Before {
    fn new() -> Self {
        let mut before = Self { home: Home::new(), tasks: Vec::new() };
        for command in BEFORE {
            let (name, command) = match command.split_once(' ') {
                Some((name, rest)) if name == name.to_uppercase() => (Some(name), rest),
                _ => (None, *command),
            };
            let done = before.run(&words(&before.with_ids(command)));
            if let Some(name) = name {
                before.tasks.push((id(&done), name));
            }
        }
        before
    }

    fn run(&self, words: &[String]) -> Value {
        ours(&self.home, &[]).args(words).db(LEDGER).run().ok().json()
    }

    /// A task is named by its id.
    fn with_ids(&self, typed: &str) -> String {
        // A name may begin with another.
        let mut tasks = self.tasks.clone();
        tasks.sort_by_key(|(_, name)| std::cmp::Reverse(name.len()));
        tasks.iter().fold(typed.to_owned(), |typed, (id, name)| typed.replace(name, id))
    }

    fn copy(&self, home: &Home, name: &str) {
        let copy = home.work().join(name).display().to_string();
        let _copied = ours(&self.home, &["backup", &copy]).db(LEDGER).run().ok();
    }
}

/// Two copies of a ledger: one to be opened, one behind a server.
struct Pair<'a> {
    house: House,
    before: &'a Before,
    form: &'static str,
}

const OPENED: &str = "opened.db";

/// How often two looks are compared until nothing changes between them.
const LOOKS: usize = 20;

/// What a command said and how it ended, without what differs from one ledger to another.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl<'a> Pair<'a> {
    fn new(before: &'a Before, form: &'static str) -> Self {
        let home = Home::new();
        before.copy(&home, LEDGER);
        before.copy(&home, OPENED);
        for (name, content) in FILES {
            std::fs::write(home.work().join(name), content).unwrap();
        }
        Self { house: House::of(home), before, form }
    }

    /// Between the two a second may pass, and what was now is a second ago; but not each time.
    #[track_caller]
    fn compare_looks(&self, command: &str) {
        for _ in 0..LOOKS {
            let (here, there) = self.both(command);
            if here == there {
                return;
            }
        }
        self.compare(command);
    }

    #[track_caller]
    fn compare(&self, command: &str) {
        let (here, there) = self.both(command);
        assert_eq!(here, there, "{command} as {}", self.form);
    }

    /// What a command answers here, and through the server.
    fn both(&self, command: &str) -> (Told, Told) {
        let words = words(&self.before.with_ids(command));
        let in_form = |run: Run| run.args(&words).env("WINDLASS_FORMAT", self.form).run();
        let here = in_form(ours(&self.house.home, &[]).db(OPENED));
        let there = in_form(self.house.windlass(&[]));
        (self.told(&here, OPENED), self.told(&there, LEDGER))
    }

    /// What was said, without what differs from one ledger to another.
    fn told(&self, outcome: &Outcome, ledger: &str) -> Told {
        let tasks = self.names(ledger);
        let mask = Mask { tasks: &tasks, home: self.house.home.path() };
        let over = |said: &str| {
            let said =
                OF_THE_MOMENT.iter().fold(mask.over(said), |said, begin| without(&said, begin));
            said.replace("in 29m", "in 30m")
        };
        let (stdout, stderr) = (over(&outcome.stdout), over(&outcome.stderr));
        Told { code: outcome.code, stdout, stderr }
    }

    /// Everything that has an id which may be shown, in the order of its creation.
    fn names(&self, ledger: &str) -> Vec<Named> {
        let log = ours(&self.house.home, &["events"]).db(ledger).run().ok();
        let events = log.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let made =
            events.filter(|event| event["kind"] != "op_completed" && event["stream_seq"] == 1);
        let named = made.enumerate().map(|(number, event)| {
            let name: &'static str = format!("N{number:05}").leak();
            Named { id: text(&event["stream"]), name }
        });
        named.collect()
    }
}

/// What follows these is another each time: keys, op ids by the request, how long something waits.
const OF_THE_MOMENT: [&str; 4] = ["wl_", "auto_workflow_run_", "\"oldest\":", "\"p50\":"];

/// Leaves out the word behind every `begin`.
fn without(said: &str, begin: &str) -> String {
    let is_of_a_word = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let mut parts = said.split(begin);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(begin);
        kept.push_str(part.trim_start_matches(is_of_a_word));
    }
    kept
}

/// What a command made, or shows first.
fn id(answer: &Value) -> String {
    let places = ["/task_id", "/prefix", "/deliveries/0/delivery_id", "/run"];
    text(places.into_iter().find_map(|place| answer.pointer(place)).unwrap())
}

/// The operation of a command line.
fn operation(command: &str) -> Option<&'static str> {
    let words = words(command);
    let is_meant = |entry: &&Entry| {
        entry.words().zip(&words).filter(|(a, b)| a == b).count() == entry.words().count()
    };
    let found = TABLE.iter().filter(is_meant).max_by_key(|entry| entry.words().count());
    found.map(|entry| entry.name)
}

/// The words of a command line; quotes keep some together.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    // What is between quotes comes at every other turn.
    for (turn, part) in command.split('\'').enumerate() {
        match turn % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}
