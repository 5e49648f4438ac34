//! Any JSON given as an audience is understood or refused, never a crash. What is understood is
//! written in one way and read back as it was, and says of any session and chunk whether they are
//! meant.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};
use windlass_domain::chunk::audience::{Audience, Listener, rename_projects};
use windlass_domain::{Code, ProjectId, Refusal};

fn listener() -> Listener {
    Listener {
        agent: "ada".into(),
        agent_type: "dev".parse().ok(),
        agent_tags: vec!["rust".into()],
        project: Some(ProjectId::from_bytes([1; 16])),
        org: "org".into(),
        lifecycle: "dev".parse().unwrap(),
        focus_tags: vec!["auth".into()],
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(given) = serde_json::from_slice::<Value>(data) else { return };
    let mut renamed = given.clone();
    rename_projects(&mut renamed, |name| Ok::<_, Refusal>(name.to_owned())).unwrap();
    let audience = match Audience::read(&given) {
        Ok(audience) => audience,
        Err(refusal) => {
            let codes = [Code::InvalidValue, Code::UnknownField, Code::TooLarge];
            assert!(codes.contains(&refusal.code), "{refusal:?}");
            return;
        }
    };
    assert_eq!(Audience::read(&renamed).unwrap(), audience);
    let written = Value::from(audience.clone());
    let again = Audience::read(&written).unwrap();
    assert_eq!(again, audience);
    assert_eq!(Value::from(again).to_string(), written.to_string());
    let listener = listener();
    for shown in [json!({}), json!({"status": "new", "count": 3, "tags": ["a"]})] {
        let shown: &Map<String, Value> = shown.as_object().unwrap();
        let places: Vec<usize> =
            audience.selecting(&listener, shown).map(|(place, _)| place).collect();
        assert!(places.is_sorted() && places.iter().all(|place| *place <= audience.rules.len()));
    }
    for rule in audience.rules.iter().filter(|rule| rule.asks.is_empty()) {
        assert!(rule.means(&listener), "a rule that asks nothing means everybody");
    }
});
