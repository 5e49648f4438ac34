//! What a check says of a page, in one of four forms, or in words for a person.

use std::time::Instant;

use serde_json::Value;

use super::page::{Judged, Page};
use super::wire::Lost;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// The visible text contains it.
    Text(String),
    /// A visible element is meant by it.
    Selector(String),
    /// The title contains it.
    Title(String),
    /// The expression is true.
    Script(String),
    /// For a person.
    Words,
}

/// What a look at the page came to.
pub(super) enum Found {
    True,
    False,
    Error(String),
    ForAPerson,
}

impl Form {
    pub(super) fn parse(check: &str) -> Self {
        let (name, rest) = check.split_once(':').unwrap_or(("", check));
        let rest = rest.trim().to_owned();
        match name.trim() {
            _ if rest.is_empty() => Self::Words,
            "text" => Self::Text(rest),
            "selector" => Self::Selector(rest),
            "title" => Self::Title(rest),
            "js" => Self::Script(rest),
            _ => Self::Words,
        }
    }

    /// Why it can never be true: it cannot even be read.
    pub(super) fn invalid(
        &self,
        page: &mut Page<'_>,
        until: Instant,
    ) -> Result<Option<String>, Lost> {
        match self {
            Self::Selector(selector) => {
                let quoted = Value::from(selector.as_str());
                let tried = format!("document.createDocumentFragment().querySelector({quoted}), 1");
                Ok(match page.is_true(&tried, until)? {
                    Judged::Error(_) => Some(format!("not a selector: {selector}")),
                    Judged::True | Judged::False | Judged::Pending => None,
                })
            }
            Self::Script(script) => {
                let error = page.compile(script, until)?;
                Ok(error.map(|error| format!("not an expression: {script} ({error})")))
            }
            Self::Text(_) | Self::Title(_) | Self::Words => Ok(None),
        }
    }

    pub(super) fn look(&self, page: &mut Page<'_>, until: Instant) -> Result<Found, Lost> {
        let Some(expression) = self.expression() else { return Ok(Found::ForAPerson) };
        Ok(match page.is_true(&expression, until)? {
            Judged::True => Found::True,
            Judged::False => Found::False,
            Judged::Error(error) => Found::Error(error),
            Judged::Pending => Found::Error("what it promises does not come".to_owned()),
        })
    }

    fn expression(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(includes("document.body?.innerText ?? ''", text)),
            Self::Title(title) => Some(includes("document.title", title)),
            Self::Selector(selector) => Some(format!(
                "[...document.querySelectorAll({})].some((element) => {{
                    const box = element.getBoundingClientRect();
                    return box.width > 0 && box.height > 0
                        && element.checkVisibility({{visibilityProperty: true, opacityProperty: true}});
                }})",
                Value::from(selector.as_str())
            )),
            Self::Script(script) => Some(script.clone()),
            Self::Words => None,
        }
    }

    /// As somebody would put it who has seen it.
    pub(super) fn said(&self) -> String {
        match self {
            Self::Text(text) => format!("the page shows the text: {text}"),
            Self::Selector(selector) => format!("the page shows the element: {selector}"),
            Self::Title(title) => format!("the title contains: {title}"),
            Self::Script(script) => format!("it is true: {script}"),
            Self::Words => "a person has to look".to_owned(),
        }
    }

    /// As somebody would put it who has waited in vain.
    pub(super) fn unmet(&self) -> String {
        match self {
            Self::Text(text) => format!("the page does not show the text: {text}"),
            Self::Selector(selector) => format!("the page does not show the element: {selector}"),
            Self::Title(title) => format!("the title does not contain: {title}"),
            Self::Script(script) => format!("it is not true: {script}"),
            Self::Words => "a person has to look".to_owned(),
        }
    }
}

/// Whether a text is in another, however either is broken into lines.
fn includes(whole: &str, part: &str) -> String {
    let part: Vec<&str> = part.split_whitespace().collect();
    let part = Value::from(part.join(" "));
    format!("({whole}).replace(/\\s+/g, ' ').includes({part})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_told_by_its_first_word() {
        let rest = || "a: b".to_owned();
        for (check, expected) in [
            ("text: a: b", Form::Text(rest())),
            ("selector:a: b", Form::Selector(rest())),
            ("title:   a: b ", Form::Title(rest())),
            ("js: a: b", Form::Script(rest())),
            ("text:", Form::Words),
            ("The button says: Go", Form::Words),
            ("the button is green", Form::Words),
        ] {
            assert_eq!(Form::parse(check), expected, "{check}");
        }
    }

    #[test]
    fn a_text_cannot_end_what_it_is_put_into() {
        let expression = Form::Text("\") || true; (\"\n x".to_owned()).expression().unwrap();
        assert!(expression.contains(r#"includes("\") || true; (\" x")"#), "{expression}");
    }
}
