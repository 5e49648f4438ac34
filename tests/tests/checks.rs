//! Seventeen checks that any ledger of tasks for agents should pass, and the tests that run them
//! against the binary. The table in `docs/checks.md` is made from this one:
//! `WINDLASS_BLESS=1 cargo test -p windlass-tests --test checks` rewrites it.

#![expect(clippy::unwrap_used, reason = "a file that cannot be read ends its test")]

use std::fmt::Write as _;

use windlass_tests::tables::{self, tests_in as tests};

/// A check, how HZL 3.2.0 fares, and where it is shown: a file and the beginning of the names of its
/// tests.
struct Check {
    what: &'static str,
    hzl: Hzl,
    shown: &'static [(&'static str, &'static str)],
}

#[derive(Clone, Copy)]
enum Hzl {
    /// No failure of it is known.
    NotSaid,
    Fails(&'static str),
    /// What it has of it passes.
    Partly(&'static str),
}

use Hzl::{Fails, NotSaid, Partly};

const CHECKS: [Check; 17] = [
    Check {
        what: "Lifecycle: add, list, claim, complete, archive",
        hzl: NotSaid,
        shown: &[("tests/tests/from_hzl.rs", "check_lifecycle_")],
    },
    Check {
        what: "Ranking: priority, due date, creation; dependencies gate; leaves only; all tags",
        hzl: NotSaid,
        shown: &[("tests/tests/from_hzl.rs", "check_ranking_")],
    },
    Check {
        what: "Every command in every status: exit code, and no change on a refusal",
        hzl: NotSaid,
        shown: &[("tests/tests/transitions.rs", "every_command_in_every_status_")],
    },
    Check {
        what: "Many processes claim from one queue: every task once, no error",
        hzl: Fails("a quarter of the claims are of a task already given out"),
        shown: &[("tests/tests/races.rs", "sixty_four_processes_drain_")],
    },
    Check {
        what: "Many processes steal one expired lease: one wins",
        hzl: NotSaid,
        shown: &[("tests/tests/races.rs", "of_thirty_two_processes_that_steal_")],
    },
    Check {
        what: "The same op id from many processes: one execution, the others replay",
        hzl: Fails("some end with a locked database"),
        shown: &[("tests/tests/op_ids.rs", "of_thirty_two_processes_with_one_op_id_")],
    },
    Check {
        what: "A random life, then a rebuild of the views: nothing differs",
        hzl: NotSaid,
        shown: &[("crates/ops/tests/histories.rs", "after_any_history_")],
    },
    Check {
        what: "A command that failed leaves no trace",
        hzl: Fails("events of a failed command show up after the next rebuild"),
        shown: &[("tests/tests/from_hzl.rs", "check_a_failed_command_leaves_no_trace")],
    },
    Check {
        what: "`kill -9` at random moments: nothing that was answered is lost",
        hzl: NotSaid,
        shown: &[("tests/tests/kill.rs", "two_hundred_kills_")],
    },
    Check {
        what: "Dependencies: on itself, in a circle, on nothing, across projects, orphans; as a list \
               of all edges",
        hzl: Partly("`task show` has no dependencies"),
        shown: &[
            ("tests/tests/dependencies.rs", "dep_list_"),
            ("tests/tests/from_hzl.rs", "check_dependencies_"),
            ("tests/tests/races.rs", "thirty_two_processes_that_add_the_edges_"),
            ("tests/tests/prune.rs", "check_a_settled_task_that_waited_for_a_pruned_one_"),
        ],
    },
    Check {
        what: "Hooks: payload, retries, exhaustion, two drains at once",
        hzl: Partly("its retries end after minutes"),
        shown: &[
            ("tests/tests/hooks.rs", ""),
            ("tests/tests/drain/processing.rs", ""),
            ("tests/tests/drain/storm.rs", ""),
        ],
    },
    Check {
        what: "Prune: age, families, dependents in other projects, the dry run is the real run",
        hzl: NotSaid,
        shown: &[("tests/tests/prune.rs", "check_")],
    },
    Check {
        what: "Projects: rename, move and delete, with their edges",
        hzl: Partly("tasks of a deleted project come back"),
        shown: &[
            ("tests/tests/project_delete.rs", "deleted_tasks_"),
            ("tests/tests/project_delete.rs", "deleting_a_project_"),
            ("tests/tests/lists.rs", "check_a_moved_task_"),
            ("tests/tests/lists.rs", "check_a_renamed_project_"),
        ],
    },
    Check {
        what: "Ids by a part, ambiguous and empty parts; search in any script",
        hzl: Fails("the empty part is taken, and only ASCII is found"),
        shown: &[
            ("tests/tests/from_hzl.rs", "global_ids_"),
            ("tests/tests/search.rs", "check_each_question_finds_"),
            ("tests/tests/search.rs", "check_both_databases_give_the_same_"),
        ],
    },
    Check {
        what: "Events: order, `--from`, `--limit`, `--follow`, a closed pipe",
        hzl: Fails("a closed pipe ends it with a stack trace"),
        shown: &[
            ("tests/tests/following.rs", "check_"),
            ("tests/tests/terminal.rs", "a_pipe_that_closes_early_"),
        ],
    },
    Check {
        what: "A flag is never taken for another; an unknown one is wrong usage",
        hzl: Fails("`--due` becomes `--db` and writes to another file"),
        shown: &[
            ("tests/tests/from_hzl.rs", "check_argument_repair_"),
            ("tests/tests/terminal.rs", "a_flag_that_a_command_does_not_have_"),
        ],
    },
    Check {
        what: "The web page: endpoints, errors, live events",
        hzl: Partly("no task can be changed there, and anybody may"),
        shown: &[
            ("tests/tests/pages.rs", ""),
            ("tests/tests/browser/live.rs", ""),
            ("tests/tests/browser/moving.rs", ""),
        ],
    },
];

fn page() -> String {
    let mut page = String::from(
        "# The checks\n\nSeventeen things that any ledger of tasks for agents should do, and where \
         they are shown against\nthe real program. This page is made from \
         `tests/tests/checks.rs`.\nWhat is said of HZL was observed; where nothing is said, no failure is known.\n\n\
         | | check | shown by | HZL 3.2.0 |\n|---|---|---|---|\n",
    );
    for (number, check) in (1..).zip(&CHECKS) {
        let mut shown = Vec::new();
        for (file, beginning) in check.shown {
            let count = tests(file, beginning).len();
            let tests = if count == 1 { "test" } else { "tests" };
            let what = if beginning.is_empty() { file } else { beginning };
            let more = if beginning.is_empty() { "" } else { "…" };
            shown.push(format!("[`{what}{more}`](../{file}), {count} {tests}"));
        }
        let shown = shown.join("; ");
        let hzl = match check.hzl {
            NotSaid => String::new(),
            Fails(why) => format!("**fails**: {why}"),
            Partly(why) => format!("in part: {why}"),
        };
        writeln!(page, "| {number} | {} | {shown} | {hzl} |", check.what).unwrap();
    }
    page
}

#[test]
fn every_check_has_tests_that_make_it() {
    for check in &CHECKS {
        assert!(!check.shown.is_empty(), "{}: nothing shows it", check.what);
        for (file, beginning) in check.shown {
            assert!(!tests(file, beginning).is_empty(), "{}: {file}: {beginning}", check.what);
        }
    }
}

#[test]
fn the_page_of_the_checks_is_not_stale() {
    tables::is_not_stale("docs/checks.md", &page());
}
