//! Chunks as people see them in a list: a row each.

use windlass_domain::{ChunkId, Time};

use super::projection::ChunkParts;
use crate::sheet::{Cell, Sheet, relative};

/// So many fields are shown at most where none was asked for, if their values have no more
/// characters than this.
const FIELDS_SHOWN: usize = 2;
const FIELD_CHARS: usize = 16;

/// What a column is about.
enum Column<'a> {
    Id,
    Type,
    Whose,
    Field(&'a str),
    /// Fields with their names, where chunks have different ones.
    Fields,
    Title,
    Changed,
}

/// The chunks as rows, with the columns in which any of them has something.
pub(super) fn table(chunks: &[ChunkParts], now: Time) -> Sheet {
    let mut columns = vec![Column::Id, Column::Type, Column::Whose];
    match common_fields(chunks) {
        Some(fields) => columns.extend(fields.into_iter().map(Column::Field)),
        None => columns.push(Column::Fields),
    }
    columns.extend([Column::Title, Column::Changed]);
    columns.retain(|column| {
        let is_asked_for = matches!(column, Column::Field(_));
        is_asked_for || chunks.iter().any(|chunk| column.cell(chunk, now).is_some())
    });
    let headings: Vec<&str> = columns.iter().map(Column::heading).collect();
    let row = |chunk: &ChunkParts| {
        let cells = columns.iter().map(|column| column.cell(chunk, now));
        cells.map(|cell| cell.unwrap_or_else(|| "".into())).collect()
    };
    Sheet::default().and_table(&headings, chunks.iter().map(row).collect())
}

/// The fields to show, if all chunks have the same: those that were asked for, else the first ones
/// that take little room. Nothing if they have different ones.
fn common_fields(chunks: &[ChunkParts]) -> Option<Vec<&str>> {
    let (first, others) = chunks.split_first()?;
    let names: Vec<&str> = first.field_names().collect();
    if others.iter().any(|chunk| !chunk.field_names().eq(names.iter().copied())) {
        return None;
    }
    if !first.is_usual() {
        return Some(names);
    }
    let is_short = |name: &&str| {
        let mut values = chunks.iter().filter_map(|chunk| chunk.field(name)).peekable();
        values.peek().is_some() && values.all(|value| value.chars().count() <= FIELD_CHARS)
    };
    Some(names.into_iter().filter(is_short).take(FIELDS_SHOWN).collect())
}

impl Column<'_> {
    fn heading(&self) -> &str {
        match self {
            Self::Id => "id",
            Self::Type => "type",
            Self::Whose => "of",
            Self::Field(name) => name,
            Self::Fields => "fields",
            Self::Title => "title…",
            Self::Changed => "changed",
        }
    }

    /// What a chunk has there.
    fn cell(&self, chunk: &ChunkParts, now: Time) -> Option<Cell> {
        match self {
            Self::Id => {
                let id: ChunkId = chunk.text("chunk_id")?.parse().ok()?;
                Some(id.short().into())
            }
            Self::Type => chunk.text("chunk_type").map(Cell::from),
            Self::Whose => {
                let agent = chunk.text("agent").map(|name| format!("@{name}"));
                chunk.text("project").or(agent).or_else(|| chunk.text("scope")).map(Cell::from)
            }
            Self::Field(name) => chunk.field(name).map(Cell::from),
            Self::Fields => pairs(chunk).map(Cell::from),
            Self::Title => chunk.text("title").map(Cell::from),
            Self::Changed => {
                let at = Time::parse("updated_at", &chunk.text("updated_at")?).ok()?;
                Some(Cell::dim(relative(at, now)))
            }
        }
    }
}

/// The first fields that take little room: `status=new, priority=high`.
fn pairs(chunk: &ChunkParts) -> Option<String> {
    let named = chunk.field_names().filter_map(|name| Some((name, chunk.field(name)?)));
    let short = named.filter(|(_, value)| value.chars().count() <= FIELD_CHARS);
    let pairs: Vec<String> =
        short.take(FIELDS_SHOWN).map(|(name, value)| format!("{name}={value}")).collect();
    (!pairs.is_empty()).then(|| pairs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::projection::USUAL;
    use crate::sheet::Block;
    use serde_json::{Map, Value, json};

    fn listed(chunks: &[Value]) -> (Vec<String>, Vec<Vec<String>>) {
        let parts = |chunk: &Value| ChunkParts(chunk.as_object().cloned().unwrap_or_default());
        let chunks: Vec<ChunkParts> = chunks.iter().map(parts).collect();
        let mut sheet = table(&chunks, Time::from_millis(0));
        let Some(Block::Table { columns, rows }) = sheet.blocks.pop() else { panic!("no table") };
        let texts = |row: Vec<Cell>| row.into_iter().map(|cell| cell.text).collect();
        let names = columns.into_iter().map(|column| column.name);
        (names.collect(), rows.into_iter().map(texts).collect())
    }

    /// A chunk with everything that is usually shown.
    fn usual(fields: Value) -> Value {
        let parts = USUAL.iter().map(|part| ((*part).to_owned(), Value::Null));
        let mut parts: Map<String, Value> = parts.collect();
        parts.insert("fields".to_owned(), fields);
        Value::Object(parts)
    }

    #[test]
    fn fields_that_are_asked_for_are_columns_with_their_names() {
        let one = json!({"title": "One", "fields": {"e": "b", "n": 5, "z": null}});
        let (names, rows) = listed(&[one]);
        assert_eq!(names, ["e", "n", "z", "title"]);
        assert_eq!(rows, [["b", "5", "", "One"]]);
    }

    #[test]
    fn of_chunks_with_the_same_fields_the_first_short_ones_are_columns() {
        let long = "a text that nobody reads in a table";
        let fields = |status: &str| json!({"about": long, "empty": null, "status": status});
        let (names, rows) = listed(&[usual(fields("new")), usual(fields("old"))]);
        assert_eq!(names, ["status"]);
        assert_eq!(rows, [["new"], ["old"]]);
    }

    #[test]
    fn of_chunks_with_different_fields_each_value_has_its_name() {
        let (names, rows) = listed(&[usual(json!({"status": "new"})), usual(json!({"n": 5}))]);
        assert_eq!(names, ["fields"]);
        assert_eq!(rows, [["status=new"], ["n=5"]]);
    }
}
