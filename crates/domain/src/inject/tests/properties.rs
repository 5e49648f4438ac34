use proptest::prelude::*;

use super::scene::{sitting, store};
use crate::chunk::Chunk;
use crate::chunk::tests::scene::project;
use crate::inject::fence::fenced;

/// Everything that a session is told, as bytes.
fn told(agent_type: &str, budget_tokens: Option<u32>, chunks: &[Chunk]) -> String {
    let mut sitting = sitting(agent_type, Some(project(1)));
    sitting.budget_tokens = budget_tokens;
    let injection = sitting.injection(chunks);
    let find = |id| chunks.iter().find(|chunk| chunk.id == id).unwrap();
    let given: Vec<&Chunk> = injection.chunks.iter().map(|given| find(given.chunk)).collect();
    serde_json::to_string(&injection).unwrap() + &fenced(&given)
}

proptest! {
    #[test]
    fn c59_the_order_in_which_chunks_come_changes_no_byte(
        chunks in Just(store()).prop_shuffle(),
        agent_type in prop::sample::select(vec!["dev", "dev_assistant", "dev_operations", "dev_qa"]),
        budget in prop::option::of(0..40_u32),
    ) {
        prop_assert_eq!(told(agent_type, budget, &chunks), told(agent_type, budget, &store()));
    }

    #[test]
    fn c69_nothing_is_both_given_and_cut(budget in 0..60_u32) {
        let mut sitting = sitting("dev", Some(project(1)));
        let all = sitting.injection(&store());
        sitting.budget_tokens = Some(budget);
        let some = sitting.injection(&store());
        prop_assert_eq!(some.chunks.len() + some.cut.len(), all.chunks.len());
        prop_assert!(some.chunks.iter().all(|given| all.chunks.contains(given)));
        prop_assert!(some.cut.iter().all(|cut| !some.chunks.contains(cut)));
    }
}
