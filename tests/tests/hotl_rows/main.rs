//! What HOTL's workflow files, lint, transitions and checks are, row by row, and the tests that show
//! that ours are no worse; what the reference of its format asks; and what a run must bear. The table in `docs/hotl-rows.md` is made from this one:
//! `WINDLASS_BLESS=1 cargo test -p windlass-tests --test hotl_rows` rewrites it.

#![expect(clippy::unwrap_used, reason = "a file that cannot be read ends its test")]

mod bad_input;
mod reference;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use windlass_tests::tables::{self, tests_in as tests};

/// What is asked, and where it is shown: a file and the beginning of the names of its tests.
type Row = (&'static str, &'static [(&'static str, &'static str)]);

const MALFORMED: &str = "crates/domain/src/run/file/tests/malformed.rs";
const REAL: &str = "tests/tests/malformed_workflows.rs";
const GRAMMAR: &str = "crates/domain/src/run/file/tests/grammar.rs";
const LINT: &str = "crates/domain/src/run/file/tests/lint_texts.rs";
const RULES: &str = "crates/domain/src/run/file/tests/rules.rs";
const NAME: &str = "crates/domain/src/run/name.rs";
const STEPPING: &str = "tests/tests/runs/stepping.rs";
const PREFLIGHT: &str = "tests/tests/prepare.rs";
const PREPARE: &str = "crates/domain/src/run/prepare/tests.rs";
const LANDING: &str = "crates/ops/tests/landing.rs";
const BEGINNING: &str = "tests/tests/hotl_rt/beginning.rs";
const FORMS: &str = "tests/tests/hotl_rt/forms.rs";
const DOOR_STEPS: &str = "tests/tests/hotl_rt/stepping.rs";
const OWNING: &str = "tests/tests/hotl_rt/owning.rs";
const OTHER_HANDS: &str = "tests/tests/hotl_rt/files.rs";
const SCRIPTS: &str = "tests/tests/hotl_rt/scripts.rs";
const FINISHING: &str = "tests/tests/hotl_rt/finishing.rs";
const DRIVING: &str = "tests/tests/hotl_rt/driving.rs";
const ROWS: &str = "crates/domain/src/run/tests/rows.rs";
const ENDS: &str = "crates/domain/src/run/tests/ends.rs";
const GATES: &str = "crates/domain/src/run/tests/gates.rs";
const LOOPS: &str = "crates/domain/src/run/tests/loops.rs";
const BUDGETS: &str = "crates/domain/src/run/tests/budgets.rs";
const SAID: &str = "crates/domain/src/run/check.rs";
const SHELL: &str = "crates/hands/tests/checks/shell.rs";
const GUARD: &str = "crates/hands/tests/checks/guard.rs";
const PAGE: &str = "crates/hands/tests/checks/browser.rs";
const ARTIFACT: &str = "crates/hands/src/check/artifact/tests.rs";
const VARIABLES: &str = "crates/hands/src/check/environment.rs";
const OUTPUT: &str = "crates/hands/src/check/output.rs";
const REFERENCE: &str = "crates/domain/src/run/file/tests/reference.rs";
const WRITTEN: &str = "crates/domain/src/run/tests/files.rs";
const ACTIONS: &str = "crates/domain/src/run/tests/actions.rs";
const CHECKING: &str = "tests/tests/runs/checking.rs";
const FILES: &str = "tests/tests/runs/files.rs";
const DRIVEN: &str = "tests/tests/runs/driving.rs";
const KILLING: &str = "tests/tests/runs/killing.rs";
const SENDING: &str = "tests/tests/runs/sending.rs";
const CROWD: &str = "tests/tests/runs/crowd.rs";

/// Tests whose names begin so show rows, and none of them is left out of the page.
const SHOWING: [(&str, &str); 15] = [
    (REAL, "malformed_"),
    (MALFORMED, "malformed_"),
    (NAME, "malformed_"),
    (ROWS, "row_"),
    (ENDS, "row_"),
    (ACTIONS, "row_"),
    (STEPPING, "row_"),
    (CHECKING, "row_"),
    (GATES, "rule_"),
    (LOOPS, "rule_"),
    (PREFLIGHT, ""),
    (PREPARE, "preflight_"),
    (REFERENCE, ""),
    (KILLING, ""),
    (SENDING, ""),
];

const PARTS: &[(&str, &[Row])] = &[
    (
        "Malformed files",
        &[
            ("a quoted `loop`", &[(MALFORMED, "malformed_01_")]),
            ("`max_iterations` with a comment, or no number", &[(MALFORMED, "malformed_02_")]),
            ("`intent` given twice", &[(MALFORMED, "malformed_03_")]),
            ("a tab in a name or an action", &[(MALFORMED, "malformed_04_")]),
            ("CRLF", &[(MALFORMED, "malformed_05_"), (REAL, "malformed_05_")]),
            ("a comment behind `risk_level`", &[(MALFORMED, "malformed_06_")]),
            ("`auto_approve: True`", &[(MALFORMED, "malformed_07_")]),
            ("a quoted intent, branch, action", &[(MALFORMED, "malformed_08_")]),
            ("`---` in the body", &[(MALFORMED, "malformed_09_")]),
            ("a step in a code fence", &[(MALFORMED, "malformed_10_")]),
            (
                "steps numbered 5, 7",
                &[(MALFORMED, "malformed_11_"), (GRAMMAR, "steps_out_of_order_")],
            ),
            ("`verify: |`", &[(MALFORMED, "malformed_12_")]),
            ("a key inside a command", &[(MALFORMED, "malformed_13_")]),
            (
                "a bar in the name of a step",
                &[(MALFORMED, "malformed_14_"), (REAL, "malformed_14_")],
            ),
            ("a box that is ticked already", &[(MALFORMED, "malformed_15_")]),
            (
                "a space in the name of the file",
                &[(NAME, "malformed_16_"), (REAL, "malformed_16_")],
            ),
            ("no steps", &[(MALFORMED, "malformed_17_"), (REAL, "malformed_17_")]),
        ],
    ),
    (
        "Lint",
        &[
            ("which files are linted", &[(LINT, "the_kind_of_a_file_")]),
            ("a file that is not there", &[(LINT, "a_file_that_is_not_there_")]),
            ("`LINT PASSED`", &[(LINT, "a_sound_file_passes")]),
            ("no frontmatter", &[(LINT, "a_missing_frontmatter_")]),
            ("a missing field of it", &[(LINT, "each_missing_field_of_the_frontmatter_")]),
            ("words of it that mean nothing", &[(LINT, "words_of_the_frontmatter_")]),
            ("no steps", &[(LINT, "a_file_without_steps_")]),
            ("a step without `action` or `loop`", &[(LINT, "a_step_without_action_and_loop_")]),
            ("`loop: until` without `verify` or `max_iterations`", &[(LINT, "a_loop_without_")]),
            ("an empty `verify`", &[(LINT, "an_empty_verify_")]),
            ("a check without `type`", &[(LINT, "a_check_without_a_type_")]),
            ("what each type needs", &[(LINT, "each_field_that_a_type_needs_")]),
            ("a type that means nothing", &[(LINT, "a_type_that_means_nothing_")]),
            ("security at high risk without a gate", &[(LINT, "security_at_high_risk_")]),
            (
                "each item of a list by itself (HOTL: the list as a whole)",
                &[(LINT, "each_item_of_a_list_")],
            ),
            (
                "assert kinds and values, numbers, gates, budgets, step numbers (HOTL: not at all)",
                &[(RULES, ""), (LINT, "rules_that_hotl_does_not_have_")],
            ),
        ],
    ),
    (
        "Transitions",
        &[
            (
                "`start`: pending, earlier steps done, attempts left",
                &[
                    (STEPPING, "row_8_a_step_that_is_not_there_"),
                    (STEPPING, "row_8_start_"),
                    (ROWS, "row_8_start_"),
                    (ROWS, "row_8_a_step_that_is_not_there_"),
                ],
            ),
            (
                "`start`, `verify`, `retry` need a run that runs",
                &[
                    (STEPPING, "row_8_a_run_that_does_not_run_"),
                    (ROWS, "row_8_a_run_that_does_not_run_"),
                ],
            ),
            (
                "`start` within the budgets",
                &[(BUDGETS, "a_start_beyond_"), (BUDGETS, "start_and_verify_are_refused_")],
            ),
            (
                "`verify`: done, failed, or blocked",
                &[(STEPPING, "row_8_verify_"), (ROWS, "row_8_verify_"), (ROWS, "row_8_results_")],
            ),
            (
                "`retry`: failed, attempts left",
                &[
                    (STEPPING, "row_8_attempts_"),
                    (STEPPING, "row_8_retry_"),
                    (ROWS, "row_8_retry_"),
                    (LOOPS, "rule_11_"),
                ],
            ),
            ("`block`: with a reason", &[(STEPPING, "row_8_block_"), (ROWS, "row_8_block_")]),
            (
                "`gate approved` of a review",
                &[
                    (STEPPING, "row_8_gate_approved_ends_a_review_"),
                    (ROWS, "row_8_gate_approved_ends_a_review_"),
                    (ROWS, "row_8_checks_after_a_review_"),
                    (ROWS, "row_8_a_check_after_a_review_"),
                ],
            ),
            (
                "`gate rejected` of a review",
                &[
                    (STEPPING, "row_8_gate_rejected_keeps_"),
                    (ROWS, "row_8_gate_rejected_keeps_a_review_"),
                ],
            ),
            (
                "`gate approved` of a step that is done",
                &[
                    (STEPPING, "row_8_gate_approved_leaves_"),
                    (STEPPING, "row_8_gate_approved_of_a_review_"),
                    (STEPPING, "row_8_gate_approved_of_a_done_step_"),
                    (ROWS, "row_8_gate_approved_of_a_done_step_"),
                    (ROWS, "row_8_gate_approved_does_not_end_"),
                ],
            ),
            (
                "`gate rejected` of a step that is done",
                &[
                    (STEPPING, "row_8_gate_rejected_of_a_done_"),
                    (ROWS, "row_8_gate_rejected_of_a_done_step_"),
                ],
            ),
            (
                "`gate` of any other step, and of high risk",
                &[
                    (STEPPING, "row_8_no_step_starts_"),
                    (STEPPING, "row_8_the_next_step_"),
                    (STEPPING, "row_8_gate_of_"),
                    (ROWS, "row_8_gate_of_"),
                    (GATES, "rule_10_"),
                ],
            ),
            ("`finalize` of a run that has ended", &[(ROWS, "row_8_finalize_of_a_run_that_has_")]),
            (
                "`finalize` with a failed or blocked step",
                &[
                    (STEPPING, "row_8_finalize_with_a_failed_"),
                    (ROWS, "row_8_finalize_with_a_failed_"),
                ],
            ),
            (
                "`finalize` with steps left",
                &[
                    (STEPPING, "row_8_finalize_with_steps_left_"),
                    (ROWS, "row_8_finalize_with_steps_left_"),
                ],
            ),
            (
                "`finalize` of a run that is done: what it proves, in order",
                &[
                    (STEPPING, "row_8_finalize_"),
                    (ROWS, "row_8_finalize_of_a_run_that_is_done_"),
                    (ENDS, "row_8_finalize_"),
                ],
            ),
            (
                "`finish`",
                &[(STEPPING, "row_8_finish_"), (ROWS, "row_8_finish_"), (ENDS, "row_8_finish_")],
            ),
            (
                "blocked is no dead end: `unblock`, `reopen`, `budget raise` (HOTL: it is)",
                &[
                    (STEPPING, "row_8_blocked_"),
                    (STEPPING, "row_8_a_rejected_gate_"),
                    (STEPPING, "row_8_a_budget_"),
                    (LOOPS, "a_run_that_was_ended_as_blocked_"),
                    (LOOPS, "a_step_that_was_blocked_by_hand_"),
                    (GATES, "rule_10_a_rejected_gate_can_be_reopened_"),
                    (BUDGETS, "a_raised_budget_"),
                ],
            ),
        ],
    ),
    (
        "Checks",
        &[
            (
                "a list: in order, up to the first that does not pass",
                &[
                    (STEPPING, "row_9_all_checks_"),
                    (STEPPING, "row_9_empty_output_"),
                    (STEPPING, "row_9_checks_run_"),
                    (ROWS, "row_8_results_that_leave_out_"),
                    (SAID, "empty_output_is_one_"),
                ],
            ),
            (
                "shell: exit codes, 200 is nothing special",
                &[
                    (CHECKING, "row_9_a_check_passes_with_0_"),
                    (SHELL, "a_command_that_ends_with_0_"),
                    (SHELL, "every_other_code_"),
                ],
            ),
            (
                "shell: no input, no options, its own folder (HOTL: those of the runtime)",
                &[
                    (STEPPING, "row_9_a_command_runs_"),
                    (CHECKING, "row_9_a_check_that_reads_"),
                    (SHELL, "a_command_has_no_input_"),
                    (VARIABLES, "options_of_the_shell_"),
                ],
            ),
            (
                "shell: without our secrets (HOTL: with them)",
                &[(CHECKING, "row_9_a_check_does_not_see_"), (VARIABLES, "our_secrets_")],
            ),
            (
                "shell: a time limit, and nothing is left behind (HOTL: neither)",
                &[
                    (CHECKING, "row_9_a_check_that_hangs_"),
                    (CHECKING, "row_9_a_check_without_a_time_"),
                    (SHELL, "a_command_that_hangs_"),
                    (GUARD, "nothing_survives_"),
                ],
            ),
            (
                "shell: what it wrote, whole characters, all of it in a log",
                &[
                    (STEPPING, "row_9_a_state_file_"),
                    (SHELL, "a_flood_"),
                    (SHELL, "the_log_holds_"),
                    (OUTPUT, "letters_on_the_border_"),
                ],
            ),
            (
                "artifact: the texts of what is true",
                &[(STEPPING, "row_9_an_artifact_"), (ARTIFACT, "what_is_true_")],
            ),
            (
                "artifact: the texts of what is not",
                &[(STEPPING, "row_9_an_artifact_"), (ARTIFACT, "what_is_not_true_")],
            ),
            (
                "artifact: the texts of what is incomplete",
                &[
                    (STEPPING, "row_9_a_check_that_lacks_"),
                    (ARTIFACT, "what_is_incomplete_"),
                    (SAID, "what_a_check_lacks_"),
                ],
            ),
            (
                "artifact: inside the root",
                &[
                    (CHECKING, "row_9_an_artifact_outside_"),
                    (ARTIFACT, "what_leads_out_of_the_root_"),
                ],
            ),
            (
                "human-review: always asks, and the run pauses",
                &[
                    (STEPPING, "row_8_verify_that_needs_a_person_"),
                    (ROWS, "row_8_verify_that_needs_a_person_"),
                    (GATES, "rule_10_a_review_asks_"),
                ],
            ),
            (
                "browser: for real (HOTL: never)",
                &[
                    (CHECKING, "row_9_a_browser_check_passes_"),
                    (CHECKING, "row_9_a_browser_check_fails_"),
                    (PAGE, "what_a_page_"),
                    (PAGE, "a_page_"),
                    (PAGE, "what_comes_later_"),
                ],
            ),
            (
                "browser: without one, or in words, a person",
                &[
                    (CHECKING, "row_9_a_browser_check_without_"),
                    (PAGE, "without_a_browser_"),
                    (PAGE, "words_are_left_to_a_person_"),
                ],
            ),
            (
                "an unknown type blocks",
                &[
                    (STEPPING, "row_9_a_check_that_lacks_"),
                    (ROWS, "row_8_verify_that_cannot_be_decided_"),
                    (SAID, "what_a_check_lacks_"),
                ],
            ),
            (
                "what comes behind a review is checked (HOTL: never)",
                &[
                    (STEPPING, "row_9_checks_after_"),
                    (ROWS, "row_8_checks_after_a_review_"),
                    (ROWS, "row_8_a_check_after_a_review_"),
                ],
            ),
        ],
    ),
    (
        "Preparing an execution root",
        &[
            (
                "what is answered: nine keys in their order",
                &[(PREFLIGHT, "preflight_the_keys_are_in_the_order_")],
            ),
            (
                "no repository",
                &[(PREFLIGHT, "preflight_not_a_git_repo"), (PREPARE, "preflight_not_a_git_repo_")],
            ),
            (
                "a repository without a commit",
                &[
                    (PREFLIGHT, "preflight_git_no_commit"),
                    (PREPARE, "preflight_git_without_a_commit_"),
                ],
            ),
            (
                "on main, nothing pinned",
                &[
                    (PREFLIGHT, "preflight_main_nothing_pinned"),
                    (PREFLIGHT, "preflight_a_workflow_file_in_a_folder_"),
                    (PREPARE, "preflight_main_with_nothing_"),
                    (PREPARE, "preflight_no_branch_at_all_"),
                ],
            ),
            (
                "on a feature branch, nothing pinned",
                &[
                    (PREFLIGHT, "preflight_feature_branch_"),
                    (PREFLIGHT, "preflight_a_person_at_a_terminal_is_asked_about_a_feature_"),
                    (PREFLIGHT, "preflight_a_person_who_chooses_nothing_"),
                    (PREFLIGHT, "preflight_a_person_who_quits_"),
                    (PREFLIGHT, "preflight_a_person_who_slips_is_"),
                    (PREFLIGHT, "preflight_a_person_names_a_branch_"),
                    (PREPARE, "preflight_a_feature_branch_"),
                ],
            ),
            (
                "in a linked worktree with a branch",
                &[
                    (PREFLIGHT, "preflight_named_linked_"),
                    (PREPARE, "preflight_a_named_linked_"),
                    (PREPARE, "preflight_a_linked_worktree_on_main_"),
                ],
            ),
            (
                "in a linked worktree without a branch",
                &[
                    (PREFLIGHT, "preflight_detached_linked_"),
                    (PREPARE, "preflight_a_detached_linked_"),
                ],
            ),
            (
                "`worktree: host`",
                &[(PREFLIGHT, "preflight_worktree_host"), (PREPARE, "preflight_worktree_host_")],
            ),
            (
                "`worktree: false`",
                &[(PREFLIGHT, "preflight_worktree_false"), (PREPARE, "preflight_worktree_false_")],
            ),
            (
                "`worktree: true` on the branch itself",
                &[(PREFLIGHT, "preflight_worktree_true_"), (PREPARE, "preflight_worktree_true_")],
            ),
            (
                "the path of the worktree exists",
                &[
                    (PREFLIGHT, "preflight_worktree_path_exists"),
                    (PREFLIGHT, "preflight_uncommitted_work_"),
                    (PREPARE, "preflight_a_worktree_path_"),
                    (PREPARE, "preflight_a_worktree_that_was_deleted_"),
                    (PREPARE, "preflight_work_that_is_not_committed_"),
                ],
            ),
            (
                "the branch exists",
                &[
                    (PREFLIGHT, "preflight_branch_exists_"),
                    (PREFLIGHT, "preflight_of_several_that_"),
                    (PREFLIGHT, "preflight_what_the_branch_of_a_driven_run_held_"),
                    (PREFLIGHT, "preflight_a_person_at_a_terminal_is_asked_about_an_existing_"),
                    (PREFLIGHT, "preflight_a_person_who_slips_about_an_existing_"),
                    (PREPARE, "preflight_a_worktree_in_which_a_run_goes_on_"),
                    (PREPARE, "preflight_a_worktree_whose_runs_have_ended_"),
                    (PREPARE, "preflight_a_worktree_that_stays_"),
                    (PREPARE, "preflight_a_branch_that_"),
                ],
            ),
            (
                "`git worktree add` fails",
                &[
                    (PREFLIGHT, "preflight_git_worktree_add_fails_"),
                    (PREFLIGHT, "odd_a_hook_that_fails_"),
                ],
            ),
            (
                "a word for `worktree` that means nothing",
                &[
                    (PREFLIGHT, "preflight_bad_worktree_word"),
                    (PREPARE, "preflight_a_bad_worktree_word_"),
                ],
            ),
            (
                "a file outside the repository",
                &[
                    (PREFLIGHT, "preflight_workflow_outside_"),
                    (PREPARE, "preflight_a_workflow_outside_"),
                ],
            ),
            ("lint comes before any change", &[(PREFLIGHT, "preflight_lint_")]),
            (
                "a stash, asked for by a person, and recorded",
                &[
                    (PREFLIGHT, "preflight_stash_"),
                    (PREFLIGHT, "preflight_nothing_is_stashed_"),
                    (PREFLIGHT, "preflight_what_was_stashed_"),
                    (PREFLIGHT, "preflight_what_a_driven_run_put_aside_"),
                    (PREFLIGHT, "preflight_a_person_at_a_terminal_may_stash"),
                ],
            ),
            (
                "files that are not committed",
                &[
                    (PREFLIGHT, "preflight_dirty_"),
                    (PREFLIGHT, "preflight_files_of_hotl_are_not_dirty"),
                    (PREFLIGHT, "preflight_names_with_spaces_"),
                    (PREFLIGHT, "preflight_a_renamed_file_"),
                    (PREPARE, "preflight_dirty_"),
                    (PREPARE, "preflight_files_of_hotl_"),
                ],
            ),
            (
                "a repository in an odd state, and names that are none",
                &[
                    (PREFLIGHT, "odd_"),
                    (PREPARE, "preflight_a_repository_without_a_checkout_"),
                    (PREPARE, "preflight_a_name_that_is_no_branch_"),
                ],
            ),
        ],
    ),
    (
        "Around the runtime",
        &[
            (
                "finish: merge",
                &[
                    (LANDING, "a_run_that_is_merged_"),
                    (LANDING, "a_run_without_a_worktree_is_merged_"),
                    (LANDING, "a_merge_"),
                ],
            ),
            (
                "finish: publish, approved word by word",
                &[(LANDING, "a_run_is_published_"), (LANDING, "what_is_approved_before_")],
            ),
            (
                "finish: discard",
                &[(LANDING, "a_run_that_is_discarded_"), (LANDING, "a_shared_checkout_")],
            ),
            (
                "finding runs in all worktrees",
                &[(LANDING, "a_run_is_located_"), (LANDING, "runs_are_located_")],
            ),
            (
                "actions, reconciliation, receipts",
                &[(ACTIONS, "row_17_"), (ENDS, "row_17_"), (ENDS, "row_7_")],
            ),
            ("the runtime as skills call it: a run begins", &[(BEGINNING, "")]),
            ("keys and texts", &[(FORMS, "")]),
            ("steps, gates, the end", &[(DOOR_STEPS, "")]),
            ("owners, actions, budgets", &[(OWNING, "")]),
            ("files that another hand touched", &[(OTHER_HANDS, "")]),
            ("scripts that look, say and prepare", &[(SCRIPTS, "")]),
            ("the script that finishes", &[(FINISHING, "")]),
            ("the driver for any host", &[(DRIVING, "")]),
        ],
    ),
];

/// All of them, in the order of the page.
fn parts() -> impl Iterator<Item = (&'static str, &'static [Row])> {
    [PARTS, reference::PARTS, bad_input::PARTS].into_iter().flatten().copied()
}

fn page() -> String {
    let mut page = String::from(
        "# HOTL, row by row\n\nWhat HOTL's workflow files, lint, transitions and checks are, what the \
         reference of its format asks,\nand what a run must bear; and the tests that show that ours \
         does as well or better. Made by\n`tests/tests/hotl_rows`.\n",
    );
    for (part, rows) in parts() {
        write!(page, "\n## {part}\n\n| | what | shown by |\n|---|---|---|\n").unwrap();
        for (number, (what, shown)) in (1..).zip(rows) {
            let what = what.replace('|', "\\|");
            writeln!(page, "| {number} | {what} | {} |", links(shown)).unwrap();
        }
    }
    page
}

fn links(shown: &[(&str, &str)]) -> String {
    let named = |(file, beginning): &(&str, &str)| {
        let tests = tests(file, beginning);
        match (tests.as_slice(), beginning.is_empty()) {
            ([only], _) => format!("[`{only}`](../{file})"),
            (all, true) => format!("[all {} of its tests](../{file})", all.len()),
            (all, false) => format!("[`{beginning}…`](../{file}), {} tests", all.len()),
        }
    };
    shown.iter().map(named).collect::<Vec<_>>().join("<br>")
}

#[test]
fn every_row_has_tests_that_show_it() {
    for (what, shown) in parts().flat_map(|(_, rows)| rows) {
        assert!(!shown.is_empty(), "{what}: nothing shows it");
        for (file, beginning) in *shown {
            assert!(!tests(file, beginning).is_empty(), "{what}: {file}: {beginning}");
        }
    }
}

#[test]
fn no_test_that_shows_a_row_is_left_out() {
    let rows = parts().flat_map(|(_, rows)| rows);
    let shown = rows.flat_map(|(_, shown)| *shown);
    let on_page: BTreeSet<(&str, String)> = shown
        .flat_map(|(file, beginning)| tests(file, beginning).into_iter().map(|name| (*file, name)))
        .collect();
    for (file, beginning) in SHOWING {
        for name in tests(file, beginning) {
            assert!(on_page.contains(&(file, name.clone())), "{file}: {name}");
        }
    }
}

#[test]
fn the_page_of_hotls_rows_is_not_stale() {
    tables::is_not_stale("docs/hotl-rows.md", &page());
}
