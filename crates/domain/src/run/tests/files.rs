//! State file and report: as HOTL writes them, and read back.

use super::scene::{
    GATED, LOW, MIXED, REVIEWED, Scene, THREE, agent, approve, attested, both, enforced, imported,
    person, reject,
};
use crate::event::RunEvent;
use crate::run::edit::{OutsideEdits, outside_edit};
use crate::run::file::parse as parse_file;
use crate::run::finish::Force;
use crate::run::normalize::normalize;
use crate::run::owner::{Bid, claim};
use crate::run::receipt::{caveats, must_prove};
use crate::run::report::{Told, replay, report};
use crate::run::state::Run;
use crate::run::state_file::{StateFile, parse};
use crate::run::word::{Authority, Caveat, Disposition, Gates, RunStatus, StepStatus};
use crate::{Code, RunKey};

fn told(scene: &Scene) -> String {
    let events = scene.log.iter().map(|(event, at)| (event, *at));
    let Told { run, log, .. } = replay(scene.run.key, None, events).unwrap();
    assert_eq!(run, scene.run, "the log says what the run is");
    report(&run, &log)
}

/// One of everything that a report shows.
fn eventful() -> Scene {
    let steps = "\
- [ ] **Step 1: Build | pack**\naction: build it\nloop: until it builds\nverify: make\n\n\
- [ ] **Step 2: Look**\naction: look at it\nloop: false\nverify:\n  type: human-review\n  \
prompt: is it blue?\n\n\
- [ ] **Step 3: Tell**\naction: tell them\nloop: false\ngate: human\n";
    let mut scene = attested(LOW, steps);
    scene.start(1).unwrap();
    scene.later(1);
    scene.fail(1);
    scene.retry(1).unwrap();
    scene.start(1).unwrap();
    scene.later(1);
    scene.verify(1).unwrap();
    scene.done(2);
    scene.later(1);
    scene.gate(2, &approve(), &agent()).unwrap();
    scene.done(3);
    scene
}

#[test]
fn the_report_of_a_small_run() {
    let mut scene = eventful();
    scene.gate(3, &approve(), &agent()).unwrap();
    scene.finalize().unwrap();
    scene.finish(Disposition::Kept, Force::No).unwrap();
    insta::assert_snapshot!(told(&scene), @r#"
    # Execution Report: boat-20261115T093000Z

    **Workflow:** hotl-workflow-boat.md
    **Source Workflow:** /repo/docs/hotl-workflow-boat.md
    **Source Branch:** main
    **Source HEAD:** 0123abc
    **Intent:** try it
    **Branch:** hotl/boat
    **Executor:** loop
    **Execution Root:** /trees/boat
    **Worktree:** /trees/boat
    **Started:** 2026-11-15T09:30:00+00:00
    **Updated:** 2026-11-15T09:33:00+00:00
    **Status:** completed

    | Step | Name | Status | Iterations |
    |------|------|--------|------------|
    |  1   | Build \| pack | ✓ Done | 2 |
    |  2   | Look | ✓ Approved | - |
    |  3   | Tell | ✓ Approved (unverified) | - |

    ## Event Log

    **[09:30:00]** → Step 1: Build | pack
    **[09:31:00]** ✗ Step 1: Failed (1 attempt(s))
      verify stdout: check 0
    **[09:31:00]** ↻ Step 1: Retrying (2/3)
    **[09:31:00]** → Step 1: Build | pack
    **[09:32:00]** ✓ Step 1: Done (2 attempt(s))
    **[09:32:00]** → Step 2: Look
    **[09:32:00]** ✗ Step 2: Blocked (human review required: is it blue?)
    **[09:33:00]** Human review for Step 2: approved (human)
    **[09:33:00]** → Step 3: Tell
    **[09:33:00]** ✓ Step 3: Done (no verify, 1 attempt(s))
    **[09:33:00]** Gate Step 3: approved (human)
    **[09:33:00]** Run finalized: ready_to_finish
    **[09:33:00]** Finish recorded: kept

    ## Finish Outcome

    **Disposition:** kept
    **Recorded:** 2026-11-15T09:33:00+00:00
    **Notes:** as planned
    "#);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a whole file is shown")]
fn the_state_file_of_a_small_run() {
    insta::assert_snapshot!(eventful().run.state_text().unwrap(), @r#"
    {
      "run_id": "boat-20261115T093000Z",
      "workflow_path": "/repo/docs/hotl-workflow-boat.md",
      "source_workflow_path": "/repo/docs/hotl-workflow-boat.md",
      "source_branch": "main",
      "source_head": "0123abc",
      "workflow_slug": "boat",
      "intent": "try it",
      "success_criteria": "it works",
      "risk_level": "low",
      "auto_approve": false,
      "branch": "hotl/boat",
      "repo_root": "/repo",
      "execution_root": "/trees/boat",
      "worktree_path": "/trees/boat",
      "executor_mode": "loop",
      "driver": "generic",
      "host": "fallback",
      "policy": {
        "profile": "standard",
        "sensitive_actions": "human"
      },
      "budgets": {
        "limits": {
          "total_attempts": null,
          "agents": null,
          "cost_usd": null,
          "elapsed_minutes": null
        },
        "observed": {
          "agents": null,
          "cost_usd": null,
          "elapsed_minutes": 3
        },
        "exceeded": []
      },
      "external_actions": [],
      "policy_pauses": [],
      "controller": {
        "status": "unclaimed",
        "owner_id": null,
        "token_sha256": null,
        "claimed_at": null,
        "heartbeat_at": null,
        "lease_expires_epoch": null,
        "released_at": null
      },
      "ownership_required": false,
      "ownership_history": [],
      "revision": 10,
      "started_at": "2026-11-15T09:30:00+00:00",
      "last_update": "2026-11-15T09:33:00+00:00",
      "completed_at": null,
      "status": "running",
      "current_step": 3,
      "total_steps": 3,
      "report_path": "/trees/boat/.hotl/reports/boat-20261115T093000Z.md",
      "finish": {
        "disposition": null,
        "recorded_at": null,
        "target_branch": null,
        "remote": null,
        "pr_url": null,
        "branch_action": null,
        "worktree_action": null,
        "artifacts_preserved_at": null,
        "notes": null
      },
      "steps": [
        {
          "number": 1,
          "name": "Build | pack",
          "action": "build it",
          "status": "done",
          "attempts": 2,
          "max_iterations": 3,
          "loop": "until it builds",
          "started_at": "2026-11-15T09:31:00+00:00",
          "completed_at": "2026-11-15T09:32:00+00:00",
          "verify": {
            "type": "shell",
            "command": "make",
            "passed": true,
            "stdout": "check 0\n",
            "stderr": "\n"
          },
          "gate": null,
          "gate_result": null,
          "gate_mode": null,
          "block_reason": null
        },
        {
          "number": 2,
          "name": "Look",
          "action": "look at it",
          "status": "done",
          "attempts": 1,
          "max_iterations": 3,
          "loop": "false",
          "started_at": "2026-11-15T09:32:00+00:00",
          "completed_at": "2026-11-15T09:33:00+00:00",
          "verify": {
            "type": "human-review",
            "command": null,
            "prompt": "is it blue?",
            "passed": true,
            "stdout": "human review approved",
            "stderr": null
          },
          "gate": null,
          "gate_result": "approved",
          "gate_mode": "human",
          "block_reason": null
        },
        {
          "number": 3,
          "name": "Tell",
          "action": "tell them",
          "status": "done",
          "attempts": 1,
          "max_iterations": 3,
          "loop": "false",
          "started_at": "2026-11-15T09:33:00+00:00",
          "completed_at": "2026-11-15T09:33:00+00:00",
          "verify": {
            "type": "shell",
            "command": "",
            "passed": true,
            "stdout": null,
            "stderr": null
          },
          "gate": "human",
          "gate_result": null,
          "gate_mode": null,
          "block_reason": null
        }
      ]
    }
    "#);
}

#[test]
fn a_state_file_has_every_key_in_its_order() {
    let scene = attested(LOW, THREE);
    let text = scene.run.state_text().unwrap();
    let keys = [
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
    let written: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("  \"")?.split_once('"').map(|(key, _)| key))
        .collect();
    assert_eq!(written, keys);
}

#[test]
fn the_checks_of_a_step_are_written_by_type() {
    let steps = "\
### 1. All\naction: x\nloop: false\nverify:\n  - type: shell\n    command: make\n  - type: browser\n    \
url: http://localhost\n    check: it shows\n  - type: human-review\n    prompt: nice?\n  \
- type: artifact\n    path: out\n    assert:\n      kind: contains\n      value: \"ok\"\n  \
- type: magic\n";
    let scene = attested(LOW, steps);
    let verify =
        serde_json::to_value(scene.run.state_file()).unwrap()["steps"][0]["verify"].clone();
    assert_eq!(
        verify,
        serde_json::json!({
            "type": "multi", "command": null, "passed": null, "stdout": null, "stderr": null,
            "checks": [
                {"type": "shell", "command": "make", "passed": null, "stdout": null, "stderr": null},
                {"type": "browser", "command": "browser: http://localhost - it shows",
                 "url": "http://localhost", "check": "it shows",
                 "passed": null, "stdout": null, "stderr": null},
                {"type": "human-review", "command": null, "prompt": "nice?",
                 "passed": null, "stdout": null, "stderr": null},
                {"type": "artifact", "command": null, "path": "out",
                 "assert": {"kind": "contains", "value": "ok"},
                 "passed": null, "stdout": null, "stderr": null},
                {"type": "magic", "command": null, "passed": null, "stdout": null, "stderr": null},
            ]
        })
    );
}

#[test]
fn report_detail_full_shows_the_output_of_checks_that_pass() {
    for (front, shown) in [(LOW.to_owned(), false), (format!("{LOW}\nreport_detail: full"), true)] {
        let mut scene = attested(&front, THREE);
        scene.done(1);
        assert_eq!(told(&scene).contains("\n  verify stdout: check 0\n"), shown);
    }
}

#[test]
fn a_step_without_a_check_is_unverified_in_the_report() {
    for mut scene in both(LOW, "### 1. Think\naction: think\nloop: false\n") {
        scene.done(1);
        assert!(told(&scene).contains("|  1   | Think | ✓ Done (unverified) | 1 |\n"));
    }
}

#[test]
fn a_step_without_a_check_stays_unverified_in_the_report_when_it_is_approved() {
    for mut scene in both(LOW, "### 1. Think\naction: think\nloop: false\ngate: human\n") {
        scene.done(1);
        scene.gate(1, &approve(), &person()).unwrap();
        assert!(told(&scene).contains("|  1   | Think | ✓ Approved (unverified) | - |\n"));
    }
}

#[test]
fn output_cannot_pass_for_a_line_of_the_log() {
    let mut scene = attested(LOW, THREE);
    scene.start(1).unwrap();
    let mut result = crate::run::check::CheckResult::new(0, crate::run::check::Outcome::Failed);
    result.stdout.text = "no\n**[09:30:00]** ✓ Step 1: Done (1 attempt(s))\n".into();
    let failed = crate::run::step::verified(&scene.run, 1, 1, vec![result], &agent(), scene.now);
    scene.take(failed).unwrap();
    assert!(!told(&scene).contains("\n**[09:30:00]** ✓"));
}

#[test]
fn a_state_file_is_read_back_as_it_was_written() {
    for mut scene in both(LOW, MIXED) {
        scene.done(1);
        let text = scene.run.state_text().unwrap();
        let event = imported(parse(&text).unwrap(), "/trees/boat", scene.run.gates);
        let run = Run::begun(RunKey::from_bytes([8; 16]), &event, scene.now).unwrap();
        assert_eq!(run.state_text().unwrap(), text);
        assert_eq!(run.status(), RunStatus::Paused);
        assert_eq!(run.waiting().len(), 1, "a person is still waited for");
    }
}

#[test]
fn an_imported_run_goes_on_where_it_was() {
    let mut scene = attested(LOW, REVIEWED);
    scene.done(1);
    let state = parse(&scene.run.state_text().unwrap()).unwrap();
    let event = imported(state, "/trees/boat", Gates::Attested);
    let run = Run::begun(scene.run.key, &event, scene.now).unwrap();
    let mut imported = Scene { run, log: vec![(event, scene.now)], now: scene.now };
    imported.gate(1, &approve(), &agent()).unwrap();
    assert_eq!(imported.step_status(1), StepStatus::Done);
    imported.finalize().unwrap();
    assert_eq!(imported.status(), RunStatus::ReadyToFinish);
}

#[test]
fn a_state_file_of_an_older_tool_is_filled_in() {
    let text = r#"{"run_id": "old-20250101T000000Z", "workflow_path": "/w.md", "intent": "x",
        "unknown": {"kept": false}, "started_at": "2025-01-01T00:00:00+00:00",
        "last_update": "2025-01-01T00:01:00+00:00", "status": "running",
        "steps": [{"number": 1, "name": "One", "status": "in_progress", "attempts": 1,
                   "verify": {"type": "shell", "command": "true"}}]}"#;
    let event = imported(parse(text).unwrap(), "/w", Gates::Attested);
    let run = Run::begun(RunKey::from_bytes([1; 16]), &event, super::scene::BEGIN).unwrap();
    assert_eq!(run.place.driver, "generic");
    assert_eq!(run.steps[0].max_iterations, 3);
    let mut scene = Scene { run, log: Vec::new(), now: super::scene::BEGIN };
    scene.start(1).unwrap();
    scene.verify(1).unwrap();
    assert_eq!(scene.step_status(1), StepStatus::Done);
}

#[test]
fn a_status_that_follows_from_nothing_is_kept() {
    let scene = attested(LOW, THREE);
    for status in ["paused", "blocked", "abandoned", "ready_to_finish", "completed"] {
        let text = scene.run.state_text().unwrap().replace("\"running\"", &format!("\"{status}\""));
        let event = imported(parse(&text).unwrap(), "/w", Gates::Attested);
        let run = Run::begun(scene.run.key, &event, scene.now).unwrap();
        assert_eq!(run.status().as_str(), status);
    }
}

#[test]
fn what_is_no_state_file_is_refused() {
    for text in ["", "{", "{}", "[]", r#"{"run_id": "../x"}"#] {
        assert_eq!(parse(text).unwrap_err().code, Code::ImportInvalid, "{text}");
    }
}

#[test]
fn a_state_file_without_steps_is_refused_with_a_way_on() {
    let text = r#"{"run_id": "x", "status": "running", "steps": [],
        "started_at": "2026-11-16T02:00:00+00:00", "last_update": "2026-11-16T02:00:00+00:00"}"#;
    let refused = parse(text).unwrap_err();
    assert_eq!(refused.message, "the state file has no steps");
    assert!(refused.hint.unwrap().contains("windlass run start"));
}

#[test]
fn what_is_kept_of_a_run_that_ended_elsewhere_is_no_run_of_the_folder() {
    let scene = attested(LOW, THREE);
    let state = parse(&scene.run.state_text().unwrap()).unwrap();
    let elsewhere = "/somewhere/else";
    assert!(!state.is_keepsake_in(elsewhere), "it goes on");
    let over = StateFile { status: RunStatus::Completed, ..state };
    assert!(over.is_keepsake_in(elsewhere));
    assert!(!over.is_keepsake_in(&over.execution_root), "it ended here");
}

fn edited(scene: &Scene, from: &str, to: &str) -> String {
    let text = scene.run.state_text().unwrap();
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

#[test]
fn an_outside_edit_is_refused_and_recorded_once_with_the_difference() {
    let mut scene = enforced(LOW, THREE);
    let text = edited(&scene, "\"command\": \"make\"", "\"command\": \"true\"");
    let found = outside_edit(&scene.run, &text, OutsideEdits::Refuse).unwrap();
    assert_eq!(found.refusal.unwrap().code, Code::RunEdited);
    let RunEvent::RunEdited(data) = &found.events[0] else { panic!("not edited") };
    assert_eq!(data.difference.len(), 1);
    assert_eq!(data.difference[0].path, ".steps[0].verify.command");
    assert_eq!(data.difference[0].before, Some("make".into()));
    assert_eq!(data.difference[0].after, Some("true".into()));
    let as_it_was = scene.run.state_text().unwrap();
    scene.record(found.events);
    assert_eq!(scene.run.state_text().unwrap(), as_it_was);
    let again = outside_edit(&scene.run, &text, OutsideEdits::Refuse).unwrap();
    assert!(again.events.is_empty() && again.refusal.is_some());
}

#[test]
fn an_outside_edit_that_is_no_json_is_refused_and_recorded() {
    let scene = enforced(LOW, THREE);
    let found = outside_edit(&scene.run, "oh", OutsideEdits::Refuse).unwrap();
    let RunEvent::RunEdited(data) = &found.events[0] else { panic!("not edited") };
    assert_eq!(data.difference[0].path, ".");
    let adopted = outside_edit(&scene.run, "oh", OutsideEdits::Adopt);
    assert_eq!(adopted.unwrap_err().code, Code::ImportInvalid);
}

fn adopt(scene: &mut Scene, text: &str) {
    let found = outside_edit(&scene.run, text, OutsideEdits::Adopt).unwrap();
    assert_eq!(found.refusal, None);
    scene.record(found.events);
}

#[test]
fn an_adopted_edit_of_a_command_counts() {
    let mut scene = attested(LOW, THREE);
    scene.start(1).unwrap();
    scene.fail(1);
    scene.retry(1).unwrap();
    let text = edited(&scene, "\"command\": \"make\"", "\"command\": \"true\"");
    adopt(&mut scene, &text);
    let crate::run::file::Check::Shell { command, .. } = &scene.step(1).checks[0] else { panic!() };
    assert_eq!(command.as_deref(), Some("true"));
    scene.start(1).unwrap();
    scene.verify(1).unwrap();
    assert_eq!(scene.step(1).attempts, 2, "the start after a retry is still not counted");
}

#[test]
fn an_adopted_edit_of_times_and_leases_counts() {
    let mut scene = attested(&format!("{LOW}\nmax_elapsed_minutes: 10"), THREE);
    let text = edited(&scene, "\"started_at\": \"2026", "\"started_at\": \"2000");
    adopt(&mut scene, &text);
    assert_eq!(scene.start(1).unwrap_err().code, Code::BudgetExceeded);
    let mut scene = attested(LOW, THREE);
    let bid = Bid { owner: "a".into(), token_sha256: "aa".into(), lease_seconds: 60 };
    let claimed = claim(&scene.run, &bid, scene.now);
    scene.take(claimed).unwrap();
    let text = edited(&scene, "\"lease_expires_epoch\": 1794735060", "\"lease_expires_epoch\": 0");
    adopt(&mut scene, &text);
    assert!(scene.run.owner.lease_ran_out(scene.now));
}

#[test]
fn an_adopted_edit_of_the_status_proves_nothing() {
    let mut scene = attested(LOW, GATED);
    scene.done(1);
    scene.done(2);
    let text = edited(&scene, "\"status\": \"running\"", "\"status\": \"ready_to_finish\"");
    adopt(&mut scene, &text);
    assert_eq!(scene.status(), RunStatus::ReadyToFinish);
    let refusal = scene.finish(Disposition::Published, Force::No).unwrap_err();
    assert!(refusal.message.contains("requires sufficient completion evidence"), "{refusal}");
}

#[test]
fn a_step_that_a_file_calls_done_is_not_proven_by_it() {
    let mut scene = enforced(LOW, "### 1. Do\naction: x\nloop: false\nverify: make\n");
    scene.done(1);
    assert_eq!(caveats(&scene.run), []);
    let state = parse(&scene.run.state_text().unwrap()).unwrap();
    let event = imported(state, "/w", Gates::Enforced);
    let run = Run::begun(scene.run.key, &event, scene.now).unwrap();
    assert_eq!(run.step(1).unwrap().status, StepStatus::Done);
    assert_eq!(caveats(&run), [Caveat::StepUnseen]);
    assert!(must_prove(&run).unwrap_err().message.ends_with(": step_unseen"));
}

#[test]
fn an_imported_review_after_a_check_is_the_last_that_is_asked() {
    let steps = "### 1. Do\naction: x\nloop: false\nverify:\n  - make\n  - type: human-review\n    \
                 prompt: look\n";
    let mut scene = attested(LOW, steps);
    scene.start(1).unwrap();
    scene.verify(1).unwrap();
    let state = parse(&scene.run.state_text().unwrap()).unwrap();
    let event = imported(state, "/w", Gates::Attested);
    scene.run = Run::begun(scene.run.key, &event, scene.now).unwrap();
    scene.gate(1, &approve(), &agent()).unwrap();
    assert_eq!(scene.step_status(1), StepStatus::Done);
}

#[test]
fn an_adopted_approval_is_only_attested() {
    let mut scene = enforced(LOW, GATED);
    scene.done(1);
    let text = edited(&scene, "\"gate_result\": null", "\"gate_result\": \"approved\"");
    adopt(&mut scene, &text);
    assert_eq!(scene.step(1).decided.clone().unwrap().authority, Authority::Attested);
}

#[test]
fn an_edit_that_names_another_run_is_refused_even_where_edits_are_adopted() {
    let scene = attested(LOW, THREE);
    let text = edited(&scene, "\"run_id\": \"boat", "\"run_id\": \"ship");
    let found = outside_edit(&scene.run, &text, OutsideEdits::Adopt);
    assert_eq!(found.unwrap_err().code, Code::RunEdited);
}

#[test]
fn a_log_tells_of_reasons_edits_and_unblocking() {
    let mut scene = enforced(LOW, GATED);
    scene.done(1);
    scene.gate(1, &reject(), &person()).unwrap();
    scene.block(2, "two\nlines").unwrap();
    scene.unblock(Some(2), &person()).unwrap();
    let text = scene.run.state_text().unwrap().replace("\"boat\"", "\"ship\"");
    let found = outside_edit(&scene.run, &text, OutsideEdits::Refuse).unwrap();
    scene.record(found.events);
    let report = told(&scene);
    for line in [
        "**[09:30:00]** Gate Step 1: rejected (human) — not blue",
        "**[09:30:00]** ✗ Step 2: Blocked — two lines",
        "**[09:30:00]** Step 2: Unblocked — looked at it",
        "**[09:30:00]** State file changed by another hand, refused: .workflow_slug",
    ] {
        assert!(report.contains(&format!("{line}\n")), "{line}\n{report}");
    }
}

#[test]
fn a_workflow_file_in_its_portable_form() {
    let front = format!("---\n{LOW}\nmax_cost_usd: 1.5\n---\n\n{GATED}");
    let file = parse_file(&front).unwrap().file;
    let normal = serde_json::to_value(normalize(&file, "/w/hotl-workflow-boat.md")).unwrap();
    assert_eq!(normal["schema"], "hotl.workflow/v1");
    assert_eq!(normal["source"]["format"], "hotl-markdown");
    let workflow = &normal["workflow"];
    assert_eq!(workflow["slug"], "boat");
    assert_eq!(workflow["branch"], "hotl/boat");
    assert_eq!(workflow["policy"]["budgets"]["max_cost_usd"], 1.5);
    assert_eq!(
        workflow["steps"][0],
        serde_json::json!({
            "number": 1, "name": "Plan", "action": "plan it", "loop": "until planned",
            "max_iterations": 3, "verify": {"type": "shell", "command": "make plan"},
            "gate": "human"
        })
    );
    let once = parse_file("### 1. One\naction: x\nloop: false\n").unwrap().file;
    let normal = serde_json::to_value(normalize(&once, "/w/x.md")).unwrap();
    assert_eq!(normal["workflow"]["steps"][0]["loop"], false);
    assert_eq!(normal["workflow"]["steps"][0]["gate"], serde_json::Value::Null);
}
