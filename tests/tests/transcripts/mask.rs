//! What differs from run to run gives way to something of the same length, so that a page is set
//! as it was.
//!
//! A task is shown by its name in capitals, its whole id as twenty characters that end in the name.

use std::path::Path;

/// The beginning of every id in a transcript.
const ID: &str = "0123456789ABCDEFGHJKMNPQRS";
/// How much of it is left of the name of a task.
const BEFORE_NAME: usize = 20;
const TIME: &str = "2026-11-15T09:30:00.000Z";
const HASH_CHARS: usize = 64;
/// What every key that signs is known by, and how long a key and a signature are in base64.
const KEY_ID: &str = "0123456789abcdef";
const PUBLIC_KEY_CHARS: usize = 44;
const SIGNATURE_CHARS: usize = 88;
/// What every key is known by in a transcript.
const KEY: &str = "4gx0t2m9";

/// Numbers that depend on the machine, in JSON.
const NUMBERS: [&str; 14] = [
    "size_bytes",
    "activeDurationMs",
    "expired_for_ms",
    "mean",
    "min",
    "max",
    "p50",
    "p90",
    "oldest",
    "duration_ms",
    "took_ms",
    "due_in_ms",
    "owner_due_in_ms",
    "lease_expires_epoch",
];
/// Before the machine and the number of the process that sent a hook.
const WORKER: &str = "\"worker_id\":\"ada@";

/// Before the age of a run.
const STARTED: &str = "  started  ";
/// Before the machine of a run.
const MACHINE: &str = "\"machine\":\"";
/// When a run began, in its id.
const RUN_TIME: &str = "20261115T093000Z";
/// A time of HOTL, and the time of a line of its log.
const WHOLE_TIME: &str = "2026-11-15T09:30:00+00:00";
const LOG_TIME: &str = "[09:30:00]";

/// Before the mark of a fence around chunks, and what stands for every mark.
const FENCE: &str = "chunk-";
const MARK: &str = "0123456789ab";

/// A task that has a name.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) id: String,
    /// As long as a short id.
    pub(crate) name: &'static str,
}

impl Named {
    pub(crate) fn short(&self) -> &str {
        &self.id[BEFORE_NAME..]
    }
}

/// What stands for what in a scene.
#[derive(Debug)]
pub(crate) struct Mask<'a> {
    pub(crate) tasks: &'a [Named],
    pub(crate) home: &'a Path,
}

impl Mask<'_> {
    pub(crate) fn over(&self, said: &str) -> String {
        let mut said = said.replace(&self.home.display().to_string(), "/home/ada");
        for task in self.tasks {
            let whole = format!("{}{}", &ID[..BEFORE_NAME], task.name);
            said = said.replace(&task.id, &whole).replace(task.short(), task.name);
        }
        said = without_ending(&said);
        for key in NUMBERS {
            said = without_number(&said, &format!("\"{key}\":"));
        }
        said = without_word(&said, WORKER, "<host>-<number>");
        said = without_word(&said, MACHINE, "<host>");
        said = without_age(&said);
        said = without_marks(&said);
        without_shapes(&said)
    }
}

/// The name of a file that is made for one use.
fn without_ending(said: &str) -> String {
    let is_ending = |ending: &str| ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let parts = said.split_inclusive('-');
    let part = |part: &str| match part.split_once(".md") {
        Some((ending, rest)) if ending.len() == 6 && is_ending(ending) => {
            format!("XXXXXX.md{rest}")
        }
        _ => part.to_owned(),
    };
    parts.map(part).collect()
}

/// How long ago a run started: its story may take a while.
fn without_age(said: &str) -> String {
    let line = |line: &str| match line.starts_with(STARTED) && line.ends_with("s ago\n") {
        true => format!("{STARTED}just now\n"),
        false => line.to_owned(),
    };
    said.split_inclusive('\n').map(line).collect()
}

/// The marks of fences, which follow from ids.
fn without_marks(said: &str) -> String {
    let mut parts = said.split(FENCE);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(FENCE);
        match part.split_at_checked(MARK.len()) {
            Some((mark, rest)) if mark.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                kept.push_str(MARK);
                kept.push_str(rest);
            }
            _ => kept.push_str(part),
        }
    }
    kept
}

/// The text behind a key, up to its quote.
fn without_word(said: &str, key: &str, instead: &str) -> String {
    let mut parts = said.split(key);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part.split_once('"').unwrap_or((part, ""));
        kept.push_str(key);
        kept.push_str(instead);
        kept.push('"');
        kept.push_str(rest);
    }
    kept
}

/// The number behind a key.
fn without_number(said: &str, key: &str) -> String {
    let mut parts = said.split(key);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let is_number = rest.len() < part.len();
        kept.push_str(key);
        kept.push_str(if is_number { "<number>" } else { "" });
        kept.push_str(rest);
    }
    kept
}

/// The ids of runs, as they are typed.
pub(crate) fn without_run_times(typed: &str) -> String {
    replaced(typed, run_time)
}

/// Ids, times, hashes and sizes, known by their shapes.
fn without_shapes(said: &str) -> String {
    replaced(said, instead)
}

fn replaced(said: &str, instead: fn(&str) -> Option<(usize, String)>) -> String {
    let mut kept = String::new();
    let mut rest = said;
    let mut is_inside_a_word = false;
    while let Some(letter) = rest.chars().next() {
        let found = if is_inside_a_word { None } else { instead(rest) };
        let length = found.as_ref().map_or(letter.len_utf8(), |(length, _)| *length);
        match found {
            Some((_, instead)) => kept.push_str(&instead),
            None => kept.push(letter),
        }
        rest = &rest[length..];
        is_inside_a_word = letter.is_ascii_alphanumeric();
    }
    kept
}

/// How much of the beginning of a text is of a shape, and what is shown instead.
fn instead(text: &str) -> Option<(usize, String)> {
    let run = |fits: fn(u8) -> bool| text.bytes().take_while(|byte| fits(*byte)).count();
    let id = run(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    let is_cut = text[id..].starts_with('…');
    if text.starts_with("01") && !text.starts_with(&ID[..BEFORE_NAME]) && (id == ID.len() || is_cut)
    {
        return Some((id, ID[..id].to_owned()));
    }
    if let Some(rest) = text.strip_prefix("wl_") {
        return Some(key(rest));
    }
    let hash = run(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    let is_of_nothing = text.starts_with("0000");
    if hash == HASH_CHARS && !is_of_nothing {
        return Some((hash, "0123456789abcdef".repeat(4)));
    }
    if hash == KEY_ID.len() && !is_of_nothing {
        return Some((hash, KEY_ID.to_owned()));
    }
    let base64 = run(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    if [PUBLIC_KEY_CHARS, SIGNATURE_CHARS].contains(&base64) && text[..base64].ends_with('=') {
        return Some((base64, format!("{}=", "x".repeat(base64 - 1))));
    }
    // A time at midnight is one that somebody gave.
    if has_shape(text, "dddd-dd-ddTdd:dd:dd.dddZ") && !text[10..].starts_with("T00:00:00.000") {
        return Some((TIME.len(), TIME.to_owned()));
    }
    if has_shape(text, "dddd-dd-ddTdd:dd:dd+00:00") {
        return Some((WHOLE_TIME.len(), WHOLE_TIME.to_owned()));
    }
    if has_shape(text, "[dd:dd:dd]") {
        return Some((LOG_TIME.len(), LOG_TIME.to_owned()));
    }
    if has_shape(text, "ddd kB") {
        return Some((6, "100 kB".to_owned()));
    }
    run_time(text)
}

fn run_time(text: &str) -> Option<(usize, String)> {
    has_shape(text, "ddddddddTddddddZ").then(|| (RUN_TIME.len(), RUN_TIME.to_owned()))
}

/// A key without its secret, or with it, after its mark.
fn key(rest: &str) -> (usize, String) {
    let is_of_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    let length = rest.bytes().take_while(is_of_key).count();
    let shown = format!("wl_{KEY}_{}", "x".repeat(length.saturating_sub(KEY.len() + 1)));
    (3 + length, shown[..3 + length].to_owned())
}

/// Whether a text begins with a shape, in which `d` is a digit.
fn has_shape(text: &str, shape: &str) -> bool {
    let fits = |(letter, shape): (u8, u8)| match shape {
        b'd' => letter.is_ascii_digit(),
        exactly => letter == exactly,
    };
    text.len() >= shape.len() && text.bytes().zip(shape.bytes()).all(fits)
}
