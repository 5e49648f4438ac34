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

/// The entry itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) form: Form,
    /// The program, as it can be started.
    pub(super) program: String,
}

impl Entry {
    /// Its fields, in the order in which they are written.
    pub(super) fn fields(&self) -> Vec<(&'static str, Value)> {
        match self.form {
            Form::Plain => vec![("command", json!(self.program)), ("args", json!(["mcp"]))],
            Form::Local => {
                vec![("type", json!("local")), ("command", json!([self.program, "mcp"]))]
            }
        }
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
        let entry = Self { form: self.form, program: program.to_owned() };
        ((named || program == self.program) && entry.value() == *found).then_some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_ours_wherever_the_program_was() {
        let entry = Entry { form: Form::Plain, program: NAME.to_owned() };
        let elsewhere = json!({"command": "/opt/bin/windlass", "args": ["mcp"]});
        assert!(entry.written(&elsewhere).is_some());
        for foreign in [
            json!({"command": "npx", "args": ["mcp"]}),
            json!({"command": "windlass", "args": ["mcp", "--tools", "all"]}),
            json!({"command": "windlass", "args": ["mcp"], "env": {}}),
            json!({"url": "http://127.0.0.1:7077/mcp"}),
            json!(null),
        ] {
            assert_eq!(entry.written(&foreign), None, "{foreign}");
        }
    }
}
