//! What the reference of the format asks of whoever executes a workflow file.

use crate::{
    BEGINNING, CHECKING, DOOR_STEPS, DRIVEN, FILES, FORMS, GATES, GRAMMAR, LINT, LOOPS, MALFORMED,
    NAME, PAGE, PREFLIGHT, PREPARE, REFERENCE, Row, SCRIPTS, STEPPING, WRITTEN,
};

pub(crate) const PARTS: &[(&str, &[Row])] = &[
    ("The format", FORMAT),
    ("Checks, gates and loops of the format", RULES),
    ("Where a run is executed", WHERE),
    ("Runs and their files", RUNS),
];

const FORMAT: &[Row] = &[
    (
        "the example",
        &[(REFERENCE, "the_example_"), (REFERENCE, "nothing_is_wrong_with_the_example")],
    ),
    (
        "every field of the frontmatter",
        &[(REFERENCE, "every_field_of_the_frontmatter_"), (REFERENCE, "a_worktree_is_one_of_")],
    ),
    (
        "`intent`, `success_criteria`, `risk_level` are required",
        &[(LINT, "each_missing_field_of_the_frontmatter_")],
    ),
    ("a step says `action` and `loop`", &[(LINT, "a_step_without_action_and_loop_")]),
    (
        "what is not said: `auto_approve: false`, `max_iterations: 3`, no gate, no check",
        &[(REFERENCE, "what_is_not_said_")],
    ),
    (
        "headers with boxes, and numbered ones",
        &[(REFERENCE, "both_forms_of_a_header_"), (MALFORMED, "malformed_15_")],
    ),
    (
        "a command is short for a check of type shell",
        &[(REFERENCE, "a_command_is_short_for_"), (GRAMMAR, "a_command_is_kept_as_written")],
    ),
    ("type browser", &[(REFERENCE, "a_browser_check_has_")]),
    ("type human-review", &[(REFERENCE, "a_human_review_has_")]),
    (
        "type artifact: `exists`, `contains`, `matches-glob`",
        &[(REFERENCE, "an_artifact_has_"), (REFERENCE, "every_assert_kind_")],
    ),
    ("several checks of a step", &[(REFERENCE, "a_list_holds_several_checks")]),
];

const RULES: &[Row] = &[
    (
        "shell: by its exit code, and what it wrote is reported",
        &[
            (STEPPING, "row_8_verify_that_passes_"),
            (STEPPING, "row_8_verify_that_fails_"),
            (FILES, "a_report_has_its_lines_"),
        ],
    ),
    (
        "browser: without one a person looks, and it never passes by itself",
        &[(CHECKING, "row_9_a_browser_check_without_"), (PAGE, "without_a_browser_")],
    ),
    (
        "human-review: pauses whatever `auto_approve` says",
        &[(STEPPING, "row_8_verify_that_needs_a_person_"), (GATES, "rule_10_a_review_asks_")],
    ),
    ("artifact: what each assertion means", &[(STEPPING, "row_9_an_artifact_")]),
    ("all checks of a list must pass", &[(STEPPING, "row_9_all_checks_")]),
    (
        "`auto_approve: true` at low or medium risk approves human gates",
        &[(GATES, "rule_10_auto_approve_")],
    ),
    ("`risk_level: high` always asks", &[(GATES, "rule_10_high_risk_")]),
    ("`gate: auto`", &[(GATES, "rule_10_gate_auto_")]),
    (
        "`loop: until`, up to `max_iterations`",
        &[(LOOPS, "rule_11_"), (DRIVEN, "a_step_that_never_passes_")],
    ),
    (
        "`progress: verbose` tells all steps whenever one begins or ends",
        &[("tests/tests/runs/watching.rs", "verbose_progress_")],
    ),
    (
        "`report_detail: full` reports what passed too",
        &[(WRITTEN, "report_detail_full_"), (FILES, "a_report_with_every_detail_")],
    ),
];

const WHERE: &[Row] = &[
    (
        "the branch: that of the file, or `hotl/<slug>`",
        &[
            (NAME, "the_branch_is_named_after_"),
            (NAME, "the_slug_follows_"),
            (PREFLIGHT, "preflight_worktree_false"),
        ],
    ),
    (
        "without a commit: `Skipping branch setup (no git history)`",
        &[(PREFLIGHT, "preflight_not_a_git_repo"), (PREFLIGHT, "preflight_git_no_commit")],
    ),
    (
        "uncommitted changes stop it with three ways on",
        &[(PREFLIGHT, "preflight_dirty_files_"), (PREPARE, "preflight_dirty_files_stop_")],
    ),
    (
        "`dirty_worktree: allow`, and files of HOTL never count",
        &[(PREFLIGHT, "preflight_dirty_worktree_"), (PREFLIGHT, "preflight_files_of_hotl_")],
    ),
    (
        "nothing is stashed unless a person says so",
        &[
            (PREFLIGHT, "preflight_stash_"),
            (PREFLIGHT, "preflight_a_person_at_a_terminal_may_stash"),
            (PREPARE, "preflight_dirty_files_are_stashed_"),
        ],
    ),
    (
        "where the file was written is recorded: branch and commit",
        &[(PREFLIGHT, "preflight_main_"), (BEGINNING, "every_option_of_init_")],
    ),
    (
        "on a feature branch, nothing pinned: three ways, and it asks",
        &[
            (PREFLIGHT, "preflight_feature_branch_"),
            (PREFLIGHT, "preflight_a_person_at_a_terminal_is_asked_about_a_feature_branch"),
            (PREFLIGHT, "preflight_a_person_who_chooses_nothing_"),
        ],
    ),
    ("on main, nothing pinned: a worktree from the commit", &[(PREFLIGHT, "preflight_main_")]),
    (
        "in a linked worktree with a branch, nothing pinned: it stays",
        &[(PREFLIGHT, "preflight_named_linked_")],
    ),
    (
        "`worktree: host`: as it is, never main or master, and `branch` must agree",
        &[(PREFLIGHT, "preflight_worktree_host"), (PREPARE, "preflight_worktree_host_")],
    ),
    (
        "`worktree: false`: here, on the branch",
        &[(PREFLIGHT, "preflight_worktree_false"), (PREPARE, "preflight_worktree_false_")],
    ),
    (
        "`worktree: true` on the current branch stops with the way out",
        &[(PREFLIGHT, "preflight_worktree_true_")],
    ),
    (
        "an existing branch always asks",
        &[
            (PREFLIGHT, "preflight_branch_exists_"),
            (PREFLIGHT, "preflight_a_person_at_a_terminal_is_asked_about_an_existing_branch"),
            (PREPARE, "preflight_a_branch_that_exists_always_asks"),
        ],
    ),
    ("lint comes before any change of git", &[(PREFLIGHT, "preflight_lint_")]),
    (
        "the answer as JSON, and the file copied along",
        &[
            (PREFLIGHT, "preflight_the_keys_are_"),
            (PREFLIGHT, "preflight_a_workflow_file_in_a_folder_"),
            (SCRIPTS, "the_root_of_an_execution_"),
        ],
    ),
];

const RUNS: &[Row] = &[
    (
        "`init`, `step`, `gate`, `finalize`, `summary`",
        &[(BEGINNING, "a_skill_goes_from_init_"), (FORMS, "a_summary_has_the_keys_")],
    ),
    (
        "`.hotl/state/<run-id>.json` is the truth about a run",
        &[
            (FILES, "a_state_file_has_every_key_"),
            (FILES, "an_outside_edit_is_refused_"),
            (FORMS, "a_state_file_has_the_keys_"),
        ],
    ),
    (
        "`.hotl/reports/<run-id>.md` is written at every transition",
        &[(FILES, "a_report_tells_every_transition_"), (FILES, "a_report_that_was_deleted_")],
    ),
    (
        "ticked boxes are the agent's own marks",
        &[(FILES, "marks_in_the_workflow_file_"), (MALFORMED, "malformed_15_")],
    ),
    (
        "a run id is `<slug>-<YYYYMMDDTHHMMSSZ>`",
        &[(NAME, "the_id_of_a_run_"), (BEGINNING, "a_run_id_is_the_slug_")],
    ),
    (
        "later calls are about the same root and id",
        &[
            (FILES, "a_call_elsewhere_finds_no_run"),
            (FILES, "two_runs_in_one_folder_"),
            (DOOR_STEPS, "one_of_several_runs_is_named"),
        ],
    ),
    (
        "a run goes on from its state file, whoever began it",
        &[
            (FILES, "a_run_that_only_its_state_file_knows_"),
            (FILES, "steps_that_a_state_file_calls_done_"),
        ],
    ),
];
