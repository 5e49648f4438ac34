//! The fields of a chunk in the order of its type, and where it comes from.

use maud::{Markup, html};
use serde_json::Value;
use windlass_domain::Time;
use windlass_domain::chunk::{ChunkType, Field, FieldKind};
use windlass_ops::chunk::view::{AuthorView, ChunkView, SourceView};

use super::super::look::{self, encoded};
use super::super::markdown::is_web;
use super::whose;

/// The fields, as its type declares them.
pub(super) fn fields(chunk: &ChunkView, of: Option<&ChunkType>) -> Markup {
    let declared = of.map(|of| of.fields.as_slice()).unwrap_or_default();
    let value = |field: &Field| chunk.fields.get(&field.name).cloned().unwrap_or_default();
    html! {
        @if declared.is_empty() { div #fields data-live {} } @else {
            section.panel #fields data-live {
                h2 { "Fields" }
                dl.facts {
                    @for field in declared {
                        dt title=[field.description.as_deref()] { (field.name.replace('_', " ")) }
                        dd { (shown(field.kind, &value(field))) }
                    }
                }
            }
        }
    }
}

/// The value of a field as its kind is best read.
fn shown(kind: FieldKind, value: &Value) -> Markup {
    let text = written(value);
    html! {
        @match kind {
            _ if text.is_empty() => span.soft { "–" },
            FieldKind::Enum => span.chip { (text) },
            FieldKind::Url if is_web(&text) => a href=(text) rel="noopener noreferrer nofollow" { (text) },
            FieldKind::ChunkReference => a.id href={ "/chunks/" (encoded(&text)) } { (text) },
            FieldKind::Json => pre { (pretty(value)) },
            FieldKind::Boolean => { @if value == &Value::Bool(true) { "yes" } @else { "no" } },
            FieldKind::Url | FieldKind::Text | FieldKind::Number | FieldKind::Date | FieldKind::StringList => (text),
        }
    }
}

/// A value in one line, as somebody would type it.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(is_word) => {
            items.iter().map(written).collect::<Vec<_>>().join(", ")
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// A text that a list can name without quotes.
fn is_word(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.contains(','))
}

pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

/// Whose it is, who wrote it and from what.
pub(super) fn facts(chunk: &ChunkView, now: Time) -> Markup {
    html! {
        section.panel #facts data-live {
            h2 { "Facts" }
            dl.facts {
                dt { "Of" } dd { (whose(chunk.project.as_deref(), chunk.agent.as_deref())) }
                dt { "Key" } dd { code { (chunk.query_key) } }
                @if let Some(task) = chunk.task_id { dt { "Task" } dd { (look::task_id(task)) } }
                dt { "Version" } dd { (chunk.version) " by " (author(&chunk.author)) ", " (look::time(chunk.updated_at, now)) }
                dt { "Written" } dd { "by " (author(&chunk.created_by)) ", " (look::time(chunk.created_at, now)) }
                @if let Some(source) = &chunk.source { dt { "Source" } dd { (from(source)) } }
                @if let Some(at) = chunk.expires_at {
                    dt { "Holds until" }
                    dd { (look::time(at, now)) @if chunk.pinned { span.soft { ", but it is pinned" } } }
                }
                dt { "Visibility" } dd { (chunk.visibility.as_str()) }
                @if !chunk.related.is_empty() {
                    dt { "Related" }
                    dd { @for (at, key) in chunk.related.iter().enumerate() {
                        @if at > 0 { ", " }
                        a href={ "/chunks/" (encoded(key)) } { (key) }
                    } }
                }
                dt { "Given to" }
                dd {
                    @match &chunk.audience {
                        None => span.soft { "whom its type says" },
                        Some(rules) => pre { (pretty(rules)) },
                    }
                }
            }
        }
    }
}

/// Who wrote something, and where they sat.
pub(super) fn author(author: &AuthorView) -> Markup {
    html! {
        (author.name)
        @if let Some(session) = author.session_id {
            span.soft { ", session " a.id href={ "/sessions/" (session) } title=(session) { (session.short()) } }
        }
        @if let Some(run) = author.run { span.soft { ", run " (look::run_id(run)) } }
    }
}

fn from(source: &SourceView) -> Markup {
    html! {
        code { (source.file) @if let Some((first, last)) = source.lines { ":" (first) "-" (last) } }
        @if source.changed_at.is_some() { " " span.chip.bad { "stale" } }
        @else if source.digest.is_none() { " " span.soft.small { "without a digest: nobody sees it change" } }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_written_as_it_would_be_typed() {
        assert_eq!(written(&json!(["a", "b"])), "a, b");
        assert_eq!(written(&json!(["a, b"])), r#"["a, b"]"#);
        assert_eq!(written(&json!(1.5)), "1.5");
        assert_eq!(written(&Value::Null), "");
    }

    #[test]
    fn an_address_that_is_none_leads_nowhere() {
        let said = shown(FieldKind::Url, &json!("javascript:alert(1)")).into_string();
        assert_eq!(said, "javascript:alert(1)");
    }
}
