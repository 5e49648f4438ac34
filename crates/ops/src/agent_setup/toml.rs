//! Our entry in the TOML file of an agent: a table between two marks.
//!
//! Lines are put in and taken out; then both texts are read, and everything but our table must say
//! what it said before.

use std::ops::Range;

use serde_json::Value;
use toml::Table;

use super::block::{Block, TOML};
use super::edit::{Edited, Foreign, Trouble, line_at, line_break, spliced};
use super::entry::{Entry, NAME};

/// The table that holds the servers.
const SERVERS: &str = "mcp_servers";

pub(super) fn put(
    before: Option<&str>,
    entry: &Entry,
    foreign: Foreign,
) -> Result<Edited, Trouble> {
    let Some(text) = before else { return block(&body(entry)).put(None) };
    let (old, found) = read(text)?;
    let entry = &found.as_ref().map_or_else(|| entry.clone(), |found| entry.in_place_of(found));
    let body = body(entry);
    let block = block(&body);
    let marked = TOML.find(text)?;
    let edited = match found {
        None => block.put(before)?,
        Some(found) if found == entry.value() => return Ok(Edited::Same),
        Some(found) if entry.written(&found).is_none() && foreign == Foreign::Keep => {
            return Err(Trouble::Foreign { theirs: said(&found) });
        }
        Some(_) if marked.is_some() => block.put(before)?,
        Some(_) => {
            let lines = section(text).ok_or_else(cannot)?;
            Edited::Text(spliced(text, vec![(lines, block.set(line_break(text)))]))
        }
    };
    checked(&old, edited, Some(entry))
}

pub(super) fn take(
    before: Option<&str>,
    entry: &Entry,
    foreign: Foreign,
) -> Result<Edited, Trouble> {
    let Some(text) = before else { return Ok(Edited::Same) };
    let (old, found) = read(text)?;
    let marked = TOML.find(text)?;
    if let Some(found) = &found
        && entry.written(found).is_none()
        && foreign == Foreign::Keep
    {
        return Err(Trouble::Foreign { theirs: said(found) });
    }
    let body = body(entry);
    let edited = match (marked, found) {
        (Some(_), _) => block(&body).take(before)?,
        (None, None) => Edited::Same,
        (None, Some(_)) => {
            let lines = section(text).ok_or_else(cannot)?;
            let end = text.get(lines.end..).and_then(|rest| rest.find('\n'));
            let end = end.map_or(lines.end, |end| lines.end + end + 1);
            Edited::Text(spliced(text, vec![(lines.start..end, String::new())]))
        }
    };
    checked(&old, edited, None)
}

/// What somebody can paste.
pub(super) fn body(entry: &Entry) -> String {
    let fields = entry.fields().into_iter().map(|(name, value)| {
        let value = match value {
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(Value::to_string).collect();
                format!("[{}]", items.join(", "))
            }
            other => other.to_string(),
        };
        format!("{name} = {value}\n")
    });
    format!("[{SERVERS}.{NAME}]\n{}", fields.collect::<String>())
}

fn block(body: &str) -> Block<'_> {
    Block { marks: TOML, body, preamble: "" }
}

/// The document without our entry, and the entry.
fn read(text: &str) -> Result<(Table, Option<Value>), Trouble> {
    let mut table: Table = toml::from_str(text).map_err(|error| {
        let line = line_at(text, error.span().map_or(0, |span| span.start));
        Trouble::Broken { line, what: error.message().to_owned() }
    })?;
    let Some(servers) = table.get_mut(SERVERS) else { return Ok((table, None)) };
    let Some(servers) = servers.as_table_mut() else {
        return Err(Trouble::Unsafe { what: format!("{SERVERS} is not a table") });
    };
    let entry = servers.remove(NAME);
    if servers.is_empty() {
        table.remove(SERVERS);
    }
    let entry = entry.map(|entry| serde_json::to_value(entry).unwrap_or_default());
    Ok((table, entry))
}

/// Nothing but our entry may have changed.
fn checked(old: &Table, edited: Edited, entry: Option<&Entry>) -> Result<Edited, Trouble> {
    let Edited::Text(after) = &edited else { return Ok(edited) };
    match read(after) {
        Ok((new, found)) if new == *old && found == entry.map(Entry::value) => Ok(edited),
        _ => Err(cannot()),
    }
}

fn cannot() -> Trouble {
    Trouble::Unsafe { what: "more than the entry would change".to_owned() }
}

fn said(found: &Value) -> String {
    format!("{SERVERS}.{NAME} = {found}")
}

/// The lines of a table of ours without marks, and of the tables in it.
fn section(text: &str) -> Option<Range<usize>> {
    let mut range: Option<Range<usize>> = None;
    let mut is_inside = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let said = line.trim();
        if let Some(header) = said.strip_prefix('[') {
            is_inside = is_ours(header);
        }
        let end = at + line.trim_end().len();
        if is_inside && !said.is_empty() && !said.starts_with('#') {
            range = Some(range.map_or(at..end, |range| range.start..end));
        }
        at += line.len();
    }
    range
}

fn is_ours(header: &str) -> bool {
    let Some((keys, _)) = header.split_once(']') else { return false };
    let mut keys = keys.split('.').map(|key| key.trim().trim_matches(['"', '\'']));
    keys.next() == Some(SERVERS) && keys.next() == Some(NAME)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::entry::{Form, Name};
    use super::*;

    fn ours() -> Entry {
        Entry { form: Form::Plain, program: "windlass".to_owned(), agent: Name::Usual("codex") }
    }

    fn put_into(text: &str, foreign: Foreign) -> String {
        match put(Some(text), &ours(), foreign) {
            Ok(Edited::Text(after)) => after,
            other => panic!("{text}\n{other:?}"),
        }
    }

    fn taken(text: &str) -> Result<Edited, Trouble> {
        take(Some(text), &ours(), Foreign::Keep)
    }

    #[test]
    fn the_table_is_put_at_the_end_between_marks() {
        let after = put_into("model = \"x\"\n", Foreign::Keep);
        let expected = "model = \"x\"\n\n# windlass:begin\n[mcp_servers.windlass]\n\
                        command = \"windlass\"\nargs = [\"mcp\", \"--agent\", \"codex\"]\n# windlass:end\n";
        assert_eq!(after, expected);
    }

    #[test]
    fn a_file_that_we_made_goes() {
        let Ok(Edited::Text(made)) = put(None, &ours(), Foreign::Keep) else { panic!() };
        assert_eq!(taken(&made), Ok(Edited::Gone));
    }

    #[test]
    fn a_table_that_somebody_pasted_is_as_good_as_ours() {
        let pasted = format!("a = 1\n\n{}\n[b]\n", body(&ours()));
        assert_eq!(put(Some(&pasted), &ours(), Foreign::Keep), Ok(Edited::Same));
        assert_eq!(taken(&pasted), Ok(Edited::Text("a = 1\n\n\n[b]\n".to_owned())));
    }

    #[test]
    fn a_table_that_somebody_else_wrote_is_kept_unless_it_may_go() {
        let text = "[mcp_servers.windlass] # old\ncommand = \"npx\"\n\n[mcp_servers.windlass.env]\n\
                    A = \"1\"\n\n# about b\n[b]\nc = [\n[1],\n]\n";
        assert!(matches!(put(Some(text), &ours(), Foreign::Keep), Err(Trouble::Foreign { .. })));
        assert!(matches!(taken(text), Err(Trouble::Foreign { .. })));
        let after = put_into(text, Foreign::Replace);
        assert!(after.starts_with("# windlass:begin\n[mcp_servers.windlass]\n"), "{after}");
        assert!(after.ends_with("# windlass:end\n\n# about b\n[b]\nc = [\n[1],\n]\n"), "{after}");
    }

    #[test]
    fn an_entry_of_another_shape_is_left_alone() {
        for text in [
            "mcp_servers = { x = { command = \"y\" } }\n",
            "mcp_servers = { windlass = { command = \"y\" } }\n",
            "[mcp_servers]\nwindlass.command = \"y\"\n",
            "mcp_servers = 1\n",
        ] {
            let edited = put(Some(text), &ours(), Foreign::Replace);
            assert!(matches!(edited, Err(Trouble::Unsafe { .. })), "{text}: {edited:?}");
        }
    }

    #[test]
    fn what_somebody_wrote_into_our_table_by_accident_is_not_lost() {
        let after = put_into("[a]\n", Foreign::Keep) + "b = 1\n";
        assert!(matches!(taken(&after), Err(Trouble::Foreign { .. })));
        let forced = take(Some(&after), &ours(), Foreign::Replace);
        assert!(matches!(forced, Err(Trouble::Unsafe { .. })), "{forced:?}");
    }

    #[test]
    fn what_is_malformed_is_told_with_its_line() {
        let Err(Trouble::Broken { line, .. }) = taken("a = 1\nb = = 2\n") else { panic!() };
        assert_eq!(line, 2);
    }

    proptest! {
        #[test]
        fn foreign_content_keeps_every_byte_and_undo_gives_it_back(
            tables in prop::collection::vec("(# [a-z]{0,5}\n|\n|\r\n|[a-z]{1,5} = \\[1,\n 2\\]\n)", 0..4),
            last in "(|# x|z9 = '''\n[a]\n''')",
        ) {
            let numbered = tables.iter().enumerate();
            let tables = numbered.map(|(n, lines)| format!("[t{n}]\n{lines}"));
            let text = tables.collect::<Vec<_>>().concat() + &last;
            let after = put_into(&text, Foreign::Keep);
            prop_assert!(after.starts_with(&text));
            prop_assert_eq!(put(Some(&after), &ours(), Foreign::Keep), Ok(Edited::Same));
            prop_assert_eq!(taken(&after), Ok(Edited::Text(text)));
        }
    }
}
