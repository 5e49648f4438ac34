//! JSON as people read it: in the order in which it was written, and on one line what fits there.

/// The width of a usual window.
const COLUMNS: usize = 80;
const INDENT: usize = 2;
/// Longer texts are pages of their own: how they begin is enough.
const LONGEST_TEXT: usize = 200;
const SHOWN_TEXT: usize = 60;

/// One document, ended by a line break.
pub(crate) fn laid_out(document: &str) -> String {
    let mut rest = document.trim();
    let value = Value::read(&mut rest);
    assert_eq!(rest, "", "more than one document: {document}");
    format!("{}\n", value.broken(0, 0))
}

/// A value, and how it was written.
enum Value {
    /// A text, a number, a word.
    Plain(String),
    /// An object with its keys, or a list without.
    Many { open: char, items: Vec<(String, Value)>, close: char },
}

impl Value {
    fn read(rest: &mut &str) -> Self {
        let (open, close) = match rest.chars().next() {
            Some('{') => ('{', '}'),
            Some('[') => ('[', ']'),
            _ => return Self::Plain(plain(rest)),
        };
        *rest = &rest[1..];
        let mut items = Vec::new();
        while !rest.starts_with(close) {
            let key = if open == '{' { format!("{}: ", plain(rest)) } else { String::new() };
            *rest = rest.trim_start_matches(':');
            items.push((key, Self::read(rest)));
            *rest = rest.trim_start_matches(',');
        }
        *rest = &rest[1..];
        Self::Many { open, items, close }
    }

    fn on_one_line(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Many { open, items, close } => {
                let items =
                    items.iter().map(|(key, value)| format!("{key}{}", value.on_one_line()));
                format!("{open}{}{close}", items.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// The value on as many lines as it needs; `used` is how far its first line has come.
    fn broken(&self, indent: usize, used: usize) -> String {
        let line = self.on_one_line();
        let Self::Many { open, items, close } = self else {
            return line;
        };
        if used + line.chars().count() < COLUMNS || items.is_empty() {
            return line;
        }
        let deeper = indent + INDENT;
        let lines = items.iter().map(|(key, value)| {
            let value = value.broken(deeper, deeper + key.chars().count());
            format!("{}{key}{value}", " ".repeat(deeper))
        });
        let lines = lines.collect::<Vec<_>>().join(",\n");
        format!("{open}\n{lines}\n{}{close}", " ".repeat(indent))
    }
}

/// Takes everything up to the end of a text in quotes, or of a word.
fn plain(rest: &mut &str) -> String {
    let is_end = |letter: char| matches!(letter, ',' | ':' | '}' | ']');
    let length = match rest.starts_with('"') {
        true => end_of_text(rest),
        false => rest.find(is_end).unwrap_or(rest.len()),
    };
    let (text, after) = rest.split_at(length);
    *rest = after;
    match text.chars().count() > LONGEST_TEXT {
        true => format!("{}…\"", text.chars().take(SHOWN_TEXT).collect::<String>()),
        false => text.to_owned(),
    }
}

fn end_of_text(text: &str) -> usize {
    let mut is_escaped = false;
    for (place, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return place + 1,
            letter => is_escaped = letter == '\\' && !is_escaped,
        }
    }
    text.len()
}

#[test]
fn what_does_not_fit_on_a_line_is_broken_in_its_own_order() {
    let long = "x".repeat(70);
    let document = format!(r#"{{"z":[1,2],"a":{{"text":"{long}","end":"\"}},"}},"b":{{}}}}"#);
    let expected = format!(
        "{{\n  \"z\": [1, 2],\n  \"a\": {{\n    \"text\": \"{long}\",\n    \
         \"end\": \"\\\"}},\"\n  }},\n  \"b\": {{}}\n}}\n"
    );
    assert_eq!(laid_out(&document), expected);
}
