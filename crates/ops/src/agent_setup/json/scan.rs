//! A JSON text with the place of everything in it, so that it can be changed without being written
//! anew.

use serde_json::{Map, Value};

use super::super::edit::{Trouble, line_at};

/// Deeper nesting than this is refused, as `serde_json` does.
const DEEPEST: usize = 128;

/// What the program that reads the file takes for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Strict,
    /// With comments, and with a comma behind the last member.
    Comments,
}

/// A value and where it is.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Object(Object),
    Array(Vec<Node>),
    Plain(Value),
}

#[derive(Debug)]
pub(super) struct Object {
    /// Behind its brace.
    pub(super) inside: usize,
    pub(super) members: Vec<Member>,
    /// Where one more member can be put: behind the last one and all comments.
    pub(super) tail: usize,
}

#[derive(Debug)]
pub(super) struct Member {
    pub(super) key: String,
    /// Where the key begins.
    pub(super) start: usize,
    pub(super) value: Node,
    /// The end of what is before it: a comment, a comma, or the brace of the object.
    pub(super) lead: usize,
    /// Where the comma behind it is.
    pub(super) comma: Option<usize>,
}

impl Object {
    /// It has no members and no comments: what is put into it goes on in its line.
    pub(super) const fn is_bare(&self) -> bool {
        self.members.is_empty() && self.tail == self.inside
    }
}

impl Node {
    pub(super) fn value(&self) -> Value {
        match &self.kind {
            Kind::Object(object) => {
                let members = object.members.iter();
                let members = members.map(|member| (member.key.clone(), member.value.value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
            Kind::Array(items) => Value::Array(items.iter().map(Self::value).collect()),
            Kind::Plain(value) => value.clone(),
        }
    }
}

/// Reads a whole document.
pub(super) fn scan(text: &str, dialect: Dialect) -> Result<Node, Trouble> {
    // Some editors begin a file with a byte order mark.
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut scanner = Scanner { text, at, depth: 0, dialect };
    scanner.space()?;
    let root = scanner.value()?;
    scanner.space()?;
    match scanner.peek() {
        None => Ok(root),
        Some(_) => Err(scanner.broken("there is more behind the end of the document")),
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    dialect: Dialect,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn broken(&self, what: &str) -> Trouble {
        let line = line_at(self.text, self.at);
        Trouble::Broken { line, what: what.to_owned() }
    }

    /// Goes over white space and comments; says where the last comment ended.
    fn space(&mut self) -> Result<Option<usize>, Trouble> {
        let mut ended = None;
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') => {
                    self.comment()?;
                    ended = Some(self.at);
                }
                _ => return Ok(ended),
            }
        }
    }

    fn comment(&mut self) -> Result<(), Trouble> {
        let rest = self.rest();
        let length = match self.dialect {
            Dialect::Strict => return Err(self.broken("JSON has no comments")),
            Dialect::Comments if rest.starts_with("//") => rest.find(['\r', '\n']),
            Dialect::Comments if rest.starts_with("/*") => {
                let closed = rest.get(2..).and_then(|inside| inside.find("*/"));
                let closed = closed.ok_or_else(|| self.broken("this comment has no end"))?;
                Some(closed + 4)
            }
            Dialect::Comments => return Err(self.broken("a value was expected")),
        };
        self.at += length.unwrap_or(rest.len());
        Ok(())
    }

    fn value(&mut self) -> Result<Node, Trouble> {
        let start = self.at;
        if self.depth > DEEPEST {
            return Err(self.broken("this is nested too deeply"));
        }
        self.depth += 1;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.object()?),
            Some(b'[') => Kind::Array(self.array()?),
            Some(b'"') => Kind::Plain(Value::String(self.string()?)),
            _ => Kind::Plain(self.word()?),
        };
        self.depth -= 1;
        Ok(Node { start, end: self.at, kind })
    }

    fn object(&mut self) -> Result<Object, Trouble> {
        self.at += 1;
        let inside = self.at;
        let mut members: Vec<Member> = Vec::new();
        let mut tail = inside;
        loop {
            tail = self.space()?.unwrap_or(tail);
            if self.closes(b'}', members.is_empty()) {
                return Ok(Object { inside, members, tail });
            }
            let (lead, start) = (tail, self.at);
            let key = match self.peek() {
                Some(b'"') => self.string()?,
                _ => return Err(self.broken("a name in quotes was expected")),
            };
            self.space()?;
            match self.peek() {
                Some(b':') => self.at += 1,
                _ => return Err(self.broken("a colon was expected")),
            }
            self.space()?;
            let value = self.value()?;
            tail = self.space()?.unwrap_or(value.end);
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            members.push(Member { key, start, value, lead, comma });
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Object { inside, members, tail });
                }
                _ => return Err(self.broken("a comma or } was expected")),
            }
            tail = self.at;
        }
    }

    fn array(&mut self) -> Result<Vec<Node>, Trouble> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.space()?;
            if self.closes(b']', items.is_empty()) {
                return Ok(items);
            }
            items.push(self.value()?);
            self.space()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(items);
                }
                _ => return Err(self.broken("a comma or ] was expected")),
            }
        }
    }

    /// Whether something ends here that is empty, or has a comma behind its last part.
    fn closes(&mut self, bracket: u8, is_empty: bool) -> bool {
        let may = is_empty || self.dialect == Dialect::Comments;
        let closes = may && self.peek() == Some(bracket);
        self.at += usize::from(closes);
        closes
    }

    fn string(&mut self) -> Result<String, Trouble> {
        let mut is_escaped = true; // The quote that opens it does not end it.
        let end = self.rest().bytes().position(|byte| {
            let ends = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            ends
        });
        let whole = end.and_then(|end| self.rest().get(..=end)).unwrap_or_default();
        match serde_json::from_str(whole) {
            Ok(string) => {
                self.at += whole.len();
                Ok(string)
            }
            Err(_) => Err(self.broken("this text in quotes is not well formed")),
        }
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Value, Trouble> {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
        let rest = self.rest();
        let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        match rest.get(..length).map(serde_json::from_str) {
            Some(Ok(value)) => {
                self.at += length;
                Ok(value)
            }
            _ => Err(self.broken("a value was expected")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_serde_reads_is_read_alike() {
        for text in [
            "{}",
            " [1, -2.5e3, true, null, \"a\\\"b\\\\\", {\"k\": []}] ",
            "{\"a\": {\"b\": [{}, [[]]]}, \"ä\\u0041\": \"\\n\"}",
            "\"x\"",
        ] {
            let node = scan(text, Dialect::Strict).unwrap();
            assert_eq!(node.value(), serde_json::from_str::<Value>(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn comments_and_a_last_comma_are_read_where_they_are_allowed() {
        let text = "// a\n{\"k\": /* b */ [1, 2,], // c\n}";
        assert_eq!(scan(text, Dialect::Comments).unwrap().value(), json!({"k": [1, 2]}));
        assert!(scan(text, Dialect::Strict).is_err());
        assert!(scan("{\"a\": 1,}", Dialect::Strict).is_err());
    }

    #[test]
    fn what_is_malformed_is_told_with_its_line() {
        let deep = "[".repeat(1_000);
        for (text, line) in [
            ("", 1),
            ("{\n\"a\": 1\n\"b\": 2\n}", 3),
            ("{\n\"a\" 1}", 2),
            ("{\"a\": 1}\n\nx", 3),
            ("{\n\"a\": \"b\n}", 2),
            ("{\"a\": nul}", 1),
            ("{a: 1}", 1),
            ("{\"a\": 1", 1),
            ("{\"a\": \"\\x\"}", 1),
            ("{\n  /* no end", 2),
            (&deep, 1),
        ] {
            let Err(Trouble::Broken { line: found, .. }) = scan(text, Dialect::Comments) else {
                panic!("{text}")
            };
            assert_eq!(found, line, "{text}");
        }
    }
}
