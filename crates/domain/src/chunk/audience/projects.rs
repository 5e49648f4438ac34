//! The projects that an audience names. It keeps their ids, which stay when a project is renamed;
//! people write and read names.

use serde_json::Value;

use super::Predicate;
use crate::json;

/// Puts another word in place of each by which an audience, in JSON or in a string that holds it,
/// names a project. What is no audience stays as it is, for whoever reads it to refuse.
pub fn rename_projects<E>(
    audience: &mut Value,
    mut name: impl FnMut(&str) -> Result<String, E>,
) -> Result<(), E> {
    if let Value::String(text) = audience
        && let Ok(written) = json::read(text.as_bytes())
    {
        *audience = written;
    }
    let Some(rules) = audience.get_mut("rules").and_then(Value::as_array_mut) else {
        return Ok(());
    };
    let asked = rules.iter_mut().filter_map(|rule| rule.get_mut(Predicate::ProjectIds.as_str()));
    for word in asked.filter_map(Value::as_array_mut).flatten() {
        if let Value::String(text) = word {
            *text = name(text)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use serde_json::json;

    use super::*;

    fn renamed(mut audience: Value) -> Value {
        let Ok(()) =
            rename_projects(&mut audience, |name| Ok::<_, Infallible>(name.to_uppercase()));
        audience
    }

    #[test]
    fn every_project_of_every_rule_is_renamed_and_nothing_else() {
        let given = json!({"rules": [
            {"project_ids": ["api", "web"], "agent_ids": ["ada"]},
            {"all": true},
            {"project_ids": ["api"], "fields": {"project_ids": ["kept"]}},
        ]});
        let expected = json!({"rules": [
            {"project_ids": ["API", "WEB"], "agent_ids": ["ada"]},
            {"all": true},
            {"project_ids": ["API"], "fields": {"project_ids": ["kept"]}},
        ]});
        assert_eq!(renamed(given.clone()), expected);
        assert_eq!(renamed(Value::from(given.to_string())), expected);
    }

    #[test]
    fn what_is_no_audience_stays_as_it_is() {
        for given in [json!(null), json!("x"), json!({"rules": 1}), json!({"rules": [1, {"a": 2}]})]
        {
            assert_eq!(renamed(given.clone()), given);
        }
        let wrong = json!({"rules": [{"project_ids": [1, {}]}, {"project_ids": "api"}]});
        assert_eq!(renamed(wrong.clone()), wrong);
    }
}
