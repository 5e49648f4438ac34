//! The order of chunks by a field: a key that sorts as bytes do, the same on every database.

use serde_json::Value;

use super::{Field, FieldKind};

/// Longer texts are the same to the order.
const TEXT_CHARS: usize = 64;

/// The key of a value. An enum sorts as its values are declared, numbers by size, days and moments by
/// time, false before true; what has no order of its own sorts by its text. Empty is last.
pub fn key(field: &Field, value: &Value) -> Option<String> {
    if value.is_null() {
        return None;
    }
    if field.kind == FieldKind::Enum {
        // At most a hundred values, see [`Field::checked`].
        let place = field.values.iter().position(|known| value == known.as_str())?;
        return Some(format!("{place:03}"));
    }
    if let Some(number) = value.as_f64() {
        return Some(by_size(number));
    }
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_lowercase);
    Some(text.chars().take(TEXT_CHARS).collect())
}

/// The bits of a number, such that larger numbers have larger bits: those of a negative one are
/// turned over, those of a positive one lie above them.
fn by_size(number: f64) -> String {
    let bits = number.to_bits();
    let ordered = match number.is_sign_negative() {
        true => !bits,
        false => bits | (1 << 63),
    };
    format!("{ordered:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// Values in the order of their keys.
    fn sorted(field: &Field, mut values: Vec<Value>) -> Vec<Value> {
        values.sort_by_key(|value| {
            let key = key(field, value);
            (key.is_none(), key)
        });
        values
    }

    #[test]
    fn c48_priorities_sort_as_they_are_declared() {
        let priority = Field::one_of("priority", &["critical", "high", "medium", "low"]);
        let values = vec![json!("low"), json!("critical"), json!(null), json!("medium")];
        let expected = [json!("critical"), json!("medium"), json!("low"), json!(null)];
        assert_eq!(sorted(&priority, values), expected);
    }

    #[test]
    fn days_and_moments_sort_by_time() {
        let due = Field::new("due", FieldKind::Date);
        let expected =
            [json!("2026-11-15"), json!("2026-11-15T09:30:00.000Z"), json!("2026-11-16")];
        let given = expected.iter().rev().cloned().collect();
        assert_eq!(sorted(&due, given), expected);
    }

    #[test]
    fn false_sorts_before_true() {
        let done = Field::new("done", FieldKind::Boolean);
        assert_eq!(sorted(&done, vec![json!(true), json!(false)]), [json!(false), json!(true)]);
    }

    proptest! {
        #[test]
        fn numbers_sort_by_size(one in any::<f64>(), other in any::<f64>()) {
            prop_assume!(one.is_finite() && other.is_finite() && (one < other || other < one));
            let cost = Field::new("cost", FieldKind::Number);
            let less = key(&cost, &json!(one)) < key(&cost, &json!(other));
            prop_assert_eq!(less, one < other);
        }
    }
}
