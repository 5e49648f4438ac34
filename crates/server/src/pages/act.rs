//! `POST /do/{operation}`: a form does any operation of the ledger, under the rules of every door.
//!
//! With scripts or without: a browser is sent back where it came from, or is shown the refusal with
//! what was typed; a script that asks for JSON gets the same documents as over the API.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde_json::{Map, Value};
use windlass_domain::Code;
use windlass_ops::table::Entry;

use super::answered::answered;
use super::choice::choice;
use super::chunks::Meanwhile;
use super::form::Form;
use super::layout::{Page, document, respond};
use super::trouble::Trouble;
use super::{Visit, back, see_other};
use crate::http::{Kind, Problem, answer, operation_not_found, unreadable};

/// Fields of a form that are no arguments.
const BACK: &str = "back";
/// Names a field that counts although it is empty: an empty one clears what was there.
const EMPTY: &str = "empty";
/// Asks for the answer as a page, where it is not shown anywhere else.
const SHOW: &str = "show";
/// Names a list of which each line is an item, whatever commas are in it.
const LINES: &str = "lines";
/// What is acted on, and in which state it was seen: nobody types that.
const SEEN: [&str; 3] = ["task", "chunk", "if_version"];

/// Whether a field of a form says how the others are meant.
fn is_about_the_form(name: &str) -> bool {
    [BACK, EMPTY, SHOW, LINES].contains(&name)
}

pub(super) async fn act(
    visit: Visit,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    form: Form,
) -> Response {
    let Ok(Path(name)) = path else { return Trouble::from(unreadable()).into_response() };
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    let is_script = accept.is_some_and(|accept| accept.contains("application/json"));
    let Some(entry) = Entry::named(&name) else {
        let refusal = operation_not_found(&name);
        return match is_script {
            true => Problem::from(refusal).into_response(),
            false => Trouble::from(refusal).into_response(),
        };
    };
    let done = visit.run(entry, arguments(&(entry.input)().to_value(), &form)).await;
    match done {
        Err(trouble) if is_script => Problem::from(trouble.0).into_response(),
        Err(trouble) => match Meanwhile::found(&visit, &trouble).await {
            Some(meanwhile) => {
                let form = meanwhile.caught_up(form);
                refused(&visit, entry, &form, &trouble, &meanwhile.shown)
            }
            None => refused(&visit, entry, &form, &trouble, &html! {}),
        },
        Ok(reply) if is_script => answer(&reply).unwrap_or_else(Problem::into_response),
        Ok(reply) if form.first(SHOW).is_some() => match reply.json() {
            Ok(json) => answered(&visit, entry, &json, back(form.first(BACK))),
            Err(fault) => Trouble::from(fault).into_response(),
        },
        Ok(_) => see_other(back(form.first(BACK))),
    }
}

/// The arguments that a form gives: each text becomes what the schema of the operation says. What
/// does not fit is left as it is, for the operation to refuse. A field `list.name` is the item
/// `name=text` of a list, taken whole.
fn arguments(schema: &Value, form: &Form) -> Value {
    let may_be_empty: Vec<&str> = form.all(EMPTY).collect();
    let mut arguments = Map::new();
    let in_lines: Vec<&str> = form.all(LINES).collect();
    for (given, text) in &form.0 {
        if is_about_the_form(given) {
            continue;
        }
        if text.trim().is_empty() && !may_be_empty.contains(&given.as_str()) {
            continue;
        }
        let (name, items) = match given.split_once('.') {
            Some((list, item)) if Kind::of(schema, list) == Kind::List => {
                (list, vec![Value::from(format!("{item}={text}"))])
            }
            _ if in_lines.contains(&given.as_str()) => (given.as_str(), items(text, &['\n'])),
            _ => (given.as_str(), items(text, &[',', '\n'])),
        };
        match (Kind::of(schema, name), arguments.get_mut(name)) {
            (Kind::List, Some(Value::Array(list))) => list.extend(items),
            (Kind::List, _) => {
                arguments.insert(name.to_owned(), items.into());
            }
            (Kind::Text, _) => {
                arguments.insert(name.to_owned(), Value::from(text.as_str()));
            }
            (kind, _) => {
                arguments.insert(name.to_owned(), value(kind, text));
            }
        }
    }
    Value::Object(arguments)
}

fn items(text: &str, between: &[char]) -> Vec<Value> {
    let items = text.split(between).map(str::trim).filter(|item| !item.is_empty());
    items.map(Value::from).collect()
}

fn value(kind: Kind, text: &str) -> Value {
    let trimmed = text.trim();
    match (kind, trimmed) {
        (Kind::Flag, "on" | "true" | "yes" | "1") => Value::Bool(true),
        (Kind::Flag, "off" | "false" | "no" | "0") => Value::Bool(false),
        (Kind::Whole | Kind::Number | Kind::Object | Kind::Any, _) => {
            serde_json::from_str(trimmed).unwrap_or_else(|_| Value::from(text))
        }
        _ => Value::from(text),
    }
}

/// Shows why it was not done, what else there is to know, and the form again with what was typed.
fn refused(
    visit: &Visit,
    entry: &Entry,
    form: &Form,
    trouble: &Trouble,
    more: &Markup,
) -> Response {
    let schema = (entry.input)().to_value();
    let words = entry.name.replace('.', " ");
    let offers_force = offers_force(&schema, trouble) && form.first("force").is_none();
    let main = html! {
        div.narrow {
            div.head { h1 { "Not done: " (words) } }
            (trouble.notice())
            (more)
            section.panel {
                h2 { "What you asked for" }
                form.stack method="post" action={ "/do/" (entry.name) } {
                    @for (name, value) in &form.0 { (again(&schema, name, value)) }
                    @if offers_force { (force()) }
                    div.line-up {
                        button.first { "Try again" }
                        a.button href=(back(form.first(BACK))) { "Leave it" }
                    }
                }
            }
        }
    };
    let title = format!("Not done: {words}");
    let page = Page { title, section: None, assets: &[], main };
    respond(trouble.status(), document(Some(visit), page))
}

/// A field as it was typed; who is acted on and where to go afterwards stay as they are.
fn again(schema: &Value, name: &str, value: &str) -> Markup {
    if let Some(field) = choice(schema, name, value) {
        return field;
    }
    let label = name.rsplit('.').next().unwrap_or(name).replace('_', " ");
    let lines = value.lines().count().clamp(3, 20);
    html! {
        @if is_about_the_form(name) || SEEN.contains(&name) {
            input type="hidden" name=(name) value=(value);
        } @else if Kind::of(schema, name) == Kind::Flag {
            label.check {
                input type="checkbox" name=(name) value="true" checked;
                span { (label) }
            }
        } @else if value.chars().count() > 60 || value.contains('\n') {
            label.field { span { (label) } textarea name=(name) rows=(lines) { "\n" (value) } }
        } @else {
            label.field { span { (label) } input name=(name) value=(value); }
        }
    }
}

/// Rules of ownership can be overridden, by whoever says why.
fn offers_force(schema: &Value, trouble: &Trouble) -> bool {
    let can_be_forced = schema.pointer("/properties/force").is_some();
    let says_so = trouble.0.hint.as_ref().is_some_and(|hint| hint.contains("--force"));
    let is_about_ownership = matches!(
        trouble.0.code,
        Code::StaleClaim | Code::FenceRequired | Code::AgentRequired | Code::ReasonRequired
    );
    can_be_forced && (says_so || is_about_ownership)
}

fn force() -> Markup {
    html! {
        fieldset.notice.warn {
            label.check {
                input type="checkbox" name="force" value="true";
                span { "Override the rule; this is recorded with your name" }
            }
            label.field { span { "Why that is right" } input name="reason" autocomplete="off"; }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn given(operation: &str, form: &str) -> Value {
        let schema = (Entry::named(operation).unwrap().input)().to_value();
        arguments(&schema, &Form::parse(form))
    }

    #[test]
    fn texts_become_what_the_operation_says_they_are() {
        let form = "title=a+b&priority=2&tags=x,+y&tags=z&force=on&metadata=%7B%22a%22%3A1%7D\
                    &depends_on=&due=&back=/";
        assert_eq!(
            given("task.add", form),
            json!({
                "title": "a b", "priority": 2, "tags": ["x", "y", "z"], "force": true,
                "metadata": {"a": 1},
            })
        );
    }

    #[test]
    fn fields_that_may_be_left_out_have_the_same_types() {
        let by = json!({"task": "8F3K2Q", "name": "x", "fence": 7, "force": true});
        assert_eq!(given("task.checkpoint", "task=8F3K2Q&name=x&fence=7&force=true"), by);
        let form = "task=8F3K2Q&priority=3&tags=a,b&progress=40";
        let expected = json!({"task": "8F3K2Q", "priority": 3, "tags": ["a", "b"], "progress": 40});
        assert_eq!(given("task.update", form), expected);
    }

    #[test]
    fn an_empty_field_is_left_out_unless_it_is_said_to_count() {
        assert_eq!(
            given("task.update", "task=8F3K2Q&title=&description="),
            json!({"task": "8F3K2Q"})
        );
        let clearing = "task=8F3K2Q&description=&tags=&empty=description&empty=tags";
        let expected = json!({"task": "8F3K2Q", "description": "", "tags": []});
        assert_eq!(given("task.update", clearing), expected);
    }

    #[test]
    fn what_does_not_fit_is_left_for_the_operation_to_refuse() {
        let form = "task=1234&priority=high&metadata=%7B&nonsense=x";
        let expected =
            json!({"task": "1234", "priority": "high", "metadata": "{", "nonsense": "x"});
        assert_eq!(given("task.update", form), expected);
    }

    #[test]
    fn fields_of_a_chunk_are_items_of_one_list_whatever_is_in_them() {
        let form = "chunk=8F3K2Q&field.status=new&field.note=a,+b&field.mark=&empty=field.mark";
        let expected = json!({"chunk": "8F3K2Q", "field": ["status=new", "note=a, b", "mark="]});
        assert_eq!(given("chunk.update", form), expected);
    }

    #[test]
    fn a_list_in_lines_keeps_its_commas() {
        let form = "chunk=8F3K2Q&gotchas=one,+two%0Athree&lines=gotchas&tags=a,b";
        let expected =
            json!({"chunk": "8F3K2Q", "gotchas": ["one, two", "three"], "tags": ["a", "b"]});
        assert_eq!(given("chunk.update", form), expected);
    }

    #[test]
    fn a_field_that_takes_any_json_is_read_as_json() {
        let form = "chunk=8F3K2Q&audience=%7B%22rules%22%3A%5B%5D%7D";
        let expected = json!({"chunk": "8F3K2Q", "audience": {"rules": []}});
        assert_eq!(given("chunk.update", form), expected);
    }

    #[test]
    fn a_text_that_looks_like_a_number_stays_a_text() {
        let expected = json!({"task": "0042", "text": "42"});
        assert_eq!(given("task.comment", "task=0042&text=42"), expected);
    }
}
