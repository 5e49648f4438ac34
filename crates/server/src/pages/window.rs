//! How far back a page looks, chosen by tabs.

use maud::{Markup, html};

use super::Visit;
use super::form::Form;
use super::layout::Section;
use super::look::address;

/// The windows that are offered, and how they are called.
const OFFERED: [(&str, &str); 6] = [
    ("1h", "1 hour"),
    ("8h", "8 hours"),
    ("24h", "24 hours"),
    ("7d", "7 days"),
    ("30d", "30 days"),
    ("365d", "1 year"),
];

/// The window of a page: what its address says, which may be any that an operation takes.
#[derive(Debug, Clone)]
pub(super) struct Window(pub(super) String);

impl Window {
    pub(super) fn of(query: &Form, usual: &str) -> Self {
        let given = query.first("window").filter(|window| !window.is_empty());
        Self(given.unwrap_or(usual).to_owned())
    }

    /// How it is called: `24 hours`.
    pub(super) fn name(&self) -> &str {
        let offered = OFFERED.iter().find(|(window, _)| *window == self.0);
        offered.map_or(self.0.as_str(), |(_, name)| name)
    }

    /// The tabs; what else was chosen stays.
    pub(super) fn tabs(&self, visit: &Visit, section: Section, more: &[(&str, &str)]) -> Markup {
        let project = visit.project.as_deref().unwrap_or_default();
        let path = |window: &str| {
            let mut query = vec![("project", project), ("window", window)];
            query.extend_from_slice(more);
            address(section.path(), &query)
        };
        html! {
            nav.tabs aria-label="How far back" {
                @for (window, name) in OFFERED {
                    a href=(path(window)) aria-current=[(window == self.0).then_some("page")] { (name) }
                }
            }
        }
    }
}
