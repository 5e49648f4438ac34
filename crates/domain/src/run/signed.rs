//! Signed documents: what is signed of a receipt, and what was changed since.
//!
//! A signed document is a JSON object whose `signature` says which key signed it. Signed are the
//! bytes of [`canonical`] of the whole document but for `signature.value`, so also which key it was.
//! `signature.digests` repeats the document with a short digest in the place of every value. By it
//! a document that is not as it was signed says where; what proves that it is as it was, is the
//! signature alone.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize as DeriveDeserialize, Serialize};
use serde_json::{Map, Value};

use super::edit::compare;
use super::event::Edit;
use crate::chain::Hash;

pub const ALGORITHM: &str = "ed25519";
/// The name of the signature in a document, and that of its value in the signature.
const SIGNATURE: &str = "signature";
const VALUE: &str = "value";
/// So many hexadecimal digits tell one value from another where nothing is proven by it.
const DIGEST_CHARS: usize = 16;

/// Who signed a document, and what it said then.
#[derive(Debug, Clone, PartialEq, Serialize, DeriveDeserialize)]
pub struct Signature {
    pub algorithm: String,
    /// The beginning of the SHA-256 of the public key, in hexadecimal.
    pub key_id: String,
    /// In base64.
    pub public_key: String,
    /// The document with a digest in the place of every value.
    pub digests: Value,
    /// In base64.
    pub value: String,
}

/// The one text of a value that is signed: as RFC 8785 has it, without spaces, the keys of objects
/// in the order of their bytes in UTF-8, letters as they are where JSON takes them. Whole numbers
/// are written as they are, others as the shortest decimal that reads back as the same number.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (at, (key, value)) in fields.into_iter().enumerate() {
                text.push_str(if at == 0 { "" } else { "," });
                write(&Value::String(key.clone()), text);
                text.push(':');
                write(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { "," });
                write(item, text);
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            text.push_str(&value.to_string());
        }
    }
}

/// What is signed of a document: all of it but the value of the signature.
pub fn signed_text(document: &Map<String, Value>) -> String {
    let mut document = document.clone();
    if let Some(Value::Object(signature)) = document.get_mut(SIGNATURE) {
        signature.remove(VALUE);
    }
    canonical(&Value::Object(document))
}

/// A document with a digest in the place of every value, without its signature.
pub fn digests(document: &Map<String, Value>) -> Value {
    let fields = document.iter().filter(|(key, _)| *key != SIGNATURE);
    Value::Object(fields.map(|(key, value)| (key.clone(), digest(value))).collect())
}

fn digest(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, value)| (key.clone(), digest(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(digest).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let hash = Hash::of(canonical(value).as_bytes()).to_string();
            Value::String(hash.chars().take(DIGEST_CHARS).collect())
        }
    }
}

/// The paths of a document, as jq writes them, where it is not what the digests are of.
pub fn changed(document: &Map<String, Value>, signature: &Signature) -> Vec<String> {
    let edits = differences(&signature.digests, &digests(document));
    edits.into_iter().map(|edit| edit.path).collect()
}

/// What differs between two documents, at most a hundred of them.
pub fn differences(before: &Value, after: &Value) -> Vec<Edit> {
    let mut edits = Vec::new();
    compare("", Some(before), Some(after), &mut edits);
    edits
}

/// Reads a document. One that names a field twice is refused: two readers could take it for two
/// different ones.
pub fn read(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    match serde_json::from_str(text)? {
        Unambiguous(Value::Object(document)) => Ok(document),
        Unambiguous(_) => Err(de::Error::custom("it is no object")),
    }
}

/// The signature of a document; nothing where it has none.
pub fn signature(document: &Map<String, Value>) -> Option<Result<Signature, serde_json::Error>> {
    document.get(SIGNATURE).filter(|given| !given.is_null()).map(Signature::deserialize)
}

struct Unambiguous(Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Unambiguous(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, Unambiguous(value))) = fields.next_entry::<String, _>()? {
            if map.contains_key(&key) {
                return Err(de::Error::custom(format!("`{key}` is given twice")));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}
