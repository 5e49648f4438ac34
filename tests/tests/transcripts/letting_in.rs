//! Keys: who is let in by a server, and as what.

use crate::scene::transcript;

#[test]
fn a_key_is_made_changed_and_ended() {
    let said = transcript(|scene| {
        scene.does("project create api");
        scene.shows("key list");
        scene.makes_a_key(
            "WORKER",
            "key create --for agent:worker-1 --role worker -P api --expires 30d",
        );
        scene.makes_a_key("PERSON", "key create --for person:anna --role admin --tools all");
        scene.shows("key list");
        scene.shows("key rotate WORKER");
        scene.shows("key revoke WORKER --reason 'it was in a log'");
        scene.says("key revoke WORKER");
        scene.says("key list");
        scene.shows("key list --all");
        scene.shows("key refusals");
    });
    insta::assert_snapshot!(said, @"");
}

#[test]
fn what_no_key_can_be_is_refused() {
    let said = transcript(|scene| {
        scene.shows("key create --for agent:worker-1 --role admin");
        scene.says("key create --for worker-1 --role worker");
        scene.says("key create --for agent:worker-1 --role worker --expires yesterday");
        scene.says("key create --for agent:worker-1 --role worker -P nowhere");
        scene.says("key create --for agent:worker-1 --role worker --op-id k1");
        scene.makes_a_key("WORKER", "key create --for agent:worker-1 --role reviewer");
        scene.does("key revoke WORKER");
        scene.shows("key rotate WORKER");
        scene.says("key revoke wl_4gx0t2m9");
    });
    insta::assert_snapshot!(said, @"");
}
