//! Texts that name variables: `$NAME`, `${NAME}`, and `$$` for a dollar.

use secrecy::SecretString;

use super::Variables;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotExpanded {
    #[error("variable {0} is not set")]
    Unset(String),
    #[error("variable {0} is empty")]
    Empty(String),
    #[error("a dollar names no variable (write $$ for a dollar)")]
    Nameless,
}

/// Puts what the variables stand for in their places.
pub(super) fn expand(text: &str, variables: &Variables) -> Result<SecretString, NotExpanded> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, after)) = rest.split_once('$') {
        expanded.push_str(plain);
        if let Some(after) = after.strip_prefix('$') {
            expanded.push('$');
            rest = after;
            continue;
        }
        let (name, after) = name(after).ok_or(NotExpanded::Nameless)?;
        expanded.push_str(value(name, variables)?);
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded.into())
}

/// What a variable stands for, which is never nothing.
pub(super) fn value<'a>(name: &str, variables: &'a Variables) -> Result<&'a str, NotExpanded> {
    match variables.get(name).map(String::as_str) {
        None => Err(NotExpanded::Unset(name.to_owned())),
        Some("") => Err(NotExpanded::Empty(name.to_owned())),
        Some(value) => Ok(value),
    }
}

/// The name that follows a dollar, and what follows the name.
fn name(text: &str) -> Option<(&str, &str)> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let (name, after) = match text.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?,
        None => text.split_at(text.find(|letter| !is_part(letter)).unwrap_or(text.len())),
    };
    (!name.is_empty() && name.chars().all(is_part)).then_some((name, after))
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn expanded(text: &str) -> Result<String, NotExpanded> {
        let known = [("TOKEN", "t0ken"), ("A_1", "$TOKEN"), ("NOTHING", "")];
        let variables = known.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        expand(text, &variables).map(|expanded| expanded.expose_secret().to_owned())
    }

    #[test]
    fn variables_are_put_in_their_places() {
        for (text, expected) in [
            ("", ""),
            ("plain", "plain"),
            ("Bearer $TOKEN", "Bearer t0ken"),
            ("$TOKEN.$TOKEN-", "t0ken.t0ken-"),
            ("${TOKEN}S", "t0kenS"),
            ("ä$TOKENä", "ät0kenä"),
            ("5$$ $$TOKEN", "5$ $TOKEN"),
        ] {
            assert_eq!(expanded(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_a_variable_stands_for_is_taken_as_it_is() {
        assert_eq!(expanded("$A_1").as_deref(), Ok("$TOKEN"));
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        assert_eq!(expanded("$TOKEN $TOKENS"), Err(NotExpanded::Unset("TOKENS".to_owned())));
    }

    #[test]
    fn a_variable_that_is_empty_is_named() {
        assert_eq!(expanded("Bearer $NOTHING"), Err(NotExpanded::Empty("NOTHING".to_owned())));
    }

    #[test]
    fn a_dollar_without_a_name_is_refused() {
        for text in ["$", "a $ b", "${}", "${TOKEN", "${TO KEN}", "$ä"] {
            assert_eq!(expanded(text), Err(NotExpanded::Nameless), "{text}");
        }
    }
}
