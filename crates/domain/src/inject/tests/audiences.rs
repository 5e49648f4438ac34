//! Lifecycles without rules of their own leave it to the audiences of the chunks.

use serde_json::json;

use super::scene::{aimed, chunk, elsewhere, here, mine, sitting, store, titles};
use crate::chunk::audience::Audience;
use crate::chunk::state::{Superseded, Visibility};
use crate::chunk::tests::scene::{minute, project};
use crate::chunk::{Chunk, Owner, Scope};

#[test]
fn what_a_type_injects_to_all_comes_own_first_then_everybodys_then_the_projects() {
    let expected = [
        "my identity",
        "principle",
        "infrastructure convention",
        "deployment procedure",
        "testing standard",
        "constraint",
        "convention",
    ];
    assert_eq!(sitting("dev", Some(project(1))).given(&store()), expected);
}

#[test]
fn another_projects_conventions_are_not_given() {
    let chunks = [chunk(1, "convention", elsewhere(), "elsewhere")];
    assert!(sitting("dev", Some(project(1))).given(&chunks).is_empty());
    assert!(sitting("dev", None).given(&chunks).is_empty());
}

#[test]
fn a_chunk_of_another_project_that_names_the_agents_type_is_given() {
    let chunks = [aimed(chunk(1, "convention", elsewhere(), "pushed"), "dev")];
    assert_eq!(sitting("dev", Some(project(1))).given(&chunks), ["pushed"]);
}

#[test]
fn it_is_enough_that_one_of_its_rules_names_the_agents_type() {
    let audience = json!({"rules": [{"all": true}, {"agent_types": ["dev"]}]});
    let audience = Some(Audience::read(&audience).unwrap());
    let chunks = [Chunk { audience, ..chunk(1, "convention", elsewhere(), "pushed") }];
    assert_eq!(sitting("dev", Some(project(1))).given(&chunks), ["pushed"]);
}

#[test]
fn what_another_agent_keeps_for_itself_is_never_given() {
    let theirs = chunk(1, "knowledge", Owner::Agent("other".into()), "theirs");
    assert!(sitting("dev", Some(project(1))).given(&[aimed(theirs, "dev")]).is_empty());
}

#[test]
fn an_audience_without_rules_keeps_a_chunk_from_everybody() {
    let hidden = Chunk {
        audience: Some(Audience::default()),
        ..chunk(1, "convention", here(), "only found by searching")
    };
    assert!(sitting("dev", Some(project(1))).given(std::slice::from_ref(&hidden)).is_empty());
    assert!(sitting("dev_coder", Some(project(1))).given(&[hidden]).is_empty());
}

#[test]
fn a_focus_brings_what_is_aimed_at_it() {
    let audience = json!({"rules": [{"focus_tags": ["auth"]}]});
    let audience = Some(Audience::read(&audience).unwrap());
    let chunks = [Chunk { audience, ..chunk(1, "knowledge", here(), "sessions") }];
    let mut dev = sitting("dev", Some(project(1)));
    assert!(dev.given(&chunks).is_empty());
    dev.listener.focus_tags = vec!["auth".into()];
    assert_eq!(dev.given(&chunks), ["sessions"]);
}

#[test]
fn what_the_agent_type_excludes_is_not_given() {
    let chunks = [chunk(1, "constraint", here(), "no unsafe"), chunk(2, "identity", mine(), "me")];
    let mut dev = sitting("dev", Some(project(1)));
    dev.agent_type.inject.exclude_chunk_types = vec!["constraint".parse().unwrap()];
    assert_eq!(dev.given(&chunks), ["me"]);
}

#[test]
fn what_the_lifecycle_leaves_out_is_not_given() {
    let chunks =
        [chunk(1, "convention", here(), "style"), chunk(2, "principle", Owner::Org, "all")];
    let mut dev = sitting("dev", Some(project(1)));
    dev.lifecycle.inject_scopes = vec![Scope::Agent, Scope::Org];
    assert_eq!(dev.given(&chunks), ["all"]);
}

#[test]
fn the_own_identity_comes_whatever_is_left_out() {
    let mut dev = sitting("dev", None);
    dev.agent_type.inject.exclude_chunk_types = vec!["identity".parse().unwrap()];
    dev.lifecycle.inject_scopes = vec![Scope::Org];
    let identity =
        Chunk { audience: Some(Audience::default()), ..chunk(1, "identity", mine(), "who I am") };
    assert_eq!(dev.given(&[identity]), ["who I am"]);
}

#[test]
fn what_does_not_hold_any_more_is_not_given() {
    let convention = || chunk(1, "convention", here(), "old");
    let superseded = Superseded { by: convention().id, reason: "newer".into(), at: minute(0) };
    let old = [
        Chunk { superseded: Some(superseded), ..convention() },
        Chunk { expires_at: Some(minute(999)), ..convention() },
        Chunk { deleted: true, ..convention() },
    ];
    for chunk in old {
        assert!(sitting("dev", Some(project(1))).given(&[chunk]).is_empty());
    }
}

#[test]
fn what_is_public_is_not_given_unasked() {
    let public =
        Chunk { visibility: Visibility::Public, ..chunk(1, "convention", here(), "for the world") };
    assert!(sitting("dev", Some(project(1))).given(&[public]).is_empty());
}

#[test]
fn the_latest_of_a_type_are_counted_for_each_owner() {
    let mut types = crate::built_in::chunk_types();
    let audience = json!({"rules": [{"all": true, "latest": 1}]});
    for known in &mut types {
        known.audience = Audience::read(&audience).unwrap();
    }
    let chunks = [
        chunk(1, "knowledge", here(), "old here"),
        chunk(2, "knowledge", here(), "new here"),
        chunk(3, "knowledge", Owner::Org, "new everywhere"),
    ];
    let dev = sitting("dev", Some(project(1)));
    let injection = dev.injection_with(&chunks, &types);
    assert_eq!(titles(&injection, &chunks), ["new everywhere", "new here"]);
}
