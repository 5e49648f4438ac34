use super::*;
use crate::chunk::FieldKind;
use proptest::prelude::*;

fn read(value: Value) -> Result<Audience, Refusal> {
    Audience::read(&value)
}

fn listener() -> Listener {
    Listener {
        agent: "coder-1".into(),
        agent_type: Some("dev_coder".parse().unwrap()),
        agent_tags: vec!["rust".into()],
        project: Some(ProjectId::from_bytes([1; 16])),
        org: "acme".into(),
        lifecycle: "dev_coding".parse().unwrap(),
        focus_tags: vec!["auth".into(), "login".into()],
    }
}

/// The places of the rules that select a chunk without fields.
fn selecting(audience: Value) -> Vec<usize> {
    let shown = Map::from_iter([("status".to_owned(), json!("blocked"))]);
    read(audience).unwrap().selecting(&listener(), &shown).map(|(at, _)| at).collect()
}

#[test]
fn every_predicate_asks_for_one_of_its_words() {
    let project = ProjectId::from_bytes([1; 16]).to_string();
    for (predicate, meant, other) in [
        ("agent_ids", "coder-1", "coder-2"),
        ("agent_types", "dev_coder", "dev_qa"),
        ("project_ids", project.as_str(), "01J00000000000000000000000"),
        ("org_ids", "acme", "umbrella"),
        ("lifecycle_types", "dev_coding", "dev_research"),
        ("agent_tags", "rust", "go"),
        ("focus_tags", "login", "billing"),
    ] {
        assert_eq!(selecting(json!({"rules": [{predicate: [other, meant]}]})), [1], "{predicate}");
        assert!(selecting(json!({"rules": [{predicate: [other]}]})).is_empty(), "{predicate}");
    }
}

#[test]
fn one_rule_is_enough_and_all_of_it_must_hold() {
    let audience = json!({"rules": [
        {"agent_ids": ["coder-1"], "agent_tags": ["go"]},
        {"agent_ids": ["coder-1"], "agent_tags": ["rust"]},
    ]});
    assert_eq!(selecting(audience), [2]);
}

#[test]
fn a_rule_for_all_means_everybody_whatever_else_it_asks() {
    let audience = json!({"rules": [{"all": true, "agent_ids": ["nobody"]}, {}]});
    assert_eq!(selecting(audience), [1, 2]);
}

#[test]
fn an_audience_without_rules_means_nobody() {
    assert!(selecting(json!({"rules": []})).is_empty());
}

#[test]
fn a_rule_for_nobody_in_particular_is_refused() {
    assert!(read(json!({"rules": [{"all": false}]})).is_err());
    assert!(read(json!({"rules": [{"agent_types": []}]})).is_err());
}

#[test]
fn c65_a_field_condition_ends_the_injection_with_the_state() {
    assert_eq!(selecting(json!({"rules": [{"fields": {"status": "blocked"}}]})), [1]);
    assert!(selecting(json!({"rules": [{"fields": {"status": "new"}}]})).is_empty());
}

#[test]
fn an_unknown_predicate_is_refused_with_the_nearest_one() {
    let refusal = read(json!({"rules": [{"agent_type": ["dev"]}]})).unwrap_err();
    assert_eq!(refusal.code, Code::UnknownField);
    assert_eq!(refusal.message, "'agent_type' is no part of a rule of an audience");
    assert_eq!(refusal.suggestions, ["agent_types"]);
    let refusal = read(json!({"rulez": []})).unwrap_err();
    assert_eq!(refusal.suggestions, ["rules"]);
}

#[test]
fn an_audience_may_come_as_a_string_that_holds_it() {
    let given = json!({"rules": [{"agent_types": ["dev"]}]});
    assert_eq!(read(Value::from(given.to_string())), read(given));
}

#[test]
fn what_is_no_audience_is_refused() {
    for given in [
        json!(null),
        json!([]),
        json!("x"),
        json!("null"),
        json!({}),
        json!({"rules": {}}),
        json!({"rules": ["all"]}),
        json!({"rules": [{"all": "true"}]}),
        json!({"rules": [{"agent_types": "dev"}]}),
        json!({"rules": [{"agent_types": [1]}]}),
        json!({"rules": [{"project_ids": ["api"]}]}),
        json!({"rules": [{"latest": -1}]}),
        json!({"rules": [{"latest": 1.5}]}),
        json!({"rules": [{"fields": []}]}),
        json!({"rules": vec![json!({}); 101]}),
    ] {
        assert!(read(given.clone()).is_err(), "{given}");
    }
}

#[test]
fn c63_a_chunk_cannot_ask_to_be_the_latest() {
    let audience = read(json!({"rules": [{"all": true, "latest": 1}]})).unwrap();
    assert!(audience.clone().checked_for(&[]).is_ok());
    assert!(audience.checked_for_chunk(&[]).is_err());
}

#[test]
fn a_condition_on_a_field_that_the_type_lacks_is_refused() {
    let audience = read(json!({"rules": [{"fields": {"state": "pending"}}]})).unwrap();
    let defined = [Field::new("status", FieldKind::Text)];
    assert_eq!(audience.checked_for(&defined).unwrap_err().code, Code::UnknownField);
}

#[test]
fn an_audience_is_written_the_same_however_it_was_given() {
    let given = json!({"rules": [
        {"focus_tags": ["b", "a", "b"], "agent_types": ["DEV"], "latest": 2, "fields": {"s": ["x"]}},
        {"all": true, "agent_ids": ["a"]},
    ]});
    assert_eq!(
        Value::from(read(given).unwrap()).to_string(),
        r#"{"rules":[{"agent_types":["dev"],"fields":{"s":"x"},"focus_tags":["a","b"],"latest":2},{"all":true}]}"#
    );
}

fn some_rule() -> impl Strategy<Value = Value> {
    let words = prop::collection::vec("[a-z]{1,3}", 1..4);
    let predicate = prop::sample::select(&["agent_ids", "agent_types", "agent_tags", "org_ids"]);
    let asks = prop::collection::btree_map(predicate, words, 0..4);
    (asks, prop::option::of(0..5_u32), prop::option::of("[a-z]{1,3}")).prop_map(
        |(asks, latest, status)| {
            let mut rule = json!(asks);
            if let Some(latest) = latest {
                rule["latest"] = json!(latest);
            }
            if let Some(status) = status {
                rule["fields"] = json!({ "status": status });
            }
            rule
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(rules in prop::collection::vec(some_rule(), 0..5)) {
        let audience = read(json!({ "rules": rules })).unwrap();
        let written = Value::from(audience.clone());
        prop_assert_eq!(Audience::read(&written).unwrap(), audience);
    }
}
