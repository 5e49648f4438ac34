//! Agent types on their pages.

use maud::{Markup, html};
use windlass_domain::session::{AgentType, Filter};
use windlass_ops::definition::DefinitionView;

use super::super::look::{address, grouped, panel};
use super::super::sessions::part::Part;
use super::{OnPages, words, written};

/// One to begin with.
const EXAMPLE: &str = "{\n  \"name\": \"Tester\",\n  \"lifecycle\": \"default\",\n  \"inject\": {},\n  \"search\": {},\n  \"max_inject_tokens\": 8000\n}";

impl OnPages for AgentType {
    const PART: Part = Part::AgentTypes;
    const ABOUT: &'static str = "Which chunks agents of a kind are given, and which they find";

    fn facts(&self) -> Markup {
        let preview = address(Part::Preview.path(), &[("agent_type", self.slug.as_str())]);
        html! {
            (panel("said", "How its agents work", None, html! {
                dl.facts {
                    dt { "Lifecycle" } dd { a href=(Part::Lifecycles.path_of(self.lifecycle.as_str())) { (self.lifecycle) } }
                    dt { "Budget" } dd { @match self.max_inject_tokens {
                        Some(tokens) => { (grouped(u64::from(tokens))) " tokens" }
                        None => { span.soft { "none" } }
                    } }
                    dt { "Searches" } dd { @if self.org_search_requires_explicit_scope { "look at the organisation only when asked to" } @else { "look at every scope it may" } }
                }
                p.below { a href=(preview) { "What its session would be given" } }
            }))
            (filter("inject", "What may be injected", &self.inject))
            (filter("search", "What a search may find", &self.search))
        }
    }

    fn another() -> Markup {
        written::another::<Self>(EXAMPLE)
    }

    fn change(view: &DefinitionView) -> Markup {
        written::change::<Self>(view)
    }
}

fn filter(id: &str, heading: &str, filter: &Filter) -> Markup {
    panel(
        id,
        heading,
        None,
        html! {
            dl.facts {
                dt { "Scopes" } dd { (words(&filter.include_scopes, "all")) }
                dt { "Not scopes" } dd { (words(&filter.exclude_scopes, "none")) }
                dt { "Types" } dd { (words(&filter.include_chunk_types, "all")) }
                dt { "Not types" } dd { (words(&filter.exclude_chunk_types, "none")) }
                dt { "Not keys" } dd { (words(&filter.exclude_query_keys, "none")) }
                dt { "Not keys that begin with" } dd { (words(&filter.exclude_query_key_prefixes, "none")) }
            }
        },
    )
}
