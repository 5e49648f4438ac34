//! What the forms of an English word have in common.
//!
//! A light relative of Porter's algorithm. A stem is looked for as a prefix, so it must not be
//! shorter than needed: `note` keeps its `e`, or it would find every `not`. Derivations other
//! than by -ion and -ation are left alone.

/// The stem of a folded word; the word itself where it is short or not English.
pub(super) fn stem(word: &str) -> String {
    if word.len() <= 3 || !word.bytes().all(|letter| letter.is_ascii_lowercase()) {
        return word.to_owned();
    }
    ending(noun(&infinitive(&singular(word))))
}

fn singular(word: &str) -> String {
    if let Some(root) = word.strip_suffix("ies") {
        return with_y(root);
    }
    if let Some(root) = word.strip_suffix("xes").filter(|root| root.len() > 1) {
        return format!("{root}x");
    }
    if ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        return word.to_owned();
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

fn infinitive(word: &str) -> String {
    if let Some(root) = word.strip_suffix("ied") {
        return with_y(root);
    }
    if let Some(root) = word.strip_suffix("eed") {
        return if measure(root) > 1 { format!("{root}ee") } else { word.to_owned() };
    }
    let root = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed"));
    root.and_then(bare).unwrap_or_else(|| word.to_owned())
}

/// What was before -ies or -ied: `copy` as `copi`, `try`, `tie`.
fn with_y(root: &str) -> String {
    match root.len() {
        0 | 1 => format!("{root}ie"),
        // As short as this, the word with y is not stemmed.
        2 => format!("{root}y"),
        _ => format!("{root}i"),
    }
}

/// What was before -ing or -ed; nothing when these belong to the word, as in `string`.
fn bare(root: &str) -> Option<String> {
    let vowels = vowels(root);
    if !vowels.contains(&true) {
        return None;
    }
    if root.len() < 3 {
        return matches!(vowels.as_slice(), [true, false]).then(|| format!("{root}e"));
    }
    if let [.., one, other] = root.as_bytes()
        && one == other
        && root.len() > 3
        && vowels.last() == Some(&false)
        && !matches!(one, b'f' | b'l' | b's' | b'z')
    {
        return root.get(..root.len() - 1).map(str::to_owned);
    }
    Some(if lost_its_e(root) { format!("{root}e") } else { root.to_owned() })
}

fn noun(word: &str) -> String {
    if let Some(root) = word.strip_suffix("ification") {
        return format!("{root}ifi");
    }
    let root = word.strip_suffix("ion").filter(|root| root.len() > 4 && root.ends_with(['s', 't']));
    root.unwrap_or(word).to_owned()
}

/// Makes `migrate` and `migrat`, `document` and `documentat`, `query` and `queri` the same.
fn ending(mut word: String) -> String {
    if let Some(root) = word.strip_suffix('e')
        && root.len() > 3
        && measure(root) > 0
        && !lost_its_e(root)
    {
        word.pop();
    }
    if word.len() > 7 && word.ends_with("at") {
        word.truncate(word.len() - 2);
    }
    if word.len() > 5 && word.ends_with("ll") {
        word.pop();
    }
    if word.len() > 3 && word.ends_with('y') && vowels(&word).last() == Some(&true) {
        word.pop();
        word.push('i');
    }
    word
}

/// Whether a root is one as in `not(e)` and `typ(e)`: one syllable, consonant, vowel, consonant.
fn lost_its_e(root: &str) -> bool {
    measure(root) == 1
        && matches!(vowels(root).as_slice(), [.., false, true, false])
        && !root.ends_with(['w', 'x', 'y'])
}

/// How often a consonant follows a vowel: nearly the number of syllables.
fn measure(word: &str) -> usize {
    vowels(word).windows(2).filter(|pair| matches!(pair, [true, false])).count()
}

/// Which letters are vowels; `y` is one after a consonant.
fn vowels(word: &str) -> Vec<bool> {
    let mut vowels: Vec<bool> = Vec::with_capacity(word.len());
    for letter in word.bytes() {
        let after_consonant = vowels.last() == Some(&false);
        vowels.push(match letter {
            b'a' | b'e' | b'i' | b'o' | b'u' => true,
            b'y' => after_consonant,
            _ => false,
        });
    }
    vowels
}
