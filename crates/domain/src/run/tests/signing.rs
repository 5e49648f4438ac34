//! What is signed of a receipt, and how a change is named.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::scene::{GATED, LOW, attested};
use crate::chain::{Hash, Head};
use crate::run::receipt::receipt_at;
use crate::run::signed::{Signature, canonical, changed, digests, read, signature, signed_text};

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { panic!("no object") };
    map
}

/// A receipt with a signature that nobody made.
fn document() -> Map<String, Value> {
    let mut scene = attested(LOW, GATED);
    scene.done(1);
    let head = Head { seq: 7, hash: Hash::of(b"head") };
    let mut receipt = receipt_at(&scene.run, head);
    let plain = object(serde_json::to_value(&receipt).unwrap());
    receipt.signature = Some(Signature {
        algorithm: "ed25519".into(),
        key_id: "0011".into(),
        public_key: "AA==".into(),
        digests: digests(&plain),
        value: "AA==".into(),
    });
    object(serde_json::to_value(receipt).unwrap())
}

fn signature_of(document: &Map<String, Value>) -> Signature {
    signature(document).unwrap().unwrap()
}

#[test]
fn the_canonical_form_has_sorted_keys_and_no_spaces() {
    let value = json!({"b": [1, 2.5, null, true], "a": {"ü": "x\"\u{1}\n/", "Z": -3}, "é": {}});
    let expected = r#"{"a":{"Z":-3,"ü":"x\"\u0001\n/"},"b":[1,2.5,null,true],"é":{}}"#;
    assert_eq!(canonical(&value), expected);
}

#[test]
fn all_is_signed_but_the_value_of_the_signature() {
    let one = document();
    let mut other = one.clone();
    other["signature"]["value"] = json!("BB==");
    assert_eq!(signed_text(&one), signed_text(&other));
    for key in ["algorithm", "key_id", "public_key", "digests"] {
        let mut other = one.clone();
        other["signature"][key] = json!("else");
        assert_ne!(signed_text(&one), signed_text(&other), "{key}");
    }
}

#[test]
fn a_receipt_says_where_in_the_log_it_was_made() {
    let document = document();
    let ledger = &document["ledger"];
    assert_eq!((&ledger["seq"], &ledger["version"]), (&json!(7), &json!(3)));
    assert_eq!(ledger["hash"], json!(Hash::of(b"head")));
}

/// The path of every value, with a pointer to it.
fn leaves(path: &str, pointer: &str, value: &Value, all: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                leaves(&format!("{path}.{key}"), &format!("{pointer}/{key}"), value, all);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                leaves(&format!("{path}[{at}]"), &format!("{pointer}/{at}"), item, all);
            }
        }
        _ => all.push((path.to_owned(), pointer.to_owned())),
    }
}

#[test]
fn whatever_value_is_changed_its_path_is_named() {
    let original = document();
    let mut all = Vec::new();
    let mut plain = original.clone();
    plain.remove("signature");
    leaves("", "", &Value::Object(plain), &mut all);
    assert!(all.len() > 80, "{}", all.len());
    for (path, pointer) in all {
        let mut forged = Value::Object(original.clone());
        *forged.pointer_mut(&pointer).unwrap() = json!("forged");
        let forged = object(forged);
        assert_ne!(signed_text(&forged), signed_text(&original), "{path}");
        assert_eq!(changed(&forged, &signature_of(&forged)), [path]);
    }
}

#[test]
fn what_was_added_or_left_out_is_named() {
    let original = document();
    let mut forged = original.clone();
    forged["run"]["note"] = json!("trust me");
    forged.remove("policy");
    forged["evidence"].as_array_mut().unwrap().pop();
    forged["evidence"][0]["checks"] = json!([]);
    let expected = [".evidence[0].checks[0]", ".evidence[1]", ".run.note", ".policy"];
    assert_eq!(changed(&forged, &signature_of(&forged)), expected);
}

#[test]
fn a_document_that_names_a_field_twice_is_not_read() {
    let error = read(r#"{"run": {"status": "completed", "status": "blocked"}}"#).unwrap_err();
    assert!(error.to_string().starts_with("`status` is given twice"), "{error}");
    for text in ["[]", "1", "", "{", "{} {}", "null"] {
        assert!(read(text).is_err(), "{text}");
    }
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(read(&format!("{{\"a\":{deep}}}")).is_err());
}

#[test]
fn a_document_without_a_signature_has_none() {
    assert!(signature(&object(json!({"run": 1}))).is_none());
    assert!(signature(&object(json!({"signature": null}))).is_none());
    assert!(signature(&object(json!({"signature": 3}))).unwrap().is_err());
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0..9_007_199_254_740_992_u64).prop_map(|millionths| {
            #[expect(clippy::cast_precision_loss, reason = "that is what the bound is for")]
            Value::from(millionths as f64 / 1_000_000.0)
        }),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn the_canonical_form_reads_back_as_the_same(value in value()) {
        let document = object(json!({ "a": value }));
        let text = canonical(&Value::Object(document.clone()));
        let read = read(&text).unwrap();
        prop_assert_eq!(canonical(&Value::Object(read.clone())), text);
        prop_assert_eq!(read, document);
    }

    #[test]
    fn however_a_document_is_laid_out_the_same_is_signed(value in value()) {
        let document = object(json!({ "a": value }));
        let spread = serde_json::to_string_pretty(&document).unwrap();
        prop_assert_eq!(signed_text(&read(&spread).unwrap()), signed_text(&document));
    }

    #[test]
    fn documents_that_differ_are_signed_as_different_texts(one in value(), other in value()) {
        prop_assume!(one != other);
        prop_assert_ne!(canonical(&one), canonical(&other));
    }
}
