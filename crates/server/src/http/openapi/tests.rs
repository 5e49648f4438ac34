//! The document holds together.

use std::collections::BTreeSet;

use super::*;

/// Every value under `key`, anywhere in a document.
fn all<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get(key));
            fields.values().for_each(|value| all(value, key, found));
        }
        Value::Array(values) => values.iter().for_each(|value| all(value, key, found)),
        _ => {}
    }
}

fn operations(document: &Value) -> Vec<(&String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().iter();
            methods.filter(|(method, _)| *method != "parameters").map(move |(_, one)| (path, one))
        })
        .collect()
}

#[test]
fn every_reference_leads_somewhere() {
    let document = document();
    let mut references = Vec::new();
    all(&document, "$ref", &mut references);
    assert!(references.len() > 100);
    for reference in references {
        let pointer = reference.as_str().unwrap().strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
}

#[test]
fn every_operation_of_the_ledger_has_its_path() {
    let document = document();
    for entry in TABLE {
        let path = &document["paths"][format!("/v1/ops/{}", entry.name)];
        assert_eq!(path.is_object(), entry.place == Place::Ledger, "{}", entry.name);
    }
}

#[test]
fn no_operation_id_is_used_twice() {
    let document = document();
    let operations = operations(&document);
    let ids: BTreeSet<&str> =
        operations.iter().map(|(_, one)| one["operationId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), operations.len());
}

#[test]
fn every_parameter_of_a_path_is_described() {
    let document = document();
    for (path, one) in operations(&document) {
        let item = &document["paths"][path]["parameters"];
        let own = one["parameters"].as_array().into_iter().flatten();
        let described: Vec<&str> = own
            .chain(item.as_array().into_iter().flatten())
            .filter(|parameter| parameter["in"] == "path")
            .filter_map(|parameter| parameter["name"].as_str())
            .collect();
        let named: Vec<&str> =
            path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        assert_eq!(described, named, "{path}");
    }
}

#[test]
fn it_is_the_same_each_time() {
    assert_eq!(document().to_string(), document().to_string());
}

#[test]
fn names_of_components_are_allowed_in_openapi() {
    let document = document();
    for (_, components) in document["components"].as_object().unwrap() {
        for name in components.as_object().unwrap().keys() {
            let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            assert!(name.chars().all(is_allowed), "{name}");
        }
    }
}

#[test]
fn no_schema_keeps_definitions_of_its_own() {
    let document = document();
    let mut found = Vec::new();
    all(&document, "$defs", &mut found);
    assert!(found.is_empty());
}
