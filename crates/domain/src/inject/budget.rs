//! What a budget leaves of a selection.

use super::select::Selected;
use super::{Injected, Injection};
use crate::chunk::Chunk;

/// A token is about so many characters.
const TOKEN_CHARS: usize = 4;

/// Takes what fits, in the order of the selection. What does not fit is cut and named, and something
/// smaller behind it may still come.
pub(super) fn spend(selected: Vec<Selected<'_>>, limit: Option<u32>) -> Injection {
    let mut injection = Injection::default();
    let mut spent = 0_u32;
    for Selected { chunk, rule, always } in selected {
        let tokens = tokens(chunk);
        let total = spent.saturating_add(tokens);
        let title = chunk.title.clone();
        let injected = Injected { chunk: chunk.id, version: chunk.version, title, rule, tokens };
        if always || limit.is_none_or(|limit| total <= limit) {
            spent = total;
            injection.chunks.push(injected);
        } else {
            injection.cut.push(injected);
        }
    }
    injection
}

fn tokens(chunk: &Chunk) -> u32 {
    tokens_of(chunk.title.chars().count() + chunk.body().chars().count())
}

/// How many tokens a text of so many characters takes, roughly.
pub(crate) fn tokens_of(characters: usize) -> u32 {
    u32::try_from(characters.div_ceil(TOKEN_CHARS)).unwrap_or(u32::MAX)
}
