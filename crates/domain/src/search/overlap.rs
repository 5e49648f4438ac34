//! How much of what one text says another says too.

use super::terms::Terms;

/// The share of a text's words that another has too, from 0 to 1; a word counts as much as it says.
/// Words that no other text has say the most: what is new about a text makes it unlike all others.
pub fn overlap(text: &Terms, other: &Terms, rarity: impl Fn(&str) -> f64) -> f64 {
    let (mut all, mut shared) = (0.0, 0.0);
    for word in text.words.keys() {
        let says = rarity(word);
        all += says;
        if other.words.contains_key(word) {
            shared += says;
        }
    }
    if all > 0.0 { shared / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Texts;

    fn terms(content: &str) -> Terms {
        Terms::of(Texts { title: "", tags: &[], query_key: "", content, gotchas: &[] })
    }

    /// Everybody says "gull", nobody else the rest.
    fn rarity(word: &str) -> f64 {
        if word == "gull" { 0.1 } else { 5.0 }
    }

    #[test]
    fn a_text_has_all_of_itself_and_nothing_of_another() {
        let text = terms("gull harbour");
        assert!((overlap(&text, &text, rarity) - 1.0).abs() < f64::EPSILON);
        assert_eq!(overlap(&text, &terms("anchor"), rarity).to_bits(), 0.0_f64.to_bits());
        assert_eq!(overlap(&terms(""), &text, rarity).to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn a_word_that_everybody_says_makes_nothing_alike() {
        assert!(overlap(&terms("gull harbour"), &terms("gull anchor"), rarity) < 0.05);
        assert!(overlap(&terms("gull harbour"), &terms("anchor harbour"), rarity) > 0.9);
    }
}
