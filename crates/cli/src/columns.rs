//! Which columns of a table a page has room for, and how wide they are.

use windlass_ops::sheet::Column;

/// Between two columns.
pub(crate) const GAP: usize = 2;

/// The columns that a page can do without, in the order in which they leave it.
const LEAVING: [&str; 27] = [
    "fields",
    "focus",
    "started",
    "lifecycle",
    "created",
    "description",
    "data",
    "claimable",
    "pri",
    "progress",
    "fence",
    "agent",
    "project",
    "last seen",
    "held",
    "when",
    "tried",
    "author",
    "actor",
    "error",
    "attempts",
    "checks",
    "gate",
    "done",
    "state",
    "status",
    "blocks",
];

/// Columns that people read to the end: they go on in the next line instead of being cut.
const WRAPPED: [&str; 3] = ["comment", "value", "from"];

/// What stands beside a title and leaves it the room.
const BESIDE: [&str; 1] = ["waits for"];

/// Agents may have long names, and are known by the beginning of them.
const AGENT: &str = "agent";

/// Narrower than this, a column is not worth reading: a title, text that goes on in the next line,
/// a name, and what is looked at only in passing.
const TITLE: usize = 16;
const TEXT: usize = 16;
const NAME: usize = 20;
const PASSING: usize = 12;
const DATA: usize = 8;

/// A column that is on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fitted {
    pub(crate) index: usize,
    pub(crate) width: usize,
    pub(crate) is_wrapped: bool,
}

/// The columns of the table on a page of that width; nothing when too little would be left of it.
///
/// The first column, which names the row, never leaves, and is cut only where it names an agent.
pub(crate) fn fit(columns: &[Column], natural: &[usize], page: usize) -> Option<Vec<Fitted>> {
    let mut kept: Vec<Candidate> = columns
        .iter()
        .zip(natural)
        .enumerate()
        .map(|(index, (column, &natural))| Candidate::new(index, column, natural, page))
        .collect();
    while total(&kept, |column| column.least) > page {
        let leaving = kept.iter().filter_map(|column| Some((column.leaves?, column.index))).min();
        let (_, leaving) = leaving?;
        kept.retain(|column| column.index != leaving);
    }
    Some(shared_out(kept, page))
}

/// A column and what may be done to it.
struct Candidate {
    index: usize,
    natural: usize,
    least: usize,
    /// Its turn to leave the page.
    leaves: Option<usize>,
    is_flexible: bool,
    is_wrapped: bool,
}

impl Candidate {
    fn new(index: usize, column: &Column, natural: usize, page: usize) -> Self {
        let name = column.name.as_str();
        let leaves = LEAVING.iter().position(|leaving| *leaving == name).filter(|_| index > 0);
        let is_wrapped = WRAPPED.contains(&name);
        let least = match (column.flexible, leaves) {
            _ if index == 0 && name == AGENT => PASSING,
            _ if index == 0 => natural,
            _ if is_wrapped || BESIDE.contains(&name) => TEXT,
            (true, Some(_)) => DATA,
            // A title has a third of the page before anything else is shown beside it.
            (true, None) => TITLE.max(page / 3),
            (false, Some(_)) => PASSING,
            (false, None) => NAME,
        };
        let least = least.min(natural);
        Self { index, natural, least, leaves, is_flexible: column.flexible, is_wrapped }
    }
}

fn total(columns: &[Candidate], width: impl Fn(&Candidate) -> usize) -> usize {
    columns.iter().map(width).sum::<usize>() + GAP * columns.len().saturating_sub(1)
}

/// Every column is as wide as its content, or gives way; the flexible ones do so first.
fn shared_out(columns: Vec<Candidate>, page: usize) -> Vec<Fitted> {
    let mut excess = total(&columns, |column| column.natural).saturating_sub(page);
    let mut order: Vec<&Candidate> = columns.iter().collect();
    order.sort_by_key(|column| (!column.is_flexible, column.index));
    let mut fitted = Vec::new();
    for column in order {
        let given = excess.min(column.natural - column.least);
        excess -= given;
        fitted.push(Fitted {
            index: column.index,
            width: column.natural - given,
            is_wrapped: column.is_wrapped,
        });
    }
    fitted.sort_by_key(|column| column.index);
    fitted
}
