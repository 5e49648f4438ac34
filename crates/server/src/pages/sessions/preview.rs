//! The preview: what a session would be given, before anything runs.

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use windlass_domain::session::{AgentType, Lifecycle};
use windlass_domain::{Code, Refusal};
use windlass_ops::definition;
use windlass_ops::session::{Preview, Previewed};

use super::super::Visit;
use super::super::form::Form;
use super::super::layout::{Page, Section, framed};
use super::super::look::empty;
use super::super::trouble::Trouble;
use super::given::{Row, table, total};
use super::part::Part;

/// `GET /inject`.
pub(super) async fn page(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let agent_types = visit.ask(definition::List::<AgentType>::default()).await?;
    let lifecycles = visit.ask(definition::List::<Lifecycle>::default()).await?;
    let is_asked = ["agent", "agent_type"].into_iter().any(|name| given(&query, name).is_some());
    let found = match is_asked {
        true => Some(previewed(&visit, &query).await),
        false => None,
    };
    let main = html! {
        (Part::Preview.head(&visit))
        (form(&visit, &query, &agent_types, &lifecycles))
        @match &found {
            None => { section.panel { (empty("Name an agent or choose a type of agents: then this shows what its session would be given, by which rule, and what the budget leaves out. Nothing is recorded.")) } }
            Some(Err(trouble)) => { (trouble.notice()) }
            Some(Ok(found)) => { (results(found)) }
        }
    };
    Ok(framed(&visit, Page::new("Injection preview", Section::Sessions, main)))
}

fn given<'a>(query: &'a Form, name: &str) -> Option<&'a str> {
    query.first(name).map(str::trim).filter(|value| !value.is_empty())
}

async fn previewed(visit: &Visit, query: &Form) -> Result<Previewed, Trouble> {
    let text = |name: &str| given(query, name).map(str::to_owned);
    let tags = given(query, "focus").unwrap_or_default().split(',');
    let tags = tags.map(str::trim).filter(|tag| !tag.is_empty());
    let asked = Preview {
        agent: text("agent"),
        agent_type: text("agent_type"),
        lifecycle: text("lifecycle"),
        project: visit.project.clone(),
        focus_tags: tags.map(str::to_owned).collect(),
        max_tokens: budget(query)?,
    };
    visit.ask(asked).await
}

/// The budget that is typed, if any.
fn budget(query: &Form) -> Result<Option<u32>, Refusal> {
    let typed = given(query, "max_tokens");
    typed.map(|text| text.parse().map_err(|_| no_budget(text))).transpose()
}

fn no_budget(text: &str) -> Refusal {
    Refusal::new(Code::InvalidValue, format!("'{text}' is no number of tokens"))
        .hint("write a whole number, such as 8000")
        .detail("field", "max_tokens")
        .detail("given", text)
}

fn form(
    visit: &Visit,
    query: &Form,
    agent_types: &definition::Listed,
    lifecycles: &definition::Listed,
) -> Markup {
    let said = |name: &str| given(query, name).unwrap_or_default();
    html! {
        form.panel.stack.asked action=(Part::Preview.path()) {
            div.beside {
                label.field { span { "Agent" } input name="agent" value=(said("agent")) autocomplete="off" autofocus[said("agent").is_empty()]; }
                (choice("agent_type", "Or as an agent of type", "as it is registered", agent_types, said("agent_type")))
                (choice("lifecycle", "Lifecycle", "that of its type", lifecycles, said("lifecycle")))
                label.field {
                    span { "Project" }
                    select name="project" {
                        option value="" { "none" }
                        @for name in &visit.projects { option value=(name) selected[visit.project.as_ref() == Some(name)] { (name) } }
                    }
                }
                label.field { span { "Focus: tags, with commas" } input name="focus" value=(said("focus")) autocomplete="off"; }
                label.field { span { "Budget in tokens" } input name="max_tokens" type="number" min="0" value=(said("max_tokens")) placeholder="that of its type"; }
            }
            div { button.first { "Show" } }
        }
    }
}

fn choice(
    name: &str,
    label: &str,
    none: &str,
    listed: &definition::Listed,
    chosen: &str,
) -> Markup {
    html! {
        label.field {
            span { (label) }
            select name=(name) {
                option value="" { (none) }
                @for known in &listed.definitions {
                    option value=(known.slug) selected[known.slug == chosen] { (known.name) " (" (known.slug) ")" }
                }
            }
        }
    }
}

fn results(found: &Previewed) -> Markup {
    let rows: Vec<Row<'_>> = found.given.injected.iter().map(Row::from).collect();
    let cut: Vec<Row<'_>> = found.given.cut.iter().map(Row::from).collect();
    html! {
        section.panel #injected data-live {
            h2 { "It would be given" span.soft { (total(&rows)) } }
            p.small.soft.lead.wrap-anywhere {
                @match &found.agent { Some(agent) => { (agent) } None => { "Some agent" } }
                @if let Some(agent_type) = &found.agent_type { ", of type " a href=(Part::AgentTypes.path_of(agent_type)) { (agent_type) } }
                ", under " a href=(Part::Lifecycles.path_of(&found.lifecycle)) { (found.lifecycle) }
                @if let Some(project) = &found.project { ", about " (project) }
            }
            @if rows.is_empty() { (empty("Nothing: no rule chooses a chunk for it.")) } @else { (table(&rows)) }
        }
        section.panel #cut data-live hidden[cut.is_empty()] {
            h2 { "The budget would leave out" span.soft { (total(&cut)) } }
            (table(&cut))
        }
        section.panel #text data-live hidden[rows.is_empty()] {
            details.fold #as-text {
                summary { "As the agent reads it" }
                pre tabindex="0" { (found.given.text) }
            }
        }
    }
}
