//! Keys by the names that pages see (`KeyboardEvent.key`).

use serde_json::{Value, json};

/// A key that writes nothing, and the number by which old code knows it.
const NAMED: [(&str, u32); 15] = [
    ("Backspace", 8),
    ("Tab", 9),
    ("Enter", 13),
    ("Shift", 16),
    ("Escape", 27),
    (" ", 32),
    ("PageUp", 33),
    ("PageDown", 34),
    ("End", 35),
    ("Home", 36),
    ("ArrowLeft", 37),
    ("ArrowUp", 38),
    ("ArrowRight", 39),
    ("ArrowDown", 40),
    ("Delete", 46),
];

/// Keys that are held while another is pressed, and their bits.
const HELD: [(&str, u32); 4] = [("Alt+", 1), ("Control+", 2), ("Meta+", 4), ("Shift+", SHIFT)];

const SHIFT: u32 = 8;

/// The events of one press of a key such as `a`, `Enter`, `Shift+Tab` or `Control+Enter`; nothing
/// when there is no such key.
pub(super) fn press(combination: &str) -> Option<[Value; 2]> {
    let (mut key, mut held) = (combination, 0);
    while let Some((rest, bit)) = HELD.iter().find_map(|(name, bit)| {
        let rest = key.strip_prefix(name).filter(|rest| !rest.is_empty())?;
        Some((rest, bit))
    }) {
        (key, held) = (rest, held | bit);
    }
    let named = NAMED.iter().find(|(name, _)| *name == key).map(|(_, number)| *number);
    let mut letters = key.chars();
    let letter = letters.next().filter(|_| letters.next().is_none());
    let number = named.or_else(|| letter.map(number))?;
    let text = match letter {
        _ if key == "Enter" => "\r",
        // With Alt, Control or Meta held a letter is an order, not text.
        Some(_) if held == 0 || held == SHIFT => key,
        _ => "",
    };
    let event = |kind| {
        let kind = if kind == "keyDown" && text.is_empty() { "rawKeyDown" } else { kind };
        let text = if kind == "keyDown" { text } else { "" };
        json!({
            "type": kind,
            "key": key,
            "code": code(key, letter),
            "windowsVirtualKeyCode": number,
            "modifiers": held,
            "text": text,
        })
    };
    Some([event("keyDown"), event("keyUp")])
}

/// Letters and digits have the number of their capital; that of another sign would be another key's
/// (a full stop, by its number, deletes).
fn number(letter: char) -> u32 {
    if letter.is_ascii_alphanumeric() { u32::from(letter.to_ascii_uppercase()) } else { 0 }
}

/// The place of the key on the keyboard, where it is plain.
fn code(key: &str, letter: Option<char>) -> String {
    match letter {
        Some(letter) if letter.is_ascii_alphabetic() => {
            format!("Key{}", letter.to_ascii_uppercase())
        }
        Some(digit) if digit.is_ascii_digit() => format!("Digit{digit}"),
        Some(' ') => "Space".into(),
        Some(_) => String::new(),
        None => key.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_writes_itself_and_with_control_nothing() {
        let [down, _] = press("a").unwrap();
        assert_eq!(
            (&down["key"], &down["text"], &down["code"]),
            (&"a".into(), &"a".into(), &"KeyA".into())
        );
        let [down, _] = press("Control+a").unwrap();
        assert_eq!((&down["type"], &down["modifiers"]), (&"rawKeyDown".into(), &2.into()));
    }

    #[test]
    fn a_plus_is_a_key_of_its_own() {
        let [down, _] = press("+").unwrap();
        assert_eq!(down["key"], "+");
    }

    #[test]
    fn several_keys_may_be_held() {
        let [down, _] = press("Control+Shift+Enter").unwrap();
        assert_eq!((&down["key"], &down["modifiers"]), (&"Enter".into(), &10.into()));
    }

    #[test]
    fn there_is_no_key_that_nobody_knows() {
        assert_eq!(press("Any"), None);
    }
}
