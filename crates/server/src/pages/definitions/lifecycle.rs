//! Lifecycles on their pages.

use maud::{Markup, html};
use windlass_domain::session::{InjectionRule, Lifecycle};
use windlass_ops::definition::DefinitionView;

use super::super::look::{address, panel};
use super::super::sessions::part::Part;
use super::{OnPages, words, written};

/// One to begin with.
const EXAMPLE: &str = "{\n  \"name\": \"Testing\",\n  \"ttl\": \"8h\",\n  \"required_steps\": [\"register_focus\"],\n  \"consolidation_threshold\": 5,\n  \"inject\": [{\"chunk_type\": \"convention\", \"owner\": \"shared\"}]\n}";

impl OnPages for Lifecycle {
    const PART: Part = Part::Lifecycles;
    const ABOUT: &'static str = "How long a session lasts, what is done in it, what is injected";

    fn facts(&self) -> Markup {
        let preview = address(Part::Preview.path(), &[("lifecycle", self.slug.as_str())]);
        let sessions = address(Part::Sessions.path(), &[("lifecycle", self.slug.as_str())]);
        html! {
            (panel("said", "How its sessions go", None, html! {
                dl.facts {
                    dt { "Lasts" } dd { (self.ttl) ", if nobody ends it" }
                    dt { "Before it writes" } dd { (words(&self.required_steps, "nothing is asked")) }
                    dt { "Decisions" } dd { "asked for from " (self.consolidation_threshold) " chunks on" }
                    dt { "Scopes" } dd { (words(&self.inject_scopes, "all")) }
                }
                p.line-up.below { a href=(sessions) { "Its sessions" } a href=(preview) { "What one would be given" } }
            }))
            (panel("rules", "What is injected", None, rules(self.inject.as_deref())))
        }
    }

    fn another() -> Markup {
        written::another::<Self>(EXAMPLE)
    }

    fn change(view: &DefinitionView) -> Markup {
        written::change::<Self>(view)
    }
}

fn rules(inject: Option<&[InjectionRule]>) -> Markup {
    html! {
        @match inject {
            None => { p { "What the audiences of the chunks say." } }
            Some([]) => { p { "Nothing." } }
            Some(rules) => { div.prose { ol { @for rule in rules { li { (rule) } } } } }
        }
    }
}
