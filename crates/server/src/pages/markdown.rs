//! Markdown as people and agents write it, as HTML that can do nothing.
//!
//! HTML in it is shown as text; links lead to the web or to a mailbox, and say that we do not vouch
//! for them; pictures are links, so that opening a page asks nobody else for anything.

use maud::{Markup, PreEscaped};
use pulldown_cmark::{
    CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, TextMergeStream, html,
};

/// What a link may lead to.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// Turns Markdown into HTML.
pub(crate) fn markdown(text: &str) -> Markup {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut links = Vec::new();
    let events = TextMergeStream::new(Parser::new_ext(text, options));
    let safe = events.map(|event| harmless(event, &mut links));
    let mut written = String::with_capacity(text.len() * 3 / 2);
    html::push_html(&mut written, safe);
    PreEscaped(written)
}

/// An event that can only be shown. `links` holds for each link that is open whether it is one.
fn harmless<'a>(event: Event<'a>, links: &mut Vec<bool>) -> Event<'a> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        Event::Start(Tag::Link { link_type, dest_url, .. }) => {
            let address = match link_type {
                LinkType::Email => CowStr::from(format!("mailto:{dest_url}")),
                _ => dest_url,
            };
            begin(&address, links)
        }
        Event::Start(Tag::Image { dest_url, .. }) => begin(&dest_url, links),
        Event::End(TagEnd::Link | TagEnd::Image) => {
            let end = if links.pop() == Some(true) { "</a>" } else { "" };
            Event::InlineHtml(CowStr::from(end))
        }
        // The title of the page comes first, then those of its parts.
        Event::Start(Tag::Heading { level, .. }) => Event::Start(Tag::Heading {
            level: below(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        }),
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(below(level))),
        // Columns are aligned by style attributes, which our pages do not have.
        Event::Start(Tag::Table(columns)) => Event::Start(Tag::Table(
            columns.iter().map(|_| pulldown_cmark::Alignment::None).collect(),
        )),
        other => other,
    }
}

fn begin<'a>(address: &str, links: &mut Vec<bool>) -> Event<'a> {
    let is_link = is_web(address);
    links.push(is_link);
    Event::InlineHtml(CowStr::from(match is_link {
        true => {
            format!("<a href=\"{}\" rel=\"noopener noreferrer nofollow\">", escaped(address))
        }
        false => String::new(),
    }))
}

/// Whether an address may be linked to.
pub(crate) fn is_web(address: &str) -> bool {
    let start: String = address.chars().take(8).collect::<String>().to_ascii_lowercase();
    let is_plain = address.chars().all(|letter| !letter.is_control());
    is_plain && SCHEMES.iter().any(|scheme| start.starts_with(scheme))
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

fn below(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        markdown(text).into_string()
    }

    #[test]
    fn html_is_shown_as_text() {
        let page =
            shown("<script>alert(1)</script>\n\na <b onclick=x>b</b> <!-- c -->\n\n<div>\nd\n");
        assert!(!page.contains("<script") && !page.contains("<b ") && !page.contains("<div"));
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
        assert!(page.contains("&lt;b onclick=x&gt;b&lt;/b&gt;"), "{page}");
    }

    #[test]
    fn links_lead_to_the_web_or_a_mailbox_and_say_that_we_do_not_vouch() {
        let link =
            "<a href=\"https://example.org/?a=1&amp;b=2\" rel=\"noopener noreferrer nofollow\">";
        assert!(shown("[x](https://example.org/?a=1&b=2)").contains(link));
        assert!(shown("<https://example.org/>").contains("<a href=\"https://example.org/\""));
        assert!(shown("<kim@example.org>").contains("<a href=\"mailto:kim@example.org\""));
        assert!(shown("[x](HTTPS://example.org)").contains("<a href=\"HTTPS://example.org\""));
    }

    #[test]
    fn other_links_are_text() {
        let addresses = [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "//evil.example",
            "/do/task.complete",
            "file:///etc/passwd",
            "&#106;avascript:alert(1)",
            "java&#10;script:alert(1)",
            " javascript:alert(1)",
        ];
        for address in addresses {
            let page =
                shown(&format!("[x]({address}) [y]( <{address}> ) [z][r]\n\n[r]: {address}"));
            assert!(!page.contains("<a "), "{address}: {page}");
            assert!(page.contains('x'), "{page}");
        }
    }

    #[test]
    fn an_address_cannot_leave_its_attribute() {
        let page = shown("[x](<https://e.example/\"onmouseover=alert(1)'>)");
        assert!(page.contains("&quot;onmouseover=alert(1)&#39;"), "{page}");
    }

    #[test]
    fn pictures_are_links() {
        let page = shown("![a cat](https://example.org/cat.png) ![b](data:image/png;base64,x)");
        assert!(!page.contains("<img"), "{page}");
        assert!(
            page.contains("cat.png\" rel=\"noopener noreferrer nofollow\">a cat</a>"),
            "{page}"
        );
    }

    #[test]
    fn nothing_has_a_style_and_headings_begin_below_the_page() {
        let page = shown("# T {#id .c}\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n- [x] done\n");
        assert!(!page.contains("style="), "{page}");
        assert!(page.contains("<h3>"), "{page}");
        assert!(page.contains("<table>") && page.contains("type=\"checkbox\""), "{page}");
    }
}
