//! What a budget of tokens leaves of an answer.

use crate::inject::tokens_of;

/// What was kept and what was cut, each in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept<T> {
    pub kept: Vec<T>,
    pub cut: Vec<T>,
}

/// Takes what fits, in order. What does not fit is cut, and something smaller behind it may still
/// come.
pub fn spend<T>(all: Vec<T>, limit: Option<u32>, tokens: impl Fn(&T) -> u32) -> Kept<T> {
    let (mut kept, mut cut) = (Vec::new(), Vec::new());
    let mut spent = 0_u32;
    for one in all {
        let total = spent.saturating_add(tokens(&one));
        if limit.is_none_or(|limit| total <= limit) {
            spent = total;
            kept.push(one);
        } else {
            cut.push(one);
        }
    }
    Kept { kept, cut }
}

/// How many tokens some texts take, roughly.
pub fn tokens<'a>(texts: impl IntoIterator<Item = &'a str>) -> u32 {
    tokens_of(texts.into_iter().map(|text| text.chars().count()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_cut_and_something_smaller_may_still_come() {
        let Kept { kept, cut } = spend(vec![4, 7, 3, 9], Some(8), |tokens| *tokens);
        assert_eq!((kept, cut), (vec![4, 3], vec![7, 9]));
    }

    #[test]
    fn without_a_budget_nothing_is_cut() {
        assert!(spend(vec![1, 2, 3], None, |tokens| *tokens).cut.is_empty());
    }
}
