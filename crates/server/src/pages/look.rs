//! Small pieces that pages share: how a status, a time, a task or a list looks everywhere.

use std::fmt::Write as _;

use maud::{Markup, html};
use windlass_domain::{ChunkId, RunKey, Status, TaskId, Time};
use windlass_ops::sheet::relative;

/// A status, by colour and by name.
pub(crate) fn status(status: Status) -> Markup {
    html! { span class={ "status " (status.as_str()) } { (status_name(status)) } }
}

/// A status in words.
pub(crate) fn status_name(status: Status) -> &'static str {
    match status {
        Status::Backlog => "Backlog",
        Status::Ready => "Ready",
        Status::InProgress => "In progress",
        Status::Blocked => "Blocked",
        Status::Done => "Done",
        Status::Archived => "Archived",
    }
}

/// A time told from now; the whole one is in its title. A script keeps it up to date.
pub(crate) fn time(at: Time, now: Time) -> Markup {
    html! {
        time datetime=(at) title=(at) data-from-now { (relative(at, now)) }
    }
}

/// The page of a task.
pub(crate) fn task_path(id: TaskId) -> String {
    format!("/tasks/{id}")
}

/// The short id of a task, which leads to its page.
pub(crate) fn task_id(id: TaskId) -> Markup {
    html! { a.id href=(task_path(id)) title=(id) { (id.short()) } }
}

/// The page of a run.
pub(crate) fn run_path(run: RunKey) -> String {
    format!("/runs/{run}")
}

/// The short key of a run, which leads to its page.
pub(crate) fn run_id(run: RunKey) -> Markup {
    html! { a.id href=(run_path(run)) title={ "run " (run) } { (run.short()) } }
}

/// The title of a task, which leads to its page.
pub(crate) fn task_title(id: TaskId, title: &str) -> Markup {
    html! { a href=(task_path(id)) { (title) } }
}

/// The page of a chunk.
pub(crate) fn chunk_path(id: ChunkId) -> String {
    format!("/chunks/{id}")
}

/// The short id of a chunk, which leads to its page.
pub(crate) fn chunk_id(id: ChunkId) -> Markup {
    html! { a.id href=(chunk_path(id)) title=(id) { (id.short()) } }
}

/// The title of a chunk, which leads to its page.
pub(crate) fn chunk_title(id: ChunkId, title: &str) -> Markup {
    html! { a href=(chunk_path(id)) { (title) } }
}

/// How urgent a task is: 0 is usual, 3 the most urgent.
pub(crate) fn priority(priority: u8) -> Markup {
    let class = match priority {
        0 => "chip",
        1 => "chip accent",
        2 => "chip warn",
        _ => "chip bad",
    };
    html! { span class=(class) title="Priority, 0 to 3" { "P" (priority) } }
}

/// Tags, of which the first few are shown.
pub(crate) fn tags(tags: &[String], shown: usize) -> Markup {
    let more = tags.len().saturating_sub(shown);
    html! {
        @for tag in tags.iter().take(shown) { span.chip title=(tag) { (tag) } }
        @if more > 0 {
            span.chip.soft title=(tags.iter().skip(shown).cloned().collect::<Vec<_>>().join(", ")) {
                "+" (more)
            }
        }
    }
}

/// A panel with a heading.
pub(crate) fn panel(id: &str, heading: &str, count: Option<u64>, body: Markup) -> Markup {
    html! {
        section.panel id=(id) data-live {
            h2 { (heading) @if let Some(count) = count { span.soft.numeric { (grouped(count)) } } }
            (body)
        }
    }
}

/// Says that there is nothing, and what would change that.
pub(crate) fn empty(text: &str) -> Markup {
    html! { p.empty { (text) } }
}

/// A number with its thousands apart: 12,345.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// An address with a query, in which values are encoded and empty ones left out.
pub(crate) fn address(path: &str, query: &[(&str, &str)]) -> String {
    let given = query.iter().filter(|(_, value)| !value.is_empty());
    let parts: Vec<String> =
        given.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    match parts.is_empty() {
        true => path.to_owned(),
        false => format!("{path}?{}", parts.join("&")),
    }
}

/// A text as a part of an address.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => {
                let _infallible = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

/// A text in one line, cut where it is too wide: letters of East Asia take twice the room.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    let mut used = 0;
    let mut shown = String::new();
    for letter in text.chars() {
        used += columns_of(letter);
        if used > columns {
            shown.truncate(shown.trim_end().len());
            shown.push('…');
            break;
        }
        shown.push(letter);
    }
    shown
}

fn columns_of(letter: char) -> usize {
    match u32::from(letter) {
        0x1100..=0x115F
        | 0x2E80..=0xA4CF
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE6F
        | 0xFF00..=0xFF60
        | 0xFFE0..=0xFFE6
        | 0x1F300..=0x1FAFF
        | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

/// A part of a whole as drawings take it: `12.34%`.
pub(crate) fn percent(part: i64, whole: i64) -> String {
    let hundredths = (part.saturating_mul(10_000)).checked_div(whole.max(1)).unwrap_or(0);
    let sign = if hundredths < 0 { "-" } else { "" };
    let hundredths = hundredths.unsigned_abs();
    format!("{sign}{}.{:02}%", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_kept_apart() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn a_text_is_cut_by_the_room_it_takes() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("fix the login", 8), "fix the…");
        assert_eq!(cut("漢字漢字", 5), "漢字…");
    }

    #[test]
    fn a_part_is_told_in_hundredths_of_a_percent() {
        let told = [percent(1, 3), percent(3, 3), percent(-1, 8)];
        assert_eq!(told, ["33.33%", "100.00%", "-12.50%"]);
    }

    #[test]
    fn values_in_addresses_are_encoded_and_empty_ones_left_out() {
        let query = [("project", "a&b"), ("tag", ""), ("q", "ä b")];
        assert_eq!(address("/search", &query), "/search?project=a%26b&q=%C3%A4%20b");
        assert_eq!(address("/", &[("q", "")]), "/");
    }
}
