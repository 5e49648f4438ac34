use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::*;
use crate::chunk::field_set;

fn chunk_type(slug: &str) -> ChunkType {
    chunk_types().into_iter().find(|known| known.slug.as_str() == slug).unwrap()
}

fn join(words: impl IntoIterator<Item = String>) -> String {
    words.into_iter().collect::<Vec<_>>().join(" ")
}

#[test]
fn everything_that_is_brought_along_passes_its_own_checks() {
    let types = chunk_types();
    for known in &types {
        assert!(known.slug.as_str().parse::<Slug>().is_ok(), "{}", known.slug);
        assert_eq!(known.clone().checked().map(|checked| checked.fields), Ok(known.fields.clone()));
    }
    for lifecycle in lifecycles() {
        assert!(lifecycle.slug.as_str().parse::<Slug>().is_ok(), "{}", lifecycle.slug);
        assert_eq!(lifecycle.clone().checked(&types), Ok(lifecycle));
    }
    for agent_type in agent_types() {
        assert!(agent_type.slug.as_str().parse::<Slug>().is_ok(), "{}", agent_type.slug);
        assert_eq!(agent_type.clone().checked(&lifecycles()), Ok(agent_type));
    }
}

#[test]
fn every_creator_is_an_agent_type() {
    let known: BTreeSet<Slug> = agent_types().into_iter().map(|known| known.slug).collect();
    for chunk_type in chunk_types() {
        assert!(chunk_type.creators.iter().all(|creator| known.contains(creator)));
    }
}

#[test]
fn hizals_twelve_types_have_their_scope_injection_and_consolidation() {
    let line = |known: &ChunkType| {
        let injected = if known.audience.rules.is_empty() { "none" } else { "all" };
        format!("{} {} {injected} {}", known.slug, known.scope, known.consolidation)
    };
    let lines: Vec<String> = chunk_types().iter().take(12).map(line).collect();
    assert_eq!(
        lines,
        [
            "identity agent all keep",
            "memory agent none surface",
            "knowledge project none keep",
            "convention project all keep",
            "principle org all keep",
            "decision project none keep",
            "research project none surface",
            "plan project none surface",
            "spec project none surface",
            "implementation project none surface",
            "constraint project all keep",
            "lesson project none surface",
        ]
    );
}

#[test]
fn c6_every_agent_type_has_its_lifecycle() {
    let known: BTreeSet<Slug> = lifecycles().into_iter().map(|known| known.slug).collect();
    let types = agent_types();
    assert!(types.iter().all(|agent_type| known.contains(&agent_type.lifecycle)));
    let pairs: Vec<String> =
        types.iter().map(|known| format!("{}/{}", known.slug, known.lifecycle)).collect();
    assert_eq!(
        pairs,
        [
            "dev/dev",
            "orchestrator/orchestrator",
            "admin/admin",
            "research/default",
            "dev_assistant/dev_assisting",
            "dev_orchestrator/dev_orchestration",
            "dev_researcher/dev_research",
            "dev_planner/dev_planning",
            "dev_coder/dev_coding",
            "dev_qa/dev_verification",
            "dev_delivery/dev_delivery",
            "dev_operations/dev_operations",
        ]
    );
}

#[test]
fn c7_one_slug_may_be_a_chunk_type_an_agent_type_and_a_lifecycle() {
    for slug in ["dev_research", "dev_verification"] {
        assert!(chunk_types().iter().any(|known| known.slug.as_str() == slug));
        assert!(lifecycles().iter().any(|known| known.slug.as_str() == slug));
    }
    assert!(agent_types().iter().any(|known| known.slug.as_str() == "dev_delivery"));
    assert!(lifecycles().iter().any(|known| known.slug.as_str() == "dev_delivery"));
}

#[test]
fn c13_c14_the_pipeline_has_ten_types_and_no_blocker() {
    let slugs: Vec<String> =
        chunk_types().iter().skip(12).map(|known| known.slug.to_string()).collect();
    assert_eq!(
        slugs,
        [
            "dev_spec",
            "dev_research",
            "dev_plan",
            "dev_implementation",
            "dev_verification",
            "dev_rejection",
            "dev_package",
            "dev_deployment",
            "dev_incident",
            "dev_rollback",
        ]
    );
}

#[test]
fn c15_each_type_of_the_pipeline_has_its_creators() {
    let line = |known: &ChunkType| {
        format!("{}: {}", known.slug, join(known.creators.iter().map(Slug::to_string)))
    };
    let lines: Vec<String> = chunk_types().iter().skip(12).map(line).collect();
    assert_eq!(
        lines,
        [
            "dev_spec: dev_assistant dev_researcher dev_operations",
            "dev_research: dev_researcher",
            "dev_plan: dev_planner",
            "dev_implementation: dev_coder",
            "dev_verification: dev_qa",
            "dev_rejection: dev_qa dev_delivery",
            "dev_package: dev_delivery",
            "dev_deployment: dev_delivery",
            "dev_incident: dev_operations",
            "dev_rollback: dev_operations",
        ]
    );
}

#[test]
fn c16_each_artifact_needs_its_headings() {
    let line = |known: &ChunkType| {
        let headings: Vec<&str> =
            known.template.headings.iter().map(|heading| heading.title.as_str()).collect();
        format!("{}: {}", known.slug, headings.join(", "))
    };
    let lines: Vec<String> = chunk_types().iter().skip(12).map(line).collect();
    assert_eq!(
        lines,
        [
            "dev_spec: ",
            "dev_research: What exists, What must change",
            "dev_plan: Phases, Acceptance criteria, Test coverage",
            "dev_implementation: Pull request, Changes, Files, Tests",
            "dev_verification: Criteria",
            "dev_rejection: What failed, Why, Root cause, Recommendation",
            "dev_package: Items, Specs, Pull request",
            "dev_deployment: Environment, Version, Time",
            "dev_incident: ",
            "dev_rollback: Deployment, Incident",
        ]
    );
}

#[test]
fn c19_a_spec_has_the_five_fields_of_the_seed() {
    let line = |field: &crate::chunk::Field| {
        let default = field.default.as_ref().map_or_else(String::new, Value::to_string);
        format!("{} {} {} {default}", field.name, field.kind, field.required)
    };
    let lines: Vec<String> = chunk_type("dev_spec").fields.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "status enum true \"new\"",
            "priority enum true \"medium\"",
            "blocked_reason text false ",
            "previous_status enum false ",
            "ticket_url url false ",
        ]
    );
    assert_eq!(chunk_type("dev_spec").fields[1].values, ["critical", "high", "medium", "low"]);
}

#[test]
fn c20_a_spec_without_fields_is_new_and_of_medium_priority() {
    let fields = chunk_type("dev_spec").fields;
    let stored = field_set::written(&fields, &Map::new()).unwrap();
    assert_eq!(
        Value::from(field_set::shown(&fields, &stored)),
        json!({
            "status": "new",
            "priority": "medium",
            "blocked_reason": null,
            "previous_status": null,
            "ticket_url": null,
        })
    );
}

#[test]
fn hizals_four_lifecycles_have_their_limits() {
    let line = |known: &Lifecycle| {
        let steps = join(known.required_steps.iter().map(ToString::to_string));
        let scopes = join(known.inject_scopes.iter().map(ToString::to_string));
        let threshold = known.consolidation_threshold;
        format!("{} {} [{steps}] {threshold} [{scopes}]", known.slug, known.ttl)
    };
    let lines: Vec<String> = lifecycles().iter().take(4).map(line).collect();
    assert_eq!(
        lines,
        [
            "default 8h [] 5 []",
            "dev 8h [register_focus] 3 []",
            "admin 4h [register_focus] 2 [agent org]",
            "orchestrator 1d [] 10 []",
        ]
    );
}

#[test]
fn c60_each_lifecycle_of_the_pipeline_injects_what_the_table_says() {
    let rules = |known: &Lifecycle| {
        let rules: Vec<String> = known.inject.iter().flatten().map(ToString::to_string).collect();
        format!("{}: {}", known.slug, rules.join("; "))
    };
    let lines: Vec<String> = lifecycles().iter().skip(4).map(rules).collect();
    assert_eq!(
        lines,
        [
            "dev_assisting: latest 1 memory of self; \
             dev_spec of any with status \"blocked\" aimed at it; \
             dev_package of any with state \"pending\" aimed at it",
            "dev_orchestration: latest 1 memory of self; principle of org; convention of project; \
             constraint of project",
            "dev_research: principle of org; convention of project; constraint of project",
            "dev_planning: principle of org; convention of project; constraint of project",
            "dev_coding: convention of project; constraint of project",
            "dev_verification: convention of project; constraint of project; \
             convention of shared tagged testing",
            "dev_delivery: convention of project; convention of shared tagged deployment",
            "dev_operations: convention of shared tagged infrastructure; \
             latest 3 dev_deployment of projects; \
             dev_incident of any with state \"active\" aimed at it",
        ]
    );
}
