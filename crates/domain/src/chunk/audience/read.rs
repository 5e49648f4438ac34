//! How an audience is read from JSON. Nothing unknown passes: a misspelt predicate would otherwise
//! mean everybody.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Audience, Predicate, Rule};
use crate::chunk::Slug;
use crate::chunk::condition::Conditions;
use crate::near::near;
use crate::{Code, ProjectId, Refusal, json, text};

impl Audience {
    /// Reads `{"rules": [{"agent_types": ["dev"]}, …]}`, also as a string that holds it. Null is no
    /// audience at all, which is not the same as one without rules.
    pub fn read(given: &Value) -> Result<Self, Refusal> {
        match given {
            Value::Object(object) => from_object(object),
            Value::String(text) => match json::read(text.as_bytes()) {
                Ok(Value::Object(object)) => from_object(&object),
                _ => Err(not_an_audience(given)),
            },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                Err(not_an_audience(given))
            }
        }
    }
}

fn from_object(object: &Map<String, Value>) -> Result<Audience, Refusal> {
    if let Some(unknown) = object.keys().find(|key| *key != "rules") {
        return Err(unknown_word(unknown, &["rules"], "an audience"));
    }
    let Some(Value::Array(rules)) = object.get("rules") else {
        return Err(not_an_audience(&Value::Object(object.clone())));
    };
    text::few("rules", rules)?;
    rules.iter().map(rule).collect::<Result<_, _>>().map(|rules| Audience { rules })
}

fn rule(given: &Value) -> Result<Rule, Refusal> {
    let Value::Object(object) = given else {
        return Err(invalid("rules", "a rule of an audience is a JSON object"));
    };
    let mut rule = Rule::default();
    let mut all = None;
    for (word, value) in object {
        match (word.as_str(), Predicate::from_text(word)) {
            ("all", _) => all = Some(value.as_bool().ok_or_else(|| wrong("all", "true"))?),
            ("fields", _) => rule.fields = Conditions::read(value)?,
            ("latest", _) => rule.latest = Some(count(value)?),
            (_, Some(predicate)) => {
                rule.asks.insert(predicate, words(predicate, value)?);
            }
            (_, None) => return Err(unknown_word(word, &known(), "a rule of an audience")),
        }
    }
    match all {
        // Everybody is meant, whatever else is asked of the session.
        Some(true) => rule.asks.clear(),
        Some(false) if rule.asks.is_empty() => {
            return Err(invalid("all", "a rule that is not for all must say for whom it is")
                .hint("name agent_types, agent_ids, focus_tags …, or leave the rule out"));
        }
        Some(false) | None => {}
    }
    Ok(rule)
}

/// Everything that may stand in a rule.
fn known() -> Vec<&'static str> {
    let predicates = Predicate::ALL.iter().map(|predicate| predicate.as_str());
    predicates.chain(["all", "fields", "latest"]).collect()
}

fn words(predicate: Predicate, given: &Value) -> Result<BTreeSet<String>, Refusal> {
    let name = predicate.as_str();
    // An empty list could mean nobody or everybody, and neither is worth a rule.
    let items = given.as_array().filter(|items| !items.is_empty());
    let items = items.ok_or_else(|| wrong(name, "a list of at least one text"))?;
    text::few(name, items)?;
    let word = |item: &Value| {
        let word = item.as_str().ok_or_else(|| wrong(name, "a list of at least one text"))?;
        match predicate {
            Predicate::AgentTypes | Predicate::LifecycleTypes => {
                Slug::parse(name, word).map(|slug| slug.to_string())
            }
            Predicate::ProjectIds => match word.parse::<ProjectId>() {
                Ok(id) => Ok(id.to_string()),
                Err(_) => Err(wrong(name, "whole ids of projects").detail("given", word)),
            },
            Predicate::AgentIds | Predicate::OrgIds => text::name(name, word),
            Predicate::AgentTags | Predicate::FocusTags => text::line(name, word, text::TAG_CHARS),
        }
    };
    items.iter().map(word).collect()
}

fn count(given: &Value) -> Result<u32, Refusal> {
    let count = given.as_u64().and_then(|count| u32::try_from(count).ok());
    count.ok_or_else(|| wrong("latest", "a whole number from 0 on"))
}

fn not_an_audience(given: &Value) -> Refusal {
    invalid("audience", "an audience is a JSON object with a list of rules")
        .hint("write {\"rules\": [{\"agent_types\": [\"dev\"]}]}, or {\"rules\": []} for nobody")
        .detail("given", given.to_string().chars().take(100).collect::<String>())
}

fn unknown_word(word: &str, known: &[&str], what: &str) -> Refusal {
    Refusal::new(Code::UnknownField, format!("'{word}' is no part of {what}"))
        .hint(format!("{what} has {}", known.join(", ")))
        .detail("field", word)
        .detail("allowed", known)
        .suggest(near(word, known.iter().copied()))
}

fn wrong(field: &str, expected: &str) -> Refusal {
    invalid(field, &format!("'{field}' of an audience takes {expected}"))
        .hint(format!("give {expected} as {field}"))
}

fn invalid(field: &str, message: &str) -> Refusal {
    Refusal::new(Code::InvalidValue, message).detail("field", field)
}
