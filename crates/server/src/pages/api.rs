//! The API as a page: every operation of the table with its fields, and how it is called.

mod schema;

use axum::http::{HeaderMap, header};
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Map, Value};
use windlass_ops::operation::{Access, Place};
use windlass_ops::table::{Entry, TABLE};

use super::Visit;
use super::layout::{Page, Section, framed};
use schema::{Field, fields};

/// `GET /api`.
pub(super) async fn page(visit: Visit, headers: HeaderMap) -> Response {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let host = host.unwrap_or("127.0.0.1:7077");
    let groups = groups();
    let main = html! {
        div.api {
            nav.contents aria-label="Operations" {
                h1 { "API" }
                @for (name, entries) in &groups {
                    h2 { (name) }
                    ul { @for entry in entries { li { a href={ "#" (entry.name) } { (entry.name) } } } }
                }
            }
            div.stack {
                (opening(host))
                @for (_, entries) in &groups { @for entry in entries { (operation(entry, host)) } }
            }
        }
    };
    let mut page = Page::new("API", Section::Api, main);
    page.assets = &["drawings.css"];
    framed(&visit, page)
}

/// Operations by the first word of their names; those of one word together.
fn groups() -> Vec<(&'static str, Vec<&'static Entry>)> {
    let mut groups: Vec<(&str, Vec<&Entry>)> = Vec::new();
    for entry in TABLE {
        let group = entry.name.split_once('.').map_or("the rest", |(group, _)| group);
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, entries)) => entries.push(entry),
            None => groups.push((group, vec![entry])),
        }
    }
    // What is in no group comes last.
    groups.sort_by_key(|(name, _)| *name == "the rest");
    groups
}

fn opening(host: &str) -> Markup {
    html! {
        section.panel.stack #how {
            h2 { "How it is called" }
            p {
                "Every operation is one request: " code { "POST /v1/ops/NAME" } " with a JSON object of its fields. "
                "The answer is the document that " code { "windlass --json" } " prints; the header "
                code { "Windlass-Exit" } " says how a process would have ended."
            }
            pre.code tabindex="0" { code {
                "curl -sS http://" (host) "/v1/ops/task.list \\\n  -H \"Authorization: Bearer $WINDLASS_KEY\" \\\n  -d '{\"status\": \"ready\"}'"
            } }
            dl.facts {
                dt { "Who calls" }
                dd { "A key in " code { "Authorization: Bearer" } ". Keys are made on the " a href="/agents#keys" { "Agents" } " page or by " code { "windlass key create" } "." }
                dt { "Once only" }
                dd { code { "Windlass-Op-Id: KEY" } " makes a repeated request harmless: it is answered as the first was." }
                dt { "Refusals" }
                dd { "Problem documents (RFC 9457) with a " code { "code" } ", a " code { "hint" } " and the same exit code as on the command line. " code { "windlass explain CODE" } " tells more." }
                dt { "Live events" }
                dd { code { "GET /v1/events/stream" } " sends events as they happen and goes on after " code { "Last-Event-ID" } "." }
                dt { "As a document" }
                dd { a href="/openapi.json" { "OpenAPI 3.1" } " for generators of clients." }
            }
        }
    }
}

fn operation(entry: &Entry, host: &str) -> Markup {
    let asked = asked(entry);
    let told = fields(&(entry.output)().to_value());
    html! {
        section.panel.operation id=(entry.name) {
            h2 {
                a.anchor href={ "#" (entry.name) } { (entry.name) }
                (access(entry))
            }
            p { (entry.about) "." }
            @if asked.is_empty() { p.soft { "It takes no fields." } } @else { (table(&asked)) }
            @if entry.place == Place::Ledger {
                pre.code tabindex="0" { code { (curl(entry, &asked, host)) } }
            } @else {
                p.soft { "It works on files where the caller is, and is called on the command line alone." }
            }
            p.soft.small { "On the command line: " code { (entry.example) } }
            @if !told.is_empty() {
                details.fold id={ "answer-" (entry.name) } {
                    summary { "What it answers" }
                    (table(&told))
                }
            }
        }
    }
}

/// The fields of a request: what must be given first, then in the order of the command line.
fn asked(entry: &Entry) -> Vec<Field> {
    let mut asked = fields(&(entry.input)().to_value());
    let order = entry.fields();
    let place = |field: &Field| order.iter().position(|name| *name == field.name);
    asked.sort_by_key(|field| (!field.required, place(field)));
    asked
}

fn access(entry: &Entry) -> Markup {
    let (class, name) = match entry.access {
        Access::Read => ("chip", "read"),
        Access::Write => ("chip accent", "write"),
        Access::Approve => ("chip warn", "approve"),
        Access::Admin => ("chip warn", "admin"),
    };
    html! {
        span class=(class) title="What a key must be allowed" { (name) }
        @if entry.place == Place::Workplace { span.chip { "where the files are" } }
    }
}

fn table(fields: &[Field]) -> Markup {
    html! {
        div.table {
            table.fields.stacks {
                thead { tr { th { "Field" } th { "Type" } th { "What it says" } } }
                tbody { @for field in fields {
                    tr {
                        td.nowrap {
                            code { (field.name) }
                            @if field.required { " " span.chip.accent { "required" } }
                        }
                        td.wide data-label="Type" { code.soft { (field.kind) } }
                        td.wide {
                            (field.about)
                            @if let Some(default) = &field.default { " " span.soft { "Usually " code { (default) } "." } }
                        }
                    }
                } }
            }
        }
    }
}

/// A request with a value for each field that must be there.
fn curl(entry: &Entry, fields: &[Field], host: &str) -> String {
    let required = fields.iter().filter(|field| field.required);
    let body: Map<String, Value> =
        required.map(|field| (field.name.clone(), field.sample())).collect();
    // A quote would end the argument of the shell.
    let body = Value::Object(body).to_string().replace('\'', "’");
    let data = if body == "{}" { String::new() } else { format!(" \\\n  -d '{body}'") };
    format!(
        "curl -sS -X POST http://{host}/v1/ops/{} \\\n  -H \"Authorization: Bearer $WINDLASS_KEY\"{data}",
        entry.name
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_in_one_group_and_told_with_its_fields() {
        let grouped: usize = groups().iter().map(|(_, entries)| entries.len()).sum();
        assert_eq!(grouped, TABLE.len());
        for entry in TABLE {
            let asked = fields(&(entry.input)().to_value());
            let names: Vec<String> = asked.iter().map(|field| field.name.clone()).collect();
            let mut known = entry.fields();
            let mut told = names.clone();
            known.sort();
            told.sort();
            assert_eq!(told, known, "{}", entry.name);
            for field in asked {
                assert!(!field.about.is_empty(), "{} {} is not told", entry.name, field.name);
                assert_ne!(field.kind, "", "{} {}", entry.name, field.name);
            }
        }
    }

    #[test]
    fn a_request_names_what_must_be_there() {
        let entry = Entry::named("task.progress").unwrap();
        let said = curl(entry, &asked(entry), "localhost:7077");
        assert!(said.contains("/v1/ops/task.progress"), "{said}");
        assert!(said.contains("\"progress\":") && said.contains("\"task\":"), "{said}");
    }
}
