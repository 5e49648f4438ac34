//! A chunk type while it is edited: texts in fields of a form, which may not fit yet.

use serde::Serialize;
use serde_json::{Map, Value};
use windlass_domain::chunk::template::{Heading, Template};
use windlass_domain::chunk::{ChunkType, Field, FieldKind};

use super::super::form::Form;

/// What is typed into the editor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Draft {
    pub(super) slug: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) scope: String,
    pub(super) audience: String,
    pub(super) fields: Vec<Row>,
    pub(super) template: String,
    pub(super) creators: Vec<String>,
    pub(super) consolidation: String,
    pub(super) hidden: bool,
}

/// What is typed for one field of the type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) required: bool,
    pub(super) default: String,
    /// One a line, in their order.
    pub(super) values: String,
    pub(super) description: String,
}

/// Something that cannot be a part of a definition, and where it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) control: String,
    pub(super) message: String,
}

/// Whatever it is, as people write JSON.
pub(super) fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// A value as people type it: a text without quotes.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl From<&ChunkType> for Draft {
    fn from(known: &ChunkType) -> Self {
        let audience = match known.audience.rules.is_empty() {
            true => String::new(),
            false => pretty(&known.audience),
        };
        Self {
            slug: known.slug.to_string(),
            name: known.name.clone(),
            description: known.description.clone().unwrap_or_default(),
            scope: known.scope.to_string(),
            audience,
            fields: known.fields.iter().map(Row::from).collect(),
            template: known.template.skeleton(),
            creators: known.creators.iter().map(ToString::to_string).collect(),
            consolidation: known.consolidation.to_string(),
            hidden: known.hidden,
        }
    }
}

impl From<&Field> for Row {
    fn from(field: &Field) -> Self {
        Self {
            name: field.name.clone(),
            kind: field.kind.to_string(),
            required: field.required,
            default: field.default.as_ref().map(plain).unwrap_or_default(),
            values: field.values.join("\n"),
            description: field.description.clone().unwrap_or_default(),
        }
    }
}

impl Draft {
    /// What a form says. The parts of a field of the type have its number behind their names.
    pub(super) fn of(form: &Form) -> Self {
        let said = |name: &str| form.first(name).unwrap_or_default().to_owned();
        let numbers = form.0.iter().filter_map(|(name, _)| name.strip_prefix("name."));
        let row = |number: &str| Row {
            name: said(&format!("name.{number}")),
            kind: said(&format!("kind.{number}")),
            required: form.first(&format!("required.{number}")).is_some(),
            default: said(&format!("default.{number}")),
            values: said(&format!("values.{number}")),
            description: said(&format!("description.{number}")),
        };
        Self {
            slug: said("slug").trim().to_owned(),
            name: said("name"),
            description: said("description"),
            scope: said("scope"),
            audience: said("audience"),
            fields: numbers.map(row).collect(),
            template: said("template"),
            creators: form.all("creators").map(str::to_owned).collect(),
            consolidation: said("consolidation"),
            hidden: form.first("hidden").is_some(),
        }
    }

    /// The definition it says, for the operation to check. What is empty is left out.
    pub(super) fn definition(&self) -> Result<Map<String, Value>, Wrong> {
        let mut definition = Map::new();
        for (name, text) in [
            ("name", &self.name),
            ("description", &self.description),
            ("scope", &self.scope),
            ("consolidation", &self.consolidation),
        ] {
            if !text.trim().is_empty() {
                definition.insert(name.to_owned(), Value::from(text.as_str()));
            }
        }
        if !self.audience.trim().is_empty() {
            let read = serde_json::from_str(&self.audience).map_err(|wrong| Wrong {
                control: "audience".to_owned(),
                message: format!("this is no JSON: {wrong}"),
            })?;
            definition.insert("audience".to_owned(), read);
        }
        let fields = self.kept().map(|(_, row)| Value::Object(row.definition()));
        definition.insert("fields".to_owned(), fields.collect());
        definition.insert("template".to_owned(), said(&template(&self.template)));
        definition.insert("creators".to_owned(), self.creators.iter().cloned().collect());
        definition.insert("hidden".to_owned(), Value::Bool(self.hidden));
        Ok(definition)
    }

    /// The fields that something is said of, with their numbers.
    fn kept(&self) -> impl Iterator<Item = (usize, &Row)> {
        self.fields.iter().enumerate().filter(|(_, row)| !row.is_blank())
    }

    /// Where it was typed what a refusal is about: it names a part of the definition, or a field of
    /// the type.
    pub(super) fn control(&self, part: &str) -> Option<String> {
        if let Some((number, rest)) = part.strip_prefix("fields[").and_then(|it| it.split_once(']'))
        {
            let (row, _) = self.kept().nth(number.parse().ok()?)?;
            let name = match rest.trim_start_matches('.') {
                "type" => "kind",
                known @ ("default" | "values" | "description") => known,
                _ => "name",
            };
            return Some(format!("{name}.{row}"));
        }
        let own = ["slug", "name", "description", "audience", "creators"];
        if let Some(control) = own.into_iter().find(|control| part.starts_with(control)) {
            return Some(control.to_owned());
        }
        if ["template", "heading", "asks"].into_iter().any(|name| part.starts_with(name)) {
            return Some("template".to_owned());
        }
        let named = self.kept().find(|(_, row)| row.name == part);
        named.map(|(row, _)| format!("name.{row}"))
    }
}

impl Row {
    fn is_blank(&self) -> bool {
        let Self { name, default, values, description, .. } = self;
        [name, default, values, description].into_iter().all(|text| text.trim().is_empty())
    }

    fn definition(&self) -> Map<String, Value> {
        let mut definition = Map::new();
        definition.insert("name".to_owned(), Value::from(self.name.trim()));
        definition.insert("type".to_owned(), Value::from(self.kind.as_str()));
        definition.insert("required".to_owned(), Value::Bool(self.required));
        if !self.default.trim().is_empty() {
            definition.insert("default".to_owned(), self.typed_default());
        }
        let values = self.values.lines().map(str::trim).filter(|value| !value.is_empty());
        definition.insert("values".to_owned(), values.collect());
        if !self.description.trim().is_empty() {
            definition.insert("description".to_owned(), Value::from(self.description.trim()));
        }
        definition
    }

    /// The default as its type says. What does not fit is left for the operation to refuse.
    fn typed_default(&self) -> Value {
        let text = self.default.trim();
        match FieldKind::from_text(&self.kind) {
            Some(
                FieldKind::Number | FieldKind::Boolean | FieldKind::StringList | FieldKind::Json,
            ) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
            Some(
                FieldKind::Enum
                | FieldKind::Text
                | FieldKind::Url
                | FieldKind::Date
                | FieldKind::ChunkReference,
            )
            | None => Value::from(text),
        }
    }
}

fn said(template: &Template) -> Value {
    serde_json::to_value(template).unwrap_or_default()
}

/// The template that a content to begin with shows: its headings, and under each what it asks for.
fn template(skeleton: &str) -> Template {
    let mut headings: Vec<Heading> = Vec::new();
    for line in skeleton.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let title = line.trim_start_matches('#');
        match headings.last_mut() {
            Some(heading) if title.len() == line.len() => {
                let asks = heading.asks.take().map_or_else(String::new, |asks| asks + " ");
                heading.asks = Some(asks + line);
            }
            _ => headings.push(Heading { title: title.trim().to_owned(), asks: None }),
        }
    }
    Template { headings }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use windlass_domain::built_in;

    use super::*;

    #[test]
    fn every_type_that_is_brought_along_survives_the_editor() {
        for known in built_in::chunk_types() {
            let mut definition = Draft::from(&known).definition().unwrap();
            definition.insert("slug".to_owned(), json!(known.slug));
            let read: ChunkType = serde_json::from_value(Value::Object(definition)).unwrap();
            assert_eq!(read, known);
        }
    }

    #[test]
    fn what_is_typed_comes_back_as_it_was() {
        let form = "slug=risk&name=Risk&scope=org&audience=%7B&name.0=level&kind.0=enum&required.0=on\
                    &values.0=high%0D%0Alow&default.0=low&description.0=how+bad&name.7=&kind.7=text\
                    &template=%23%23+Why&creators=dev&consolidation=keep&hidden=on";
        let draft = Draft::of(&Form::parse(form));
        let row = |name: &str, kind: &str| Row {
            name: name.to_owned(),
            kind: kind.to_owned(),
            ..Row::default()
        };
        let level = Row {
            required: true,
            default: "low".to_owned(),
            values: "high\nlow".to_owned(),
            description: "how bad".to_owned(),
            ..row("level", "enum")
        };
        assert_eq!(draft.fields, [level, row("", "text")]);
        assert_eq!((draft.audience.as_str(), draft.hidden), ("{", true));
        assert_eq!(draft.definition().unwrap_err().control, "audience");
    }

    #[test]
    fn a_default_is_what_its_type_says_or_stays_for_the_operation_to_refuse() {
        let typed = |kind: &str, default: &str| {
            let row = Row { kind: kind.to_owned(), default: default.to_owned(), ..Row::default() };
            row.typed_default()
        };
        assert_eq!(typed("number", "2.5"), json!(2.5));
        assert_eq!(typed("number", "two"), json!("two"));
        assert_eq!(typed("boolean", "true"), json!(true));
        assert_eq!(typed("text", "true"), json!("true"));
        assert_eq!(typed("string_list", "[\"a\"]"), json!(["a"]));
    }

    #[test]
    fn what_is_wrong_is_shown_where_it_was_typed() {
        let named = |name: &str| Row { name: name.to_owned(), ..Row::default() };
        let fields = vec![named("status"), Row::default(), named("level")];
        let draft = Draft { fields, ..Draft::default() };
        for (part, control) in [
            ("audience.rules[0]", Some("audience")),
            ("fields[1].type", Some("kind.2")),
            ("fields[0]", Some("name.0")),
            ("level", Some("name.2")),
            ("heading", Some("template")),
            ("something", None),
        ] {
            assert_eq!(draft.control(part).as_deref(), control, "{part}");
        }
    }

    #[test]
    fn a_template_is_read_from_its_skeleton() {
        let read = template("## Why\n\nthe reason,\nin short\n\n## What\n");
        assert_eq!(read.skeleton(), "## Why\n\nthe reason, in short\n\n## What\n\n");
        assert!(template("").headings.is_empty());
    }
}
