//! Hooks: who is told what happens, and what did not arrive.

use crate::scene::transcript;

#[test]
fn a_hook_is_defined_and_taken_away() {
    let said = transcript(|scene| {
        scene.shows("hook list");
        scene.shows("hook set on_done --url http://127.0.0.1:9/events --secret $HOOK_SECRET");
        scene.shows(
            "hook set tell-ada --on on_blocked --tag urgent --timeout 5s --command notify --quiet",
        );
        scene.shows("hook list");
        scene.shows("hook show on_done");
        scene.shows("hook remove tell-ada");
        scene.says("hook remove tell-ada");
        scene.says("hook set on_done --url http://127.0.0.1:9/events --secret plain");
        scene.says("hook set on_done --url http://ada:secret@127.0.0.1/");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn a_delivery_waits_is_given_up_and_is_tried_again() {
    let said = transcript(|scene| {
        scene.does("hook set on_done --url http://127.0.0.1:9/events");
        scene.given("LOGIN_", "'fix the login page' -s ready");
        scene.does("task set-status LOGIN_ done --op-id op-7");
        scene.calls_the_newest_delivery("FIRST_");
        scene.shows("hook list --state queued");
        scene.shows("hook show FIRST_");
        scene.says("hook retry FIRST_");
        scene.shows("hook discard FIRST_ --reason 'the receiver is gone'");
        scene.says("hook list --state discarded");
        scene.shows("hook retry FIRST_");
        scene.says("hook retry --all-failed");
        scene.says("hook remove on_done");
        scene.says("hook show NOTHER");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn hooks_of_the_settings_are_shown_with_their_file() {
    let said = transcript(|scene| {
        let folder = scene.home().config().join("windlass");
        std::fs::create_dir_all(&folder).unwrap();
        let file = "[hooks.on_done]\nurl = 'http://127.0.0.1:9/events?key=1'\nsecret = 'whsec_x'\n";
        std::fs::write(folder.join("config.toml"), file).unwrap();
        scene.says("hook list");
        scene.says("hook show on_done");
        scene.says("config");
    });
    insta::assert_snapshot!(said, @"");
}
