use super::scene::{after, agent, by, owned, plain, project};
use crate::chunk::chunk_type::tests::note;
use crate::chunk::promote::promote;
use crate::chunk::write::{Draft, Taken};
use crate::chunk::{Chunk, ChunkType, Owner, QueryKey};
use crate::{ChunkId, Code, TaskId};

fn knowledge() -> ChunkType {
    ChunkType { slug: "knowledge".parse().unwrap(), fields: Vec::new(), ..note() }
}

fn private() -> Chunk {
    owned(1, Owner::Agent("w1".into()), &Draft::new("Rate limits", "60 a minute"))
}

#[test]
fn a_memory_becomes_knowledge_of_the_project() {
    let chunk = private();
    let owner = Owner::Project(project(1));
    let decided =
        promote(&chunk, owner.clone(), &knowledge(), &Taken::default(), &agent("w1"), by("w1"));
    let promoted = after(&chunk, decided);
    assert_eq!((promoted.owner, promoted.version), (owner, 2));
    assert_eq!(promoted.chunk_type.as_str(), "knowledge");
    assert!(promoted.fields.is_empty());
}

#[test]
fn a_promoted_chunk_gets_another_key_where_its_own_is_taken() {
    let chunk = private();
    let instead = QueryKey::parse("rate-limits-2").ok();
    let taken = Taken { by: Some(ChunkId::from_bytes([9; 16])), instead };
    let decided = promote(&chunk, Owner::Org, &note(), &taken, &agent("w1"), by("w1"));
    assert_eq!(after(&chunk, decided).query_key.as_str(), "rate-limits-2");
}

#[test]
fn a_chunk_is_promoted_only_to_a_wider_scope() {
    for owner in [Owner::Agent("w1".into()), Owner::Project(project(2))] {
        let refusal = promote(&plain(1), owner, &note(), &Taken::default(), &agent("w1"), by("w1"))
            .unwrap_err();
        assert_eq!(refusal.code, Code::InvalidValue);
    }
}

#[test]
fn c15_a_chunk_does_not_become_what_its_promoter_may_not_create() {
    let limited = ChunkType { creators: vec!["dev_planner".parse().unwrap()], ..note() };
    let decided =
        promote(&private(), Owner::Org, &limited, &Taken::default(), &agent("w1"), by("w1"));
    assert_eq!(decided.unwrap_err().code, Code::NotAllowed);
}

#[test]
fn what_another_agent_keeps_for_itself_is_not_promoted() {
    let decided =
        promote(&private(), Owner::Org, &note(), &Taken::default(), &agent("w2"), by("w2"));
    assert_eq!(decided.unwrap_err().code, Code::ChunkNotFound);
}

#[test]
fn a_spec_is_neither_made_of_another_chunk_nor_becomes_one() {
    let types = crate::built_in::chunk_types();
    let spec = types.iter().find(|known| known.slug.as_str() == "dev_spec").unwrap();
    let into_spec = (private(), spec.clone());
    let of_spec = (Chunk { task: Some(TaskId::from_bytes([3; 16])), ..private() }, note());
    for (chunk, into) in [into_spec, of_spec] {
        let owner = Owner::Project(project(1));
        let decided = promote(&chunk, owner, &into, &Taken::default(), &agent("w1"), by("w1"));
        assert_eq!(decided.unwrap_err().message, "a spec is written, and stays what it is");
    }
}
