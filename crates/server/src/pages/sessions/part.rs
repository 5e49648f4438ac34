//! The way between the pages about what agents are given: sessions, reviews, the preview, and what
//! people define.

use maud::{Markup, html};

use super::super::Visit;

/// A page that is reached from that of the sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pages) enum Part {
    Sessions,
    Inbox,
    Preview,
    ChunkTypes,
    AgentTypes,
    Lifecycles,
}

impl Part {
    const ALL: [Self; 6] = [
        Self::Sessions,
        Self::Inbox,
        Self::Preview,
        Self::ChunkTypes,
        Self::AgentTypes,
        Self::Lifecycles,
    ];

    pub(in crate::pages) const fn name(self) -> &'static str {
        match self {
            Self::Sessions => "Sessions",
            Self::Inbox => "Inbox",
            Self::Preview => "Injection preview",
            Self::ChunkTypes => "Chunk types",
            Self::AgentTypes => "Agent types",
            Self::Lifecycles => "Lifecycles",
        }
    }

    pub(in crate::pages) const fn path(self) -> &'static str {
        match self {
            Self::Sessions => "/sessions",
            Self::Inbox => "/inbox",
            Self::Preview => "/inject",
            Self::ChunkTypes => "/types",
            Self::AgentTypes => "/agent-types",
            Self::Lifecycles => "/lifecycles",
        }
    }

    /// The page of one thing there.
    pub(in crate::pages) fn path_of(self, name: &str) -> String {
        format!("{}/{name}", self.path())
    }

    /// The heading of its page, with the way to the others.
    pub(in crate::pages) fn head(self, visit: &Visit) -> Markup {
        html! {
            (self.tabs(visit))
            div.head { h1 { (self.name()) } }
        }
    }

    pub(in crate::pages) fn tabs(self, visit: &Visit) -> Markup {
        html! {
            nav.tabs.parts aria-label="What agents are given" {
                @for part in Self::ALL {
                    a href=(visit.with_project(part.path()))
                        aria-current=[(part == self).then_some("page")] { (part.name()) }
                }
            }
        }
    }
}
