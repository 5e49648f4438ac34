//! Dependencies: task A waits for task B, in whatever project B is.
//!
//! A parent waits for its subtasks as well, so both relations count when a circle is looked for:
//! a task that waits for itself, over any number of steps, could never be claimed.

use std::collections::HashMap;

use crate::{Code, Refusal, TaskId};

/// The way from one task to another along what each waits for, if there is one.
///
/// `waits_for` gives the prerequisites and subtasks of a task.
pub fn path<E>(
    from: TaskId,
    to: TaskId,
    mut waits_for: impl FnMut(TaskId) -> Result<Vec<TaskId>, E>,
) -> Result<Option<Vec<TaskId>>, E> {
    let mut reached_from: HashMap<TaskId, Option<TaskId>> = HashMap::from([(from, None)]);
    let mut front = vec![from];
    while !front.is_empty() && !reached_from.contains_key(&to) {
        let mut next = Vec::new();
        for task in front {
            for other in waits_for(task)? {
                reached_from.entry(other).or_insert_with(|| {
                    next.push(other);
                    Some(task)
                });
            }
        }
        front = next;
    }
    if !reached_from.contains_key(&to) {
        return Ok(None);
    }
    let mut steps = vec![to];
    while let Some(Some(before)) = steps.last().and_then(|last| reached_from.get(last)) {
        steps.push(*before);
    }
    steps.reverse();
    Ok(Some(steps))
}

/// The refusal of an edge that would close a circle; `way` leads from the prerequisite back.
pub fn cycle(task: TaskId, on: TaskId, way: &[TaskId]) -> Refusal {
    if task == on {
        return Refusal::new(Code::DependencyCycle, format!("task {task} cannot wait for itself"))
            .hint("name another task")
            .detail("task_id", task)
            .detail("depends_on_id", on)
            .detail("cycle", [task, on]);
    }
    let mut circle = vec![task];
    circle.extend(way);
    let shown: Vec<String> = circle.iter().map(|id| id.short()).collect();
    Refusal::new(
        Code::DependencyCycle,
        format!("task {task} cannot wait for {on}: that closes the circle {}", shown.join(" → ")),
    )
    .hint(format!("see what {on} waits for: windlass why {on}"))
    .detail("task_id", task)
    .detail("depends_on_id", on)
    .detail("cycle", circle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::convert::Infallible;

    use proptest::prelude::*;

    fn id(number: u8) -> TaskId {
        TaskId::from_bytes([number; 16])
    }

    fn way(edges: &[(u8, u8)], from: u8, to: u8) -> Option<Vec<TaskId>> {
        let waits_for = |task: TaskId| -> Result<Vec<TaskId>, Infallible> {
            Ok(edges.iter().filter(|(a, _)| id(*a) == task).map(|(_, b)| id(*b)).collect())
        };
        path(id(from), id(to), waits_for).unwrap()
    }

    #[test]
    fn the_shortest_way_is_found() {
        let edges = [(1, 2), (2, 3), (3, 4), (1, 4)];
        assert_eq!(way(&edges, 1, 4), Some(vec![id(1), id(4)]));
        assert_eq!(way(&edges, 2, 4), Some(vec![id(2), id(3), id(4)]));
        assert_eq!(way(&edges, 4, 1), None);
    }

    proptest! {
        #[test]
        fn edges_that_close_no_way_back_never_make_a_circle(wanted in prop::collection::vec((0_u8..8, 0_u8..8), 0..40)) {
            let mut edges = Vec::new();
            for (a, b) in wanted {
                if a != b && way(&edges, b, a).is_none() {
                    edges.push((a, b));
                }
            }
            // Taking away what waits for nothing must in the end take everything away.
            let mut left: BTreeSet<u8> = (0..8).collect();
            while let Some(free) = left.iter().copied().find(|t| !edges.iter().any(|(a, b)| a == t && left.contains(b))) {
                left.remove(&free);
            }
            prop_assert!(left.is_empty(), "a circle among {left:?}");
        }
    }
}
