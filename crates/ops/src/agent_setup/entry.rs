//! The entry by which a coding agent knows how to start our MCP server.

use std::path::Path;

use serde_json::{Value, json};

/// The name of the server in every file.
pub(super) const NAME: &str = "windlass";

/// How an agent writes down a server that it starts itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `command` and `args`.
    Plain,
    /// `type` and one list, `command`.
    Local,
}

/// Under which name the tools act when a call names nobody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name {
    /// Somebody asked for it.
    Asked(String),
    /// Nobody asked: an entry that is there already keeps its own.
    Usual(&'static str),
    /// An entry that somebody wrote by hand may have none.
    Nobody,
}

/// The entry itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) form: Form,
    /// The program, as it can be started.
    pub(super) program: String,
    pub(super) agent: Name,
}

impl Entry {
    /// Its fields, in the order in which they are written.
    pub(super) fn fields(&self) -> Vec<(&'static str, Value)> {
        let mut words = vec!["mcp"];
        match &self.agent {
            Name::Asked(name) => words.extend(["--agent", name]),
            Name::Usual(name) => words.extend(["--agent", name]),
            Name::Nobody => {}
        }
        match self.form {
            Form::Plain => vec![("command", json!(self.program)), ("args", json!(words))],
            Form::Local => {
                words.insert(0, &self.program);
                vec![("type", json!("local")), ("command", json!(words))]
            }
        }
    }

    pub(super) fn in_form(&self, form: Form) -> Self {
        Self { form, ..self.clone() }
    }

    pub(super) fn value(&self) -> Value {
        self.fields().into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The entry that we wrote for a program, perhaps one that was elsewhere then; nothing when
    /// somebody else wrote what is there.
    pub(super) fn written(&self, found: &Value) -> Option<Self> {
        let command = found.get("command")?;
        let program = command.as_str().or(command.get(0).and_then(Value::as_str))?;
        let named = Path::new(program).file_name().is_some_and(|name| name == NAME);
        let words = found.get("args").unwrap_or(command).as_array();
        let mut words = words.into_iter().flatten().filter_map(Value::as_str);
        let agent = words.find(|word| *word == "--agent").and_then(|_| words.next());
        let agent = agent.map_or(Name::Nobody, |name| Name::Asked(name.to_owned()));
        let entry = Self { form: self.form, program: program.to_owned(), agent };
        ((named || program == self.program) && entry.value() == *found).then_some(entry)
    }

    /// The entry as it shall be where this one was found.
    pub(super) fn in_place_of(&self, found: &Value) -> Self {
        let agent = match (&self.agent, self.written(found)) {
            (Name::Usual(_), Some(Self { agent: Name::Asked(name), .. })) => Name::Asked(name),
            (own, _) => own.clone(),
        };
        Self { agent, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Entry { form: Form::Plain, program: NAME.to_owned(), agent: Name::Usual("claude") }
    }

    #[test]
    fn a_name_that_nobody_asked_for_gives_way_to_the_one_that_is_there() {
        let found = json!({"command": "windlass", "args": ["mcp", "--agent", "anna"]});
        assert_eq!(entry().in_place_of(&found).value(), found);
        let asked = Entry { agent: Name::Asked("bob".to_owned()), ..entry() };
        assert_eq!(asked.in_place_of(&found), asked);
        let nameless = json!({"command": "windlass", "args": ["mcp"]});
        assert_eq!(entry().in_place_of(&nameless), entry());
    }

    #[test]
    fn an_entry_is_ours_wherever_the_program_was() {
        let entry = entry();
        for args in [json!(["mcp"]), json!(["mcp", "--agent", "anna"])] {
            let elsewhere = json!({"command": "/opt/bin/windlass", "args": args});
            assert!(entry.written(&elsewhere).is_some(), "{elsewhere}");
        }
        for foreign in [
            json!({"command": "npx", "args": ["mcp"]}),
            json!({"command": "windlass", "args": ["mcp", "--tools", "all"]}),
            json!({"command": "windlass", "args": ["mcp", "--agent", "anna", "--tools", "all"]}),
            json!({"command": "windlass", "args": ["mcp", "--agent"]}),
            json!({"command": "windlass", "args": ["mcp"], "env": {}}),
            json!({"url": "http://127.0.0.1:7077/mcp"}),
            json!(null),
        ] {
            assert_eq!(entry.written(&foreign), None, "{foreign}");
        }
    }
}
