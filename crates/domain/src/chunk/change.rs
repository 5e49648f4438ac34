//! Changes to a chunk type whose chunks are already there: none may make one of them invalid.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Chunk, ChunkType, Field, FieldKind, spec};
use crate::{Code, Refusal};

/// How the chunks of a type use its fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Use {
    pub chunks: u64,
    /// By the name of the field; one that no chunk has a value of may be absent.
    pub fields: BTreeMap<String, FieldUse>,
}

/// How many chunks have a value of a field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldUse {
    pub chunks: u64,
    /// Of an enum: how many chunks show each value, which may be the default.
    pub values: BTreeMap<String, u64>,
}

impl Use {
    /// Counts one chunk of a type, the fields that it has a value of, and the values that it shows.
    pub fn count(&mut self, chunk: &Chunk, of: &ChunkType) {
        self.chunks += 1;
        let shown = chunk.shown(of);
        for field in &of.fields {
            let used = self.fields.entry(field.name.clone()).or_default();
            let has_value = chunk.fields.get(&field.name).is_some_and(|value| !value.is_null());
            used.chunks += u64::from(has_value);
            let value = shown.get(&field.name).and_then(Value::as_str);
            if let (FieldKind::Enum, Some(word)) = (field.kind, value) {
                *used.values.entry(word.to_owned()).or_default() += 1;
            }
        }
    }
}

/// The type as it is to be, if every chunk that it has still fits it.
pub fn change(before: &ChunkType, after: ChunkType, used: &Use) -> Result<ChunkType, Refusal> {
    let after = after.checked()?;
    spec::check_type(before, &after)?;
    for field in &before.fields {
        let of_field = used.fields.get(&field.name).cloned().unwrap_or_default();
        match after.fields.iter().find(|kept| kept.name == field.name) {
            Some(kept) => check_kept(&after, field, kept, &of_field)?,
            None if of_field.chunks == 0 => {}
            None => {
                let what = format!("field '{}' is removed", field.name);
                return Err(in_use(&after, &field.name, &what, of_field.chunks));
            }
        }
    }
    for field in &after.fields {
        check_filled(&after, field, used)?;
    }
    Ok(after)
}

fn check_kept(
    of: &ChunkType,
    before: &Field,
    after: &Field,
    used: &FieldUse,
) -> Result<(), Refusal> {
    let name = &after.name;
    if before.kind != after.kind && used.chunks > 0 {
        let what = format!("field '{name}' becomes {} and was {}", after.kind, before.kind);
        return Err(in_use(of, name, &what, used.chunks));
    }
    if after.kind != FieldKind::Enum {
        return Ok(());
    }
    let gone = used
        .values
        .iter()
        .find(|(value, chunks)| **chunks > 0 && !after.values.iter().any(|kept| kept == *value));
    match gone {
        Some((value, chunks)) => {
            let what = format!("value '{value}' of field '{name}' is removed");
            Err(in_use(of, name, &what, *chunks).detail("value", value))
        }
        None => Ok(()),
    }
}

/// A field that is never empty needs a value for the chunks that have none.
fn check_filled(of: &ChunkType, field: &Field, used: &Use) -> Result<(), Refusal> {
    let have = used.fields.get(&field.name).map_or(0, |of_field| of_field.chunks);
    let lack = used.chunks.saturating_sub(have);
    if !field.required || field.default.is_some() || lack == 0 {
        return Ok(());
    }
    let what = format!("field '{}' becomes required without a default", field.name);
    Err(in_use(of, &field.name, &what, lack))
}

fn in_use(of: &ChunkType, field: &str, what: &str, chunks: u64) -> Refusal {
    let message = format!("{what}, and {chunks} chunks of type {} do not fit that", of.slug);
    Refusal::new(Code::TypeInUse, message)
        .hint(format!("change those chunks first: windlass chunk list --type {}", of.slug))
        .detail("type", &of.slug)
        .detail("field", field)
        .detail("chunks", chunks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::chunk_type::tests::note;
    use crate::chunk::tests::scene::plain;

    /// Three chunks: two are new, one is old, and one has a reason.
    fn used() -> Use {
        let status = FieldUse {
            chunks: 3,
            values: BTreeMap::from([("new".to_owned(), 2), ("old".to_owned(), 1)]),
        };
        let reason = FieldUse { chunks: 1, ..FieldUse::default() };
        let fields = BTreeMap::from([("status".to_owned(), status), ("reason".to_owned(), reason)]);
        Use { chunks: 3, fields }
    }

    fn with(field: usize, change: impl Fn(&mut Field)) -> ChunkType {
        let mut changed = note();
        change(&mut changed.fields[field]);
        changed
    }

    fn message(after: ChunkType) -> String {
        let refusal = change(&note(), after, &used()).unwrap_err();
        assert_eq!(refusal.code, Code::TypeInUse);
        refusal.message
    }

    #[test]
    fn c24_removing_an_enum_value_still_in_use_is_refused() {
        let after = with(0, |status| status.values.retain(|value| value == "new"));
        assert_eq!(
            message(after),
            "value 'old' of field 'status' is removed, and 1 chunks of type note do not fit that"
        );
    }

    #[test]
    fn an_enum_value_that_no_chunk_has_may_go() {
        let before = with(0, |status| status.values.push("odd".into()));
        assert!(change(&before, note(), &used()).is_ok());
    }

    #[test]
    fn c24_a_new_field_with_a_default_may_be_required() {
        let mut after = note();
        after.fields.push(Field::one_of("level", &["low"]).always("low"));
        assert!(change(&note(), after, &used()).is_ok());
    }

    #[test]
    fn a_new_field_without_a_default_may_not_be_required() {
        let mut after = note();
        after.fields.push(Field { required: true, ..Field::one_of("level", &["low"]) });
        assert!(message(after.clone()).contains("'level' becomes required"));
        assert!(change(&note(), after, &Use::default()).is_ok());
    }

    #[test]
    fn a_field_with_values_neither_goes_nor_becomes_something_else() {
        let mut without = note();
        without.fields.pop();
        assert!(message(without).starts_with("field 'reason' is removed"));
        let other = with(1, |reason| reason.kind = FieldKind::Number);
        assert!(message(other).starts_with("field 'reason' becomes number and was text"));
    }

    #[test]
    fn an_optional_field_becomes_required_when_every_chunk_has_it() {
        let mut full = used();
        full.fields.insert("reason".into(), FieldUse { chunks: 3, ..FieldUse::default() });
        let after = with(1, |reason| reason.required = true);
        assert!(change(&note(), after, &full).is_ok());
    }

    #[test]
    fn what_is_counted_is_what_chunks_have_a_value_of() {
        let values = [("status", Value::from("old")), ("reason", Value::Null)];
        let mut chunk = plain(1);
        chunk.fields.extend(values.map(|(name, value)| (name.to_owned(), value)));
        let mut counted = Use::default();
        counted.count(&plain(2), &note());
        counted.count(&chunk, &note());
        let values = BTreeMap::from([("new".to_owned(), 1), ("old".to_owned(), 1)]);
        let status = FieldUse { chunks: 2, values };
        let reason = FieldUse::default();
        let fields = BTreeMap::from([("status".to_owned(), status), ("reason".to_owned(), reason)]);
        assert_eq!(counted, Use { chunks: 2, fields });
    }

    #[test]
    fn c24_a_default_that_older_chunks_show_is_in_use() {
        let mut of = note();
        of.fields.push(Field::one_of("level", &["low", "high"]).always("low"));
        let mut counted = Use::default();
        counted.count(&plain(1), &of);
        let mut after = of.clone();
        after.fields.pop();
        after.fields.push(Field::one_of("level", &["high"]).always("high"));
        let refusal = change(&of, after, &counted).unwrap_err();
        assert_eq!(refusal.details["value"], "low");
    }

    #[test]
    fn what_follows_from_the_task_of_a_spec_stays_as_it_is() {
        let types = crate::built_in::chunk_types();
        let spec = types.into_iter().find(|known| known.slug.as_str() == "dev_spec").unwrap();
        let mut without = spec.clone();
        without.fields.retain(|field| field.name != "priority");
        let refusal = change(&spec, without, &Use::default()).unwrap_err();
        assert_eq!(refusal.details["field"], "priority");
        let mut more = spec.clone();
        more.fields.push(Field::new("team", FieldKind::Text));
        assert!(change(&spec, more, &Use::default()).is_ok());
    }
}
