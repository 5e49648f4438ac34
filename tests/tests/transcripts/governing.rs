//! Workflow files, and what is wrong with them.

use crate::scene::{Scene, transcript};

/// A file with a slip in four places.
fn has_a_file_with_slips(scene: &mut Scene) {
    scene.has(
        "hotl-workflow-rate.md",
        "---\nintent: Limit the rate of requests\nsuccess_criteria: The tests pass\n\
         risk_level: hihg\n---\n\n- [ ] **Step 1: Write tests**\naction: Write them # first\n\
         loop: until they fail\nmax_iteration: 2\nverify:\n  - type: shell\n    command: npm test\n  \
         - type: artifact\n    path: coverage\n    assert:\n      kind: matches-glob\n      \
         value: out/*.info\n\n- [ ] **Step 3: Approve**\naction: Sum up\nloop: false\ngate: human\n",
    );
}

#[test]
fn workflow_files_are_linted_before_they_are_run() {
    let said = transcript(|scene| {
        has_a_file_with_slips(scene);
        scene.shows("run lint hotl-workflow-rate.md");
    });
    insta::assert_snapshot!(said, @r#"
    $ cat hotl-workflow-rate.md
    ---
    intent: Limit the rate of requests
    success_criteria: The tests pass
    risk_level: hihg
    ---

    - [ ] **Step 1: Write tests**
    action: Write them # first
    loop: until they fail
    max_iteration: 2
    verify:
      - type: shell
        command: npm test
      - type: artifact
        path: coverage
        assert:
          kind: matches-glob
          value: out/*.info

    - [ ] **Step 3: Approve**
    action: Sum up
    loop: false
    gate: human
    $ windlass run lint hotl-workflow-rate.md
    error[risk_word]: risk_level must be low, medium, or high (got: 'hihg')
     --> hotl-workflow-rate.md:4:13
      |
    4 | risk_level: hihg
      |             ^^^^ did you mean `high`?
      |
    help: write instead
      |
    4 - risk_level: hihg
    4 + risk_level: high
      |

    error[until_without]: the step loops until something holds, and has no
      `max_iterations`
     --> hotl-workflow-rate.md:9:7
      |
    7 | - [ ] **Step 1: Write tests**
      | ----------------------------- add `max_iterations: …`
    8 | action: Write them # first
    9 | loop: until they fail
      |       ^^^^^^^^^^^^^^^

    warning[unknown_key]: `max_iteration` is not a key of a step
      --> hotl-workflow-rate.md:10:1
       |
    10 | max_iteration: 2
       | ^^^^^^^^^^^^^ did you mean `max_iterations`?
       |
    help: write instead
       |
    10 | max_iterations: 2
       |              +

    error[glob_separator]: matches-glob takes a glob for file names, without folders
      --> hotl-workflow-rate.md:18:14
       |
    18 |       value: out/*.info
       |              ^^^^^^^^^^ put the folder into `path`

    error[step_number]: step 3 follows step 1; 2 is missing
      --> hotl-workflow-rate.md:20:14
       |
    20 | - [ ] **Step 3: Approve**
       |              ^ expected 2
       |
    help: write instead
       |
    20 - - [ ] **Step 3: Approve**
    20 + - [ ] **Step 2: Approve**
       |

    warning[gate_unreachable]: this gate is never reached
      --> hotl-workflow-rate.md:23:7
       |
     7 | - [ ] **Step 1: Write tests**
       | ----------------------------- this step can never be done
    ...
    23 | gate: human
       |       ^^^^^

    hotl-workflow-rate.md: 4 errors, 2 warnings
    $ … --json
    {
      "sound": false,
      "files": [
        {
          "file": "hotl-workflow-rate.md",
          "errors": 4,
          "warnings": 2,
          "findings": [
            {
              "line": 4,
              "column": 13,
              "end_line": 4,
              "end_column": 17,
              "code": "risk_word",
              "severity": "error",
              "message": "risk_level must be low, medium, or high (got: 'hihg')",
              "suggestion": {
                "line": 4,
                "column": 13,
                "end_line": 4,
                "end_column": 17,
                "replacement": "high"
              }
            },
            {
              "line": 9,
              "column": 7,
              "end_line": 9,
              "end_column": 22,
              "code": "until_without",
              "severity": "error",
              "message": "the step loops until something holds, and has no `max_iterations`",
              "related": {
                "line": 7,
                "column": 1,
                "message": "add `max_iterations: …`"
              }
            },
            {
              "line": 10,
              "column": 1,
              "end_line": 10,
              "end_column": 14,
              "code": "unknown_key",
              "severity": "warning",
              "message": "`max_iteration` is not a key of a step",
              "suggestion": {
                "line": 10,
                "column": 1,
                "end_line": 10,
                "end_column": 14,
                "replacement": "max_iterations"
              }
            },
            {
              "line": 18,
              "column": 14,
              "end_line": 18,
              "end_column": 24,
              "code": "glob_separator",
              "severity": "error",
              "message": "matches-glob takes a glob for file names, without folders"
            },
            {
              "line": 20,
              "column": 14,
              "end_line": 20,
              "end_column": 15,
              "code": "step_number",
              "severity": "error",
              "message": "step 3 follows step 1; 2 is missing",
              "suggestion": {
                "line": 20,
                "column": 14,
                "end_line": 20,
                "end_column": 15,
                "replacement": "2"
              }
            },
            {
              "line": 23,
              "column": 7,
              "end_line": 23,
              "end_column": 12,
              "code": "gate_unreachable",
              "severity": "warning",
              "message": "this gate is never reached",
              "related": {
                "line": 7,
                "column": 1,
                "message": "this step can never be done"
              }
            }
          ]
        }
      ]
    }
    [exit code 6]
    "#);
}

#[test]
fn a_sound_file_has_nothing_wrong_with_it() {
    let said = transcript(|scene| {
        scene.has(
            "sound.md",
            "---\nintent: Say hello\nsuccess_criteria: It is said\nrisk_level: low\n---\n\n\
             ### 1. Say it\naction: Say it\nloop: false\nverify: test -f hello\n",
        );
        scene.shows("run lint sound.md");
        scene.says("run lint nowhere.md");
    });
    insta::assert_snapshot!(said, @r#"
    $ cat sound.md
    ---
    intent: Say hello
    success_criteria: It is said
    risk_level: low
    ---

    ### 1. Say it
    action: Say it
    loop: false
    verify: test -f hello
    $ windlass run lint sound.md
    sound.md: nothing wrong
    $ … --json
    {
      "sound": true,
      "files": [{"file": "sound.md", "errors": 0, "warnings": 0, "findings": []}]
    }
    $ windlass run lint nowhere.md
    error: there is no workflow file nowhere.md
    hint: name a workflow file that is there, and look at it first: windlass run
      lint FILE
    more: windlass explain path_not_found
    [exit code 4]
    "#);
}

#[test]
fn lint_speaks_as_hotl_does() {
    let said = transcript(|scene| {
        has_a_file_with_slips(scene);
        scene.shows("run lint --compat hotl-workflow-rate.md notes.md");
    });
    insta::assert_snapshot!(said, @r#"
    $ cat hotl-workflow-rate.md
    ---
    intent: Limit the rate of requests
    success_criteria: The tests pass
    risk_level: hihg
    ---

    - [ ] **Step 1: Write tests**
    action: Write them # first
    loop: until they fail
    max_iteration: 2
    verify:
      - type: shell
        command: npm test
      - type: artifact
        path: coverage
        assert:
          kind: matches-glob
          value: out/*.info

    - [ ] **Step 3: Approve**
    action: Sum up
    loop: false
    gate: human
    $ windlass run lint --compat hotl-workflow-rate.md notes.md
    FAIL: risk_level must be low, medium, or high (got: 'hihg')
    FAIL: Step 'Write tests' has loop:until but missing 'max_iterations:' field
    FAIL: line 20: step 3 follows step 1; 2 is missing
    LINT FAILED: 3 error(s) in hotl-workflow-rate.md
    FAIL: File not found: notes.md
    $ … --json
    {
      "sound": false,
      "files": [],
      "compat": "FAIL: risk_level must be low, medium, or high (got: 'hihg')…"
    }
    [exit code 6]
    "#);
}
