//! Near misses: which of the known words somebody may have meant.

/// The known words within two edits of `given`, nearest first.
pub fn near<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<(usize, &str)> = known
        .into_iter()
        .map(|word| (edits(given, word), word))
        .filter(|&(edits, word)| edits <= 2 && edits < word.chars().count())
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, word)| word.to_owned()).collect()
}

/// Insertions, deletions, replacements and swaps of neighbours between two words.
pub(crate) fn edits(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().take(64).collect();
    let other: Vec<char> = other.chars().take(64).collect();
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, a) in one.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, b) in other.iter().enumerate() {
            let at =
                |line: &[usize], column: usize| line.get(column).copied().unwrap_or(usize::MAX);
            let swapped = row > 0
                && column > 0
                && one.get(row - 1) == Some(b)
                && other.get(column - 1) == Some(a);
            let mut cost = (at(&last, column + 1) + 1)
                .min(at(&line, column) + 1)
                .min(at(&last, column) + usize::from(a != b));
            if swapped {
                cost = cost.min(at(&before_last, column - 1) + 1);
            }
            line.push(cost);
        }
        before_last = std::mem::replace(&mut last, line);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swapped_letter_is_one_edit() {
        assert_eq!(edits("claim", "clami"), 1);
    }

    #[test]
    fn the_nearest_word_comes_first() {
        assert_eq!(near("leas", ["release", "lease", "least"]), ["lease", "least"]);
    }

    #[test]
    fn a_word_far_away_is_not_suggested() {
        assert!(near("xyz", ["claim", "lease"]).is_empty());
    }
}
