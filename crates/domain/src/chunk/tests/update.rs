use serde_json::{Map, json};

use super::scene::{after, agent, by, minute, plain};
use crate::built_in::chunk_types;
use crate::chunk::Chunk;
use crate::chunk::chunk_type::tests::note;
use crate::chunk::update::{Part, Revision, update};
use crate::event::{Change, ChunkEvent};
use crate::{Code, Refusal};

fn updated(chunk: &Chunk, revision: &Revision) -> Result<Vec<ChunkEvent>, Refusal> {
    update(chunk, revision, &note(), &agent("w2"), by("w2"))
}

fn parts(revision: &Revision) -> Vec<Part> {
    let events = updated(&plain(1), revision).unwrap();
    let [ChunkEvent::ChunkUpdated(data)] = events.as_slice() else { return Vec::new() };
    data.parts()
}

#[test]
fn an_update_makes_the_next_version_with_its_author() {
    let revision = Revision { content: Some("90 a minute".into()), ..Revision::default() };
    let before = plain(1);
    let chunk = after(&before, updated(&before, &revision));
    assert_eq!((chunk.version, chunk.content.as_str()), (2, "90 a minute"));
    assert_eq!((chunk.author.name.as_str(), chunk.updated_at), ("w2", minute(100)));
    assert_eq!(chunk.created_by.name, "w1");
}

#[test]
fn a_version_knows_which_parts_changed() {
    let revision = Revision {
        title: Some("Limits".into()),
        tags: Some(vec!["api".into()]),
        fields: Map::from_iter([("status".to_owned(), json!("old"))]),
        audience: Some(json!({"rules": []})),
        ..Revision::default()
    };
    assert_eq!(parts(&revision), [Part::Title, Part::Tags, Part::Fields, Part::Audience]);
}

#[test]
fn what_is_given_as_it_is_already_makes_no_version() {
    let revision = Revision {
        title: Some("Rate limits".into()),
        content: Some("60 a minute".into()),
        fields: Map::from_iter([("status".to_owned(), json!("new"))]),
        audience: Some(json!(null)),
        source: Some(Change::Cleared),
        ..Revision::default()
    };
    assert!(parts(&revision).is_empty());
}

#[test]
fn c23_a_changed_field_keeps_its_old_value_in_the_history() {
    let fields = Map::from_iter([("status".to_owned(), json!("old"))]);
    let events = updated(&plain(1), &Revision { fields, ..Revision::default() }).unwrap();
    let [ChunkEvent::ChunkUpdated(data)] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(json!(data.fields), json!([{"name": "status", "before": "new", "after": "old"}]));
}

#[test]
fn c22_a_required_field_is_not_emptied() {
    let fields = Map::from_iter([("status".to_owned(), json!(null))]);
    let refusal = updated(&plain(1), &Revision { fields, ..Revision::default() }).unwrap_err();
    assert_eq!(refusal.message, "field 'status' is required and cannot be empty");
}

#[test]
fn the_second_of_two_writers_on_one_version_is_answered_with_the_current_one() {
    let revision =
        Revision { expected: Some(1), content: Some("90".into()), ..Revision::default() };
    let before = plain(1);
    let chunk = after(&before, updated(&before, &revision));
    let refusal = updated(&chunk, &revision).unwrap_err();
    assert_eq!(refusal.code, Code::EditConflict);
    assert_eq!(
        (&refusal.details["version"], &refusal.details["content"]),
        (&json!(2), &json!("90"))
    );
}

#[test]
fn c39_a_spec_that_goes_on_is_not_aimed_at_anybody_any_more() {
    let types = chunk_types();
    let spec = types.iter().find(|known| known.slug.as_str() == "dev_spec").unwrap();
    let revise = |chunk: &Chunk, fields, audience| {
        let fields = serde_json::from_value(fields).unwrap();
        let revision = Revision { fields, audience, ..Revision::default() };
        after(chunk, update(chunk, &revision, spec, &agent("w1"), by("w1")))
    };
    let new = Chunk { chunk_type: spec.slug.clone(), ..plain(1) };
    let audience = json!({"rules": [{"agent_types": ["dev_assistant"]}]});
    let block = json!({"status": "blocked", "blocked_reason": "no key"});
    let blocked = revise(&new, block, Some(audience));
    assert!(blocked.audience.is_some());
    assert_eq!(revise(&blocked, json!({"status": "new"}), None).audience, None);
}

#[test]
fn an_audience_that_is_cleared_is_that_of_the_type_again() {
    let before = plain(1);
    let aimed = Revision { audience: Some(json!({"rules": []})), ..Revision::default() };
    let chunk = after(&before, updated(&before, &aimed));
    assert!(chunk.audience.is_some());
    let cleared = Revision { audience: Some(json!(null)), ..Revision::default() };
    assert_eq!(after(&chunk, updated(&chunk, &cleared)).audience, None);
}
