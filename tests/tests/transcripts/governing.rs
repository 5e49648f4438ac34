//! Workflow files, and what is wrong with them.

use crate::scene::{Scene, transcript};

/// A file with a slip in four places.
fn has_a_file_with_slips(scene: &mut Scene) {
    scene.has(
        "hotl-workflow-limits.md",
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
        scene.shows("run lint hotl-workflow-limits.md");
    });
    insta::assert_snapshot!(said, @"");
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
    insta::assert_snapshot!(said, @"");
}

#[test]
fn lint_speaks_as_hotl_does() {
    let said = transcript(|scene| {
        has_a_file_with_slips(scene);
        scene.shows("run lint --compat hotl-workflow-limits.md notes.md");
    });
    insta::assert_snapshot!(said, @"");
}
