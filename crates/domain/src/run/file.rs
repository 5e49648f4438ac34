//! Workflow files: what they say, read from text and written back.
//!
//! [`parse`] accepts whatever has one clear meaning and refuses the rest with its place;
//! [`lint()`] says what else is wrong with a file that could be read; [`canonical`] writes a file so
//! that it reads as the same file again.
//!
//! # The form
//!
//! A file is Markdown. It may begin with a frontmatter between two lines `---`; only the first block
//! of the file counts, a rule `---` further down is a rule. Steps begin with `- [ ] **Step N: Name**`
//! or `### N. Name` at the left edge and reach to the next one. Fenced code is not read. In a step
//! the lines that begin with a known key are fields, in any order and however they are indented; all
//! else is prose. Keys may be written in capitals.
//!
//! # Values
//!
//! It is a small part of YAML, read here by hand: each value keeps its place, nothing nests deeper
//! than a check, and there are no anchors that could grow.
//!
//! - A value in quotes from end to end loses them: `'…'` with `''` for a quote, `"…"` with escapes.
//!   Quotes inside a value belong to it.
//! - `|` and `>` begin a block of deeper lines. Line breaks at its end are dropped, `+` or not.
//! - A plain text goes on over deeper lines that follow it without a gap, joined by spaces.
//! - Comments. A value that begins with `#` is none. In words and numbers ` #` begins a comment. In a
//!   text it needs a space on either side, so that `Fix #12` stays whole. Neither counts inside
//!   quotes. **A command is kept as written**: to a shell `# …` is a comment anyway, and only a
//!   shell knows where its own quotes end.
//! - `verify: true` is the command `true`, and `verify: 5` the command `5`.
//! - `[ -f x ]` and `{ a; b; }` are commands; `{type: …}` is refused, for it would be run as one.
//! - A value with a control character other than a tab or a line break is refused.
//! - A timeout has its unit: `90s`, `5m`.

mod amount;
mod canonical;
mod check;
mod finding;
mod front;
mod lines;
mod lint;
mod outline;
mod place;
#[cfg(test)]
mod properties;
mod read;
mod scalar;
mod scan;
mod step;
#[cfg(test)]
mod tests;
mod tick;
mod word;

pub use amount::Amount;
pub use canonical::canonical;
pub use check::{Assert, AssertKind, Check};
pub use finding::{Finding, Severity, Suggestion, place};
pub use front::{Budgets, Dirty, Front, GateTimeout, Progress, ReportDetail, Risk, Worktree};
pub use lint::compat::{CompatReport, Verdict, compat_lint};
pub use lint::{inspect, lint};
pub use place::Places;
pub use read::{LARGEST_BYTES, LONGEST_NAME_CHARS, MOST_STEPS, Parsed, parse};
pub use step::{Form, Gate, Loop, Step};
pub use tick::tick;

use serde::{Deserialize, Serialize};

/// What a workflow file says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkflowFile {
    pub front: Front,
    pub steps: Vec<Step>,
}
