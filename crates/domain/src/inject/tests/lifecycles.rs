use super::scene::{aimed, chunk, elsewhere, here, mine, sitting, store, tagged, with};
use crate::chunk::tests::scene::project;
use crate::chunk::{Chunk, Owner, Slug};
use crate::session::Lifecycle;

/// What an agent of a type is given of the whole store.
fn given(agent_type: &str) -> Vec<String> {
    sitting(agent_type, Some(project(1))).given(&store())
}

#[test]
fn c60_the_assistant_is_given_its_last_memory_and_what_is_aimed_at_it() {
    let expected = ["my identity", "last memory", "blocked spec", "pending package"];
    assert_eq!(given("dev_assistant"), expected);
}

#[test]
fn c60_the_orchestrator_is_given_memory_principles_conventions_and_constraints() {
    let expected = ["my identity", "last memory", "principle", "convention", "constraint"];
    assert_eq!(given("dev_orchestrator"), expected);
}

#[test]
fn c60_researcher_and_planner_are_given_principles_conventions_and_constraints() {
    let expected = ["my identity", "principle", "convention", "constraint"];
    assert_eq!(given("dev_researcher"), expected);
    assert_eq!(given("dev_planner"), expected);
}

#[test]
fn c61_c62_the_coder_is_given_no_principles_memories_specs_or_plans() {
    assert_eq!(given("dev_coder"), ["my identity", "convention", "constraint"]);
}

#[test]
fn c60_qa_is_given_the_testing_standards_too() {
    let expected = ["my identity", "convention", "constraint", "testing standard"];
    assert_eq!(given("dev_qa"), expected);
}

#[test]
fn c60_delivery_is_given_conventions_and_deployment_procedures() {
    assert_eq!(given("dev_delivery"), ["my identity", "convention", "deployment procedure"]);
}

#[test]
fn c60_operations_is_given_infrastructure_the_last_deployments_and_active_incidents() {
    let expected = [
        "my identity",
        "infrastructure convention",
        "deployment 4",
        "deployment 3",
        "deployment 2",
        "active incident",
    ];
    assert_eq!(given("dev_operations"), expected);
}

#[test]
fn c60_operations_of_the_whole_organisation_are_given_the_last_deployments_of_each_project() {
    let deployment = |number, owner, title: &str| chunk(number, "dev_deployment", owner, title);
    let chunks: Vec<Chunk> = (1..)
        .zip(["api 1", "api 2", "api 3", "api 4"])
        .map(|(number, title)| deployment(number, here(), title))
        .chain([deployment(5, elsewhere(), "web 1")])
        .collect();
    let mut operations = sitting("dev_operations", None);
    assert_eq!(operations.given(&chunks), ["web 1", "api 4", "api 3", "api 2"]);
    operations.reader.projects = vec![project(2)];
    assert_eq!(operations.given(&chunks), ["web 1"]);
}

#[test]
fn c60_operations_of_a_project_are_given_the_deployments_of_that_project() {
    let deployments = [
        chunk(1, "dev_deployment", here(), "api 1"),
        chunk(2, "dev_deployment", elsewhere(), "web 1"),
    ];
    assert_eq!(sitting("dev_operations", Some(project(1))).given(&deployments), ["api 1"]);
}

#[test]
fn c63_c64_a_newer_memory_displaces_the_last_one_by_itself() {
    let orchestrator = sitting("dev_orchestrator", Some(project(1)));
    let mut chunks = vec![chunk(1, "memory", mine(), "first")];
    assert_eq!(orchestrator.given(&chunks), ["first"]);
    chunks.push(chunk(2, "memory", mine(), "second"));
    assert_eq!(orchestrator.given(&chunks), ["second"]);
}

#[test]
fn c63_an_old_memory_that_is_edited_does_not_displace_the_newest() {
    let edited = Chunk { version: 9, ..chunk(1, "memory", mine(), "edited") };
    let chunks = [edited, chunk(2, "memory", mine(), "newest")];
    assert_eq!(sitting("dev_orchestrator", None).given(&chunks), ["newest"]);
}

#[test]
fn c63_a_pinned_memory_is_not_the_newest_for_that() {
    let pinned = Chunk { pinned: true, ..chunk(1, "memory", mine(), "pinned") };
    let chunks = [pinned, chunk(2, "memory", mine(), "newest")];
    assert_eq!(sitting("dev_orchestrator", None).given(&chunks), ["newest"]);
}

#[test]
fn c63_the_latest_none_is_none() {
    let mut none = sitting("dev_orchestrator", None);
    none.lifecycle.inject.as_mut().unwrap()[0].latest = Some(0);
    assert!(none.given(&[chunk(1, "memory", mine(), "first")]).is_empty());
}

#[test]
fn c65_a_spec_is_given_to_the_assistant_only_while_it_is_blocked() {
    let assistant = sitting("dev_assistant", None);
    let spec = aimed(chunk(1, "dev_spec", here(), "spec"), "dev_assistant");
    assert_eq!(assistant.given(&[with(spec.clone(), "status", "blocked")]), ["spec"]);
    assert!(assistant.given(&[with(spec, "status", "planned")]).is_empty());
}

#[test]
fn c66_the_assistant_is_given_chunks_of_projects_although_it_sits_in_none() {
    let expected = ["my identity", "last memory", "blocked spec", "pending package"];
    assert_eq!(sitting("dev_assistant", None).given(&store()), expected);
}

#[test]
fn c66_of_projects_that_the_assistant_may_not_read_it_is_given_nothing() {
    let mut bound = sitting("dev_assistant", None);
    bound.reader.projects = vec![project(1)];
    assert_eq!(bound.given(&store()), ["my identity", "last memory"]);
}

#[test]
fn c67_what_comes_while_a_session_is_open_is_given_once() {
    let operations = sitting("dev_operations", Some(project(1)));
    let mut chunks = vec![chunk(1, "identity", mine(), "identity")];
    let first = operations.injection(&chunks);
    let had: Vec<_> = first.chunks.iter().map(|injected| injected.chunk).collect();
    chunks.push(chunk(2, "dev_incident", elsewhere(), "incident"));
    let pending = operations.injection(&chunks).beyond(&had);
    assert_eq!(pending.chunks.len(), 1);
    assert_eq!(pending.chunks[0].chunk, chunks[1].id);
}

#[test]
fn c68_every_chunk_comes_with_its_version_and_the_rule_that_chose_it() {
    let injection = sitting("dev_assistant", None).injection(&store());
    let rules: Vec<(u32, &str)> = injection
        .chunks
        .iter()
        .map(|injected| (injected.version, injected.rule.as_str()))
        .collect();
    assert_eq!(
        rules,
        [
            (1, "identity of self"),
            (1, "latest 1 memory of self"),
            (1, "dev_spec of any with status \"blocked\" aimed at it"),
            (1, "dev_package of any with state \"pending\" aimed at it"),
        ]
    );
}

#[test]
fn c12_a_lifecycle_that_somebody_added_narrows_what_is_given() {
    let mut coder = sitting("dev_coder", Some(project(1)));
    let rules = coder.lifecycle.inject.take().unwrap();
    let slug: Slug = "night_shift".parse().unwrap();
    coder.lifecycle = Lifecycle { slug, inject: Some(rules[1..].to_vec()), ..coder.lifecycle };
    assert_eq!(coder.given(&store()), ["my identity", "constraint"]);
}

#[test]
fn a_chunk_that_says_for_whom_it_is_goes_to_nobody_else() {
    let convention = chunk(1, "convention", here(), "for qa");
    let chunks = [aimed(convention, "dev_qa")];
    assert!(sitting("dev_coder", Some(project(1))).given(&chunks).is_empty());
    assert_eq!(sitting("dev_qa", Some(project(1))).given(&chunks), ["for qa"]);
}

#[test]
fn a_tag_that_is_not_reserved_keeps_a_convention_where_it_was() {
    let chunks = [tagged(chunk(1, "convention", here(), "style"), "rust")];
    assert_eq!(sitting("dev_coder", Some(project(1))).given(&chunks), ["style"]);
}

#[test]
fn an_infrastructure_convention_of_everybody_reaches_operations_without_a_project() {
    let chunks = [tagged(chunk(1, "convention", Owner::Org, "network"), "infrastructure")];
    assert_eq!(sitting("dev_operations", None).given(&chunks), ["network"]);
}
