//! Values that name variables: `$NAME`, `${NAME}`, and `$$` for a dollar.

/// A dollar that is followed by neither a name nor a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Nameless;

/// The variables that a value names.
pub(super) fn named(text: &str) -> Result<Vec<&str>, Nameless> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('$') {
        if let Some(after) = after.strip_prefix('$') {
            rest = after;
            continue;
        }
        let (name, after) = first_name(after).ok_or(Nameless)?;
        names.push(name);
        rest = after;
    }
    Ok(names)
}

/// The name that follows a dollar, and what follows the name.
fn first_name(text: &str) -> Option<(&str, &str)> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let (name, after) = match text.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?,
        None => text.split_at(text.find(|letter| !is_part(letter)).unwrap_or(text.len())),
    };
    (!name.is_empty() && name.chars().all(is_part)).then_some((name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_of_a_value_are_found() {
        for (text, expected) in [
            ("", &[][..]),
            ("plain", &[]),
            ("5$$ $$TOKEN", &[]),
            ("Bearer $TOKEN", &["TOKEN"]),
            ("ä$A_1ä${B}C", &["A_1", "B"]),
        ] {
            assert_eq!(named(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_dollar_without_a_name_is_told() {
        for text in ["$", "a $ b", "${}", "${TOKEN", "${TO KEN}", "$ä"] {
            assert_eq!(named(text), Err(Nameless), "{text}");
        }
    }
}
