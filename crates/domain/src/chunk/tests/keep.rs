use super::scene::{after, agent, minute, plain, project};
use crate::Code;
use crate::chain::Hash;
use crate::chunk::keep::{Dependents, check_source, delete, expire, pin, supersede, unpin};
use crate::chunk::source::Source;
use crate::chunk::{Chunk, Owner};

#[test]
fn a_chunk_holds_until_it_expires() {
    let chunk = plain(1);
    let chunk = after(&chunk, expire(&chunk, Some(minute(200)), &agent("w1")));
    assert!(chunk.is_current(minute(199)));
    assert!(!chunk.is_current(minute(200)));
}

#[test]
fn a_pinned_chunk_does_not_expire() {
    let chunk = plain(1);
    let chunk = after(&chunk, expire(&chunk, Some(minute(200)), &agent("w1")));
    let chunk = after(&chunk, pin(&chunk, &agent("w1")));
    assert!(chunk.is_current(minute(300)));
    let chunk = after(&chunk, unpin(&chunk, &agent("w1")));
    assert!(!chunk.is_current(minute(300)));
}

#[test]
fn to_pin_what_is_pinned_changes_nothing() {
    let chunk = plain(1);
    assert!(unpin(&chunk, &agent("w1")).unwrap().is_empty());
    let pinned = after(&chunk, pin(&chunk, &agent("w1")));
    assert!(pin(&pinned, &agent("w1")).unwrap().is_empty());
}

#[test]
fn what_is_superseded_is_not_pinned_and_the_one_that_holds_is_named() {
    let (old, new) = (plain(1), plain(2));
    let old = after(&old, supersede(&old, &new, "measured again", &agent("w1")));
    let refusal = pin(&old, &agent("w1")).unwrap_err();
    assert_eq!(refusal.code, Code::InvalidTransition);
    let hint = format!("pin the one that holds now: windlass chunk pin {}", new.id);
    assert_eq!(refusal.hint, Some(hint));
}

#[test]
fn an_agent_is_not_told_to_override_a_rule() {
    let linked = Dependents { links: 1, ..Dependents::default() };
    let hint = delete(&plain(1), &linked, None, &agent("w1")).unwrap_err().hint.unwrap();
    assert!(!hint.contains("windlass") && hint.ends_with("ask a person to delete it"), "{hint}");
}

#[test]
fn c45_a_chunk_that_is_superseded_stays_readable_and_is_not_current() {
    let (old, new) = (plain(1), plain(2));
    let old = after(&old, supersede(&old, &new, "measured again", &agent("w1")));
    assert!(!old.is_current(minute(0)));
    assert_eq!(old.content, "60 a minute");
}

#[test]
fn a_chunk_is_not_superseded_without_a_reason() {
    let refusal = supersede(&plain(1), &plain(2), " ", &agent("w1")).unwrap_err();
    assert_eq!(refusal.code, Code::ReasonRequired);
}

#[test]
fn nothing_supersedes_itself_or_in_a_circle() {
    let (one, other) = (plain(1), plain(2));
    assert!(supersede(&one, &one, "odd", &agent("w1")).is_err());
    let one = after(&one, supersede(&one, &other, "newer", &agent("w1")));
    assert!(supersede(&other, &one, "newer", &agent("w1")).is_err());
}

#[test]
fn a_shared_chunk_is_not_superseded_by_one_that_fewer_may_read() {
    let shared = plain(1);
    let (w1, api) = (Owner::Agent("w1".into()), shared.owner.clone());
    for narrower in [&w1, &Owner::Project(project(2))] {
        let with = Chunk { owner: narrower.clone(), ..plain(2) };
        let refusal = supersede(&shared, &with, "newer", &agent("w1")).unwrap_err();
        assert_eq!(refusal.code, Code::InvalidValue, "{narrower}");
    }
    for as_wide in [api, Owner::Org] {
        let with = Chunk { owner: as_wide, ..plain(2) };
        assert!(supersede(&shared, &with, "newer", &agent("w1")).is_ok(), "{}", with.owner);
    }
}

#[test]
fn a_chunk_that_supersedes_another_is_deleted_only_by_force() {
    let (new, old) = (plain(2), plain(1));
    let dependents = Dependents { superseded: vec![old.id], ..Dependents::default() };
    let refusal = delete(&new, &dependents, None, &agent("w1")).unwrap_err();
    assert_eq!(refusal.details["supersedes"], serde_json::json!([old.id]));
    assert!(after(&new, delete(&new, &dependents, Some("both wrong"), &agent("w1"))).deleted);
}

#[test]
fn c58_a_chunk_with_incoming_links_is_deleted_only_by_force() {
    let chunk = plain(1);
    let linked = Dependents { links: 2, ..Dependents::default() };
    let refused = |forced| delete(&chunk, &linked, forced, &agent("w1")).unwrap_err().code;
    assert_eq!(refused(None), Code::LinksIncoming);
    assert_eq!(refused(Some(" ")), Code::ReasonRequired);
    assert!(after(&chunk, delete(&chunk, &linked, Some("wrong"), &agent("w1"))).deleted);
    assert!(after(&chunk, delete(&chunk, &Dependents::default(), None, &agent("w1"))).deleted);
}

fn sourced() -> Chunk {
    let source = Source { file: "a.rs".into(), lines: None, digest: Some(Hash::of(b"one")) };
    Chunk { source: Some(source), ..plain(1) }
}

#[test]
fn a_chunk_whose_source_changed_is_stale_until_it_changes_back() {
    let chunk = sourced();
    assert!(check_source(&chunk, Some(Hash::of(b"one"))).is_empty());
    let stale = after(&chunk, Ok(check_source(&chunk, Some(Hash::of(b"two")))));
    assert_eq!(stale.source_changed_at, Some(minute(100)));
    assert!(check_source(&stale, None).is_empty());
    let fresh = after(&stale, Ok(check_source(&stale, Some(Hash::of(b"one")))));
    assert_eq!(fresh.source_changed_at, None);
}

#[test]
fn a_chunk_whose_source_is_gone_is_stale() {
    assert_eq!(check_source(&sourced(), None).len(), 1);
}
