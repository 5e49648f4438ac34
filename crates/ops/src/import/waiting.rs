//! What waits for what, while an import goes on: dependencies and subtasks, kept in memory so that
//! a circle is found without asking the ledger.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;

use windlass_domain::TaskId;

/// A directed graph without circles: from a task to those it waits for.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting {
    for_others: HashMap<TaskId, Vec<TaskId>>,
    awaited_by: HashMap<TaskId, Vec<TaskId>>,
    /// All of them, since a task may wait for very many.
    edges: HashSet<(TaskId, TaskId)>,
}

/// An edge that was not added, with the circle that it would have closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Circle(pub(super) Vec<TaskId>);

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&steps.join(" → "))
    }
}

impl Waiting {
    /// Lets a task wait for another. False when it does already.
    pub(super) fn add(&mut self, task: TaskId, on: TaskId) -> Result<bool, Circle> {
        if self.waits(task, on) {
            return Ok(false);
        }
        if let Some(mut circle) = self.way(on, task) {
            circle.insert(0, task);
            return Err(Circle(circle));
        }
        self.edges.insert((task, on));
        self.for_others.entry(task).or_default().push(on);
        self.awaited_by.entry(on).or_default().push(task);
        Ok(true)
    }

    /// Ends a wait. False when there was none.
    pub(super) fn remove(&mut self, task: TaskId, on: TaskId) -> bool {
        if !self.edges.remove(&(task, on)) {
            return false;
        }
        let forget = |edges: &mut HashMap<TaskId, Vec<TaskId>>, from: TaskId, to: TaskId| {
            if let Some(others) = edges.get_mut(&from) {
                others.retain(|other| *other != to);
            }
        };
        forget(&mut self.for_others, task, on);
        forget(&mut self.awaited_by, on, task);
        true
    }

    fn waits(&self, task: TaskId, on: TaskId) -> bool {
        self.edges.contains(&(task, on))
    }

    /// All edges, without what is needed to find a way.
    pub(super) fn into_edges(self) -> HashSet<(TaskId, TaskId)> {
        self.edges
    }

    /// The way from one task to another along what each waits for.
    ///
    /// It is looked for from both ends in turn, so that it costs no more than twice the smaller
    /// side: a new task, for which nothing waits yet, costs nothing.
    fn way(&self, from: TaskId, to: TaskId) -> Option<Vec<TaskId>> {
        if from == to {
            return Some(vec![from]);
        }
        let mut there = Search::new(from);
        let mut back = Search::new(to);
        loop {
            if let Some(met) = there.step(&self.for_others, &back.seen)? {
                return Some(join(&there, &back, met));
            }
            if let Some(met) = back.step(&self.awaited_by, &there.seen)? {
                return Some(join(&there, &back, met));
            }
        }
    }
}

/// One end of a search.
struct Search {
    open: VecDeque<TaskId>,
    seen: HashSet<TaskId>,
    reached_from: HashMap<TaskId, TaskId>,
}

impl Search {
    fn new(start: TaskId) -> Self {
        Self {
            open: VecDeque::from([start]),
            seen: HashSet::from([start]),
            reached_from: HashMap::new(),
        }
    }

    /// Looks at one more task. The outer value is none when there is nothing left to look at, the
    /// inner one is where the two searches meet.
    #[expect(clippy::option_option, reason = "the two ends of a search are different things")]
    fn step(
        &mut self,
        edges: &HashMap<TaskId, Vec<TaskId>>,
        others: &HashSet<TaskId>,
    ) -> Option<Option<TaskId>> {
        let task = self.open.pop_front()?;
        for next in edges.get(&task).into_iter().flatten() {
            if self.seen.insert(*next) {
                self.reached_from.insert(*next, task);
                self.open.push_back(*next);
            }
            if others.contains(next) {
                return Some(Some(*next));
            }
        }
        Some(None)
    }

    /// From the start of this search to a task, backwards.
    fn back_from(&self, task: TaskId) -> Vec<TaskId> {
        let mut steps = vec![task];
        while let Some(before) = steps.last().and_then(|last| self.reached_from.get(last)) {
            steps.push(*before);
        }
        steps
    }
}

fn join(there: &Search, back: &Search, met: TaskId) -> Vec<TaskId> {
    let mut way = there.back_from(met);
    way.reverse();
    way.extend(back.back_from(met).into_iter().skip(1));
    way
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id(number: u8) -> TaskId {
        TaskId::from_bytes([number; 16])
    }

    #[test]
    fn an_edge_that_closes_a_circle_is_refused_with_the_whole_circle() {
        let mut waiting = Waiting::default();
        assert_eq!(waiting.add(id(1), id(2)), Ok(true));
        assert_eq!(waiting.add(id(2), id(3)), Ok(true));
        assert_eq!(waiting.add(id(1), id(2)), Ok(false));
        assert_eq!(waiting.add(id(3), id(1)), Err(Circle([3, 1, 2, 3].map(id).to_vec())));
        assert_eq!(waiting.add(id(4), id(4)), Err(Circle([4, 4].map(id).to_vec())));
        assert!(waiting.remove(id(2), id(3)) && !waiting.remove(id(2), id(3)));
        assert_eq!(waiting.add(id(3), id(1)), Ok(true));
    }

    proptest! {
        #[test]
        fn the_way_is_the_one_the_domain_finds(wanted in prop::collection::vec((0_u8..9, 0_u8..9), 0..60)) {
            let mut waiting = Waiting::default();
            let mut edges: Vec<(u8, u8)> = Vec::new();
            for (task, on) in wanted {
                let waits_for = |from: TaskId| -> Result<Vec<TaskId>, std::convert::Infallible> {
                    Ok(edges.iter().filter(|(a, _)| id(*a) == from).map(|(_, b)| id(*b)).collect())
                };
                let Ok(way) = windlass_domain::dependency::path(id(on), id(task), waits_for);
                match waiting.add(id(task), id(on)) {
                    Ok(_) => {
                        prop_assert_eq!(way, None);
                        edges.push((task, on));
                    }
                    Err(Circle(circle)) => {
                        prop_assert!(way.is_some());
                        let steps = circle.windows(2).skip(1);
                        for step in steps {
                            prop_assert!(waiting.waits(step[0], step[1]), "{:?}", circle);
                        }
                        prop_assert_eq!((circle[0], circle[1]), (id(task), id(on)));
                        prop_assert_eq!(circle.last(), Some(&id(task)));
                    }
                }
            }
        }
    }
}
