//! An issue of beads, read from its line.

use serde_json::{Map, Value};
use windlass_domain::text::{NAME_CHARS, PRIORITY_HIGHEST};
use windlass_domain::{Refusal, Time};

use super::lines::invalid;
use crate::import::clean::object;

/// The time that Go writes for none.
const NEVER: &str = "0001-01-01T00:00:00Z";

/// Where an issue stands in beads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Open,
    InProgress,
    Blocked,
    Deferred,
    Closed,
    /// Deleted.
    Tombstone,
}

impl State {
    const NAMES: [(&'static str, Self); 6] = [
        ("open", Self::Open),
        ("in_progress", Self::InProgress),
        ("blocked", Self::Blocked),
        ("deferred", Self::Deferred),
        ("closed", Self::Closed),
        ("tombstone", Self::Tombstone),
    ];

    fn parse(text: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(name, _)| *name == text).map(|(_, state)| *state)
    }
}

/// An issue.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Issue {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) description: String,
    /// The other long texts, under their headings.
    pub(super) sections: Vec<(&'static str, String)>,
    pub(super) state: State,
    /// In our order: 3 is the highest.
    pub(super) priority: u8,
    /// `bug`, `feature`…
    pub(super) kind: Option<String>,
    pub(super) assignee: Option<String>,
    pub(super) labels: Vec<String>,
    pub(super) created_at: Option<Time>,
    pub(super) created_by: Option<String>,
    pub(super) updated_at: Option<Time>,
    pub(super) closed_at: Option<Time>,
    pub(super) close_reason: Option<String>,
    pub(super) external_ref: Option<String>,
    pub(super) estimated_minutes: Option<i64>,
    pub(super) dependencies: Vec<Dependency>,
    pub(super) comments: Vec<Comment>,
    /// Keys that mean nothing here.
    pub(super) unknown: Vec<String>,
}

/// How an issue is tied to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dependency {
    pub(super) on: String,
    /// `blocks`, `parent-child`, `related`…
    pub(super) kind: String,
    pub(super) at: Option<Time>,
    pub(super) by: Option<String>,
}

/// What somebody said about an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comment {
    pub(super) text: String,
    pub(super) at: Option<Time>,
    pub(super) by: Option<String>,
}

/// What a line holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Line {
    Issue(Box<Issue>),
    /// Something else that beads writes into the same file, and what it calls it.
    Other(String),
}

/// Reads a line.
pub(super) fn read(number: u64, text: &str) -> Result<Line, Refusal> {
    let text = text.trim_start_matches('\u{feff}');
    let fields = object(text).map_err(|error| broken(number, text, &error))?;
    let mut fields = Fields { fields, number };
    match fields.text("_type")? {
        Some(kind) if kind != "issue" => Ok(Line::Other(kind)),
        _ => Ok(Line::Issue(Box::new(fields.issue()?))),
    }
}

fn broken(number: u64, text: &str, error: &serde_json::Error) -> Refusal {
    let is_conflict = ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|mark| text.starts_with(mark));
    if is_conflict {
        return invalid(number, "here is a merge conflict, not an issue")
            .hint("solve the conflict in the file first; nothing was imported");
    }
    if error.is_eof() {
        return invalid(number, "the issue is cut off before its end")
            .hint("the file was not written whole: bd export; nothing was imported");
    }
    invalid(number, &format!("this is not a JSON object: {error}"))
}

/// The fields of a line; what was looked at is taken out.
struct Fields {
    fields: Map<String, Value>,
    number: u64,
}

impl Fields {
    fn issue(&mut self) -> Result<Issue, Refusal> {
        let id = self.required("id")?;
        if id.chars().count() > NAME_CHARS {
            return Err(self.wrong("id", &format!("at most {NAME_CHARS} characters")));
        }
        let state = self.state(&id)?;
        let title = match (self.text("title")?, state) {
            (Some(title), _) => title,
            (None, State::Tombstone) => String::new(),
            (None, _) => return Err(self.missing("title")),
        };
        let mut sections = Vec::new();
        for (key, heading) in [
            ("design", "Design"),
            ("acceptance_criteria", "Acceptance criteria"),
            ("notes", "Notes"),
        ] {
            sections.extend(self.text(key)?.map(|text| (heading, text)));
        }
        Ok(Issue {
            id,
            title,
            description: self.text("description")?.unwrap_or_default(),
            sections,
            state,
            priority: self.priority()?,
            kind: self.text("issue_type")?,
            assignee: self.text("assignee")?,
            labels: self.texts("labels")?,
            created_at: self.time("created_at")?,
            created_by: self.text("created_by")?,
            updated_at: self.time("updated_at")?,
            closed_at: self.time("closed_at")?,
            close_reason: self.text("close_reason")?,
            external_ref: self.text("external_ref")?,
            estimated_minutes: self.number("estimated_minutes")?,
            dependencies: self.each("dependencies", Self::dependency)?,
            comments: self.each("comments", Self::comment)?,
            unknown: self.fields.keys().cloned().collect(),
        })
    }

    fn state(&mut self, id: &str) -> Result<State, Refusal> {
        let given = self.required("status")?;
        State::parse(&given).ok_or_else(|| {
            let names: Vec<&str> = State::NAMES.iter().map(|(name, _)| *name).collect();
            invalid(self.number, &format!("issue {id} has the status '{given}', unknown here"))
                .hint(format!(
                    "give it one of {}: bd update {id} --status open; nothing was imported",
                    names.join(", ")
                ))
                .detail("given", &given)
                .detail("allowed", names)
        })
    }

    /// 0 is the highest in beads and there are five; here 3 is the highest and there are four.
    fn priority(&mut self) -> Result<u8, Refusal> {
        let given = self.number("priority")?.unwrap_or(2);
        let given =
            u8::try_from(given).map_err(|_| self.wrong("priority", "a number from 0 to 4"))?;
        Ok(PRIORITY_HIGHEST.saturating_sub(given))
    }

    fn dependency(&mut self) -> Result<Dependency, Refusal> {
        Ok(Dependency {
            on: self.required("depends_on_id")?,
            kind: self.text("type")?.unwrap_or_else(|| "blocks".to_owned()),
            at: self.time("created_at")?,
            by: self.text("created_by")?,
        })
    }

    fn comment(&mut self) -> Result<Comment, Refusal> {
        Ok(Comment {
            text: self.text("text")?.unwrap_or_default(),
            at: self.time("created_at")?,
            by: self.text("author")?,
        })
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        self.fields.remove(key).filter(|value| !value.is_null())
    }

    /// A text that is there and not empty.
    fn text(&mut self, key: &str) -> Result<Option<String>, Refusal> {
        match self.take(key) {
            Some(Value::String(text)) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
            Some(_) => Err(self.wrong(key, "a text")),
            None => Ok(None),
        }
    }

    fn required(&mut self, key: &str) -> Result<String, Refusal> {
        self.text(key)?.ok_or_else(|| self.missing(key))
    }

    fn texts(&mut self, key: &str) -> Result<Vec<String>, Refusal> {
        let Some(value) = self.take(key) else {
            return Ok(Vec::new());
        };
        serde_json::from_value(value).map_err(|_| self.wrong(key, "a list of texts"))
    }

    fn number(&mut self, key: &str) -> Result<Option<i64>, Refusal> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        value.as_i64().map(Some).ok_or_else(|| self.wrong(key, "a whole number"))
    }

    fn time(&mut self, key: &str) -> Result<Option<Time>, Refusal> {
        let given = self.text(key)?.filter(|text| text != NEVER);
        let time = given.map(|text| Time::parse(key, &text)).transpose();
        time.map_err(|_| self.wrong(key, "a time such as 2026-11-15T09:30:00Z"))
    }

    fn each<T>(
        &mut self,
        key: &str,
        read: impl Fn(&mut Self) -> Result<T, Refusal>,
    ) -> Result<Vec<T>, Refusal> {
        let Some(value) = self.take(key) else {
            return Ok(Vec::new());
        };
        let items: Vec<Map<String, Value>> =
            serde_json::from_value(value).map_err(|_| self.wrong(key, "a list of objects"))?;
        let number = self.number;
        items.into_iter().map(|fields| read(&mut Self { fields, number })).collect()
    }

    fn missing(&self, key: &str) -> Refusal {
        invalid(self.number, &format!("the issue has no {key}")).detail("field", key)
    }

    fn wrong(&self, key: &str, expected: &str) -> Refusal {
        invalid(self.number, &format!("{key} is not {expected}")).detail("field", key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issue(text: &str) -> Issue {
        match read(1, text) {
            Ok(Line::Issue(issue)) => *issue,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_issue_is_read_with_all_its_parts() {
        let issue = issue(
            r#"{"id":"bd-a1","title":"T","description":"D","design":"how","notes":"n",
            "status":"open","priority":0,"issue_type":"bug","assignee":"ada","labels":["x"],
            "created_at":"2026-01-02T03:04:05.123456-07:00","created_by":"ben",
            "updated_at":"2026-01-03T00:00:00Z","closed_at":"0001-01-01T00:00:00Z",
            "estimated_minutes":90,"dependencies":[{"issue_id":"bd-a1","depends_on_id":"bd-b2",
            "type":"blocks","created_at":"2026-01-02T03:04:06Z","created_by":"ben"}],
            "comments":[{"id":1,"issue_id":"bd-a1","author":"eve","text":"hm",
            "created_at":"2026-01-02T04:00:00Z"}],"compaction_level":1}"#,
        );
        assert_eq!(issue.sections, [("Design", "how".to_owned()), ("Notes", "n".to_owned())]);
        assert_eq!((issue.state, issue.priority), (State::Open, 3));
        assert_eq!(issue.created_at.unwrap().to_string(), "2026-01-02T10:04:05.123Z");
        assert_eq!((issue.closed_at, issue.estimated_minutes), (None, Some(90)));
        assert_eq!(issue.dependencies[0].on, "bd-b2");
        assert_eq!(issue.comments[0].by.as_deref(), Some("eve"));
        assert_eq!(issue.unknown, ["compaction_level"]);
    }

    #[test]
    fn the_five_priorities_of_beads_become_four() {
        for (theirs, ours) in [(0, 3), (1, 2), (2, 1), (3, 0), (4, 0)] {
            let text = format!(r#"{{"id":"b","title":"t","status":"open","priority":{theirs}}}"#);
            assert_eq!(issue(&text).priority, ours, "{theirs}");
        }
    }

    #[test]
    fn what_is_not_an_issue_is_refused_with_its_line() {
        for (text, said) in [
            ("no", "not a JSON object"),
            ("[1]", "not a JSON object"),
            (r#"{"id":"b","title":"#, "cut off"),
            ("<<<<<<< HEAD", "merge conflict"),
            (r#"{"title":"t","status":"open"}"#, "has no id"),
            (r#"{"id":"b","status":"open"}"#, "has no title"),
            (r#"{"id":"b","title":" ","status":"open"}"#, "has no title"),
            (r#"{"id":"b","title":"t"}"#, "has no status"),
            (r#"{"id":"b","title":"t","status":"hooked"}"#, "status 'hooked'"),
            (r#"{"id":"b","title":"t","status":"open","priority":-1}"#, "priority"),
            (r#"{"id":"b","title":"t","status":"open","labels":"x"}"#, "labels"),
            (r#"{"id":"b","title":"t","status":"open","created_at":"then"}"#, "created_at"),
            (r#"{"id":"b","title":"t","status":"open","comments":[3]}"#, "comments"),
            (r#"{"id":"b","title":"t","status":"open","dependencies":[{}]}"#, "depends_on_id"),
        ] {
            let refusal = read(7, text).unwrap_err();
            assert!(refusal.message.starts_with("line 7: "), "{text}: {refusal}");
            assert!(refusal.message.contains(said), "{text}: {refusal}");
            assert!(refusal.hint.is_some(), "{text}");
        }
    }

    #[test]
    fn other_things_in_the_file_are_told_apart() {
        assert_eq!(read(1, r#"{"_type":"memory","key":"k"}"#), Ok(Line::Other("memory".into())));
    }
}
