use super::scene::{after, agent, owned, plain};
use crate::chunk::Owner;
use crate::chunk::link::{End, link, unlink};
use crate::chunk::write::Draft;
use crate::{Code, RunKey, TaskId};

#[test]
fn c53_a_link_without_a_reason_is_refused() {
    let to = plain(2);
    for reason in ["", " \t"] {
        let refusal =
            link(&plain(1), &End::Chunk(to.id), Some(&to), reason, &agent("w1")).unwrap_err();
        assert_eq!(refusal.code, Code::ReasonRequired);
    }
}

#[test]
fn c55_the_same_link_twice_is_one() {
    let (from, to) = (plain(1), plain(2));
    let end = End::Chunk(to.id);
    let from = after(&from, link(&from, &end, Some(&to), "Plan for this spec", &agent("w1")));
    assert_eq!(from.links.len(), 1);
    let again = link(&from, &end, Some(&to), " Plan for this spec ", &agent("w2"));
    assert!(again.unwrap().is_empty());
    let other = after(&from, link(&from, &end, Some(&to), "supersedes", &agent("w1")));
    assert_eq!(other.links.len(), 2);
}

#[test]
fn c55_a_chunk_is_not_linked_to_itself() {
    let chunk = plain(1);
    let refusal = link(&chunk, &End::Chunk(chunk.id), Some(&chunk), "x", &agent("w1")).unwrap_err();
    assert_eq!(refusal.message, "a chunk cannot be linked to itself");
}

#[test]
fn a_link_can_end_at_a_task_a_run_or_a_commit() {
    let ends = [
        End::Task(TaskId::from_bytes([3; 16])),
        End::Run(RunKey::from_bytes([4; 16])),
        End::Commit("0a1b2c3".into()),
    ];
    for end in ends {
        assert_eq!(End::parse(&end.to_string()).as_ref(), Ok(&end));
        assert_eq!(link(&plain(1), &end, None, "made there", &agent("w1")).unwrap().len(), 1);
    }
}

#[test]
fn what_no_link_can_end_at_is_refused() {
    for given in ["", "chunk", "chunk:x", "commit:zz", "commit:abc", "file:a", "task:"] {
        assert!(End::parse(given).is_err(), "{given}");
    }
}

#[test]
fn to_unlink_takes_back_every_link_to_the_same_end() {
    let (from, to) = (plain(1), plain(2));
    let end = End::Chunk(to.id);
    let from = after(&from, link(&from, &end, Some(&to), "one", &agent("w1")));
    let from = after(&from, link(&from, &end, Some(&to), "two", &agent("w1")));
    let from = after(&from, unlink(&from, &end, "wrong spec", &agent("w1")));
    assert!(from.links.is_empty());
    assert!(unlink(&from, &end, "again", &agent("w1")).unwrap().is_empty());
}

#[test]
fn c55_what_another_agent_keeps_for_itself_is_not_linked_to() {
    let draft = Draft::new("Secret", "mine");
    let private = owned(2, Owner::Agent("w2".into()), &draft);
    let refusal =
        link(&plain(1), &End::Chunk(private.id), Some(&private), "x", &agent("w1")).unwrap_err();
    assert_eq!(refusal.code, Code::ChunkNotFound);
}
