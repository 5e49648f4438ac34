//! Where in the text the parts of a file were found: what lint points at.

use std::ops::Range;

use super::scan::Colonless;

/// The places of everything in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// Nothing for a file without a frontmatter.
    pub(super) front: Option<FrontPlace>,
    pub(super) steps: Vec<StepPlace>,
}

impl Places {
    /// The line that begins a step, by its position from 0.
    pub fn step(&self, position: usize) -> Option<Range<usize>> {
        self.steps.get(position).map(|step| step.header.clone())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FrontPlace {
    /// The line that opens it.
    pub(super) opening: Range<usize>,
    pub(super) fields: Fields,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StepPlace {
    pub(super) header: Range<usize>,
    /// Everything below the header.
    pub(super) body: Range<usize>,
    pub(super) fields: Fields,
    /// Keys without a colon, which are not read.
    pub(super) colonless: Vec<Colonless>,
    pub(super) checks: Vec<CheckPlace>,
}

impl StepPlace {
    /// Where a key stands without its colon, if it stands nowhere with one.
    pub(super) fn colonless(&self, key: &str) -> Option<&Colonless> {
        let is_missing = self.fields.get(key).is_none();
        self.colonless.iter().find(|word| is_missing && word.key == key)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CheckPlace {
    /// Its first line.
    pub(super) span: Range<usize>,
    /// Written as a command alone, without keys.
    pub(super) is_scalar: bool,
    pub(super) fields: Fields,
}

/// The fields of a mapping.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Fields(Vec<FieldPlace>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldPlace {
    pub(super) key: &'static str,
    pub(super) key_span: Range<usize>,
    /// Nothing where nothing is said.
    pub(super) value: Option<Range<usize>>,
}

impl Fields {
    pub(super) fn push(&mut self, place: FieldPlace) {
        self.0.push(place);
    }

    pub(super) fn get(&self, key: &str) -> Option<&FieldPlace> {
        self.0.iter().find(|place| place.key == key)
    }

    pub(super) fn has_value(&self, key: &str) -> bool {
        self.get(key).is_some_and(|place| place.value.is_some())
    }

    /// The value of a field, or its key where it has none.
    pub(super) fn span(&self, key: &str) -> Option<Range<usize>> {
        let place = self.get(key)?;
        Some(place.value.clone().unwrap_or_else(|| place.key_span.clone()))
    }
}
