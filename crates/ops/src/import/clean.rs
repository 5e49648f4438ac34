//! Text from elsewhere, made to fit the rules of this ledger. Whatever is changed is noted.

use serde_json::{Map, Value};
use windlass_domain::text::{
    self, CHECKPOINT_NAME_CHARS, ITEMS, LINK_CHARS, LONG_CHARS, NAME_CHARS, TAG_CHARS, TITLE_CHARS,
};
use windlass_domain::{Refusal, Time};

use super::notes::Notes;

const CLEANED: &str = "texts with characters that are not taken here: replaced by U+FFFD";
const CUT: &str = "texts that were too long: cut";
const EMPTY: &str = "empty texts: left out";
const LEFT_OUT: &str = "values that are not taken here: left out";

/// Cleans the values of one thing, which the notes name.
#[derive(Debug)]
pub(super) struct Clean<'a> {
    pub(super) notes: &'a mut Notes,
    /// What the values belong to, such as `task 01J…`.
    pub(super) of: &'a str,
}

impl Clean<'_> {
    pub(super) fn title(&mut self, given: &str) -> String {
        let title = self.fit("title", given, TITLE_CHARS, text::title);
        title.unwrap_or_else(|| "(no title)".to_owned())
    }

    /// A description; one that is empty is none.
    pub(super) fn long(&mut self, field: &str, given: &str) -> Option<String> {
        let given = Some(given).filter(|given| !given.is_empty())?;
        self.fit(field, given, LONG_CHARS, |given| text::long(field, given))
    }

    /// A comment.
    pub(super) fn said(&mut self, given: &str) -> Option<String> {
        self.fit("comment", given, LONG_CHARS, |given| text::said("comment", given))
    }

    pub(super) fn name(&mut self, field: &str, given: &str) -> Option<String> {
        self.fit(field, given, NAME_CHARS, |given| text::name(field, given))
    }

    pub(super) fn checkpoint_name(&mut self, given: &str) -> Option<String> {
        self.fit("checkpoint", given, CHECKPOINT_NAME_CHARS, text::checkpoint_name)
    }

    pub(super) fn tags(&mut self, given: &[String]) -> Vec<String> {
        let tag = |tag: &str| text::tags(&[tag.to_owned()]).map(|tags| tags.concat());
        self.items("tag", given, TAG_CHARS, tag)
    }

    pub(super) fn links(&mut self, given: &[String]) -> Vec<String> {
        let link = |link: &str| text::links(&[link.to_owned()]).map(|links| links.concat());
        self.items("link", given, LINK_CHARS, link)
    }

    pub(super) fn metadata(&mut self, given: Map<String, Value>) -> Map<String, Value> {
        self.object("metadata", given, text::metadata)
    }

    pub(super) fn checkpoint_data(&mut self, given: Map<String, Value>) -> Map<String, Value> {
        self.object("data of a checkpoint", given, text::checkpoint_data)
    }

    pub(super) fn time(&mut self, field: &str, given: &str) -> Option<Time> {
        Time::parse(field, given).map_err(|_| self.left_out(field, given)).ok()
    }

    /// Notes a value that cannot be kept.
    pub(super) fn left_out(&mut self, field: &str, given: impl std::fmt::Display) {
        let shown: String = given.to_string().chars().take(60).collect();
        self.notes.add(LEFT_OUT, format_args!("{}: {field} {shown}", self.of));
    }

    /// The text as it is if the rule takes it, else what the rule takes of it.
    fn fit(
        &mut self,
        field: &str,
        given: &str,
        limit: usize,
        rule: impl Fn(&str) -> Result<String, Refusal>,
    ) -> Option<String> {
        if let Ok(taken) = rule(given) {
            return Some(taken);
        }
        if given.trim().is_empty() {
            self.notes.add(EMPTY, format_args!("{}: {field}", self.of));
            return None;
        }
        // A letter is judged by the same rule as the whole.
        let fits = |letter: char| letter == ' ' || rule(&format!("a{letter}a")).is_ok();
        let mended: String =
            given.chars().map(|letter| if fits(letter) { letter } else { '\u{fffd}' }).collect();
        if mended != given {
            self.notes.add(CLEANED, format_args!("{}: {field}", self.of));
        }
        let length = mended.chars().count();
        let cut = if length > limit {
            self.notes.add(CUT, format_args!("{}: {field} of {length} characters", self.of));
            mended.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
        } else {
            mended
        };
        rule(&cut).map_err(|_| self.left_out(field, &cut)).ok()
    }

    fn items(
        &mut self,
        field: &str,
        given: &[String],
        limit: usize,
        rule: impl Fn(&str) -> Result<String, Refusal>,
    ) -> Vec<String> {
        let mut kept: Vec<String> = Vec::with_capacity(given.len());
        for item in given {
            match self.fit(field, item, limit, &rule) {
                Some(item) if kept.contains(&item) => {}
                Some(item) if kept.len() == ITEMS => self.left_out(field, item),
                Some(item) => kept.push(item),
                None => {}
            }
        }
        kept
    }

    fn object(
        &mut self,
        field: &str,
        given: Map<String, Value>,
        rule: impl Fn(&Map<String, Value>) -> Result<Map<String, Value>, Refusal>,
    ) -> Map<String, Value> {
        if rule(&given).is_ok() {
            return given;
        }
        let mended = without_nul(Value::Object(given.clone()));
        let Value::Object(mended) = mended else {
            return Map::new();
        };
        if mended != given {
            self.notes.add(CLEANED, format_args!("{}: {field}", self.of));
        }
        match rule(&mended) {
            Ok(taken) => taken,
            Err(refusal) => {
                self.left_out(field, refusal.message);
                Map::new()
            }
        }
    }
}

fn without_nul(value: Value) -> Value {
    let mend = |text: &str| text.replace('\0', "\u{fffd}");
    match value {
        Value::String(text) => Value::String(mend(&text)),
        Value::Array(items) => items.into_iter().map(without_nul).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(key, value)| (mend(&key), without_nul(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// Reads a JSON object. JavaScript writes halves of a surrogate pair, which are no characters, as
/// escapes; each is read as U+FFFD.
pub(super) fn object(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match without_halves(text) {
        Some(mended) => serde_json::from_str(&mended),
        None => Err(error),
    })
}

/// The text with every lone `\ud800`…`\udfff` replaced; nothing when there is none.
fn without_halves(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    let mut found = false;
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        mended.push_str(before);
        let next = |skip: usize| escape(from.get(skip..).unwrap_or_default());
        let length = match (next(0), next(6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                found = true;
                mended.push_str("\\ufffd");
                rest = from.get(6..).unwrap_or_default();
                continue;
            }
            (Some(_), _) => 6,
            // A backslash and the letter it escapes, which may be another backslash.
            (None, _) => 1 + from.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (kept, after) = from.split_at_checked(length).unwrap_or((from, ""));
        mended.push_str(kept);
        rest = after;
    }
    mended.push_str(rest);
    found.then_some(mended)
}

/// The code of `\uXXXX` at the beginning of the text.
fn escape(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clean<T>(work: impl FnOnce(&mut Clean<'_>) -> T) -> (T, Vec<String>) {
        let mut notes = Notes::default();
        let result = work(&mut Clean { notes: &mut notes, of: "task T" });
        (result, notes.into_list().into_iter().map(|note| note.what).collect())
    }

    #[test]
    fn text_that_fits_is_kept_without_a_note() {
        let description = "one\n\ttwo 漢字 🚀";
        let (kept, notes) = clean(|clean| clean.long("description", description));
        assert_eq!((kept.as_deref(), notes.len()), (Some(description), 0));
    }

    #[test]
    fn control_characters_are_replaced_where_the_rules_refuse_them() {
        let (title, notes) = clean(|clean| clean.title("a\0b\nc\u{202e}d e"));
        assert_eq!(title, "a\u{fffd}b\u{fffd}c\u{fffd}d e");
        assert_eq!(notes, [CLEANED]);
        let (long, _) = clean(|clean| clean.long("description", "a\u{1b}b\nc"));
        assert_eq!(long.as_deref(), Some("a\u{fffd}b\nc"));
    }

    #[test]
    fn text_that_is_too_long_is_cut_at_the_limit() {
        let (title, notes) = clean(|clean| clean.title(&"ä".repeat(200)));
        assert_eq!(title.chars().count(), TITLE_CHARS);
        assert!(title.ends_with('…'));
        assert_eq!(notes, [CUT]);
    }

    #[test]
    fn empty_tags_go_and_the_rest_is_kept_once() {
        let given = ["a", " b", "", "a", "x\ty"].map(str::to_owned);
        let (tags, notes) = clean(|clean| clean.tags(&given));
        assert_eq!(tags, ["a", "b", "x\u{fffd}y"]);
        assert_eq!(notes, [EMPTY, CLEANED]);
    }

    #[test]
    fn nul_inside_of_json_is_replaced_and_what_is_too_large_left_out() {
        let given = object(r#"{"a\u0000":["\u0000"]}"#).unwrap();
        let (kept, _) = clean(|clean| clean.metadata(given));
        assert_eq!(Value::Object(kept).to_string(), "{\"a\u{fffd}\":[\"\u{fffd}\"]}");
        let large = Map::from_iter([("k".to_owned(), Value::from("x".repeat(70_000)))]);
        let (kept, notes) = clean(|clean| clean.metadata(large));
        assert!(kept.is_empty());
        assert_eq!(notes, [LEFT_OUT]);
    }

    #[test]
    fn half_a_surrogate_pair_is_read_as_a_replacement_character() {
        let read = |text: &str| object(text).map(|fields| fields["t"].clone());
        assert_eq!(read(r#"{"t":"a\ud83d"}"#).unwrap(), "a\u{fffd}");
        assert_eq!(read(r#"{"t":"\ude80\ud83d\ude80"}"#).unwrap(), "\u{fffd}🚀");
        assert_eq!(read(r#"{"t":"\\ud83d \ud83d"}"#).unwrap(), "\\ud83d \u{fffd}");
        assert!(read("{\"t\":\"a\\").is_err());
    }

    proptest! {
        #[test]
        fn every_title_becomes_one_that_the_rules_take(given in any::<String>()) {
            let (title, _) = clean(|clean| clean.title(&given));
            prop_assert!(text::title(&title).is_ok());
        }

        #[test]
        fn every_list_of_tags_becomes_one_that_the_rules_take(given in prop::collection::vec(any::<String>(), 0..5)) {
            let (tags, _) = clean(|clean| clean.tags(&given));
            prop_assert!(text::tags(&tags).is_ok());
        }

        #[test]
        fn mending_never_panics(given in any::<String>()) {
            let _mended = without_halves(&given);
        }
    }
}
