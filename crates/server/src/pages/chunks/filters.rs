//! What is asked of all chunks: in the address, so that what somebody sees can be sent to somebody
//! else.

use maud::{Markup, html};
use serde_json::{Map, Value};
use windlass_domain::chunk::{ChunkType, Field, FieldKind, Scope};
use windlass_ops::chunk::{List, Search};
use windlass_ops::view::JsonObject;

use super::super::form::Form;
use super::super::look::address;
use super::types::{enums, named};

/// Chunks on a page.
const LISTED: u64 = 50;
const FOUND: u64 = 20;
/// The newest change first, unless another order is asked for.
const USUAL_ORDER: &str = "-updated";
/// The parts of a chunk that a list shows.
const SHOWN: [&str; 13] = [
    "chunk_type",
    "project",
    "agent",
    "query_key",
    "title",
    "tags",
    "fields",
    "pinned",
    "current",
    "superseded",
    "version",
    "updated_at",
    "signals",
];

/// What is asked for, as it is written in the address.
#[derive(Debug, Clone, Default)]
pub(super) struct Filters {
    project: String,
    pub(super) words: String,
    pub(super) chunk_type: String,
    scope: String,
    tags: String,
    state: String,
    sort: String,
    /// Of the type that is chosen: by `TYPE.FIELD`, so that another type begins anew.
    fields: Vec<(String, String)>,
    cursor: String,
    pub(super) explain: bool,
}

impl Filters {
    pub(super) fn of(query: &Form) -> Self {
        let given = |name| query.first(name).unwrap_or_default().trim().to_owned();
        let chunk_type = given("type");
        let own = |(name, value): &(String, String)| {
            let (of, field) = name.split_once('.')?;
            (of == chunk_type && !value.is_empty()).then(|| (field.to_owned(), value.clone()))
        };
        Self {
            project: given("project"),
            words: given("q"),
            scope: given("scope"),
            tags: given("tag"),
            state: given("state"),
            sort: given("sort"),
            fields: query.0.iter().filter_map(own).collect(),
            cursor: given("cursor"),
            explain: query.first("explain").is_some_and(|explain| !explain.is_empty()),
            chunk_type,
        }
    }

    /// The address of the same, from its beginning, with something more.
    pub(super) fn address(&self, more: &[(&str, &str)]) -> String {
        let is_name =
            |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        let fields = self.fields.iter().filter(|(name, _)| is_name(name));
        let fields: Vec<(String, &str)> = fields
            .map(|(name, value)| (format!("{}.{name}", self.chunk_type), value.as_str()))
            .collect();
        let mut query = vec![
            ("project", self.project.as_str()),
            ("q", &self.words),
            ("type", &self.chunk_type),
            ("scope", &self.scope),
            ("tag", &self.tags),
            ("state", &self.state),
            ("sort", &self.sort),
        ];
        query.extend(fields.iter().map(|(name, value)| (name.as_str(), *value)));
        query.extend_from_slice(more);
        address("/chunks", &query)
    }

    /// Something narrows what is shown, beside the project.
    pub(super) fn are_narrow(&self) -> bool {
        let given = [&self.chunk_type, &self.scope, &self.tags, &self.state];
        given.iter().any(|filter| !filter.is_empty())
    }

    /// It goes on after another page.
    pub(super) fn go_on(&self) -> bool {
        !self.cursor.is_empty()
    }

    pub(super) fn list(&self) -> List {
        let usual = List::default();
        List {
            chunk_type: given(&self.chunk_type),
            field: self.fields.iter().map(|(name, value)| format!("{name}={value}")).collect(),
            project: given(&self.project),
            scope: given(&self.scope),
            tags: tags(&self.tags),
            state: given(&self.state).unwrap_or_else(|| usual.state.clone()),
            sort: given(&self.sort).unwrap_or_else(|| USUAL_ORDER.to_owned()),
            show: SHOWN.map(str::to_owned).to_vec(),
            limit: LISTED,
            cursor: given(&self.cursor),
            ..usual
        }
    }

    pub(super) fn search(&self) -> Search {
        let fields =
            self.fields.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        let fields: Map<String, Value> = fields.collect();
        Search {
            question: self.words.clone(),
            chunk_types: given(&self.chunk_type).into_iter().collect(),
            fields: (!fields.is_empty()).then_some(JsonObject(fields)),
            project: given(&self.project),
            scope: given(&self.scope),
            tags: tags(&self.tags),
            limit: FOUND,
            explain: self.explain,
            ..Search::default()
        }
    }

    /// The form that asks. What is found is in the order of how well it fits: then there is none to
    /// choose.
    pub(super) fn form(&self, types: &[ChunkType]) -> Markup {
        let of = named(types, &self.chunk_type);
        let offered = |known: &&ChunkType| !known.hidden || known.slug.as_str() == self.chunk_type;
        html! {
            form.stack.chunk-filters role="search" action="/chunks" data-at-once {
                @if !self.project.is_empty() { input type="hidden" name="project" value=(self.project); }
                div.big-search {
                    input type="search" name="q" value=(self.words) aria-label="Words to search chunks for"
                        placeholder="rate limit of the API";
                    button.first { "Search" }
                }
                div.line-up.filters {
                    (choice("type", "Any type", &self.chunk_type, types.iter().filter(offered).map(|known| {
                        (known.slug.as_str(), known.name.as_str())
                    })))
                    @for field in of.into_iter().flat_map(enums) {
                        (choice(&format!("{}.{}", self.chunk_type, field.name), &format!("Any {}", field.name.replace('_', " ")),
                            self.value_of(field), field.values.iter().map(|value| (value.as_str(), value.as_str()))))
                    }
                    (choice("scope", "Any scope", &self.scope, Scope::ALL.iter().map(|scope| (scope.as_str(), scope.as_str()))))
                    input name="tag" value=(self.tags) placeholder="Tags" aria-label="Tags, with commas between";
                    @if self.words.is_empty() {
                        (choice("state", "What holds now", &self.state, [("superseded", "Superseded"), ("all", "Everything")].into_iter()))
                        (self.orders(of))
                    }
                    button type="submit" data-spare { "Show" }
                }
            }
        }
    }

    fn value_of(&self, field: &Field) -> &str {
        let given = self.fields.iter().find(|(name, _)| *name == field.name);
        given.map_or("", |(_, value)| value)
    }

    /// The orders to choose from: those of every chunk, and those of the fields that have one.
    fn orders(&self, of: Option<&ChunkType>) -> Markup {
        let has_order = |field: &&Field| {
            matches!(field.kind, FieldKind::Enum | FieldKind::Number | FieldKind::Date)
        };
        let fields = of.into_iter().flat_map(|of| &of.fields).filter(has_order);
        let named =
            |field: &Field| (field.name.clone(), format!("By {}", field.name.replace('_', " ")));
        let mut orders: Vec<(String, String)> = [
            ("updated", "Longest unchanged first"),
            ("-created", "Newest first"),
            ("created", "Oldest first"),
        ]
        .map(|(order, name)| (order.to_owned(), name.to_owned()))
        .to_vec();
        orders.extend(fields.map(named));
        let orders = orders.iter().map(|(order, name)| (order.as_str(), name.as_str()));
        choice("sort", "Last changed first", &self.sort, orders)
    }
}

/// A field to choose a word in, or none.
fn choice<'a>(
    name: &str,
    none: &str,
    chosen: &str,
    words: impl Iterator<Item = (&'a str, &'a str)>,
) -> Markup {
    html! {
        select name=(name) aria-label=(none) {
            option value="" { (none) }
            @for (word, shown) in words { option value=(word) selected[word == chosen] { (shown) } }
        }
    }
}

fn given(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

fn tags(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_keeps_every_filter_and_begins_at_the_first_page() {
        let asked = "project=a&type=dev_spec&dev_spec.status=new&tag=x,y&sort=priority&cursor=c";
        let filters = Filters::of(&Form::parse(asked));
        assert_eq!(
            filters.address(&[]),
            "/chunks?project=a&type=dev_spec&tag=x%2Cy&sort=priority&dev_spec.status=new"
        );
        let list = filters.list();
        assert_eq!(list.field, ["status=new"]);
        assert_eq!(
            (list.tags, list.cursor),
            (vec!["x".to_owned(), "y".to_owned()], Some("c".to_owned()))
        );
    }

    #[test]
    fn fields_of_another_type_do_not_count() {
        let filters = Filters::of(&Form::parse("type=decision&dev_spec.status=new"));
        assert_eq!(filters.list().field, Vec::<String>::new());
    }

    #[test]
    fn a_name_that_no_field_has_is_asked_for_and_not_put_into_an_address() {
        let filters = Filters::of(&Form::parse("type=decision&decision.a%26b=x"));
        assert_eq!(filters.list().field, ["a&b=x"]);
        assert_eq!(filters.address(&[]), "/chunks?type=decision");
    }
}
