//! Every door means the same: for each operation the defaults of the command line are those of
//! JSON, and both ask for the same arguments.

use std::collections::BTreeSet;

use clap::Command;
use serde_json::{Map, Value, json};
use windlass_ops::table::{Entry, TABLE};

/// A value for a required argument, as the command line and as JSON have it.
fn sample(name: &str) -> (&'static str, Value) {
    match name {
        "progress" => ("50", json!(50)),
        "step" | "attempt" | "usefulness" | "correctness" => ("1", json!(1)),
        "results" => ("[]", json!([])),
        "status" => ("ready", json!("ready")),
        "kind" => ("claude", json!("claude")),
        "role" => ("worker", json!("worker")),
        "files" => ("sample", json!(["sample"])),
        _ => ("sample", json!("sample")),
    }
}

/// The words that give a required argument its sample.
fn typed(entry: &Entry, name: &str) -> Vec<String> {
    let command = command(entry);
    let argument = command.get_arguments().find(|argument| argument.get_id() == name);
    let flag = argument.and_then(|argument| argument.get_long()).map(|long| format!("--{long}"));
    flag.into_iter().chain([sample(name).0.to_owned()]).collect()
}

fn command(entry: &Entry) -> Command {
    (entry.arguments)(Command::new("operation"))
}

#[test]
fn the_defaults_of_the_command_line_are_those_of_json() {
    for entry in TABLE {
        let required: Vec<String> = command(entry)
            .get_arguments()
            .filter(|argument| argument.is_required_set())
            .map(|argument| argument.get_id().to_string())
            .collect();
        let words = required.iter().flat_map(|name| typed(entry, name));
        let words = ["operation".to_owned()].into_iter().chain(words);
        let matches = command(entry).try_get_matches_from(words).unwrap();
        let from_words = entry.from_matches(&matches).unwrap().arguments().unwrap();
        let object: Map<String, Value> =
            required.iter().map(|name| (name.clone(), sample(name).1)).collect();
        let from_json = match entry.from_json(Value::Object(object)) {
            Ok(request) => request.arguments().unwrap(),
            Err(refusal) => panic!("{}: {refusal}", entry.name),
        };
        assert_eq!(without_absent(from_words), without_absent(from_json), "{}", entry.name);
    }
}

/// Null and an empty list both say that nothing was given.
fn without_absent(value: Value) -> Value {
    let Value::Object(fields) = value else {
        return value;
    };
    fields.into_iter().filter(|(_, value)| !value.is_null() && *value != json!([])).collect()
}

#[test]
fn json_asks_for_the_same_fields_as_the_command_line() {
    for entry in TABLE {
        let schema = (entry.input)().to_value();
        let known: BTreeSet<String> = schema["properties"]
            .as_object()
            .map(|fields| fields.keys().cloned().collect())
            .unwrap_or_default();
        assert_eq!(known, entry.fields().into_iter().collect(), "{}", entry.name);
        let required: BTreeSet<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let command = command(entry);
        let by_words: BTreeSet<&str> = command
            .get_arguments()
            .filter(|argument| argument.is_required_set())
            .map(|argument| argument.get_id().as_str())
            .collect();
        assert_eq!(required, by_words, "{}", entry.name);
    }
}

#[test]
fn every_name_is_used_once_and_every_operation_explains_itself() {
    let names: BTreeSet<&str> = TABLE.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), TABLE.len());
    for entry in TABLE {
        assert!(!entry.about.is_empty() && !entry.about.ends_with('.'), "{}", entry.name);
        let words: Vec<&str> = entry.words().collect();
        assert!(entry.example.contains(&words.join(" ")), "{}: {}", entry.name, entry.example);
    }
}
