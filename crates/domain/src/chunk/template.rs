//! Templates: the headings that the content of a chunk needs, each with something under it.
//!
//! Content is Markdown. A heading counts at any level and in any letter case, but not inside a block
//! of code.

use serde::{Deserialize, Serialize};

use crate::{Code, Refusal, text};

/// What the content of a type of chunks needs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Template {
    pub headings: Vec<Heading>,
}

/// One part of a content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heading {
    pub title: String,
    /// What belongs under it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<String>,
}

impl Template {
    pub fn new(headings: &[(&str, &str)]) -> Self {
        let heading = |(title, asks): &(&str, &str)| Heading {
            title: (*title).to_owned(),
            asks: Some((*asks).to_owned()),
        };
        Self { headings: headings.iter().map(heading).collect() }
    }

    /// Checks the template itself.
    pub fn checked(self) -> Result<Self, Refusal> {
        text::few("headings", &self.headings)?;
        for heading in &self.headings {
            text::line("heading", &heading.title, text::TITLE_CHARS)?;
            if let Some(asks) = &heading.asks {
                text::line("asks", asks, text::REASON_CHARS)?;
            }
        }
        Ok(self)
    }

    /// A content to begin with: the headings, and under each what it asks for.
    pub fn skeleton(&self) -> String {
        let part = |heading: &Heading| {
            let asks = heading.asks.as_deref().map_or_else(String::new, |asks| format!("{asks}\n"));
            format!("## {}\n\n{asks}", heading.title)
        };
        self.headings.iter().map(part).collect::<Vec<_>>().join("\n")
    }

    /// Refuses content that lacks a heading, or says nothing under one.
    pub fn check(&self, content: &str) -> Result<(), Refusal> {
        let said = sections(content);
        let is_missing = |heading: &&Heading| {
            let wanted = folded(&heading.title);
            !said.iter().any(|section| section.title == wanted && section.says_something)
        };
        let missing: Vec<&str> =
            self.headings.iter().filter(is_missing).map(|heading| heading.title.as_str()).collect();
        let Some(first) = missing.first() else { return Ok(()) };
        let message = format!("the content says nothing under {}", missing.join(", "));
        Err(Refusal::new(Code::ContentIncomplete, message)
            .hint(format!("write a heading for each, such as '## {first}', and what it asks for"))
            .detail("field", "content")
            .detail("missing", &missing)
            .detail("template", self.skeleton()))
    }
}

struct Section {
    title: String,
    says_something: bool,
}

fn folded(title: &str) -> String {
    title.trim().to_lowercase()
}

/// The headings of a Markdown text. What stands under a heading below another is said under both.
fn sections(content: &str) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    // The headings that a line stands under: their levels, and where they are in `found`.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut fence: Option<&str> = None;
    for line in content.lines() {
        let mark = fence_mark(line);
        let heading = if fence.is_none() && mark.is_none() { heading(line) } else { None };
        fence = match (fence, mark) {
            (None, mark) => mark,
            (Some(opened), Some(mark)) if closes(opened, mark, line) => None,
            (opened, _) => opened,
        };
        if let Some((level, title)) = heading {
            open.retain(|(above, _)| *above < level);
            open.push((level, found.len()));
            found.push(Section { title: folded(title), says_something: false });
        } else if !line.trim().is_empty() {
            for (_, at) in &open {
                if let Some(section) = found.get_mut(*at) {
                    section.says_something = true;
                }
            }
        }
    }
    found
}

/// The level and the title of a line that is a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let title = rest.strip_prefix([' ', '\t'])?;
    (1..=6).contains(&level).then(|| (level, title.trim().trim_end_matches('#')))
}

/// The marks that open or close a block of code.
fn fence_mark(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.chars().take_while(|letter| *letter == mark).count();
    line.get(..length).filter(|_| length >= 3)
}

fn closes(opened: &str, mark: &str, line: &str) -> bool {
    mark.starts_with(opened) && line.trim() == mark
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template() -> Template {
        Template::new(&[("What exists", "the code as it is"), ("What must change", "the gaps")])
    }

    fn missing(content: &str) -> serde_json::Value {
        template().check(content).unwrap_err().details["missing"].clone()
    }

    #[test]
    fn c16_content_with_every_heading_is_taken() {
        let content = "intro\n# What exists\nx\n\n### what must change ##\ny";
        assert_eq!(template().check(content), Ok(()));
    }

    #[test]
    fn c16_content_without_a_heading_is_refused_by_its_name() {
        assert_eq!(missing("## What exists\nx"), serde_json::json!(["What must change"]));
    }

    #[test]
    fn a_heading_with_nothing_under_it_does_not_count() {
        let content = "## What exists\n\n## What must change\ny";
        assert_eq!(missing(content), serde_json::json!(["What exists"]));
    }

    #[test]
    fn what_is_said_under_a_lower_heading_is_said_under_the_higher_one() {
        let content = "## What exists\n### Parser\nx\n## What must change\ny";
        assert_eq!(template().check(content), Ok(()));
    }

    #[test]
    fn a_heading_inside_a_block_of_code_does_not_count() {
        let content = "```md\n# What exists\nx\n~~~\n``\n```\n# What must change\ny";
        assert_eq!(missing(content), serde_json::json!(["What exists"]));
    }

    #[test]
    fn the_refusal_shows_what_to_write() {
        let refusal = template().check("").unwrap_err();
        assert_eq!(
            refusal.details["template"],
            "## What exists\n\nthe code as it is\n\n## What must change\n\nthe gaps\n"
        );
    }

    #[test]
    fn a_word_with_a_hash_is_no_heading() {
        for line in ["#tag", "####### seven", "a # b"] {
            assert_eq!(heading(line), None, "{line}");
        }
    }
}
