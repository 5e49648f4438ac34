//! What was guarded and lost its guard: found by the mark and by the session, and ended.

use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::Instant;

use super::processes::{self, Process};
use super::{GLANCE, GRACE, LAST_WAIT, MARK, WORD};

/// Ends whatever an owner's killed guards have left running, and says how many processes that were.
///
/// What still has its guard is left to it.
pub fn end_survivors(owner: &str) -> usize {
    let survivors = || {
        let all = processes::all();
        let guards: BTreeSet<String> = all.iter().filter_map(guarding).collect();
        let is_survivor = |process: &Process| {
            let mark = process.variable(MARK);
            mark.is_some_and(|mark| {
                mark.rsplit_once('/')
                    .is_some_and(|(whose, token)| whose == owner && !guards.contains(token))
            })
        };
        all.into_iter().filter(is_survivor).collect()
    };
    end(survivors)
}

/// Ends what one guard, killed and not yet waited for, has left running.
pub(super) fn end_without_guard(guard: i32, mark: &str) {
    let is_left = |process: &Process| {
        let is_marked = || process.variable(MARK).is_some_and(|found| found == mark);
        process.id != guard && (process.session == guard || is_marked())
    };
    end(|| processes::all().into_iter().filter(is_left).collect());
}

/// The token of a process, if it is a guard.
fn guarding(process: &Process) -> Option<String> {
    let words = process.arguments();
    let [_, word, token, ..] = words.as_slice() else { return None };
    (word == WORD).then(|| token.clone())
}

/// Asks all that are found to end, and kills those that are found later.
fn end(find: impl Fn() -> Vec<Process>) -> usize {
    let start = Instant::now();
    let first = find();
    processes::ask_to_end(&first);
    let mut left = find();
    while !left.is_empty() && start.elapsed() < GRACE + LAST_WAIT {
        if start.elapsed() > GRACE {
            processes::kill(&left);
        }
        sleep(GLANCE);
        left = find();
    }
    first.len()
}
