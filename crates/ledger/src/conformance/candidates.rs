//! What a session is given of the chunks that it could be given is what it is given of all.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use windlass_domain::built_in;
use windlass_domain::chunk::access::{Reader, Standing};
use windlass_domain::chunk::audience::{Audience, Listener};
use windlass_domain::chunk::condition::Conditions;
use windlass_domain::chunk::{Chunk, ChunkType, Owner, Scope, Slug};
use windlass_domain::definition::known;
use windlass_domain::event::ProjectCreated;
use windlass_domain::inject::{Asked, Injection, inject};
use windlass_domain::session::agent_type::Filter;
use windlass_domain::session::lifecycle::Whose;
use windlass_domain::session::{AgentType, InjectionRule, Lifecycle};

use super::chunk_scene::{define, made, make, project, report, slug, some_tags, write, written};
use super::{Bed, on_both};
use crate::Clock as _;

on_both! {
    c59_a_session_is_given_the_same_of_its_candidates_as_of_all_chunks
    of_many_memories_few_are_read_for_the_latest
    what_is_aimed_at_somebody_is_found_among_many_that_are_not
    what_is_aimed_at_others_is_not_looked_at
}

/// A sitting of an agent.
#[derive(Debug, Clone)]
struct Sitting {
    listener: Listener,
    reader: Reader,
    lifecycle: Lifecycle,
    agent_type: Option<AgentType>,
    budget_tokens: Option<u32>,
}

/// A sitting of `me` in project 1, under a lifecycle that is brought along.
fn sitting(lifecycle: &str) -> Sitting {
    let lifecycle =
        built_in::lifecycles().into_iter().find(|known| known.slug == slug(lifecycle)).unwrap();
    Sitting {
        listener: Listener {
            agent: "me".into(),
            agent_type: Some(slug("dev_assistant")),
            agent_tags: vec!["fast".into()],
            project: Some(project(1)),
            org: "acme".into(),
            lifecycle: lifecycle.slug.clone(),
            focus_tags: vec!["rust".into()],
        },
        reader: Reader { name: "me".into(), standing: Standing::Agent(None), projects: Vec::new() },
        lifecycle,
        agent_type: None,
        budget_tokens: None,
    }
}

/// What a sitting could be given, and what it is given of that.
fn given(bed: &mut Bed, sitting: &Sitting, types: &[ChunkType]) -> (Vec<Chunk>, Injection) {
    let now = bed.clock.now();
    let asked = sitting.asked(now);
    let candidates =
        bed.ledger.read(|snapshot| Ok(snapshot.injection_candidates(types, &asked)?)).unwrap();
    let injection = inject(&candidates, types, &asked);
    (candidates, injection)
}

impl Sitting {
    fn asked(&self, now: windlass_domain::Time) -> Asked<'_> {
        Asked {
            listener: &self.listener,
            reader: &self.reader,
            lifecycle: &self.lifecycle,
            agent_type: self.agent_type.as_ref(),
            budget_tokens: self.budget_tokens,
            now,
        }
    }
}

/// What a rule of an audience asks of a session, some of it of this one.
fn asks() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!({"all": true}),
        json!({"agent_types": ["dev_assistant"]}),
        json!({"agent_types": ["dev_coder"]}),
        json!({"agent_ids": ["me", "other"]}),
        json!({"project_ids": [project(2)]}),
        json!({"focus_tags": ["rust", "sql"]}),
        json!({"org_ids": ["acme"]}),
        json!({"org_ids": ["acme"], "agent_tags": ["fast"]}),
        json!({"lifecycle_types": ["default"], "focus_tags": ["rust"]}),
        json!({"agent_ids": ["me"], "agent_types": ["dev_coder"]}),
    ])
}

/// An audience whose rules have one of these conditions on the status, and one of these counts.
fn audience(
    statuses: &'static [Option<&'static str>],
    latests: &'static [Option<u32>],
) -> impl Strategy<Value = Audience> {
    let (status, latest) = (prop::sample::select(statuses), prop::sample::select(latests));
    let rule = (asks(), status, latest).prop_map(|(mut rule, status, latest)| {
        if let Some(status) = status {
            rule["fields"] = json!({"status": status});
        }
        if let Some(latest) = latest {
            rule["latest"] = json!(latest);
        }
        rule
    });
    prop::collection::vec(rule, 0..=2)
        .prop_map(|rules| Audience::read(&json!({"rules": rules})).unwrap())
}

const LATESTS: &[Option<u32>] = &[None, None, Some(0), Some(1), Some(2), Some(3)];

/// Every type there is, some of them with made-up audiences.
fn types() -> impl Strategy<Value = Vec<ChunkType>> {
    (
        audience(&[None, Some("new"), Some("done")], LATESTS),
        audience(&[None], LATESTS),
        audience(&[None], LATESTS),
    )
        .prop_map(|(of_reports, of_conventions, of_memories)| {
            let brought_along = |name: &str, audience| {
                let types = built_in::chunk_types().into_iter();
                let found = types.into_iter().find(|known| known.slug == slug(name)).unwrap();
                ChunkType { audience, ..found }
            };
            let added = vec![
                ChunkType { audience: of_reports, ..report() },
                brought_along("convention", of_conventions),
                brought_along("memory", of_memories),
            ];
            known(built_in::chunk_types(), added)
        })
}

fn rule() -> impl Strategy<Value = InjectionRule> {
    let types = prop::sample::select(vec!["report", "report", "convention", "memory", "identity"]);
    let owners = prop::sample::select(Whose::ALL.to_vec());
    let fields = prop::sample::select(vec![
        json!({}),
        json!({"status": ["new", "seen"]}),
        json!({"urgent": null}),
        json!({"parts": ["hull", "mast"]}),
        json!({"raw": null, "cost": 20}),
    ]);
    let latest = prop::option::of(0..=3_u32);
    (types, owners, some_tags(), fields, latest, any::<bool>()).prop_map(
        |(chunk_type, owner, tags, fields, latest, aimed)| {
            let fields = if chunk_type == "report" { fields } else { json!({}) };
            InjectionRule {
                tags,
                fields: Conditions::read(&fields).unwrap(),
                latest,
                aimed: aimed || owner == Whose::Any,
                ..InjectionRule::new(slug(chunk_type), owner)
            }
        },
    )
}

fn filter() -> impl Strategy<Value = Filter> {
    let types: Vec<Slug> = ["report", "convention", "identity"].map(slug).to_vec();
    let some = |most: usize| prop::sample::subsequence(types.clone(), 0..=most);
    let keys = prop::sample::select(vec![Vec::new(), vec!["seventh".to_owned()]]);
    (some(3), some(1), prop::sample::subsequence(Scope::ALL.to_vec(), 0..=1), keys).prop_map(
        |(include_chunk_types, exclude_chunk_types, exclude_scopes, exclude_query_key_prefixes)| {
            Filter {
                include_chunk_types,
                exclude_chunk_types,
                exclude_scopes,
                exclude_query_key_prefixes,
                ..Filter::default()
            }
        },
    )
}

fn sittings() -> impl Strategy<Value = Sitting> {
    let rules = prop::option::weighted(0.7, prop::collection::vec(rule(), 1..=3));
    let scopes = prop::sample::subsequence(Scope::ALL.to_vec(), 0..=3);
    let agent_type = prop::option::weighted(0.3, filter());
    let projects = prop::sample::select(vec![vec![], vec![project(1)]]);
    let sits_in = prop::sample::select(vec![None, Some(project(1)), Some(project(2))]);
    let budget = prop::option::weighted(0.3, 0..60_u32);
    (rules, scopes, agent_type, projects, sits_in, budget).prop_map(
        |(inject, inject_scopes, filter, projects, project, budget_tokens)| {
            let usual = sitting("default");
            let of_type = built_in::agent_types().swap_remove(0);
            Sitting {
                listener: Listener { project, ..usual.listener },
                reader: Reader { projects, ..usual.reader },
                lifecycle: Lifecycle { inject, inject_scopes, ..usual.lifecycle },
                agent_type: filter.map(|inject| AgentType { inject, ..of_type }),
                budget_tokens,
            }
        },
    )
}

fn c59_a_session_is_given_the_same_of_its_candidates_as_of_all_chunks(bed: &mut Bed) {
    define(bed, &report());
    for number in [1, 2] {
        let name = format!("project-{number}");
        let data = ProjectCreated { name, description: None, repo: None, protected: false };
        bed.write(|tx| tx.create(project(number), data.clone())).unwrap();
    }
    let audiences = prop::option::weighted(0.3, audience(&[None], &[None]));
    let all = prop::collection::vec(made(audiences), 150);
    let all = all.new_tree(&mut TestRunner::default()).unwrap().current();
    let chunks = make(bed, &all);
    let now = bed.clock.now();
    let bed = std::cell::RefCell::new(bed);
    let config = ProptestConfig { cases: 250, failure_persistence: None, ..Default::default() };
    TestRunner::new(config)
        .run(&(sittings(), types()), |(sitting, types)| {
            let (_, found) = given(&mut bed.borrow_mut(), &sitting, &types);
            prop_assert_eq!(found, inject(&chunks, &types, &sitting.asked(now)));
            Ok(())
        })
        .unwrap();
}

fn of_many_memories_few_are_read_for_the_latest(bed: &mut Bed) {
    for number in 0..100 {
        write(bed, &written("memory", Owner::Agent("me".into()), &format!("memory-{number}")));
    }
    let types = built_in::chunk_types();
    let (candidates, injection) = given(bed, &sitting("dev_orchestration"), &types);
    let newest = candidates.last().unwrap();
    assert_eq!(newest.query_key.as_str(), "memory-99");
    let given: Vec<_> = injection.chunks.iter().map(|injected| injected.chunk).collect();
    assert_eq!(given, [newest.id]);
    assert_eq!(candidates.len(), 1);
}

fn what_is_aimed_at_somebody_is_found_among_many_that_are_not(bed: &mut Bed) {
    let mut event = written("dev_spec", Owner::Project(project(2)), "aimed");
    event.fields.insert("status".into(), json!("blocked"));
    event.audience =
        Some(Audience::read(&json!({"rules": [{"agent_types": ["dev_assistant"]}]})).unwrap());
    let aimed = write(bed, &event);
    for number in 0..50 {
        event.query_key = format!("other-{number}").try_into().unwrap();
        event.audience = None;
        write(bed, &event);
    }
    let types = built_in::chunk_types();
    let (candidates, injection) = given(bed, &sitting("dev_assisting"), &types);
    assert_eq!(candidates, [aimed]);
    assert_eq!(injection.chunks.len(), 1);
}

fn what_is_aimed_at_others_is_not_looked_at(bed: &mut Bed) {
    let mut aimed_at = |key: &str, owner: Owner, rule: Value| {
        let mut event = written("knowledge", owner, key);
        event.audience = Some(Audience::read(&json!({"rules": [rule]})).unwrap());
        write(bed, &event)
    };
    let elsewhere = || Owner::Project(project(2));
    let mine = aimed_at("mine", elsewhere(), json!({"agent_ids": ["me"]}));
    let near = aimed_at("near", Owner::Project(project(1)), json!({"all": true}));
    aimed_at("far", elsewhere(), json!({"all": true}));
    aimed_at("theirs", elsewhere(), json!({"agent_ids": ["other"]}));
    aimed_at("else", elsewhere(), json!({"focus_tags": ["rust"], "agent_ids": ["other"]}));
    let types = built_in::chunk_types();
    let (candidates, injection) = given(bed, &sitting("default"), &types);
    assert_eq!(candidates, [mine, near]);
    assert_eq!(injection.chunks.len(), 2);
}
