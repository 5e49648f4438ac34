//! What a run waits for a person for, as it is shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::run::Run;
use windlass_domain::run::file::Amount;
use windlass_domain::run::waiting::{Awaited, Waiting};

use crate::sheet::{Cell, Sheet, Tone, ago};

/// An answer of a person that a run waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitingView {
    /// gate, review, action, effect or budget.
    pub waits_for: String,
    /// How people call it.
    pub title: String,
    pub question: String,
    /// The commands that answer it.
    pub ways: Vec<String>,
    #[schemars(with = "String")]
    pub since: Time,
    /// The step, for its gate or a review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// The id of the action, for one to be decided or told the outcome of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The budget that is used up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<String>,
    /// How much of it is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>")]
    pub used: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>")]
    pub limit: Option<Amount>,
    /// Since when the answer is overdue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub overdue_since: Option<Time>,
    /// What there is to look at: files, such as a picture of the page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// What was noticed meanwhile, such as errors of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

impl WaitingView {
    /// The commands that answer what a run waits for, of those that are meant.
    pub(super) fn ways(run: &Run, is_meant: impl Fn(&Awaited) -> bool) -> Vec<String> {
        let waiting = run.waiting().into_iter().map(|waiting| waiting.on);
        waiting.filter(is_meant).flat_map(|on| on.ways(run)).collect()
    }

    pub(super) fn all(run: &Run, now: Time) -> Vec<Self> {
        run.waiting().iter().map(|waiting| Self::new(run, waiting, now)).collect()
    }

    fn new(run: &Run, waiting: &Waiting, now: Time) -> Self {
        let on = &waiting.on;
        let step = on.step().and_then(|number| run.step(number).ok());
        let seen = step.and_then(|step| step.block.as_ref()).and_then(|block| block.seen.as_ref());
        let files = seen.iter().flat_map(|seen| &seen.exhibits);
        let notes = seen.map(|seen| seen.stderr.text.trim_end().to_owned());
        let (used, limit) = match on {
            Awaited::Budget { used, limit, .. } => (*used, *limit),
            Awaited::Gate { .. }
            | Awaited::Review { .. }
            | Awaited::Action { .. }
            | Awaited::Effect { .. } => (None, None),
        };
        Self {
            waits_for: on.as_str().to_owned(),
            title: on.title(),
            question: on.question(run),
            ways: on.ways(run),
            since: waiting.since,
            step: on.step(),
            action: on.action().map(str::to_owned),
            budget: on.budget().map(|budget| budget.to_string()),
            used,
            limit,
            overdue_since: waiting.overdue_since(now),
            evidence: files.map(|file| file.path.clone()).collect(),
            notes: notes.filter(|notes| !notes.is_empty()),
        }
    }

    /// What is asked, what there is to look at, how long the answer is overdue, and how it is given.
    pub(super) fn lines(&self, now: Time) -> Vec<String> {
        let seen = self.evidence.iter().map(|file| format!("look at {file}"));
        let notes = self.notes.iter().flat_map(|notes| notes.lines()).map(str::to_owned);
        let overdue = self.overdue_since.map(|since| format!("overdue since {}", ago(since, now)));
        let more = seen.chain(notes).chain(overdue).chain(self.ways.iter().cloned());
        std::iter::once(self.line()).chain(more.map(|line| format!("  {line}"))).collect()
    }

    fn line(&self) -> String {
        let Self { title, question, .. } = self;
        format!("waits for a person ({title}): {question}")
    }

    /// The same in one sentence, with the first way to answer.
    pub(super) fn sentence(&self) -> String {
        let way = self.ways.first().map(|way| format!(" ({way})")).unwrap_or_default();
        format!("{}{way}", self.line())
    }
}

/// A sheet with the commands that answer what a run waits for, if it does.
pub(super) fn answers(sheet: Sheet, ways: &[String]) -> Sheet {
    if ways.is_empty() {
        return sheet;
    }
    let sheet = sheet.and_line(Cell::toned("waits for a person:", Tone::Busy));
    let line = |way: &String| Cell::toned(format!("  {way}"), Tone::Busy);
    ways.iter().map(line).fold(sheet, Sheet::and_line)
}
