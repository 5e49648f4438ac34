//! What was finished and what was added, step by step through a window.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::duration::Span;
use windlass_domain::{ProjectId, Task, Time};
use windlass_ledger::{Added, Fault, Snapshot};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How much was finished and added in each step of the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Throughput {
    /// How long a step is: `5m`, `1h`, `1d` or `7d`, by the length of the window.
    pub step: String,
    /// How many tasks were added in the window.
    pub added: u64,
    /// The oldest step first; the last ends now. The first is short where the window is.
    pub series: Vec<Bucket>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bucket {
    #[schemars(with = "String")]
    pub from: Time,
    pub completed: u64,
    pub added: u64,
}

/// A window that ends now, in steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    now: Time,
    length: i64,
    step: i64,
}

impl Window {
    pub(super) fn ending(now: Time, window: Span) -> Self {
        let length = window.as_millis();
        let step = match length {
            length if length <= 2 * HOUR => 5 * MINUTE,
            length if length <= 2 * DAY => HOUR,
            length if length <= 92 * DAY => DAY,
            _ => 7 * DAY,
        };
        Self { now, length, step }
    }

    pub(super) fn since(self) -> Time {
        self.now.before(Span::from_millis(self.length))
    }

    /// The steps with nothing in them.
    fn empty(self) -> Vec<Bucket> {
        let steps = (self.length + self.step - 1) / self.step;
        let from =
            |ago: i64| self.now.before(Span::from_millis((ago * self.step).min(self.length)));
        (1..=steps).rev().map(|ago| Bucket { from: from(ago), completed: 0, added: 0 }).collect()
    }

    /// How many whole steps ago something was.
    fn steps_ago(self, time: Time) -> u64 {
        u64::try_from(self.now.millis_since(time) / self.step).unwrap_or(0)
    }
}

/// Counts what is in each step.
pub(super) fn throughput(
    snapshot: &mut Snapshot<'_>,
    window: Window,
    done: &[Task],
    is_here: impl Fn(ProjectId) -> bool,
) -> Result<Throughput, Fault> {
    let step = Span::from_millis(window.step);
    let mut added = snapshot.added_since(window.since(), step)?;
    added.retain(|added| is_here(added.project));
    let finished = done.iter().filter_map(|task| task.finished_at);
    Ok(counted(window, &added, finished))
}

fn counted(window: Window, added: &[Added], finished: impl Iterator<Item = Time>) -> Throughput {
    let mut series = window.empty();
    let last = (series.len() as u64).saturating_sub(1);
    // The very beginning of the window counts to its first step.
    let place = |steps_ago: u64| usize::try_from(last.saturating_sub(steps_ago)).unwrap_or(0);
    for time in finished {
        if let Some(bucket) = series.get_mut(place(window.steps_ago(time))) {
            bucket.completed += 1;
        }
    }
    for added in added {
        if let Some(bucket) = series.get_mut(place(added.steps_ago)) {
            bucket.added += added.count;
        }
    }
    let total = series.iter().map(|bucket| bucket.added).sum();
    Throughput { step: Span::from_millis(window.step).to_string(), added: total, series }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_millis(1_794_735_000_000);

    fn ago(minutes: i64) -> Time {
        NOW.before(Span::from_millis(minutes * MINUTE))
    }

    fn window(text: &str) -> Window {
        Window::ending(NOW, Span::parse("window", text).unwrap())
    }

    #[test]
    fn the_steps_follow_the_length_of_the_window() {
        let steps = ["1m", "2h", "24h", "48h", "30d", "92d", "365d"].map(|text| {
            let counted = counted(window(text), &[], std::iter::empty());
            (counted.step, counted.series.len())
        });
        let expected =
            [("5m", 1), ("5m", 24), ("1h", 24), ("1h", 48), ("1d", 30), ("1d", 92), ("7d", 53)];
        assert_eq!(steps, expected.map(|(step, count)| (step.to_owned(), count)));
    }

    #[test]
    fn everything_of_the_window_is_in_a_step() {
        let finished = [ago(90), ago(61), ago(60), ago(1), NOW, ago(-5)];
        let counted = counted(window("90m"), &[], finished.into_iter());
        let completed: Vec<u64> = counted.series.iter().map(|bucket| bucket.completed).collect();
        assert_eq!(completed.iter().sum::<u64>(), 6);
        assert_eq!(completed.first(), Some(&1), "what happened when the window began");
        assert_eq!(completed.last(), Some(&3), "what happened now, and what is dated later");
    }

    #[test]
    fn the_first_step_begins_with_the_window() {
        let counted = counted(window("12m"), &[], std::iter::empty());
        let from: Vec<Time> = counted.series.iter().map(|bucket| bucket.from).collect();
        assert_eq!(from, [ago(12), ago(10), ago(5)]);
    }
}
