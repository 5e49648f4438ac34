//! Hizal's four lifecycles, and the eight of the development pipeline with what each injects.

use super::MEMORY;
use crate::chunk::condition::Conditions;
use crate::chunk::{Scope, Slug};
use crate::duration::Span;
use crate::session::lifecycle::{RequiredStep, Whose};
use crate::session::{InjectionRule, Lifecycle};

/// Only the last memory is injected; the one before was taken into account when it was written.
const MEMORIES: u32 = 1;
/// Enough deployments to see what changed between them.
const DEPLOYMENTS: u32 = 3;

pub(super) fn general() -> Vec<Lifecycle> {
    let focused = vec![RequiredStep::RegisterFocus];
    vec![
        lifecycle("default", "Default", 8, 5),
        Lifecycle { required_steps: focused.clone(), ..lifecycle("dev", "Development", 8, 3) },
        Lifecycle {
            required_steps: focused,
            inject_scopes: vec![Scope::Agent, Scope::Org],
            ..lifecycle("admin", "Administration", 4, 2)
        },
        lifecycle("orchestrator", "Orchestration", 24, 10),
    ]
}

pub(super) fn pipeline() -> Vec<Lifecycle> {
    let principles = || rule("principle", Whose::Org);
    let conventions = || rule("convention", Whose::Project);
    let constraints = || rule("constraint", Whose::Project);
    let memory = || latest(MEMORIES, rule(MEMORY, Whose::Own));
    let tagged = |tag: &str| InjectionRule {
        tags: vec![tag.to_owned()],
        ..rule("convention", Whose::Shared)
    };
    vec![
        injecting(
            ("dev_assisting", "Assisting"),
            vec![
                memory(),
                aimed("dev_spec", "status", "blocked"),
                aimed("dev_package", "state", "pending"),
            ],
        ),
        injecting(
            ("dev_orchestration", "Orchestration"),
            vec![memory(), principles(), conventions(), constraints()],
        ),
        injecting(("dev_research", "Research"), vec![principles(), conventions(), constraints()]),
        injecting(("dev_planning", "Planning"), vec![principles(), conventions(), constraints()]),
        injecting(("dev_coding", "Coding"), vec![conventions(), constraints()]),
        injecting(
            ("dev_verification", "Verification"),
            vec![conventions(), constraints(), tagged("testing")],
        ),
        injecting(("dev_delivery", "Delivery"), vec![conventions(), tagged("deployment")]),
        injecting(
            ("dev_operations", "Operations"),
            vec![
                tagged("infrastructure"),
                latest(DEPLOYMENTS, rule("dev_deployment", Whose::Projects)),
                aimed("dev_incident", "state", "active"),
            ],
        ),
    ]
}

fn rule(chunk_type: &'static str, owner: Whose) -> InjectionRule {
    InjectionRule::new(Slug::known(chunk_type), owner)
}

fn latest(count: u32, rule: InjectionRule) -> InjectionRule {
    InjectionRule { latest: Some(count), ..rule }
}

/// Chunks of every project that mean the session, as long as they are in a state.
fn aimed(chunk_type: &'static str, field: &str, value: &str) -> InjectionRule {
    let rule = rule(chunk_type, Whose::Any);
    InjectionRule { aimed: true, fields: Conditions::is(field, value), ..rule }
}

/// The pipeline says nothing of how long a sitting lasts; it is that of the default lifecycle.
fn injecting((slug, name): (&'static str, &str), rules: Vec<InjectionRule>) -> Lifecycle {
    Lifecycle { inject: Some(rules), ..lifecycle(slug, name, 8, 5) }
}

fn lifecycle(slug: &'static str, name: &str, hours: i64, threshold: u32) -> Lifecycle {
    Lifecycle {
        slug: Slug::known(slug),
        name: name.to_owned(),
        description: None,
        ttl: Span::from_millis(hours * 60 * 60 * 1_000),
        required_steps: Vec::new(),
        consolidation_threshold: threshold,
        inject_scopes: Vec::new(),
        inject: None,
        hidden: false,
    }
}
