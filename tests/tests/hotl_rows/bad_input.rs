//! What a run must bear: whatever is done to it, it says so and goes on.

use crate::{
    ARTIFACT, CHECKING, CROWD, FILES, GUARD, KILLING, LANDING, OUTPUT, PREFLIGHT, RULES, Row,
    SENDING, SHELL, STEPPING,
};

pub(crate) const PARTS: &[(&str, &[Row])] =
    &[("Bad checks", CHECKS), ("Bad surroundings", SURROUNDINGS), ("Kills and crowds", DEATHS)];

const CHECKS: &[Row] = &[
    (
        "a check that hangs",
        &[
            (CHECKING, "row_9_a_check_that_hangs_"),
            (CHECKING, "row_9_a_check_without_a_time_"),
            (SHELL, "a_command_that_hangs_"),
        ],
    ),
    (
        "a check that forks",
        &[(CHECKING, "a_check_that_leaves_children_"), (SHELL, "what_a_command_leaves_")],
    ),
    (
        "a check that floods",
        &[
            (CHECKING, "a_check_that_floods_"),
            (SHELL, "a_flood_"),
            (OUTPUT, "a_log_ends_at_its_limit_"),
        ],
    ),
    (
        "a check that kills its parent",
        &[
            (CHECKING, "a_check_that_kills_its_parent_"),
            (SHELL, "a_command_that_kills_"),
            (SHELL, "a_command_that_stops_its_parent_"),
            (SHELL, "a_command_that_signals_"),
        ],
    ),
    (
        "a check that changes its folder",
        &[(CHECKING, "a_check_that_changes_"), (SHELL, "a_command_may_change_its_folder_")],
    ),
    (
        "a check that closes its output",
        &[(CHECKING, "a_check_that_closes_"), (SHELL, "a_command_may_close_")],
    ),
    (
        "a check that prints what is no text",
        &[(CHECKING, "a_check_that_prints_"), (SHELL, "bytes_that_are_no_text_")],
    ),
    (
        "exit codes from 0 to 255, 200 among them",
        &[(CHECKING, "row_9_a_check_passes_with_0_"), (SHELL, "every_other_code_")],
    ),
    (
        "an artifact outside the root, or a link that leads there",
        &[(CHECKING, "row_9_an_artifact_outside_"), (ARTIFACT, "what_leads_out_of_the_root_")],
    ),
    (
        "a glob with separators",
        &[(STEPPING, "row_9_a_check_that_lacks_"), (RULES, "a_glob_with_folders_")],
    ),
];

const SURROUNDINGS: &[Row] = &[
    ("a workflow file that changes during the run", &[(CHECKING, "a_run_keeps_the_workflow_")]),
    (
        "two runs in one folder",
        &[(FILES, "two_runs_in_one_folder_"), (FILES, "runs_that_begin_in_one_second_")],
    ),
    (
        "a worktree that was deleted",
        &[
            (FILES, "a_folder_that_was_removed_"),
            (FILES, "a_folder_that_is_gone_"),
            (LANDING, "a_worktree_that_was_deleted_"),
            (PREFLIGHT, "odd_a_worktree_that_was_deleted_"),
            (PREFLIGHT, "odd_a_branch_whose_other_worktree_"),
        ],
    ),
    ("a repository in an odd state", &[(PREFLIGHT, "odd_")]),
    ("a clock that jumps", &[(CHECKING, "a_clock_that_jumps_")]),
    (
        "a folder of reports that may not be written, or a full disk",
        &[(FILES, "a_full_disk_"), (FILES, "a_report_folder_"), (FILES, "a_disk_that_is_full_")],
    ),
];

const DEATHS: &[Row] = &[
    (
        "`kill -9` at every write point of `step start` and `step verify`",
        &[
            (KILLING, "a_start_killed_"),
            (KILLING, "a_verification_killed_at_"),
            (SENDING, "a_start_killed_"),
            (SENDING, "a_verification_killed_"),
        ],
    ),
    (
        "`kill -9` of a run that begins",
        &[(KILLING, "a_run_whose_start_"), (SENDING, "a_run_whose_start_")],
    ),
    ("`kill -9` at random moments", &[(KILLING, "kills_at_random_moments_")]),
    (
        "`kill -9` while a check runs: no process is left",
        &[
            (KILLING, "a_verification_killed_while_"),
            (KILLING, "what_outlived_"),
            (GUARD, "nothing_survives_"),
        ],
    ),
    (
        "`kill -9` of a driver while its agent works: it goes on at once, no process is left",
        &[(KILLING, "a_run_whose_driver_is_killed_")],
    ),
    ("sixteen processes at one run: one winner, nothing lost", &[(CROWD, "")]),
];
