//! What becomes of dependencies when many tasks go somewhere at once.
//!
//! Tasks that are moved, put away or deleted together form a set. A dependency inside the set goes
//! with it. One that leads across its border is never cut or stretched by accident: whoever asks
//! must say what becomes of it, and each leaves an event with the task that waits.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::event::{DependencyAdded, DependencyKept, DependencyRemoved, Event};
use crate::{Code, Refusal, TaskId};

/// More edges than this are counted, not listed.
pub const LISTED: usize = 50;

/// A dependency: the task that waits, and what it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Edge {
    #[serde(rename = "from_task_id")]
    pub from: TaskId,
    #[serde(rename = "to_task_id")]
    pub to: TaskId,
}

/// What somebody wants to become of the edges across the border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// They stay.
    Keep,
    /// They are removed: the task no longer waits.
    Settle,
    /// Who waited from outside waits for this task instead; the others stay.
    Rewrite(TaskId),
}

/// What becomes of one edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Kept,
    Removed,
    /// Waits for this task instead.
    Rewritten(TaskId),
}

impl Fate {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Removed => "removed",
            Self::Rewritten(_) => "rewritten",
        }
    }
}

/// The edges with exactly one end in the set, each once, in order.
pub fn touched(edges: impl IntoIterator<Item = Edge>, set: &BTreeSet<TaskId>) -> Vec<Edge> {
    let crosses = |edge: &Edge| set.contains(&edge.from) != set.contains(&edge.to);
    let touched: BTreeSet<Edge> = edges.into_iter().filter(crosses).collect();
    touched.into_iter().collect()
}

/// What becomes of each edge across the border of the set; a refusal when nobody said it.
pub fn decide(
    touched: &[Edge],
    set: &BTreeSet<TaskId>,
    choice: Option<Choice>,
) -> Result<Vec<(Edge, Fate)>, Refusal> {
    if let Some(Choice::Rewrite(task)) = choice
        && set.contains(&task)
    {
        return Err(Refusal::new(
            Code::InvalidValue,
            format!("task {task} is one of those that go, so nothing can wait for it instead"),
        )
        .hint("name a task that stays")
        .detail("field", "rewrite_deps")
        .detail("given", task));
    }
    let fate = |edge: &Edge| match choice {
        None => None,
        Some(Choice::Keep) => Some(Fate::Kept),
        Some(Choice::Settle) => Some(Fate::Removed),
        Some(Choice::Rewrite(_)) if set.contains(&edge.from) => Some(Fate::Kept),
        Some(Choice::Rewrite(task)) => Some(Fate::Rewritten(task)),
    };
    let decided: Option<Vec<_>> =
        touched.iter().map(|edge| fate(edge).map(|fate| (*edge, fate))).collect();
    decided.ok_or_else(|| undecided(touched))
}

fn undecided(touched: &[Edge]) -> Refusal {
    let (count, listed) = (touched.len(), touched.iter().take(LISTED).collect::<Vec<_>>());
    let lead =
        if count == 1 { "1 dependency leads" } else { &format!("{count} dependencies lead") };
    let lead = format!("{lead} from these tasks to others, or back");
    Refusal::new(Code::EdgesOutside, lead)
        .hint(
            "say what becomes of them: --edges keep (they stay), --edges settle (nothing waits any \
             more), or --rewrite-deps TASK (others wait for that task instead)",
        )
        .detail("edges", listed)
        .detail("edge_count", count)
}

/// What is recorded on the stream of the task that waits. A task it shall wait for instead is added
/// by [`instead`], once, however many edges led to the set.
pub fn record(edge: Edge, fate: Fate, because: &str) -> Event {
    let (on, because) = (edge.to, because.to_owned());
    match fate {
        Fate::Kept => DependencyKept { on, because }.into(),
        Fate::Removed | Fate::Rewritten(_) => {
            DependencyRemoved { on, because: Some(because) }.into()
        }
    }
}

/// Lets a task wait for another instead of those that go.
pub fn instead(on: TaskId, because: &str) -> Event {
    DependencyAdded { on, because: Some(because.to_owned()) }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u8) -> TaskId {
        TaskId::from_bytes([number; 16])
    }

    fn edge(from: u8, to: u8) -> Edge {
        Edge { from: id(from), to: id(to) }
    }

    fn set(numbers: &[u8]) -> BTreeSet<TaskId> {
        numbers.iter().map(|number| id(*number)).collect()
    }

    #[test]
    fn an_edge_is_touched_when_exactly_one_end_goes() {
        let rows = [
            ("both stay", edge(8, 9), false),
            ("both go", edge(1, 2), false),
            ("what waits goes", edge(1, 9), true),
            ("what is waited for goes", edge(9, 1), true),
        ];
        for (what, edge, expected) in rows {
            let found = touched([edge], &set(&[1, 2]));
            assert_eq!(found == [edge], expected, "{what}");
        }
        let twice = touched([edge(9, 1), edge(1, 9), edge(9, 1)], &set(&[1]));
        assert_eq!(twice, [edge(1, 9), edge(9, 1)], "each once, in order");
    }

    #[test]
    fn the_table_of_fates() {
        let (out, into) = (edge(1, 9), edge(9, 1));
        let rows = [
            ("keep", Choice::Keep, [Fate::Kept, Fate::Kept]),
            ("settle", Choice::Settle, [Fate::Removed, Fate::Removed]),
            ("rewrite", Choice::Rewrite(id(7)), [Fate::Kept, Fate::Rewritten(id(7))]),
        ];
        for (what, choice, expected) in rows {
            let decided = decide(&[out, into], &set(&[1]), Some(choice)).unwrap();
            assert_eq!(decided, [(out, expected[0]), (into, expected[1])], "{what}");
        }
    }

    #[test]
    fn without_a_choice_only_nothing_is_decided() {
        assert_eq!(decide(&[], &set(&[1]), None).unwrap(), []);
        let refusal = decide(&[edge(1, 9)], &set(&[1]), None).unwrap_err();
        assert_eq!(refusal.code, Code::EdgesOutside);
        assert_eq!(refusal.details["edge_count"], 1);
        for way in ["--edges keep", "--edges settle", "--rewrite-deps"] {
            assert!(refusal.hint.as_ref().unwrap().contains(way), "{way}");
        }
    }

    #[test]
    fn a_refusal_lists_some_edges_and_counts_all() {
        let many: Vec<Edge> = (10..110).map(|number| edge(1, number)).collect();
        let refusal = decide(&many, &set(&[1]), None).unwrap_err();
        assert_eq!(refusal.details["edges"].as_array().unwrap().len(), LISTED);
        assert_eq!(refusal.details["edge_count"], 100);
    }

    #[test]
    fn nothing_can_wait_for_a_task_that_goes_itself() {
        for touched in [&[edge(9, 1)][..], &[]] {
            let refused = decide(touched, &set(&[1, 2]), Some(Choice::Rewrite(id(2))));
            assert_eq!(refused.unwrap_err().code, Code::InvalidValue);
        }
    }

    #[test]
    fn every_fate_leaves_an_event_that_says_why() {
        let kinds = [Fate::Kept, Fate::Removed, Fate::Rewritten(id(7))].map(|fate| {
            let event = record(edge(9, 1), fate, "project api was deleted");
            assert!(event.encode().unwrap().contains("project api was deleted"));
            event.kind().as_str()
        });
        assert_eq!(kinds, ["dependency_kept", "dependency_removed", "dependency_removed"]);
    }
}
