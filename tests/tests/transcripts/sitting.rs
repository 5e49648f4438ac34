//! Sessions: what agents are given when they sit down, and what they leave behind.

use crate::scene::{Scene, transcript};

fn given_conventions(scene: &mut Scene) {
    scene.does("project create api");
    scene.does("agent register coder-1 --type dev_coder --tags rust");
    scene.writes(&["STYLE_"], "chunk write convention 'Style' 'Write short lines.' -P api");
}

#[test]
fn agents_are_registered_and_have_types() {
    let said = transcript(|scene| {
        scene.shows("agent register coder-1 --type dev_coder --tags rust -d 'writes code'");
        scene.says("agent register coder-2 --type dev_codr");
        scene.says("agent status");
        scene.says("agent type list");
        scene.shows("agent type show dev_coder");
        scene.has("tester.toml", "lifecycle = \"dev_verification\"\nmax_inject_tokens = 4000\n");
        scene.shows("agent type set tester --from tester.toml");
        scene.shows("agent type hide research");
        scene.says("agent type remove dev_coder");
        scene.shows("agent type remove tester");
        scene.shows("agent unregister coder-1");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn lifecycles_say_what_a_session_is_given() {
    let said = transcript(|scene| {
        scene.says("lifecycle list");
        scene.shows("lifecycle show dev_coding");
        let rule = "[[inject]]\nchunk_type = \"constraint\"\nowner = \"project\"\n";
        scene.has("careful.toml", &format!("ttl = \"2h\"\nconsolidation_threshold = 1\n{rule}"));
        scene.shows("lifecycle set careful --from careful.toml");
        let missing = r#"{"ttl":"2h","consolidation_threshold":1,"inject":[{"chunk_type":"rule","owner":"org"}]}"#;
        scene.says(&format!("lifecycle set strict --definition '{missing}'"));
        scene.shows("lifecycle hide careful");
        scene.shows("lifecycle remove careful");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn an_agent_sits_down_and_is_given_its_context() {
    let said = transcript(|scene| {
        given_conventions(scene);
        scene.shows("inject preview --agent coder-1 -P api");
        scene.sits("SITS_1", "session start --agent coder-1 -P api");
        scene.shows("session focus SITS_1 'fix the login' --tags auth --agent coder-1");
        scene.writes(&["LIMITS"], "chunk write constraint 'Limits' '60 a minute' -P api");
        scene.says("session show SITS_1");
        scene.shows("session take SITS_1 --agent coder-1");
        scene.shows("session resume SITS_1 --agent coder-1");
        scene.shows("session show SITS_1");
        scene.shows("session list");
        scene.says("session show SITS_1 --agent coder-2");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn what_a_session_wrote_is_kept_promoted_or_discarded() {
    let said = transcript(|scene| {
        given_conventions(scene);
        scene.sits("SITS_1", "session start --agent coder-1 -P api --lifecycle dev");
        scene.says("remember 'the login hangs' --agent coder-1");
        scene.does("session focus SITS_1 'fix the login' --agent coder-1");
        scene.writes(&["HANGS_"], "remember 'the login hangs' --agent coder-1");
        scene.writes(&["TOKENS"], "remember 'tokens live an hour' --agent coder-1");
        scene.shows("session end SITS_1 --agent coder-1");
        scene.shows("session consolidate SITS_1 --promote TOKENS --discard HANGS_");
        scene.says("session end SITS_1 --agent coder-1");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn sessions_fit_a_narrow_window() {
    let said = transcript(|scene| {
        given_conventions(scene);
        scene.sits("SITS_1", "session start --agent coder-1 -P api");
        scene.says_within(40, "session show SITS_1");
        scene.says_within(40, "session list");
        scene.says_within(40, "inject preview --agent coder-1 -P api");
        scene.says_within(40, "lifecycle list");
        scene.says_within(40, "agent type list");
    });
    insta::assert_snapshot!(said, @"");
}
