//! `handoff`: how much of what was learned goes along to the next task.
//!
//! The newest checkpoints come first, so that a short budget costs the oldest. The description and
//! the first checkpoint hold the same text, each cut to its own share of the budget. The budget is
//! for this text; the lines around it, which say where it is from and how much is missing, are few.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::event::CheckpointRecorded;
use crate::text::{CHECKPOINT_DATA_BYTES, LONG_CHARS};
use crate::{Task, Time};

/// Checkpoints that are carried when nobody says how many.
pub const CHECKPOINTS: u64 = 3;
/// More than anybody reads.
pub const MOST_CHECKPOINTS: u64 = 1_000;
/// Characters that are carried when nobody says how many.
pub const CHARS: u64 = 4_000;

/// Of 4,000 characters 2,500 go into the description, and so on in this proportion.
const PARTS: u64 = 8;
const CHECKPOINT_PARTS: u64 = 3;

/// What the lines around the text may take of the description, and of a checkpoint's data.
const FRAME_CHARS: usize = 512;
const FRAME_BYTES: usize = 1_024;

/// A checkpoint of the source.
#[derive(Debug, Clone)]
pub struct Point {
    pub at: Time,
    pub said: CheckpointRecorded,
}

/// What goes along.
#[derive(Debug, Clone, PartialEq)]
pub struct Carried {
    pub description: String,
    /// Nothing when it would hold nothing.
    pub checkpoint: Option<Map<String, Value>>,
    /// Checkpoints of which something goes along.
    pub checkpoints: usize,
    /// Characters of them in the description.
    pub chars: usize,
    /// Characters of them that are not there.
    pub left_out: usize,
}

/// The shares of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shares {
    description: usize,
    checkpoint: usize,
}

impl Shares {
    fn of(max_chars: u64) -> Self {
        let eighths = max_chars / PARTS * CHECKPOINT_PARTS;
        let checkpoint = eighths + max_chars % PARTS * CHECKPOINT_PARTS / PARTS;
        let most = LONG_CHARS - FRAME_CHARS;
        let share = |chars: u64| usize::try_from(chars).unwrap_or(usize::MAX).min(most);
        Self { description: share(max_chars - checkpoint), checkpoint: share(checkpoint) }
    }
}

/// The beginning of a text.
struct Cut<'a> {
    kept: &'a str,
    chars: usize,
    left_out: usize,
}

/// Cuts after so many characters, or where the next one would take more than so many bytes.
fn cut(text: &str, chars: usize, bytes: usize, size: fn(char) -> usize) -> Cut<'_> {
    let (mut kept_chars, mut kept_size, mut end) = (0, 0, 0);
    for (at, letter) in text.char_indices().take(chars) {
        kept_size += size(letter);
        if kept_size > bytes {
            break;
        }
        kept_chars += 1;
        end = at + letter.len_utf8();
    }
    let (kept, rest) = text.split_at(end);
    Cut { kept, chars: kept_chars, left_out: rest.chars().count() }
}

/// How many bytes a character takes in JSON.
fn in_json(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        letter => letter.len_utf8(),
    }
}

/// What goes along from the source, of checkpoints in the order newest first.
pub fn carry(source: &Task, newest_first: &[Point], max_chars: u64) -> Carried {
    let sections: Vec<String> = newest_first.iter().map(section).collect();
    let text = sections.join("\n");
    let shares = Shares::of(max_chars);
    let long = cut(&text, shares.description, usize::MAX, char::len_utf8);
    let short = cut(&text, shares.checkpoint, CHECKPOINT_DATA_BYTES - FRAME_BYTES, in_json);
    let checkpoints = begun(&sections, long.chars);
    Carried {
        description: described(source, checkpoints, newest_first.len(), &long),
        checkpoint: (!short.kept.is_empty()).then(|| data(source, &short)),
        checkpoints,
        chars: long.chars,
        left_out: long.left_out,
    }
}

/// How many sections have a character among the first so many.
fn begun(sections: &[String], chars: usize) -> usize {
    let mut begins_at = 0;
    sections
        .iter()
        .take_while(|section| {
            let is_begun = begins_at < chars;
            begins_at += section.chars().count() + 1;
            is_begun
        })
        .count()
}

/// A checkpoint in words: its name, and each of its data on a line.
fn section(point: &Point) -> String {
    let CheckpointRecorded { name, data, progress, .. } = &point.said;
    let mut text = format!("{} {name}", point.at);
    if let Some(progress) = progress {
        let _infallible = write!(text, " ({progress}%)");
    }
    text.push('\n');
    for (key, value) in data {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let _infallible = writeln!(text, "  {key}: {value}");
    }
    // A checkpoint may hold what a description may not.
    let readable = |letter: char| match letter {
        '\n' | '\t' => letter,
        letter if letter.is_control() => char::REPLACEMENT_CHARACTER,
        letter => letter,
    };
    text.chars().map(readable).collect()
}

fn described(source: &Task, carried: usize, count: usize, cut: &Cut<'_>) -> String {
    let Task { id, title, .. } = source;
    let mut text = format!("Handed off from task {id}: {title}");
    if !cut.kept.is_empty() {
        let last = match (carried, count) {
            (1, 1) => "Its last checkpoint:".to_owned(),
            (1, count) => format!("The newest of its last {count} checkpoints:"),
            (carried, count) if carried == count => {
                format!("Its last {count} checkpoints, newest first:")
            }
            (carried, count) => {
                format!("{carried} of its last {count} checkpoints, newest first:")
            }
        };
        let _infallible = write!(text, "\n{last}\n\n{}", cut.kept.trim_end_matches('\n'));
    }
    if cut.left_out > 0 {
        let all = cut.chars + cut.left_out;
        let _infallible = write!(
            text,
            "\n\nLeft out: {} of {all} characters. All of it: windlass task show {id}",
            cut.left_out
        );
    }
    text
}

fn data(source: &Task, cut: &Cut<'_>) -> Map<String, Value> {
    [
        ("source_task_id", Value::from(source.id.to_string())),
        ("source_title", source.title.as_str().into()),
        ("text", cut.kept.into()),
        ("left_out_chars", cut.left_out.into()),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_owned(), value))
    .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::Status;
    use crate::event::Authority;
    use crate::task::samples::{NOW, in_status};
    use crate::text;

    fn point(name: &str, data: &Value) -> Point {
        let said = CheckpointRecorded {
            name: name.to_owned(),
            data: data.as_object().cloned().unwrap_or_default(),
            progress: None,
            authority: Authority::Free,
            forced: None,
        };
        Point { at: NOW, said }
    }

    fn source() -> Task {
        Task { title: "é".repeat(text::TITLE_CHARS), ..in_status(Status::InProgress) }
    }

    fn carried_text(carried: &Carried) -> &str {
        carried.checkpoint.as_ref().map_or("", |data| data["text"].as_str().unwrap())
    }

    #[test]
    fn a_budget_is_shared_as_2500_and_1500_of_4000() {
        let rows = [
            (0, 0, 0),
            (1, 1, 0),
            (2, 2, 0),
            (3, 2, 1),
            (8, 5, 3),
            (4_000, 2_500, 1_500),
            (8_000, 5_000, 3_000),
            (1_000_000, LONG_CHARS - FRAME_CHARS, LONG_CHARS - FRAME_CHARS),
            (u64::MAX, LONG_CHARS - FRAME_CHARS, LONG_CHARS - FRAME_CHARS),
        ];
        for (max_chars, description, checkpoint) in rows {
            assert_eq!(Shares::of(max_chars), Shares { description, checkpoint }, "{max_chars}");
        }
    }

    #[test]
    fn what_fits_goes_along_whole_and_nothing_is_left_out() {
        let points = [point("second", &json!({"next": "write tests"})), point("first", &json!({}))];
        let carried = carry(&source(), &points, 4_000);
        let all = format!("{NOW} second\n  next: write tests\n\n{NOW} first\n");
        assert_eq!(carried_text(&carried), all);
        assert!(carried.description.ends_with(all.trim_end()), "{}", carried.description);
        assert_eq!((carried.checkpoints, carried.left_out), (2, 0));
        assert_eq!(carried.chars, all.chars().count());
    }

    #[test]
    fn a_short_budget_costs_the_oldest() {
        let points = [point("newest", &json!({})), point("oldest", &json!({}))];
        let carried = carry(&source(), &points, 40);
        assert!(carried.description.contains("newest"));
        assert!(!carried.description.contains("oldest"));
        assert_eq!((carried.checkpoints, carried.chars), (1, 25));
        assert!(carried.description.contains("The newest of its last 2 checkpoints:"));
    }

    #[test]
    fn both_places_name_the_source_and_what_is_missing() {
        let points = [point("x", &json!({"log": "y".repeat(9_000)}))];
        let carried = carry(&source(), &points, 4_000);
        let id = source().id.to_string();
        assert!(carried.description.contains(&id));
        assert!(carried.description.contains(&format!("Left out: {} of", carried.left_out)));
        let data = carried.checkpoint.unwrap();
        assert_eq!(data["source_task_id"], id);
        let all = carried.chars + carried.left_out;
        assert_eq!(carried.chars, 2_500);
        assert_eq!(data["left_out_chars"], all - 1_500);
    }

    #[test]
    fn a_budget_of_nothing_carries_nothing_and_says_so() {
        let carried = carry(&source(), &[point("x", &json!({}))], 0);
        assert_eq!((carried.checkpoints, carried.chars, carried.checkpoint), (0, 0, None));
        assert!(carried.description.contains("Left out: "), "{}", carried.description);
        let none = carry(&source(), &[], 4_000);
        assert_eq!(none.checkpoint, None, "there is nothing to note");
        assert_eq!(
            none.description,
            format!("Handed off from task {}: {}", source().id, source().title)
        );
    }

    #[test]
    fn control_characters_do_not_go_along() {
        let carried = carry(&source(), &[point("x", &json!({"log": "a\u{1b}[31mb\r\nc"}))], 4_000);
        assert!(text::long("description", &carried.description).is_ok());
        assert!(carried.description.contains("a\u{fffd}[31mb\u{fffd}\nc"));
    }

    proptest! {
        #[test]
        fn whatever_was_said_fits_and_nothing_is_miscounted(
            texts in prop::collection::vec(("\\PC{1,20}", "(?s).{0,4000}"), 0..6),
            max_chars in prop_oneof![0_u64..50, 0_u64..20_000, Just(1_000_000), Just(u64::MAX)],
        ) {
            let points: Vec<Point> =
                texts.iter().map(|(name, log)| point(name, &json!({"log": log}))).collect();
            let carried = carry(&source(), &points, max_chars);
            let whole = points.iter().map(section).collect::<Vec<_>>().join("\n");
            let short = carried_text(&carried);
            prop_assert!(text::long("description", &carried.description).is_ok());
            prop_assert!(whole.starts_with(short));
            prop_assert!((carried.chars + short.chars().count()) as u64 <= max_chars);
            prop_assert_eq!(carried.chars + carried.left_out, whole.chars().count());
            let long: String = whole.chars().take(carried.chars).collect();
            prop_assert!(carried.description.contains(long.trim_end_matches('\n')));
            if let Some(data) = &carried.checkpoint {
                prop_assert!(text::checkpoint_data(data).is_ok());
                let left_out = data["left_out_chars"].as_u64().unwrap();
                let all = whole.chars().count() as u64;
                prop_assert_eq!(short.chars().count() as u64 + left_out, all);
            }
        }
    }
}
