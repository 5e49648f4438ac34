//! `hotl-rt`: skills and scripts that were written for HOTL's runtime find it as they know it.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};
use windlass_testkit::home::binary;
use windlass_testkit::server::Served;
use windlass_testkit::{Home, Outcome, Run};

const FILE: &str = "hotl-workflow-greeting.md";

/// Three steps: a check that passes, a loop, a gate.
const WORKFLOW: &str = "\
---
intent: Greet everybody
success_criteria: Everybody is greeted
risk_level: low
auto_approve: false
---

## Steps

- [ ] **Step 1: Say hello**
action: Say it
loop: false
verify: echo hello

- [ ] **Step 2: Say it louder**
action: Say it until it is heard
loop: until heard
max_iterations: 2
verify: test -e heard

- [ ] **Step 3: Ask**
action: Ask whether it was enough
loop: false
gate: human
";

/// One step with every budget.
const BUDGETS: &str = "\
---
intent: Spend little
success_criteria: Little is spent
risk_level: low
max_total_attempts: 1
max_agents: 2
max_cost_usd: 1.5
---

- [ ] **Step 1: Spend**
action: Spend
verify: \"true\"

- [ ] **Step 2: Spend more**
action: Spend
verify: \"true\"
";

/// A folder in which a skill works, with a link of the name that it calls.
struct Place {
    home: Home,
    link: PathBuf,
    served: Option<Served>,
}

impl Place {
    #[track_caller]
    fn new() -> Self {
        let home = Home::new();
        let link = home.path().join("hotl-rt");
        symlink(binary(), &link).unwrap();
        let place = Self { home, link, served: None };
        place.write(FILE, WORKFLOW);
        place
    }

    /// The same with the ledger behind a server.
    #[track_caller]
    fn with_a_server() -> Self {
        let place = Self::new();
        let served = Served::start(&place.home, &[]);
        Self { served: Some(served), ..place }
    }

    #[track_caller]
    fn write(&self, file: &str, text: &str) {
        fs::write(self.home.work().join(file), text).unwrap();
    }

    fn rt(&self, args: &[&str]) -> Run {
        self.with_server(self.home.program(&self.link).args(args))
    }

    fn windlass(&self, args: &[&str]) -> Run {
        self.with_server(self.home.windlass(args))
    }

    fn with_server(&self, run: Run) -> Run {
        match &self.served {
            Some(served) => run.env("WINDLASS_SERVER", served.url("")),
            None => run,
        }
    }

    /// What a call answers that succeeds, without the end of the line.
    #[track_caller]
    fn ok(&self, args: &[&str]) -> String {
        let outcome = self.rt(args).run().ok();
        assert_eq!(outcome.stderr, "", "{outcome}");
        outcome.stdout.trim_end().to_owned()
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        self.rt(args).run().ok().json()
    }

    /// What a call says on stderr that is refused.
    #[track_caller]
    fn refused(&self, args: &[&str]) -> String {
        error(&self.rt(args).run())
    }

    #[track_caller]
    fn init(&self, file: &str) -> String {
        self.ok(&["init", file])
    }

    #[track_caller]
    fn state_file(&self, run: &str) -> PathBuf {
        self.home.work().join(format!(".hotl/state/{run}.json"))
    }

    #[track_caller]
    fn state(&self, run: &str) -> Value {
        serde_json::from_str(&fs::read_to_string(self.state_file(run)).unwrap()).unwrap()
    }

    /// Changes the state file as another hand would.
    #[track_caller]
    fn edit(&self, run: &str, change: impl Fn(&mut Value)) {
        let mut state = self.state(run);
        change(&mut state);
        fs::write(self.state_file(run), serde_json::to_string(&state).unwrap()).unwrap();
    }

    #[track_caller]
    fn report(&self, run: &str) -> String {
        let path = self.home.work().join(format!(".hotl/reports/{run}.md"));
        fs::read_to_string(path).unwrap()
    }

    /// Goes through the first two steps.
    #[track_caller]
    fn work(&self) {
        self.write("heard", "");
        for step in ["1", "2"] {
            self.ok(&["step", step, "start"]);
            self.ok(&["step", step, "verify"]);
        }
    }

    /// Goes up to where only `finish` is left.
    #[track_caller]
    fn finalize(&self) {
        self.work();
        self.ok(&["step", "3", "start"]);
        self.ok(&["step", "3", "verify"]);
        self.ok(&["gate", "3", "approved"]);
        self.ok(&["finalize"]);
    }
}

/// The one error of a call that was refused, as HOTL tells it.
#[track_caller]
fn error(outcome: &Outcome) -> String {
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    assert!(outcome.stderr.starts_with("ERROR: "), "{outcome}");
    outcome.stderr.trim_start_matches("ERROR: ").trim_end().to_owned()
}

/// The keys of the first level of a document, in their order.
fn keys(document: &str) -> Vec<&str> {
    let lines = document.lines().filter_map(|line| line.strip_prefix("  \""));
    lines.filter_map(|line| line.split_once('"')).map(|(key, _)| key).collect()
}

#[test]
fn a_skill_goes_from_init_to_the_receipt() {
    skill(&Place::new());
}

#[test]
fn a_skill_goes_from_init_to_the_receipt_with_a_server() {
    let place = Place::with_a_server();
    skill(&place);
    // All of it is in the ledger of the server.
    let served = place.served.as_ref().unwrap();
    let listed = served.op("run.list", &json!({})).ok().json();
    assert_eq!(listed["runs"][0]["status"], "completed");
}

fn skill(place: &Place) {
    let run = place.init(FILE);
    assert_eq!(place.ok(&["step", "1", "start", "--run-id", &run]), "started step 1");
    assert_eq!(place.ok(&["step", "1", "verify", "--run-id", &run]), "pass");
    assert_eq!(place.ok(&["step", "2", "start"]), "started step 2");
    let failed = place.rt(&["step", "2", "verify"]).run();
    assert_eq!((failed.code, failed.stdout.as_str()), (Some(1), "fail\n"), "{failed}");
    assert_eq!(place.ok(&["step", "2", "retry"]), "retrying step 2 (attempt 2/2)");
    assert_eq!(place.ok(&["step", "2", "start"]), "started step 2");
    place.write("heard", "");
    assert_eq!(place.ok(&["step", "2", "verify"]), "pass");
    assert_eq!(place.ok(&["step", "3", "start"]), "started step 3");
    assert_eq!(place.ok(&["step", "3", "verify"]), "pass (no verify command)");
    assert_eq!(place.ok(&["gate", "3", "approved", "--mode", "human"]), "gate 3: approved (human)");
    let summary = place.json(&["finalize", "--json"]);
    assert_eq!(summary["status"], "ready_to_finish");
    assert_eq!((&summary["completed_steps"], &summary["total_steps"]), (&json!(3), &json!(3)));
    let notes = ["--branch-action", "kept", "--worktree-action", "none", "--notes", "for later"];
    let finished = place.json(&[&["finish", "kept", "--run-id", &run][..], &notes].concat());
    assert_eq!(
        (&finished["status"], &finished["finish"]["notes"]),
        (&json!("completed"), &json!("for later"))
    );
    let receipt = place.json(&["receipt", &run, "--json"]);
    assert_eq!(receipt["schema"], "hotl.receipt/v1");
    assert_eq!(receipt["sufficiency"]["sufficient"], true);
    let state = place.state(&run);
    assert_eq!(
        (&state["status"], &state["steps"][1]["attempts"]),
        (&json!("completed"), &json!(2))
    );
    for line in ["**Status:** completed", "Gate Step 3: approved (human)", "**Disposition:** kept"]
    {
        assert!(place.report(&run).contains(line), "{}", place.report(&run));
    }
}

#[test]
fn the_door_is_open_under_both_names() {
    let place = Place::new();
    let begun = place.windlass(&["hotl-rt", "init", FILE]).run().ok();
    let run = begun.stdout.trim_end();
    assert_eq!(place.ok(&["step", "1", "start", "--run-id", run]), "started step 1");
    let verified = place.windlass(&["hotl-rt", "step", "1", "verify"]).run().ok();
    assert_eq!(verified.stdout, "pass\n");
    let refused = place.windlass(&["hotl-rt", "step", "1", "verify"]).run();
    assert_eq!(error(&refused), "Step 1 must be in_progress before verify");
}

#[test]
fn a_run_id_is_the_slug_and_the_moment() {
    let place = Place::new();
    let run = place.init(FILE);
    let moment = run.strip_prefix("greeting-").unwrap();
    let shape: String =
        moment.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    assert_eq!(shape, "00000000T000000Z");
}

#[test]
fn a_run_that_begins_in_the_same_second_gets_another_id() {
    let place = Place::new();
    let runs = [1, 2, 3].map(|_| place.init(FILE));
    assert!(runs[0] != runs[1] && runs[1] != runs[2] && runs[0] != runs[2], "{runs:?}");
}

#[test]
fn every_option_of_init_is_kept() {
    let place = Place::new();
    let root = place.home.work().canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let options = [
        ("--executor-mode", "subagent", "executor_mode"),
        ("--driver", "codex", "driver"),
        ("--host", "native", "host"),
        ("--repo-root", "/somewhere/repo", "repo_root"),
        ("--execution-root", root, "execution_root"),
        ("--source-workflow-path", "/somewhere/repo/plan.md", "source_workflow_path"),
        ("--worktree-path", "/somewhere/worktree", "worktree_path"),
        ("--branch", "feat/greeting", "branch"),
        ("--source-branch", "main", "source_branch"),
        ("--source-head", "0123456789abcdef0123456789abcdef01234567", "source_head"),
    ];
    let words = options.iter().flat_map(|(option, value, _)| [*option, *value]);
    let words: Vec<&str> = ["init", FILE, "--require-owner"].into_iter().chain(words).collect();
    let run = place.ok(&words);
    let state = place.state(&run);
    for (option, value, key) in options {
        assert_eq!(state[key], value, "{option}");
    }
    assert_eq!(state["ownership_required"], true);
    assert_eq!(state["report_path"], format!("{root}/.hotl/reports/{run}.md"));
}

#[test]
fn an_option_of_init_that_says_null_says_nothing() {
    let place = Place::new();
    let root = place.home.work().canonicalize().unwrap();
    let options = [
        ("--executor-mode", json!("loop"), "executor_mode"),
        ("--driver", json!("generic"), "driver"),
        ("--host", json!("fallback"), "host"),
        ("--repo-root", json!(root), "repo_root"),
        ("--execution-root", json!(root), "execution_root"),
        ("--source-workflow-path", json!(root.join(FILE)), "source_workflow_path"),
        ("--worktree-path", Value::Null, "worktree_path"),
        ("--branch", json!("hotl/greeting"), "branch"),
        ("--source-branch", Value::Null, "source_branch"),
        ("--source-head", Value::Null, "source_head"),
    ];
    let words = options.iter().flat_map(|(option, _, _)| [*option, "null"]);
    let words: Vec<&str> = ["init", FILE].into_iter().chain(words).collect();
    let state = place.state(&place.ok(&words));
    for (option, value, key) in options {
        assert_eq!(state[key], value, "{option}");
    }
}

#[test]
fn a_summary_has_the_keys_of_hotl_in_their_order() {
    let place = Place::new();
    let run = place.init(FILE);
    let expected = [
        "run_id",
        "workflow_path",
        "source_workflow_path",
        "source_branch",
        "source_head",
        "workflow_slug",
        "intent",
        "branch",
        "repo_root",
        "execution_root",
        "worktree_path",
        "executor_mode",
        "driver",
        "host",
        "status",
        "started_at",
        "last_update",
        "completed_at",
        "total_steps",
        "completed_steps",
        "failed_steps",
        "blocked_steps",
        "finish",
        "steps",
    ];
    assert_eq!(keys(&place.ok(&["summary", &run])), expected);
    assert_eq!(place.ok(&["summary", &run]), place.ok(&["summary", &run, "--json"]));
}

#[test]
fn a_state_file_has_the_keys_of_hotl_in_their_order() {
    let place = Place::new();
    let run = place.init(FILE);
    let expected = [
        "run_id",
        "workflow_path",
        "source_workflow_path",
        "source_branch",
        "source_head",
        "workflow_slug",
        "intent",
        "success_criteria",
        "risk_level",
        "auto_approve",
        "branch",
        "repo_root",
        "execution_root",
        "worktree_path",
        "executor_mode",
        "driver",
        "host",
        "policy",
        "budgets",
        "external_actions",
        "policy_pauses",
        "controller",
        "ownership_required",
        "ownership_history",
        "revision",
        "started_at",
        "last_update",
        "completed_at",
        "status",
        "current_step",
        "total_steps",
        "report_path",
        "finish",
        "steps",
    ];
    assert_eq!(keys(&fs::read_to_string(place.state_file(&run)).unwrap()), expected);
}

#[test]
fn without_a_command_the_usage_is_told() {
    let place = Place::new();
    for words in [&[][..], &["dance"], &["init"], &["step"], &["step", "1"], &["gate", "1"]] {
        let outcome = place.rt(words).run();
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
        assert!(outcome.stderr.starts_with("Usage: hotl-rt "), "{outcome}");
    }
    assert!(place.ok(&["help"]).starts_with("Usage: hotl-rt "));
}

#[test]
fn what_makes_no_sense_before_a_run_is_refused() {
    let place = Place::new();
    for (words, told) in [
        (&["init", "nowhere.md"][..], "Workflow file not found: nowhere.md"),
        (&["normalize", "nowhere.md"], "Workflow file not found: nowhere.md"),
        (&["init", FILE, "--colour", "red"], "Unknown argument: --colour"),
        (&["init", FILE, "--branch"], "--branch requires a value"),
        (&["step", "one", "start"], "Invalid step number: one"),
        (&["step", "1", "start"], "No active HOTL run found in .hotl/state/"),
        (&["finalize"], "No active HOTL run found in .hotl/state/"),
        (&["summary", "nobody"], "there is no run nobody"),
        (&["summary", "../../victim"], "invalid run id: '../../victim'"),
    ] {
        assert_eq!(place.refused(words), told, "{words:?}");
    }
    assert!(!place.home.work().join(".hotl").exists());
}

#[test]
fn a_file_without_steps_is_refused_and_leaves_nothing() {
    let place = Place::new();
    place.write("empty.md", "---\nintent: nothing\n---\n# Empty\n");
    for command in ["init", "normalize"] {
        assert!(place.refused(&[command, "empty.md"]).contains("No steps found"));
    }
    assert!(!place.home.work().join(".hotl").exists());
}

#[test]
fn what_a_run_cannot_do_is_refused_and_changes_nothing() {
    let place = Place::new();
    let run = place.init(FILE);
    let before = place.state(&run);
    for (words, told) in [
        (&["step", "0", "start"][..], "Invalid step number: 0"),
        (&["step", "4", "start"], "Invalid step number: 4"),
        (&["step", "-1", "start"], "Invalid step number: -1"),
        (&["step", "1", "verify"], "Step 1 must be in_progress before verify"),
        (&["step", "1", "retry"], "Step 1 is 'pending', expected 'failed' for retry"),
        (&["step", "1", "block"], "--reason is required for block"),
        (&["gate", "1", "maybe"], "decision 'maybe' is not one of approved, rejected"),
        (&["gate", "1", "approved", "--mode", "robot"], "mode 'robot' is not one of auto, human"),
        (&["gate", "4", "approved"], "Invalid step number: 4"),
        (
            &["gate", "3", "approved"],
            "Step 3 must be done before its gate can be recorded (current status: pending)",
        ),
        (&["finalize"], "Cannot finalize run with unfinished steps (3 remaining)"),
        (
            &["finish", "burned"],
            "disposition 'burned' is not one of kept, merged, published, discarded",
        ),
        (
            &["finish", "kept"],
            "Finish disposition 'kept' requires a finalized run. Current status: running",
        ),
        (&["owner", "claim"], "--owner is required"),
        (&["owner", "claim", "--owner", "a b"], "--owner must be a stable controller identity"),
        (
            &["owner", "claim", "--owner", "a", "--lease-seconds", "0"],
            "--lease-seconds must be an integer from 1 to 604800",
        ),
        (
            &["owner", "claim", "--owner", "a", "--lease-seconds", "604801"],
            "--lease-seconds must be an integer from 1 to 604800",
        ),
        (&["owner", "heartbeat"], "No active controller to heartbeat"),
        (&["owner", "release"], "No active controller to release"),
        (&["owner", "handoff", "--to-owner", "b"], "No active controller to hand off"),
        (&["owner", "takeover", "--owner", "b"], "owner takeover requires --reason"),
        (
            &["action", "request", "local_write"],
            "--target is required and must describe the bounded action",
        ),
        (
            &["action", "complete", "action-1", "succeeded"],
            "--evidence-ref is required for effect outcomes",
        ),
        (&["action", "decide", "action-1", "approved"], "Pending action not found: action-1"),
        (&["budget", "record", "agents", "-1"], "observed '-1' is not a number from 0"),
        (&["budget", "record", "agents", "many"], "observed 'many' is not a number from 0"),
        (&["summary", &run, "more"], "Unknown argument: more"),
    ] {
        assert_eq!(place.refused(words), told, "{words:?}");
    }
    assert_eq!(place.state(&run), before);
}

#[test]
fn a_step_waits_for_those_before_it() {
    let place = Place::new();
    place.init(FILE);
    let told = place.refused(&["step", "2", "start"]);
    assert!(told.contains("step 1 must be done"), "{told}");
}

#[test]
fn a_step_that_is_worked_on_is_not_begun_again() {
    let place = Place::new();
    let run = place.init(FILE);
    place.ok(&["step", "1", "start"]);
    let told = place.refused(&["step", "1", "start"]);
    assert!(told.starts_with("Step 1 is 'in_progress'"), "{told}");
    assert_eq!(place.state(&run)["steps"][0]["attempts"], 1);
}

#[test]
fn a_step_is_not_tried_more_often_than_it_may() {
    let place = Place::new();
    place.init(FILE);
    place.ok(&["step", "1", "start"]);
    place.ok(&["step", "1", "verify"]);
    place.ok(&["step", "2", "start"]);
    for _ in 0..2 {
        assert_eq!(place.rt(&["step", "2", "verify"]).run().stdout, "fail\n");
        place.rt(&["step", "2", "retry"]).run().code.unwrap();
    }
    assert_eq!(place.refused(&["step", "2", "retry"]), "Step 2 reached maximum iterations (2)");
}

#[test]
fn a_step_is_blocked_and_let_go_on() {
    let place = Place::new();
    let run = place.init(FILE);
    let said = place.ok(&["step", "1", "block", "--reason", "no voice"]);
    assert_eq!(said, "blocked step 1: no voice");
    assert_eq!(place.state(&run)["status"], "blocked");
    assert_eq!(
        place.refused(&["step", "1", "start"]),
        "Run is 'blocked'; resolve gates, policy pauses, or budgets before step start"
    );
    place.ok(&["step", "1", "unblock", "--reason", "found it"]);
    assert_eq!(place.ok(&["step", "1", "start"]), "started step 1");
}

#[test]
fn a_review_is_asked_for_and_decided() {
    let place = Place::new();
    let text = "---\nintent: x\n---\n\n### 1. Look\naction: Look\nverify:\n  type: human-review\n  \
                prompt: Is it fine?\n";
    place.write("hotl-workflow-look.md", text);
    let run = place.init("hotl-workflow-look.md");
    place.ok(&["step", "1", "start"]);
    let outcome = place.rt(&["step", "1", "verify"]).run();
    let said = "blocked: human review required: Is it fine?\n";
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), said), "{outcome}");
    assert_eq!(place.state(&run)["status"], "paused");
    assert_eq!(place.ok(&["gate", "1", "approved"]), "human-review 1: approved (human)");
    assert_eq!(place.state(&run)["steps"][0]["verify"]["stdout"], "human review approved");
}

#[test]
fn a_page_described_in_words_is_left_to_a_person() {
    let place = Place::new();
    let text = "---\nintent: x\n---\n\n### 1. Look\naction: Look\nverify:\n  type: browser\n  \
                url: http://127.0.0.1:1/\n  check: it looks fine\n";
    place.write("hotl-workflow-look.md", text);
    place.init("hotl-workflow-look.md");
    place.ok(&["step", "1", "start"]);
    let outcome = place.rt(&["step", "1", "verify"]).run();
    let said = "blocked: human review required: browser verify requested for http://127.0.0.1:1/ - \
                it looks fine\n";
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), said), "{outcome}");
}

#[test]
fn a_gate_that_was_not_decided_keeps_a_run_from_its_end() {
    let place = Place::new();
    place.init(FILE);
    place.work();
    place.ok(&["step", "3", "start"]);
    place.ok(&["step", "3", "verify"]);
    let told = place.refused(&["finalize"]);
    assert!(told.contains("gate evidence"), "{told}");
}

#[test]
fn a_run_of_high_risk_takes_no_automatic_gate() {
    let place = Place::new();
    place.write(FILE, &WORKFLOW.replace("risk_level: low", "risk_level: high"));
    place.init(FILE);
    place.ok(&["step", "1", "start"]);
    place.ok(&["step", "1", "verify"]);
    let told = place.refused(&["gate", "1", "approved", "--mode", "auto"]);
    assert!(told.contains("require human"), "{told}");
}

#[test]
fn what_was_finalized_stays_so() {
    let place = Place::new();
    let run = place.init(FILE);
    place.finalize();
    place.ok(&["finish", "kept"]);
    let before = place.state(&run);
    assert_eq!(place.json(&["finalize"])["status"], "completed");
    assert_eq!(place.state(&run), before);
    let told = place.refused(&["finish", "discarded"]);
    assert!(told.contains("kept"), "{told}");
    assert_eq!(
        place.json(&["finish", "discarded", "--force"])["finish"]["disposition"],
        "discarded"
    );
}

#[test]
fn a_blocked_run_is_kept_or_discarded_and_nothing_else() {
    let place = Place::new();
    place.init(FILE);
    place.ok(&["step", "1", "block", "--reason", "stop"]);
    assert_eq!(place.json(&["finalize"])["status"], "blocked");
    let told = place.refused(&["finish", "published", "--remote", "origin"]);
    assert!(told.contains("requires a completed run"), "{told}");
    assert_eq!(place.json(&["finish", "discarded"])["status"], "blocked");
}

#[test]
fn one_of_several_runs_is_named() {
    let place = Place::new();
    let (one, other) = (place.init(FILE), place.init(FILE));
    let told = place.refused(&["step", "1", "start"]);
    let said = "Multiple HOTL runs found in .hotl/state/. Select one with --run-id <run-id> or \
                HOTL_RUN_ID.";
    assert!(told.starts_with(said), "{told}");
    assert!(told.contains(&format!("\n  - {one}")) && told.contains(&format!("\n  - {other}")));
    place.rt(&["step", "1", "start"]).env("HOTL_RUN_ID", &one).run().ok().code.unwrap();
    place.ok(&["step", "1", "start", "--run-id", &other]);
    for run in [one, other] {
        assert_eq!(place.state(&run)["steps"][0]["status"], "in_progress");
    }
}

#[test]
fn who_asks_for_an_unknown_run_is_told_which_there_are() {
    let place = Place::new();
    let run = place.init(FILE);
    let told = place.refused(&["summary", "nobody"]);
    assert_eq!(told, format!("there is no run nobody\nAvailable runs:\n  - {run}"));
}

#[test]
fn a_claimed_run_wants_the_token_of_its_owner() {
    let place = Place::new();
    let run = place.init(FILE);
    let claimed = place.json(&["owner", "claim", "--owner", "a", "--lease-seconds", "60"]);
    let token = claimed["token"].as_str().unwrap();
    assert_eq!((&claimed["status"], token.len()), (&json!("active"), 64));
    assert!(!fs::read_to_string(place.state_file(&run)).unwrap().contains(token));
    assert_eq!(
        place.refused(&["step", "1", "start"]),
        "Active run requires the controller ownership token in HOTL_OWNER_TOKEN"
    );
    assert_eq!(
        place.refused(&["owner", "claim", "--owner", "b"]),
        "Run already has an active controller: a"
    );
    let with_token = |words: &[&str]| place.rt(words).env("HOTL_OWNER_TOKEN", token).run().ok();
    assert_eq!(with_token(&["step", "1", "start"]).stdout, "started step 1\n");
    assert_eq!(with_token(&["owner", "heartbeat"]).json()["owner_id"], "a");
    assert_eq!(with_token(&["owner", "handoff", "--to-owner", "b"]).json()["owner_id"], "b");
    let told = place.refused(&["owner", "takeover", "--owner", "c", "--reason", "gone"]);
    assert!(told.contains("lease is still active"), "{told}");
    let by_force = ["owner", "takeover", "--owner", "c", "--reason", "gone", "--force"];
    assert_eq!(place.json(&by_force)["owner_id"], "c");
    let events = place.state(&run)["ownership_history"].clone();
    let events: Vec<&str> =
        events.as_array().unwrap().iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(events, ["claim", "handoff", "takeover"]);
}

#[test]
fn a_run_that_requires_an_owner_waits_for_one() {
    let place = Place::new();
    place.ok(&["init", FILE, "--require-owner"]);
    let told = place.refused(&["step", "1", "start"]);
    assert!(told.contains("claim controller ownership"), "{told}");
}

#[test]
fn a_sensitive_action_is_asked_for_decided_done_and_proved() {
    let place = Place::new();
    let run = place.init(FILE);
    let local = place.json(&["action", "request", "local_write", "--target", "a file"]);
    assert_eq!((&local["id"], &local["status"]), (&json!("action-1"), &json!("allowed")));
    let request =
        ["action", "request", "external_write", "--target", "a post", "--idempotency-key", "k"];
    let asked = place.json(&request);
    assert_eq!((&asked["id"], &asked["status"]), (&json!("action-2"), &json!("pending")));
    assert_eq!(place.json(&request)["deduplicated"], true);
    assert_eq!(place.state(&run)["status"], "paused");
    assert_eq!(place.json(&["reconcile", &run])["next_action"], "await_action_decision");
    let decide = ["action", "decide", "action-2", "approved"];
    assert_eq!(
        place.refused(&[&decide[..], &["--mode", "auto"]].concat()),
        "Sensitive action decisions require --mode human"
    );
    place.json(&[&decide[..], &["--mode", "human"]].concat());
    assert_eq!(place.json(&["reconcile", &run])["next_action"], "execute_approved_action");
    let begun = place.json(&["action", "begin", "action-2", "--idempotency-key", "k"]);
    assert_eq!(begun["effect_status"], "in_progress");
    let evidence = ["--evidence-ref", "timeout"];
    place.json(&[&["action", "complete", "action-2", "uncertain"][..], &evidence].concat());
    assert_eq!(place.json(&["reconcile", &run])["next_action"], "reconcile_action_effect");
    place.json(&[&["action", "reconcile", "action-2", "succeeded"][..], &evidence].concat());
    assert_eq!(place.state(&run)["status"], "running");
}

#[test]
fn budgets_are_told_and_never_fall() {
    let place = Place::new();
    place.write("hotl-workflow-spend.md", BUDGETS);
    let run = place.init("hotl-workflow-spend.md");
    let status = |checked: &Value, metric: &str| {
        let metrics = checked["metrics"].as_array().unwrap().clone();
        metrics.into_iter().find(|found| found["metric"] == metric).unwrap()["status"].clone()
    };
    let checked = place.json(&["budget", "check"]);
    assert_eq!(
        ["total_attempts", "agents", "elapsed_minutes"].map(|metric| status(&checked, metric)),
        ["within", "unknown", "unset"]
    );
    let spent = place.json(&["budget", "record", "cost_usd", "2"]);
    assert_eq!(
        (&spent["within_budget"], status(&spent, "cost_usd")),
        (&json!(false), json!("exceeded"))
    );
    let told = place.refused(&["budget", "record", "cost_usd", "1"]);
    assert!(told.contains("cannot decrease"), "{told}");
    assert_eq!(place.state(&run)["status"], "paused");
    assert!(place.report(&run).contains("Budget exceeded: cost_usd"));
}

#[test]
fn a_budget_that_stops_a_step_is_seen_in_the_state_file() {
    stopped(&Place::new());
}

#[test]
fn a_budget_that_stops_a_step_is_seen_in_the_state_file_with_a_server() {
    stopped(&Place::with_a_server());
}

fn stopped(place: &Place) {
    place.write("hotl-workflow-spend.md", BUDGETS);
    let run = place.init("hotl-workflow-spend.md");
    place.ok(&["step", "1", "start"]);
    place.ok(&["step", "1", "verify"]);
    assert_eq!(place.refused(&["step", "2", "start"]), "runtime budget total_attempts exceeded");
    assert_eq!(place.state(&run)["status"], "paused");
    assert!(place.report(&run).contains("**Status:** paused"));
}

#[test]
fn a_state_file_that_another_hand_changed_is_refused() {
    let place = Place::new();
    let run = place.init(FILE);
    place.edit(&run, |state| state["steps"][0]["verify"]["command"] = json!("true"));
    let told = place.refused(&["step", "1", "start"]);
    assert_eq!(told, format!("the state file of run {run} was changed by another hand"));
}

/// A place in which what another hand writes counts.
fn adopting(place: &Place, words: &[&str]) -> Run {
    place.rt(words).env("WINDLASS_RUNS_OUTSIDE_EDITS", "adopt")
}

#[test]
fn a_change_that_was_taken_over_is_not_taken_over_again() {
    let place = Place::new();
    let run = place.init(FILE);
    place.edit(&run, |state| state["steps"][0]["verify"]["command"] = json!("exit 0"));
    adopting(&place, &["step", "1", "start"]).run().ok().code.unwrap();
    assert_eq!(place.state(&run)["steps"][0]["status"], "in_progress");
    assert_eq!(adopting(&place, &["step", "1", "verify"]).run().ok().stdout, "pass\n");
    assert_eq!(place.state(&run)["steps"][0]["status"], "done");
}

#[test]
fn where_changes_of_another_hand_count_who_looks_sees_them() {
    let place = Place::new();
    let run = place.init(FILE);
    place.edit(&run, |state| {
        state["status"] = json!("completed");
        state["finish"]["disposition"] = json!("kept");
    });
    let receipt = adopting(&place, &["receipt", &run]).run().ok().json();
    assert_eq!(receipt["finish"]["disposition"], "kept");
    let reasons = receipt["sufficiency"]["reasons"].as_array().unwrap();
    assert!(reasons.contains(&json!("steps_not_done")), "{receipt}");
}

#[test]
fn a_state_file_of_another_home_is_taken_over_however_it_is_written() {
    let there = Place::new();
    let run = there.init(FILE);
    there.ok(&["step", "1", "start"]);
    let here = Place::new();
    let folder = here.home.work().join(".hotl/state");
    fs::create_dir_all(&folder).unwrap();
    let mut state = there.state(&run);
    state["a_key_of_tomorrow"] = json!(1);
    fs::write(folder.join(format!("{run}.json")), state.to_string()).unwrap();
    assert_eq!(here.ok(&["step", "1", "verify"]), "pass");
    assert_eq!(here.state(&run)["steps"][0]["status"], "done");
    assert_eq!(here.ok(&["step", "2", "start"]), "started step 2");
}

#[test]
fn a_report_that_is_gone_is_written_again() {
    let place = Place::new();
    let run = place.init(FILE);
    fs::remove_file(place.home.work().join(format!(".hotl/reports/{run}.md"))).unwrap();
    place.ok(&["step", "1", "start"]);
    assert!(place.report(&run).contains("→ Running"));
}

#[test]
fn a_workflow_is_normalized_without_a_trace() {
    let place = Place::new();
    let normalized = place.json(&["normalize", FILE, "--json"]);
    assert_eq!(normalized["schema"], "hotl.workflow/v1");
    let steps = &normalized["workflow"]["steps"];
    assert_eq!((&steps[0]["loop"], &steps[1]["loop"]), (&json!(false), &json!("until heard")));
    assert_eq!(steps[0]["verify"].get("passed"), None);
    assert!(!place.home.work().join(".hotl").exists());
}

#[test]
fn a_decision_is_logged_where_the_settings_of_hotl_say() {
    let place = Place::new();
    assert_eq!(place.ok(&["log-decision", "{}"]), "");
    fs::create_dir_all(place.home.work().join(".hotl")).unwrap();
    place.write(".hotl/config.yml", "decision_log_path: decisions.jsonl\n");
    place.ok(&["log-decision", r#"{"a":1}"#]);
    place.ok(&["log-decision", r#"{"b":2}"#]);
    let log = fs::read_to_string(place.home.work().join("decisions.jsonl")).unwrap();
    assert_eq!(log, "{\"a\":1}\n{\"b\":2}\n");
    assert!(place.refused(&["log-decision", "{"]).starts_with("the decision is no JSON"));
}

#[test]
fn the_lint_of_hotl_says_what_it_always_said() {
    let place = Place::new();
    let passed = place.windlass(&["hotl", "lint", FILE]).run().ok();
    assert_eq!((passed.stdout, passed.stderr), (format!("LINT PASSED: {FILE}\n"), String::new()));
    place.write(FILE, &WORKFLOW.replace("risk_level: low\n", ""));
    let failed = place.windlass(&["hotl", "lint", FILE]).run();
    let said = format!(
        "FAIL: Frontmatter missing 'risk_level:' field\nLINT FAILED: 1 error(s) in {FILE}\n"
    );
    assert_eq!((failed.code, failed.stdout, failed.stderr), (Some(1), String::new(), said));
    let skipped = place.windlass(&["hotl", "lint", "nothing.md"]).run();
    assert_eq!((skipped.code, skipped.stdout.as_str()), (Some(1), ""));
}

#[test]
fn a_run_is_finalized_and_summed_up_for_a_chat() {
    let place = Place::new();
    let run = place.init(FILE);
    place.work();
    place.ok(&["step", "3", "start"]);
    place.ok(&["step", "3", "verify"]);
    place.ok(&["gate", "3", "approved", "--mode", "auto"]);
    let shown = place.windlass(&["hotl", "finalize-codex", &run]).run().ok();
    let expected = "\
Execution Summary

✓ Step 1: Say hello - Done (1 attempt)
✓ Step 2: Say it louder - Done (1 attempt)
⚡ Step 3: Ask - Auto-approved (-)
";
    assert_eq!(shown.stdout, expected);
    assert_eq!(place.state(&run)["status"], "ready_to_finish");
    place.write("summary.json", &place.ok(&["summary", &run]));
    let platform = ["hotl", "render-summary", "--platform"];
    let lines = place.windlass(&[&platform[..], &["codex", "summary.json"]].concat()).run().ok();
    assert_eq!(lines.stdout, expected);
    let table = place.windlass(&[&platform[..], &["cline", "summary.json"]].concat()).run().ok();
    assert!(table.stdout.ends_with("| 3 | Ask | ⚡ Auto-approved | - |\n"), "{table}");
    let other = place.windlass(&[&platform[..], &["paper", "summary.json"]].concat()).run();
    assert_eq!(error(&other), "Unsupported platform: paper");
    let missing = place.windlass(&[&platform[..], &["codex", "nothing.json"]].concat()).run();
    assert_eq!(error(&missing), "Summary JSON not found: nothing.json");
}

#[test]
fn a_run_is_located_until_it_has_ended() {
    let place = Place::new();
    let run = place.init(FILE);
    let locate = |words: &[&str]| {
        place.windlass(&[&["hotl", "locate-run"][..], words].concat()).run().ok().json()
    };
    let found = locate(&["--workflow", FILE]);
    assert_eq!(found[0]["run_id"], run);
    assert_eq!(found[0]["state_file"], json!(place.state_file(&run).canonicalize().unwrap()));
    assert_eq!(locate(&["--run-id", "nobody"]), json!([]));
    place.finalize();
    place.ok(&["finish", "kept"]);
    assert_eq!(locate(&[]), json!([]));
    assert_eq!(locate(&["--all"])[0]["status"], "completed");
}

#[test]
fn the_root_of_an_execution_is_prepared_and_told_as_json() {
    let place = Place::new();
    let told = place.windlass(&["hotl", "prepare-root", FILE]).run().ok();
    let told: Value = serde_json::from_str(&told.stdout).unwrap();
    let work = fs::canonicalize(place.home.work()).unwrap();
    assert_eq!(told["execution_root"], json!(work));
    assert_eq!((&told["branch"], &told["source_head"]), (&json!("hotl/greeting"), &Value::Null));
}
