//! What people read of a run: what is said is how it stands, and no old news is told again.

use crate::site::{GATED, Gates, LOW, Site, attested, enforced, one_step};

/// What somebody at a terminal reads of a call.
#[track_caller]
fn read(site: &Site, line: &str) -> String {
    site.call(line).at_terminal(100).ok().stdout
}

#[test]
fn a_step_that_is_to_be_done_again_is_called_so_with_the_way_on() {
    let site = enforced(GATED);
    site.completes(1);
    site.person("run gate 1 rejected --reason crooked");
    let told = read(&site, "run reopen 1 --redo --reason straighten");
    assert!(told.contains("step 1 is to be done again"), "{told}");
    assert!(told.contains("go on with: windlass run step retry 1"), "{told}");
    assert!(!told.contains("gate"), "{told}");
}

#[test]
fn who_blocks_a_step_is_not_told_again_what_its_checks_wrote() {
    let steps = "- [ ] **Step 1: Work**\naction: work\nloop: until it works\nmax_iterations: 3\n\
                 verify: echo noise; false\n";
    let site = attested(steps);
    let _started = site.says("run step start 1");
    assert_eq!(site.finds("run step verify 1"), "fail");
    let told = read(&site, "run step block 1 --reason lost");
    assert!(told.contains("blocked step 1: lost") && !told.contains("noise"), "{told}");
}

#[test]
fn an_answer_about_one_check_is_not_shown_as_the_gate_of_the_step() {
    let checks = "gate: human\nverify:\n  - type: human-review\n    prompt: is it blue?\n  \
                  - type: shell\n    command: \"true\"\n";
    let site = Site::with(Gates::Enforced, LOW, &one_step(checks));
    let _started = site.says("run step start 1");
    let _asked = site.call("run step verify 1").run();
    site.person("run gate 1 approved");
    let step = site.does("run show")["steps"][0].clone();
    assert_eq!((step["status"].as_str(), step["decision"].as_str()), (Some("in_progress"), None));
    let told = read(&site, "run show");
    assert!(told.contains("asks a person") && !told.contains("approved"), "{told}");
}
