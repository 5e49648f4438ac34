//! The boxes before the steps of a file, ticked as the steps are done.

use super::place::Places;

/// What stands before the mark of a step.
const BEFORE: &str = "- [";

/// The text with a mark in the box of each step that is done, and none in the others. Nothing but the
/// marks changes; a step without a box has none. The places are those of the text.
pub fn tick(text: &str, places: &Places, done: impl IntoIterator<Item = bool>) -> String {
    let mut ticked = text.to_owned();
    for (position, is_done) in done.into_iter().enumerate() {
        let Some(header) = places.step(position) else { break };
        let at = header.start + BEFORE.len();
        if text.get(header.start..at) != Some(BEFORE) {
            continue;
        }
        match (text.get(at..=at), is_done) {
            (Some(" "), true) => ticked.replace_range(at..=at, "x"),
            (Some("x" | "X"), false) => ticked.replace_range(at..=at, " "),
            _ => {}
        }
    }
    ticked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::file::parse;

    const FRONT: &str = "---\r\nintent: x\r\nsuccess_criteria: y\r\nrisk_level: low\r\n---\r\n";

    fn ticked(text: &str, done: &[bool]) -> String {
        tick(text, &parse(text).unwrap().places, done.iter().copied())
    }

    #[test]
    fn only_the_mark_of_a_step_changes() {
        let text = format!(
            "\u{feff}{FRONT}```\r\n- [ ] **Step 1: Not this**\r\n```\r\n\
             - [ ] **Step 1: Ä**\t\r\n\taction: one\r\n\tloop: false\r\n\
             - [ ] an item\r\n- [ ] **Step 2: B**\r\naction: - [ ] two\r\nloop: false"
        );
        let expected = text.replace("- [ ] **Step 1: Ä", "- [x] **Step 1: Ä");
        assert_eq!(ticked(&text, &[true, false]), expected);
    }

    #[test]
    fn a_mark_of_a_step_that_is_not_done_goes_and_one_that_is_right_stays() {
        let text = "- [x] **Step 1: A**\naction: a\nloop: false\n- [X] **Step 2: B**\naction: b\n\
                    loop: false\n";
        let text = format!("{FRONT}{text}");
        assert_eq!(ticked(&text, &[false, true]), text.replace("[x]", "[ ]"));
    }

    #[test]
    fn a_heading_has_no_box() {
        let text = format!("{FRONT}### 1. A\naction: - [ ] a\nloop: false\n");
        assert_eq!(ticked(&text, &[true]), text);
    }
}
