//! The outline of a message that is too long to be read: its id, wherever in it that is.
//!
//! Many clients write the id last, so the whole line is gone through, a byte at a time, and nothing
//! of it is kept.

use rmcp::model::RequestId;

/// Longest name or id that is looked at.
const LONGEST: usize = 1_024;

/// How far the line was gone through.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// How many objects and lists are open.
    depth: usize,
    text: Text,
    /// The name, or the value, that is being read in the outermost object.
    part: Vec<u8>,
    /// The value after the name `id` is being read.
    is_id: bool,
    id: Option<RequestId>,
}

/// Where in a text we are.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Text {
    #[default]
    Outside,
    Inside,
    /// The next character means nothing.
    Escaped,
}

impl Outline {
    pub(super) fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    pub(super) fn id(self) -> Option<RequestId> {
        self.id
    }

    fn step(&mut self, byte: u8) {
        match (self.text, byte) {
            (Text::Outside, b'"') | (Text::Escaped, _) => self.text = Text::Inside,
            (Text::Outside, b'{' | b'[') => self.depth += 1,
            (Text::Outside, b'}' | b']') => {
                if self.depth == 1 {
                    self.end_member();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            (Text::Outside, b':') if self.depth == 1 => {
                self.is_id = self.part.trim_ascii() == b"\"id\"";
                self.part.clear();
                return;
            }
            (Text::Outside, b',') if self.depth == 1 => return self.end_member(),
            (Text::Inside, b'\\') => self.text = Text::Escaped,
            (Text::Inside, b'"') => self.text = Text::Outside,
            (Text::Outside | Text::Inside, _) => {}
        }
        if self.depth == 1 && byte != b'{' && self.part.len() < LONGEST {
            self.part.push(byte);
        }
    }

    fn end_member(&mut self) {
        if self.is_id && self.id.is_none() {
            self.id = serde_json::from_slice(&self.part).ok();
        }
        self.is_id = false;
        self.part.clear();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn id_of(line: &str) -> Value {
        let mut outline = Outline::default();
        // However the line is cut into parts.
        line.as_bytes().chunks(3).for_each(|part| outline.read(part));
        json!(outline.id())
    }

    #[test]
    fn the_id_is_found_wherever_it_is() {
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"id":8}}"#, json!(7)),
            (
                r#"{"method":"x","params":{"id":8,"a":["}",{"id":9}]},"jsonrpc":"2.0","id":7}"#,
                json!(7),
            ),
            (r#" { "params" : "\"id\":8,\\" , "id" : "a\"b" } "#, json!("a\"b")),
            (r#"{"id":7,"id":8}"#, json!(7)),
            (r#"{"id":7,"params":"never ends"#, json!(7)),
        ] {
            assert_eq!(id_of(line), id, "{line}");
        }
    }

    #[test]
    fn where_there_is_none_none_is_found() {
        for line in
            ["", "id", "[{\"id\":7}]", "{\"method\":\"x\"}", "{\"id\":null}", "{\"id\":[7]}", "}}}"]
        {
            assert_eq!(id_of(line), Value::Null, "{line}");
        }
    }
}
