//! Our entry in the JSON file of an agent: `{"mcpServers": {"windlass": {…}}}`.
//!
//! A member is put in and taken out as text; the rest of the file is never written anew. An object
//! that was empty gets its member without a line break, one that we make ourselves with one: that
//! is how we know later whether the object itself is ours.

mod scan;
#[cfg(test)]
mod tests;

use serde_json::Value;

use self::scan::{Kind, Member, Node, Object, scan};
use super::edit::{Edited, Foreign, Splice, Trouble, line_at, line_break, spliced};
use super::entry::{Entry, NAME};

pub(crate) use self::scan::Dialect;

/// Which object of which kind of file holds the servers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Holder {
    pub(super) key: &'static str,
    pub(super) dialect: Dialect,
}

impl Holder {
    pub(super) fn put(
        self,
        before: Option<&str>,
        entry: &Entry,
        foreign: Foreign,
    ) -> Result<Edited, Trouble> {
        // A file that somebody only touched says as much as none.
        let Some(text) = before.filter(|text| !text.trim().is_empty()) else {
            return Ok(Edited::Text(self.new_file(entry)));
        };
        let file = File::read(text, self)?;
        let (found, holder) = (file.entry()?, file.holder()?);
        let entry =
            &found.map_or_else(|| entry.clone(), |member| entry.in_place_of(&member.value.value()));
        let splices = match (found, holder) {
            (Some(member), _) => {
                let found = member.value.value();
                if found == entry.value() {
                    return Ok(Edited::Same);
                }
                if entry.written(&found).is_none() && foreign == Foreign::Keep {
                    return Err(Trouble::Foreign { theirs: file.said(member) });
                }
                let indent = file.indent(member.start).unwrap_or_default();
                let new = layout(entry, &indent, &file.style);
                vec![(member.value.start..member.value.end, new)]
            }
            (None, Some((member, servers))) => {
                let outer = file.indent(member.start).unwrap_or_default();
                let indent = match servers.is_bare() {
                    true => outer,
                    false => file.inner(servers).unwrap_or(outer + &file.style.unit),
                };
                let new = named(NAME, &layout(entry, &indent, &file.style));
                file.added(servers, &new, &indent)
            }
            (None, None) => {
                let indent = match file.root.is_bare() {
                    true => String::new(),
                    false => file.inner(&file.root).unwrap_or_else(|| file.style.unit.clone()),
                };
                let new = named(self.key, &Self::servers(entry, &indent, &file.style));
                file.added(&file.root, &new, &indent)
            }
        };
        let after = spliced(text, splices);
        self.check(&file, &after, Some(entry))?;
        Ok(Edited::Text(after))
    }

    pub(super) fn take(
        self,
        before: Option<&str>,
        entry: &Entry,
        foreign: Foreign,
    ) -> Result<Edited, Trouble> {
        let Some(text) = before.filter(|text| !text.trim().is_empty()) else {
            return Ok(Edited::Same);
        };
        let file = File::read(text, self)?;
        let (Some(member), Some((holder, servers))) = (file.entry()?, file.holder()?) else {
            return Ok(Edited::Same);
        };
        match entry.written(&member.value.value()) {
            Some(written) if text == self.new_file(&written) => return Ok(Edited::Gone),
            None if foreign == Foreign::Keep => {
                return Err(Trouble::Foreign { theirs: file.said(member) });
            }
            _ => {}
        }
        let splices = match file.made_by_us(servers, member) {
            true => removed(&file.root, holder),
            false => removed(servers, member),
        };
        let after = spliced(text, splices);
        self.check(&file, &after, None)?;
        Ok(Edited::Text(after))
    }

    /// What somebody can paste.
    pub(super) fn new_file(self, entry: &Entry) -> String {
        let style = Style { line_break: "\n", unit: "  ".to_owned() };
        let servers = named(self.key, &Self::servers(entry, &style.unit, &style));
        format!("{{\n  {servers}\n}}\n")
    }

    /// The object that holds the servers, ours alone.
    fn servers(entry: &Entry, indent: &str, style: &Style) -> String {
        let Style { line_break, unit } = style;
        let inner = format!("{indent}{unit}");
        let entry = named(NAME, &layout(entry, &inner, style));
        format!("{{{line_break}{inner}{entry}{line_break}{indent}}}")
    }

    /// Everything but our entry must say what it said.
    fn check(self, before: &File<'_>, after: &str, entry: Option<&Entry>) -> Result<(), Trouble> {
        let wrong = |what: &str| Trouble::Unsafe { what: what.to_owned() };
        let node = scan(after, self.dialect).map_err(|_| wrong("it would be malformed"))?;
        let (mut old, mut new) = (before.value.clone(), node.value());
        let is_there = self.without(&mut new);
        self.without(&mut old);
        match old == new && is_there == entry.map(Entry::value) {
            true => Ok(()),
            false => Err(wrong("more than the entry would change")),
        }
    }

    /// Takes the entry out of a value, and the object that held it when nothing else is there.
    fn without(self, value: &mut Value) -> Option<Value> {
        let root = value.as_object_mut()?;
        let servers = root.get_mut(self.key)?.as_object_mut()?;
        let entry = servers.remove(NAME);
        if servers.is_empty() {
            root.remove(self.key);
        }
        entry
    }
}

/// How a file is laid out.
#[derive(Debug)]
struct Style {
    line_break: &'static str,
    /// One step of indentation.
    unit: String,
}

/// A file that was read.
#[derive(Debug)]
struct File<'a> {
    text: &'a str,
    holder: Holder,
    root: Object,
    value: Value,
    style: Style,
}

impl<'a> File<'a> {
    fn read(text: &'a str, holder: Holder) -> Result<Self, Trouble> {
        let node = scan(text, holder.dialect)?;
        let (value, start) = (node.value(), node.start);
        let Kind::Object(root) = node.kind else {
            let what = "the file is not an object".to_owned();
            return Err(Trouble::Broken { line: line_at(text, start), what });
        };
        let style = Style { line_break: line_break(text), unit: String::new() };
        let mut file = Self { text, holder, root, value, style };
        let unit = file.inner(&file.root).filter(|unit| !unit.is_empty());
        file.style.unit = unit.unwrap_or_else(|| "  ".to_owned());
        Ok(file)
    }

    /// The object of servers, and the member of the file that it is.
    fn holder(&self) -> Result<Option<(&Member, &Object)>, Trouble> {
        let Some(member) = self.one(&self.root, self.holder.key)? else { return Ok(None) };
        match &member.value {
            Node { kind: Kind::Object(servers), .. } => Ok(Some((member, servers))),
            Node { start, .. } => {
                let what = format!("\"{}\" is not an object", self.holder.key);
                Err(Trouble::Broken { line: line_at(self.text, *start), what })
            }
        }
    }

    fn entry(&self) -> Result<Option<&Member>, Trouble> {
        match self.holder()? {
            Some((_, servers)) => self.one(servers, NAME),
            None => Ok(None),
        }
    }

    /// The member of that name; programs differ in which of two they take.
    fn one<'o>(&self, object: &'o Object, key: &str) -> Result<Option<&'o Member>, Trouble> {
        let mut named = object.members.iter().filter(|member| member.key == key);
        match (named.next(), named.next()) {
            (_, Some(second)) => {
                let what = format!("\"{key}\" is there twice");
                Err(Trouble::Broken { line: line_at(self.text, second.start), what })
            }
            (first, None) => Ok(first),
        }
    }

    /// The white space before something that is the first of its line.
    fn indent(&self, at: usize) -> Option<String> {
        let (_, line) = self.text.get(..at)?.rsplit_once('\n')?;
        let is_blank = line.chars().all(|letter| matches!(letter, ' ' | '\t'));
        is_blank.then(|| line.to_owned())
    }

    /// The indentation of what is in an object.
    fn inner(&self, object: &Object) -> Option<String> {
        self.indent(object.members.first()?.start)
    }

    fn said(&self, member: &Member) -> String {
        self.text.get(member.start..member.value.end).unwrap_or_default().to_owned()
    }

    /// One more member at the end of an object.
    fn added(&self, object: &Object, member: &str, indent: &str) -> Vec<Splice> {
        let (at, line_break) = (object.tail, self.style.line_break);
        let on_a_line = format!("{line_break}{indent}{member}");
        match object.members.last() {
            Some(last) if last.comma.is_some() => vec![(at..at, format!("{on_a_line},"))],
            Some(last) => {
                let end = last.value.end;
                vec![(end..end, ",".to_owned()), (at..at, on_a_line)]
            }
            None if object.is_bare() => vec![(at..at, member.to_owned())],
            // A comment may go on to the end of its line.
            None => vec![(at..at, on_a_line)],
        }
    }

    /// Whether we made the object of servers, and nobody has put anything else into it.
    fn made_by_us(&self, servers: &Object, entry: &Member) -> bool {
        let inside = self.text.get(servers.inside..).unwrap_or_default();
        servers.members.len() == 1
            && inside.starts_with(['\r', '\n'])
            && entry.lead == servers.inside
            && servers.tail == entry.value.end
    }
}

/// A member taken out, with the comma that was there because of it.
fn removed(object: &Object, member: &Member) -> Vec<Splice> {
    let nothing = |range| (range, String::new());
    let before = object.members.iter().take_while(|other| other.start < member.start).last();
    let comma = member.comma.or(before.and_then(|before| before.comma));
    let comma = comma.map(|at| nothing(at..at + 1));
    comma.into_iter().chain([nothing(member.lead..member.value.end)]).collect()
}

fn named(key: &str, value: &str) -> String {
    format!("\"{key}\": {value}")
}

/// The entry on several lines.
fn layout(entry: &Entry, indent: &str, style: &Style) -> String {
    let Style { line_break, unit } = style;
    let fields = entry.fields().into_iter().map(|(name, value)| {
        let value = match value {
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(Value::to_string).collect();
                format!("[{}]", items.join(", "))
            }
            other => other.to_string(),
        };
        format!("{line_break}{indent}{unit}{}", named(name, &value))
    });
    format!("{{{}{line_break}{indent}}}", fields.collect::<Vec<_>>().join(","))
}
