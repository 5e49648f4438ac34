//! Every decision about a chunk that its asker may not know of answers as if it were not there.

use super::scene::{agent, by, minute, owned, plain, project};
use crate::chunk::access::{Act, Reader, not_found};
use crate::chunk::chunk_type::tests::note;
use crate::chunk::link::{End, link, unlink};
use crate::chunk::promote::promote;
use crate::chunk::review::{Action, Review, dismiss, review};
use crate::chunk::update::{Revision, update};
use crate::chunk::write::{Draft, Taken, write};
use crate::chunk::{Chunk, Owner, keep};
use crate::event::ChunkEvent;
use crate::{Code, Refusal};

/// What every decision says to somebody.
fn decided(chunk: &Chunk, reader: &Reader) -> Vec<Result<Vec<ChunkEvent>, Refusal>> {
    let other = plain(200);
    let own = Chunk { owner: Owner::Agent(reader.name.clone()), ..plain(201) };
    let end = End::Chunk(other.id);
    let marks = Review {
        usefulness: 3,
        correctness: 3,
        action: Action::Useful,
        task: None,
        usefulness_note: None,
        correctness_note: None,
    };
    vec![
        reader.admit(Act::Read, chunk).map(|()| Vec::new()),
        reader.admit(Act::Search, chunk).map(|()| Vec::new()),
        reader.admit(Act::Inject, chunk).map(|()| Vec::new()),
        update(chunk, &Revision::default(), &note(), reader, by(&reader.name)),
        keep::pin(chunk, reader),
        keep::unpin(chunk, reader),
        keep::expire(chunk, Some(minute(1)), reader),
        keep::supersede(chunk, &other, "x", reader),
        keep::supersede(&own, chunk, "x", reader),
        keep::delete(chunk, &keep::Dependents::default(), None, reader),
        link(chunk, &end, Some(&other), "x", reader),
        link(&other, &End::Chunk(chunk.id), Some(chunk), "x", reader),
        unlink(chunk, &end, "x", reader),
        review(chunk, marks, reader),
        dismiss(chunk, reader),
        promote(chunk, Owner::Org, &note(), &Taken::default(), reader, by(&reader.name)),
    ]
}

#[test]
fn another_agents_memory_is_not_there_for_any_decision() {
    let private = owned(1, Owner::Agent("w1".into()), &Draft::new("Secret", "mine"));
    for (at, answer) in decided(&private, &agent("w2")).into_iter().enumerate() {
        assert_eq!(answer.unwrap_err(), not_found(&private.id.to_string()), "decision {at}");
    }
    for (at, answer) in decided(&private, &agent("w1")).into_iter().enumerate() {
        assert!(answer.is_ok(), "decision {at}");
    }
}

#[test]
fn another_projects_chunk_is_not_there_for_any_decision() {
    let bound = Reader { projects: vec![project(2)], ..agent("w2") };
    let chunk = plain(1);
    let hidden = not_found(&chunk.id.to_string());
    let answers = decided(&chunk, &bound);
    let hiding = answers.iter().filter(|answer| answer.as_ref().unwrap_err() == &hidden).count();
    // Where the other end of a link is asked for first, that one is not there.
    assert_eq!(hiding, answers.len() - 1);
}

#[test]
fn nothing_is_written_for_another_agent_or_project() {
    let bound = Reader { projects: vec![project(2)], ..agent("w2") };
    for owner in [Owner::Agent("w1".into()), Owner::Project(project(1)), Owner::Org] {
        let draft = Draft::new("Odd", "x");
        let refusal =
            write(&draft, &note(), owner.clone(), &Taken::default(), &bound, by("w2")).unwrap_err();
        assert_eq!(refusal.code, Code::NotAllowed, "{owner}");
    }
}
