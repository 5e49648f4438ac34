//! How far a reader of a list has come, as text that the next question brings back.
//!
//! A cursor names a place and the filters it belongs to: with others it would skip and repeat things.

use std::fmt::Display;

use serde::Serialize;
use windlass_domain::chain::Hash;
use windlass_domain::{Code, Refusal};
use windlass_ledger::Fault;

/// The cursor behind a place of two parts.
pub(crate) fn cursor(
    place: (impl Display, impl Display),
    filters: &impl Serialize,
) -> Result<String, Fault> {
    Ok(format!("{}-{}-{}", place.0, place.1, fingerprint(filters)?))
}

/// The place in a cursor, whose two parts `read` understands.
pub(crate) fn place<T>(
    cursor: &str,
    filters: &impl Serialize,
    read: impl FnOnce(&str, &str) -> Option<T>,
) -> Result<T, Refusal> {
    let refused = |why: &str| {
        Refusal::new(Code::InvalidValue, format!("cursor '{cursor}' {why}"))
            .hint("give the next_cursor of the last answer, with the same filters as there")
            .detail("field", "cursor")
            .detail("given", cursor)
    };
    let parts: Vec<&str> = cursor.splitn(3, '-').collect();
    let found = match parts.as_slice() {
        [first, second, filters] => read(first, second).map(|place| (place, *filters)),
        _ => None,
    };
    let (place, of_filters) = found.ok_or_else(|| refused("is not a cursor of this list"))?;
    match fingerprint(filters) {
        Ok(own) if own == of_filters => Ok(place),
        _ => Err(refused("is of a list with other filters")),
    }
}

/// What tells the filters of two lists apart.
fn fingerprint(filters: &impl Serialize) -> Result<String, Fault> {
    let text = serde_json::to_string(filters)
        .map_err(|source| Fault::bug("filters are not JSON").because(source))?;
    Ok(Hash::of(text.as_bytes()).to_string().chars().take(8).collect())
}
