//! Runs of workflow files: all of them, and one with its steps, live, with what a person decides.

mod answers;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery};
use axum::response::Response;
use maud::{Markup, html};
use windlass_domain::Time;
use windlass_domain::run::word::StepStatus;
use windlass_ops::run::{
    AttemptView, Evidence, FileState, FileView, List, RunRow, RunView, SeenView, Show, Shown,
    StepView, WrittenView,
};
use windlass_ops::sheet::spoken;

use self::answers::answers;
use super::Visit;
use super::form::Form;
use super::layout::{Page, Section, framed};
use super::look::{self, address, empty, grouped, run_path, task_path};
use super::trouble::Trouble;
use crate::http::unreadable;

const MOST: u64 = 200;

/// The tabs: how a status is called in the address, and by people.
const TABS: [(&str, &str); 6] = [
    ("", "All"),
    ("running", "Running"),
    ("paused", "Waiting"),
    ("blocked", "Blocked"),
    ("ready_to_finish", "To finish"),
    ("completed", "Completed"),
];

/// `GET /runs`.
pub(super) async fn list(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let status = query.first("status").filter(|status| !status.is_empty());
    let asked = List { status: status.map(str::to_owned), limit: MOST, ..List::default() };
    let runs = visit.ask(asked).await?.runs;
    let main = html! {
        div.head {
            h1 { "Runs" }
            nav.tabs aria-label="Status" {
                @for (word, name) in TABS {
                    a href=(address("/runs", &[("status", word)]))
                        aria-current=[(status.unwrap_or_default() == word).then_some("page")] { (name) }
                }
            }
        }
        section.panel #runs data-live {
            h2 { "Workflow files, executed" span.soft.numeric { " " (grouped(runs.len() as u64)) } }
            @if runs.is_empty() {
                (empty("No runs. Start one where the work is: windlass run start FILE"))
            } @else {
                (table(&runs, visit.now))
            }
        }
    };
    Ok(framed(&visit, Page::new("Runs", Section::Runs, main)))
}

fn table(runs: &[RunRow], now: Time) -> Markup {
    html! {
        div.table {
            table.stacks {
                thead { tr { th { "Run" } th { "Status" } th { "Steps" } th { "Waits" } th { "Changed" } th { "Where" } } }
                tbody {
                    @for run in runs {
                        tr {
                            td { a href=(run_path(run.run)) { (run.run_id) } p.small.soft { (run.intent) } }
                            td data-label="Status" { (status(run.status.as_str())) }
                            td.numeric data-label="Steps" { (run.completed_steps) " of " (run.total_steps) }
                            td.wide data-label="Waits" { (to_decide(run, now)) }
                            td data-label="Changed" { (look::time(run.updated_at, now)) }
                            td.wide.small.soft data-label="Where" { (run.machine) ":" (run.folder) }
                        }
                    }
                }
            }
        }
    }
}

/// How many answers a run waits for, about what, and since when they are overdue.
fn to_decide(run: &RunRow, now: Time) -> Markup {
    html! {
        @if run.waiting > 0 {
            span.chip.warn { (run.waiting) " to decide" }
            " " span.small.soft { (run.waits_for.join(", ")) }
        }
        @if let Some(since) = run.overdue_since {
            " " span.chip.bad { "overdue since " (look::time(since, now)) }
        }
    }
}

/// The runs of a task, on its page.
pub(super) fn of_task(runs: &[RunRow], now: Time) -> Markup {
    html! {
        section.panel #runs data-live hidden[runs.is_empty()] {
            h2 { "Runs" span.soft.numeric { " " (runs.len()) } }
            ul.stack {
                @for run in runs {
                    li.line-up {
                        a href=(run_path(run.run)) { (run.run_id) }
                        (status(run.status.as_str()))
                        span.small.soft { (run.completed_steps) " of " (run.total_steps) " steps" }
                        (to_decide(run, now))
                    }
                }
            }
        }
    }
}

/// The status of a run or a step, by colour and by name.
fn status(word: &str) -> Markup {
    let tone = match word {
        "done" | "completed" | "ready_to_finish" | "passed" => "chip good",
        "in_progress" | "running" => "chip accent",
        "paused" | "needs_person" | "undecided" => "chip warn",
        "failed" | "blocked" | "abandoned" | "undecidable" => "chip bad",
        _ => "chip",
    };
    html! { span class=(tone) { (word.replace('_', " ")) } }
}

/// `GET /runs/{id}`.
pub(super) async fn page(
    visit: Visit,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, Trouble> {
    let Path(id) = path.map_err(|_| unreadable())?;
    let run = visit.ask(Show { run: Some(id), ..Show::default() }).await?;
    let evidence = Evidence { run: Some(run.run.to_string()), ..Evidence::default() };
    let shown = visit.ask(evidence).await?;
    let main = html! {
        div.task data-follow=(run.run) {
            header #head .task-head data-live {
                p.crumbs.soft { a href="/runs" { "Runs" } " / " span.id { (run.machine) } }
                h1 { (run.run_id) }
                p { (run.intent) }
                div.chips {
                    (status(run.status.as_str()))
                    @if run.gates == "attested" { span.chip.warn { "gates attested only" } }
                    @if run.waiting.iter().any(|waiting| waiting.overdue_since.is_some()) {
                        span.chip.bad { "overdue" }
                    }
                }
            }
            div.task-main {
                (answers(&run, &shown, visit.now))
                (blockers(&run))
                (steps(&run, &shown, visit.now))
            }
            div.task-side { (facts(&run, visit.now)) }
        }
    };
    let page = Page { title: format!("Run {}", run.run_id), ..Page::new("", Section::Runs, main) };
    Ok(framed(&visit, page))
}

fn blockers(run: &RunView) -> Markup {
    html! {
        div #blockers data-live {
            @for blocker in &run.blockers { div.notice.bad { p { "Blocked" } p { (blocker) } } }
            @for way in &run.ways_on { p.small.soft { "goes on with " code { (way) } } }
        }
    }
}

fn steps(run: &RunView, shown: &Shown, now: Time) -> Markup {
    html! {
        section.panel #steps data-live {
            h2 { "Steps" span.soft.numeric { " " (run.steps.len()) } }
            ol.steps {
                @for step in &run.steps { (one(run, shown, step, now)) }
            }
        }
    }
}

/// Somebody works on it, or must.
fn is_open(step: &StepView) -> bool {
    match step.status {
        StepStatus::InProgress | StepStatus::Failed | StepStatus::Blocked => true,
        StepStatus::Pending | StepStatus::Done => false,
    }
}

fn one(run: &RunView, shown: &Shown, step: &StepView, now: Time) -> Markup {
    html! {
        li id={ "step-" (step.step) } {
            p {
                strong { (step.step) ". " (step.name) } " " (status(step.status.as_str()))
                @if step.status == StepStatus::Done && !step.checked { " " span.chip.warn { "unverified" } }
                @if let Some(decision) = &step.decision { " " (decided(step, decision)) }
                @else if let Some(gate) = &step.gate { " " span.chip { "gate: " (gate) } }
            }
            @if step.attempts > 0 {
                p.small.soft {
                    "attempt " (step.attempts) " of " (step.max_attempts)
                    @if let Some(by) = &step.started_by { ", by " (by) }
                }
            }
            details open[is_open(step)] {
                summary { "What is done and checked" }
                p.prose { (step.action) }
                ul.small { @for check in &step.checks { li { code { (check) } } } }
            }
            (attempts(run, shown, step, now))
            @if step.status == StepStatus::Blocked && !waits(run, step) { (unblock(run, step)) }
            @if is_rejected(step) && !run.status.is_over() { (reopen(run, step)) }
        }
    }
}

/// What the checks of a step showed, the newest attempt first. Of an imported run only the last is
/// known, without its single checks.
fn attempts(run: &RunView, shown: &Shown, step: &StepView, now: Time) -> Markup {
    let made = shown.attempts.iter().filter(|attempt| attempt.step == step.step).rev();
    let made: Vec<&AttemptView> = made.collect();
    html! {
        @if made.is_empty() {
            @if let Some(text) = &step.stderr { p.small.soft { "stderr" } pre { (text) } }
            @if let Some(text) = &step.stdout { p.small.soft { "stdout" } pre { (text) } }
        }
        @for (at, attempt) in made.into_iter().enumerate() {
            details open[at == 0 && is_open(step)] {
                summary {
                    "Attempt " (attempt.attempt) " " (status(attempt.verdict.as_str())) " "
                    span.small.soft { (look::time(attempt.at, now)) }
                }
                @for seen in &attempt.checks { (check(run, seen)) }
            }
        }
    }
}

/// One check of an attempt: how it ended, what it wrote, and what it left.
fn check(run: &RunView, seen: &SeenView) -> Markup {
    html! {
        div.seen {
            p.small {
                (status(seen.outcome.as_str())) " " code { (seen.what) }
                @if let Some(code) = seen.exit_code { span.soft { " exit code " (code) } }
                @if let Some(signal) = seen.signal { span.soft { " signal " (signal) } }
                @if let Some(took) = seen.took_ms { span.soft { " " (spoken(took)) } }
            }
            (written("stdout", &seen.stdout))
            (written("stderr", &seen.stderr))
            @if let Some(ending) = &seen.ending { p.small { (ending) } }
            @if let Some(log) = &seen.log { (file(run, log, "the whole output")) }
            @for picture in &seen.files { (file(run, picture, &picture.name)) }
        }
    }
}

/// Beginning and end of an output, with a word on what is between them.
fn written(name: &str, written: &WrittenView) -> Markup {
    let (head, tail) = (written.head.trim_end(), written.tail.trim_end());
    html! {
        @if !head.is_empty() || !tail.is_empty() {
            p.small.soft { (name) ", " (grouped(written.size_bytes)) " bytes" }
            @if written.left_out_bytes > 0 {
                pre { (head) }
                p.small.soft { "… " (grouped(written.left_out_bytes)) " bytes are left out …" }
                pre { (tail) }
            } @else {
                pre { (written.head) (tail) }
            }
        }
    }
}

/// A file of the evidence: a picture is shown, another one is led to, and what cannot be had is named.
fn file(run: &RunView, file: &FileView, called: &str) -> Markup {
    let way = format!("{}/evidence/{}", run_path(run.run), file.name);
    html! {
        @match (file.state, file.is_picture()) {
            (FileState::Here, true) => figure.picture {
                a href=(way) { img src=(way) alt={ "Picture of the page: " (file.name) } loading="lazy"; }
                figcaption.small.soft { (file.name) }
            },
            (FileState::Here, false) => p.small { a href=(way) { (called) } span.soft { " " (grouped(file.size_bytes)) " bytes" } },
            (FileState::Missing, _) => p.small.soft { (file.name) " is not there any more" },
            (FileState::Changed, _) => p.small { span.chip.bad { "changed" } " " (file.name) " is not what the check left" },
            (FileState::Unreadable, _) => p.small.soft { (file.name) " cannot be read" },
            (FileState::TooLarge, _) => p.small.soft {
                (called) ", too large to show: " code { (file.path) } " " (grouped(file.size_bytes)) " bytes"
            },
            (FileState::Elsewhere, _) => p.small.soft { "on " (run.machine) ": " code { (file.path) } },
            (FileState::Apart, _) => p.small.soft { code { (file.path) } " " (grouped(file.size_bytes)) " bytes" },
        }
    }
}

/// The last checks of a step that were made.
fn last_of(shown: &Shown, step: u32) -> Option<&AttemptView> {
    shown.attempts.iter().rev().find(|attempt| attempt.step == step)
}

/// What there is to look at before a step is decided.
fn pictures(run: &RunView, attempt: Option<&AttemptView>) -> Markup {
    let seen = attempt.into_iter().flat_map(|attempt| &attempt.checks);
    html! {
        @for picture in seen.flat_map(|seen| &seen.files).filter(|file| file.is_picture()) {
            (file(run, picture, &picture.name))
        }
    }
}

fn decided(step: &StepView, decision: &str) -> Markup {
    let tone = if decision == "approved" { "chip good" } else { "chip bad" };
    let by = step.decided_by.as_deref().unwrap_or("the workflow file");
    let how = step.authority.as_deref().unwrap_or_default();
    html! { span class=(tone) title={ "by " (by) ", " (how) } { (decision) " by " (by) } }
}

fn waits(run: &RunView, step: &StepView) -> bool {
    run.waiting.iter().any(|waiting| waiting.step == Some(step.step))
}

fn unblock(run: &RunView, step: &StepView) -> Markup {
    html! {
        form.line-up method="post" action="/do/run.step.unblock" {
            input type="hidden" name="run_id" value=(run.run);
            input type="hidden" name="step" value=(step.step);
            input type="hidden" name="back" value=(run_path(run.run));
            label.field { span { "Why it can go on" } input name="reason" required autocomplete="off"; }
            button { "Let it go on" }
        }
    }
}

/// Its gate was, and not a check of it.
fn is_rejected(step: &StepView) -> bool {
    step.status == StepStatus::Done && step.decision.as_deref() == Some("rejected")
}

fn reopen(run: &RunView, step: &StepView) -> Markup {
    html! {
        form.line-up method="post" action="/do/run.reopen" id={ "reopen-" (step.step) } {
            input type="hidden" name="run_id" value=(run.run);
            input type="hidden" name="step" value=(step.step);
            input type="hidden" name="back" value=(run_path(run.run));
            label.field { span { "Why it is taken back" } input name="reason" required autocomplete="off"; }
            label.check { input type="checkbox" name="redo" value="true"; span { "Do the step again" } }
            button { "Take the rejection back" }
        }
    }
}

fn facts(run: &RunView, now: Time) -> Markup {
    let said = |name: &'static str, text: Option<&String>| {
        html! { @if let Some(text) = text { dt { (name) } dd { (text) } } }
    };
    html! {
        section.panel #facts data-live {
            h2 { "Facts" }
            dl.facts {
                dt { "Succeeds when" } dd { (run.success_criteria) }
                @if let Some(task) = run.task.as_ref().and_then(|task| task.parse().ok()) {
                    dt { "Task" } dd { a href=(task_path(task)) { (task.short()) } }
                }
                dt { "Gates" } dd { (run.gates) }
                dt { "Risk" } dd { (run.risk_level) }
                (said("Owner", run.owner.as_ref()))
                (said("Work", run.disposition.as_ref()))
                dt { "Branch" } dd { code.small { (run.branch) } }
                dt { "Folder" } dd { code.small { (run.machine) ":" (run.folder) } }
                dt { "File" } dd { code.small { (run.workflow_path) } }
                dt { "Started" } dd { (look::time(run.started_at, now)) }
                dt { "Changed" } dd { (look::time(run.updated_at, now)) }
                @if let Some(at) = run.completed_at { dt { "Completed" } dd { (look::time(at, now)) } }
            }
        }
    }
}
