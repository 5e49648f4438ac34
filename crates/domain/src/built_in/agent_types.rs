//! Hizal's four agent types, and the eight of the development pipeline.

use super::{IDENTITY, slugs};
use crate::chunk::{Scope, Slug};
use crate::session::{AgentType, Filter};

pub(super) fn general() -> Vec<AgentType> {
    let own_and_org = vec![Scope::Agent, Scope::Org];
    let shown =
        |types: &[&'static str]| Filter { include_chunk_types: slugs(types), ..Filter::default() };
    let worked_with =
        shown(&["knowledge", "convention", IDENTITY, "principle", "decision", "constraint"]);
    let admin = Filter {
        include_scopes: own_and_org.clone(),
        ..shown(&["knowledge", IDENTITY, "principle"])
    };
    vec![
        AgentType { inject: worked_with.clone(), ..agent_type("dev", "Developer", "dev") },
        AgentType {
            inject: worked_with,
            ..agent_type("orchestrator", "Orchestrator", "orchestrator")
        },
        AgentType {
            inject: admin,
            search: Filter { include_scopes: own_and_org, ..Filter::default() },
            ..agent_type("admin", "Administrator", "admin")
        },
        AgentType { inject: shown(&[IDENTITY]), ..agent_type("research", "Researcher", "default") },
    ]
}

/// What these are given is said by their lifecycles.
pub(super) fn pipeline() -> Vec<AgentType> {
    vec![
        agent_type("dev_assistant", "Assistant", "dev_assisting"),
        agent_type("dev_orchestrator", "Orchestrator", "dev_orchestration"),
        agent_type("dev_researcher", "Researcher", "dev_research"),
        agent_type("dev_planner", "Planner", "dev_planning"),
        agent_type("dev_coder", "Coder", "dev_coding"),
        agent_type("dev_qa", "QA", "dev_verification"),
        agent_type("dev_delivery", "Delivery", "dev_delivery"),
        agent_type("dev_operations", "Operations", "dev_operations"),
    ]
}

fn agent_type(slug: &'static str, name: &str, lifecycle: &'static str) -> AgentType {
    AgentType {
        slug: Slug::known(slug),
        name: name.to_owned(),
        description: None,
        lifecycle: Slug::known(lifecycle),
        inject: Filter::default(),
        search: Filter::default(),
        org_search_requires_explicit_scope: false,
        max_inject_tokens: None,
        hidden: false,
    }
}
