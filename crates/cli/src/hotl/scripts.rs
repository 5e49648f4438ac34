//! The helper scripts of HOTL, as `windlass hotl …`.

use std::fs;
use std::path::PathBuf;

use serde::Deserialize;
use windlass_domain::Exit;
use windlass_ledger::Error;
use windlass_ops::Context;
use windlass_ops::run::{Answers, Existing, Finalize, Lint, Locate, Prepare, Summary, Target};

use super::runtime::{must_exist, say, say_json};
use super::words::Words;
use super::{Trouble, driver, finish};

pub(super) const USAGE: &str = "\
Usage: windlass hotl <script> [arguments]

  prepare-root <workflow-file> [--executor-mode MODE]         make the branch and its worktree
               [--on-existing reuse|recreate|fail]            where the branch is there already
  lint <workflow-file>                                        look for what is wrong with it
  render-summary --platform codex|claude|cline <summary.json> show a summary for a chat
  finalize-codex [run-id]                                     finalize a run and show its summary
  locate-run [--workflow FILE] [--run-id ID] [--all]          find runs in all checkouts, as JSON
  finish-execution --run-id ID --mode keep|merge|publish|discard   do it, and record it
  driver generic <command> [arguments]                        the runtime under hotl.driver/v1
";

/// What a file must end with to have passed; all else that a lint says is for stderr.
const PASSED: &str = "LINT PASSED: ";

pub(super) fn answer(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    match words.needed()?.as_str() {
        "prepare-root" => prepare_root(cx, words),
        "lint" => lint(cx, words),
        "render-summary" => render_summary(cx, words),
        "finalize-codex" => finalize_codex(cx, words),
        "locate-run" => locate_run(cx, words),
        "finish-execution" => finish::answer(cx, words),
        "driver" => driver::answer(cx, words),
        "help" | "--help" | "-h" => say(USAGE.trim_end()),
        _ => Err(Trouble::Usage),
    }
}

/// HOTL's script asks nobody, and does not lint: skills do.
fn prepare_root(cx: &Context, mut words: Words) -> Result<Exit, Trouble> {
    let on_existing = match words.option("--on-existing").as_deref() {
        None => None,
        Some("reuse") => Some(Existing::Reuse),
        Some("recreate") => Some(Existing::Recreate),
        Some("fail") => Some(Existing::Fail),
        Some(other) => return Err(Trouble::Told(format!("Unknown --on-existing: {other}"))),
    };
    let prepare = Prepare {
        file: PathBuf::from(words.needed()?),
        answers: Answers {
            on_existing,
            on_feature_branch: Some("isolated".to_owned()),
            stash: false,
        },
        executor_mode: words.option("--executor-mode").unwrap_or_else(|| "loop".to_owned()),
    };
    words.end()?;
    must_exist(cx, &prepare.file)?;
    match prepare.without_lint(cx) {
        Ok(prepared) => say_json(&prepared),
        Err(Error::Refused(refusal)) => Err(Trouble::with_hint(refusal)),
        Err(failed) => Err(failed.into()),
    }
}

fn lint(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    let file = PathBuf::from(words.needed()?);
    words.end()?;
    let linted = cx.call(&Lint { files: vec![file], compat: true })?;
    for line in linted.compat.unwrap_or_default().lines() {
        match line.starts_with(PASSED) {
            true => drop(say(line)?),
            false => super::tell(line),
        }
    }
    Ok(if linted.sound { Exit::Done } else { Exit::Unexpected })
}

fn render_summary(cx: &Context, mut words: Words) -> Result<Exit, Trouble> {
    let platform = words.option("--platform").ok_or(Trouble::Usage)?;
    let file = words.needed()?;
    words.end()?;
    let path = cx.surroundings.folder.clone().unwrap_or_default().join(&file);
    let text = fs::read_to_string(path)
        .map_err(|_| Trouble::Told(format!("Summary JSON not found: {file}")))?;
    let shown = Chat::named(&platform)?.show(&Told::read(&text)?);
    say(shown.trim_end())
}

fn finalize_codex(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    let target = Target { run_id: words.next(), ..Target::default() };
    words.end()?;
    let done = cx.call(&Finalize { target, ..Finalize::default() })?;
    let run = Some(done.whereabouts.run.to_string());
    let summary = cx.call(&Summary { run, ..Summary::default() })?;
    say(Chat::Lines.show(&Told::read(summary.text())?).trim_end())
}

fn locate_run(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    let locate = Locate {
        workflow: words.option("--workflow").map(PathBuf::from),
        run_id: words.option("--run-id"),
        all: words.switch("--all"),
    };
    words.end()?;
    say_json(&cx.call(&locate)?.runs)
}

/// How a chat shows a summary.
#[derive(Debug, Clone, Copy)]
enum Chat {
    Lines,
    Table,
}

impl Chat {
    fn named(platform: &str) -> Result<Self, Trouble> {
        match platform {
            "codex" => Ok(Self::Lines),
            "claude" | "cline" => Ok(Self::Table),
            _ => Err(Trouble::Told(format!("Unsupported platform: {platform}"))),
        }
    }

    fn show(self, told: &Told) -> String {
        let head = match self {
            Self::Lines => "Execution Summary\n",
            Self::Table => {
                "| Step | Name | Status | Iterations |\n|------|------|--------|------------|"
            }
        };
        let rows = told.steps.iter().map(|step| step.row(self));
        std::iter::once(head.to_owned()).chain(rows).map(|line| line + "\n").collect()
    }
}

/// A summary as anybody wrote it; only what is shown of it matters.
#[derive(Debug, Deserialize)]
struct Told {
    steps: Vec<ToldStep>,
}

impl Told {
    fn read(text: &str) -> Result<Self, Trouble> {
        serde_json::from_str(text)
            .map_err(|wrong| Trouble::Told(format!("the summary cannot be read: {wrong}")))
    }
}

#[derive(Debug, Deserialize)]
struct ToldStep {
    number: u32,
    name: String,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    attempts: Option<u32>,
    #[serde(default)]
    gate_result: Option<String>,
    #[serde(default)]
    gate_mode: Option<String>,
}

impl ToldStep {
    fn row(&self, chat: Chat) -> String {
        let (symbol, status) = self.outcome();
        let attempts = self.attempts.unwrap_or_default();
        let name = self.name.replace('\n', " ");
        let number = self.number;
        match chat {
            Chat::Lines => {
                let plural = if attempts == 1 { "" } else { "s" };
                let count = match self.gate_result {
                    Some(_) => "-".to_owned(),
                    None => format!("{attempts} attempt{plural}"),
                };
                format!("{symbol} Step {number}: {name} - {status} ({count})")
            }
            Chat::Table => {
                let name = name.replace('\\', "\\\\").replace('|', "\\|");
                let count = match self.gate_result {
                    Some(_) => "-".to_owned(),
                    None => attempts.to_string(),
                };
                format!("| {number} | {name} | {symbol} {status} | {count} |")
            }
        }
    }

    /// What was decided at the gate says more than the status before it.
    fn outcome(&self) -> (&'static str, &str) {
        match (self.gate_result.as_deref(), self.gate_mode.as_deref()) {
            (Some("approved"), Some("auto")) => return ("⚡", "Auto-approved"),
            (Some("approved"), _) => return ("✓", "Approved"),
            (Some("rejected"), _) => return ("✗", "Rejected"),
            _ => {}
        }
        match self.status.as_deref().unwrap_or("pending") {
            "done" => ("✓", "Done"),
            "failed" => ("✗", "Failed"),
            "blocked" => ("✗", "Blocked"),
            "in_progress" => ("→", "Running"),
            "pending" => ("·", "Pending"),
            other => ("·", other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMMARY: &str = r#"{"steps": [
        {"number": 1, "name": "One\nline", "status": "done", "attempts": 1, "gate_result": null},
        {"number": 2, "name": "A | B \\ C", "status": "failed", "attempts": 2},
        {"number": 3, "name": "Three", "status": "blocked", "attempts": 0, "block_reason": "x"},
        {"number": 4, "name": "Four", "status": "in_progress", "attempts": 1},
        {"number": 5, "name": "Five"},
        {"number": 6, "name": "Six", "status": "done", "gate_result": "approved"},
        {"number": 7, "name": "Seven", "status": "done", "gate_result": "approved",
         "gate_mode": "auto"},
        {"number": 8, "name": "Eight", "status": "done", "gate_result": "rejected",
         "gate_mode": "human"}
    ]}"#;

    fn shown(chat: Chat) -> String {
        chat.show(&Told::read(SUMMARY).ok().unwrap())
    }

    #[test]
    fn a_summary_is_shown_in_lines() {
        let expected = "\
Execution Summary

✓ Step 1: One line - Done (1 attempt)
✗ Step 2: A | B \\ C - Failed (2 attempts)
✗ Step 3: Three - Blocked (0 attempts)
→ Step 4: Four - Running (1 attempt)
· Step 5: Five - Pending (0 attempts)
✓ Step 6: Six - Approved (-)
⚡ Step 7: Seven - Auto-approved (-)
✗ Step 8: Eight - Rejected (-)
";
        assert_eq!(shown(Chat::Lines), expected);
    }

    #[test]
    fn a_summary_is_shown_as_a_table_whose_cells_are_kept_apart() {
        let expected = "\
| Step | Name | Status | Iterations |
|------|------|--------|------------|
| 1 | One line | ✓ Done | 1 |
| 2 | A \\| B \\\\ C | ✗ Failed | 2 |
";
        assert!(shown(Chat::Table).starts_with(expected), "{}", shown(Chat::Table));
        assert!(shown(Chat::Table).ends_with("| 8 | Eight | ✗ Rejected | - |\n"));
    }
}
