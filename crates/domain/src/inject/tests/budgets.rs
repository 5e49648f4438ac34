use super::scene::{chunk, here, mine, sitting};
use crate::chunk::tests::scene::project;
use crate::chunk::{Chunk, Owner};

fn sized(chunk: Chunk, characters: usize) -> Chunk {
    let content = "x".repeat(characters - chunk.title.len());
    Chunk { content, ..chunk }
}

/// Forty tokens of identity, ten of a principle, twenty of a convention, ten of a constraint.
fn chunks() -> Vec<Chunk> {
    vec![
        sized(chunk(1, "identity", mine(), "identity"), 160),
        sized(chunk(2, "principle", Owner::Org, "principle"), 40),
        sized(chunk(3, "convention", here(), "convention"), 80),
        sized(chunk(4, "constraint", here(), "constraint"), 40),
    ]
}

#[test]
fn c69_what_does_not_fit_the_budget_is_cut_by_name() {
    let mut researcher = sitting("dev_researcher", Some(project(1)));
    researcher.budget_tokens = Some(60);
    assert_eq!(researcher.given(&chunks()), ["identity", "principle", "constraint"]);
    let cut = researcher.injection(&chunks()).cut;
    assert_eq!(cut.len(), 1);
    assert_eq!((cut[0].chunk, cut[0].tokens), (chunks()[2].id, 20));
    assert_eq!(cut[0].rule, "convention of project");
}

#[test]
fn c69_the_identity_comes_even_where_nothing_else_fits() {
    let mut researcher = sitting("dev_researcher", Some(project(1)));
    researcher.budget_tokens = Some(0);
    assert_eq!(researcher.given(&chunks()), ["identity"]);
}

#[test]
fn c69_of_two_budgets_the_smaller_one_holds() {
    let mut researcher = sitting("dev_researcher", Some(project(1)));
    researcher.agent_type.max_inject_tokens = Some(50);
    assert_eq!(researcher.given(&chunks()), ["identity", "principle"]);
    researcher.budget_tokens = Some(1_000);
    assert_eq!(researcher.given(&chunks()), ["identity", "principle"]);
}

#[test]
fn c69_a_pinned_chunk_comes_before_newer_ones_of_its_rule() {
    let mut coder = sitting("dev_coder", Some(project(1)));
    coder.budget_tokens = Some(10);
    let pinned = Chunk { pinned: true, ..sized(chunk(1, "convention", here(), "pinned"), 40) };
    let chunks = [pinned, sized(chunk(2, "convention", here(), "newer"), 40)];
    assert_eq!(coder.given(&chunks), ["pinned"]);
}
