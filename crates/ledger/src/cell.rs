//! Values on their way into and out of a database row, the same for both databases.

use windlass_domain::chain::Hash;

use crate::fault::Fault;

/// One value of a statement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell<'a> {
    Null,
    Int(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl<'a> Cell<'a> {
    pub(crate) fn text_or_null(text: Option<&'a str>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }

    pub(crate) fn int_or_null(number: Option<i64>) -> Self {
        number.map_or(Self::Null, Self::Int)
    }

    pub(crate) fn count(number: u64) -> Self {
        // Counters of this program stay far below 2^63.
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }

    pub(crate) fn flag(set: bool) -> Self {
        Self::Int(i64::from(set))
    }
}

/// Reads the columns of one row, by position.
pub(crate) trait Columns {
    fn maybe_int(&self, column: usize) -> Result<Option<i64>, Fault>;
    fn maybe_text(&self, column: usize) -> Result<Option<String>, Fault>;
    fn maybe_bytes(&self, column: usize) -> Result<Option<Vec<u8>>, Fault>;

    fn int(&self, column: usize) -> Result<i64, Fault> {
        self.maybe_int(column)?.ok_or_else(|| missing(column))
    }

    fn text(&self, column: usize) -> Result<String, Fault> {
        self.maybe_text(column)?.ok_or_else(|| missing(column))
    }

    fn count(&self, column: usize) -> Result<u64, Fault> {
        u64::try_from(self.int(column)?).map_err(|_| missing(column))
    }

    fn flag(&self, column: usize) -> Result<bool, Fault> {
        Ok(self.int(column)? != 0)
    }

    fn maybe_id(&self, column: usize) -> Result<Option<[u8; 16]>, Fault> {
        self.maybe_bytes(column)?
            .map(|bytes| bytes.try_into().map_err(|_| missing(column)))
            .transpose()
    }

    fn id(&self, column: usize) -> Result<[u8; 16], Fault> {
        self.maybe_id(column)?.ok_or_else(|| missing(column))
    }

    fn maybe_hash(&self, column: usize) -> Result<Option<Hash>, Fault> {
        self.maybe_bytes(column)?
            .map(|bytes| bytes.try_into().map(Hash::from_bytes).map_err(|_| missing(column)))
            .transpose()
    }

    fn hash(&self, column: usize) -> Result<Hash, Fault> {
        self.maybe_hash(column)?.ok_or_else(|| missing(column))
    }

    /// A text in which '' stands for none.
    fn text_or_none(&self, column: usize) -> Result<Option<String>, Fault> {
        Ok(Some(self.text(column)?).filter(|text| !text.is_empty()))
    }
}

fn missing(column: usize) -> Fault {
    Fault::new(
        windlass_domain::Code::LedgerCorrupt,
        format!("column {column} of a row holds what it never should"),
    )
    .hint("rebuild the views from the log: windlass doctor --rebuild")
}
