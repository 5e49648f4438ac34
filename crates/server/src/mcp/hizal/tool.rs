//! What a tool of Hizal's is: an operation under another name.

use rmcp::model::JsonObject;
use serde_json::{Map, Value};
use windlass_domain::{Code, Refusal};
use windlass_ledger::Error;
use windlass_ops::table::Entry;

use super::super::answer::document;
use super::field::Field;

/// A tool.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) operation: &'static str,
    pub(crate) about: &'static str,
    /// In groups, since many tools have a group in common.
    pub(super) fields: &'static [&'static [Field]],
    /// What the operation is told where the caller says nothing else.
    pub(super) usual: &'static [(&'static str, Usual)],
    /// What becomes of the arguments of the operation in the end, by what was given.
    pub(super) settle: Option<Settle>,
    /// The answer as Hizal gives it.
    pub(super) shape: fn(&Value) -> Value,
    /// What else is looked up for the answer.
    pub(super) also: Option<Also>,
    /// A refusal that Hizal does not take for one, and the answer it gives.
    pub(super) instead: Option<(Code, fn() -> Value)>,
}

/// The last word on the arguments of an operation.
pub(super) type Settle = fn(&JsonObject, &mut Map<String, Value>) -> Result<(), Refusal>;

/// What an operation is told unasked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Usual {
    Text(&'static str),
    Number(u64),
    Yes,
}

impl From<Usual> for Value {
    fn from(usual: Usual) -> Self {
        match usual {
            Usual::Text(text) => text.into(),
            Usual::Number(number) => number.into(),
            Usual::Yes => true.into(),
        }
    }
}

/// A second look, at what the first one found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Also {
    operation: &'static str,
    /// Its field that names what is looked at, and where the first answer says that.
    field: &'static str,
    at: &'static str,
    /// The part of the second answer that is put into the first, and what it is called there.
    part: &'static str,
    into: &'static str,
}

impl Also {
    pub(super) const VERSIONS: Self = Self {
        operation: "chunk.versions",
        field: "chunk",
        at: "/chunk/chunk_id",
        part: "versions",
        into: "versions",
    };

    /// Everything that a session was given so far.
    pub(super) const GIVEN: Self = Self {
        operation: "session.show",
        field: "session",
        at: "/session_id",
        part: "injected",
        into: "given",
    };

    pub(crate) fn arguments(&self, first: &Value) -> Value {
        let named = first.pointer(self.at).cloned().unwrap_or_default();
        Map::from_iter([(self.field.to_owned(), named)]).into()
    }

    pub(crate) fn put(&self, mut first: Value, second: &str) -> Result<Value, Error> {
        if let (Value::Object(first), Value::Object(mut second)) = (&mut first, document(second)?) {
            first.extend(second.remove(self.part).map(|part| (self.into.to_owned(), part)));
        }
        Ok(first)
    }
}

impl Tool {
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'static Field> {
        self.fields.iter().copied().flatten()
    }

    /// Whether it is about a session, and gives what there is to give by itself.
    pub(crate) fn is_about_sessions(&self) -> bool {
        self.operation.starts_with("session.")
    }

    /// The second look, and the operation that does it.
    pub(crate) fn also(&self) -> Option<(Also, &'static Entry)> {
        let also = self.also?;
        Some((also, Entry::named(also.operation)?))
    }

    /// The arguments of the operation. Of two fields that mean the same the first counts.
    pub(crate) fn arguments(&self, mut given: JsonObject) -> Result<Value, Refusal> {
        given.retain(|_, value| !value.is_null());
        let missing = |field: &&Field| field.is_needed && !given.contains_key(field.name);
        let missing: Vec<&str> = self.fields().filter(missing).map(|field| field.name).collect();
        if !missing.is_empty() {
            return Err(needs(self.name, &missing));
        }
        let mut arguments = Map::new();
        for field in self.fields() {
            if let (Some(to), Some(value)) = (field.to, given.get(field.name)) {
                arguments.entry(to).or_insert_with(|| field.translated(value.clone()));
            }
        }
        for (to, usual) in self.usual {
            arguments.entry(*to).or_insert_with(|| (*usual).into());
        }
        if let Some(settle) = self.settle {
            settle(&given, &mut arguments)?;
        }
        Ok(arguments.into())
    }

    /// What the operation answered, or what Hizal answers in place of a refusal.
    pub(crate) fn known(&self, answer: Result<String, Error>) -> Result<Known, Error> {
        match (answer, self.instead) {
            (Err(Error::Refused(refusal)), Some((code, instead))) if refusal.code == code => {
                Ok(Known::Instead(instead()))
            }
            (answer, _) => Ok(Known::Document(document(&answer?)?)),
        }
    }

    /// The answer as Hizal gives it, with what is said of its op id.
    pub(crate) fn shaped(&self, document: &Value) -> Value {
        let mut shaped = (self.shape)(document);
        if let Value::Object(shaped) = &mut shaped {
            let kept = |name: &str| Some((name.to_owned(), document.get(name)?.clone()));
            shaped.extend(["op_id", "replayed"].into_iter().filter_map(kept));
        }
        shaped
    }
}

/// What a tool has to tell.
#[derive(Debug)]
pub(crate) enum Known {
    /// The document of the operation.
    Document(Value),
    /// The answer itself.
    Instead(Value),
}

pub(super) fn needs(tool: &str, missing: &[&str]) -> Refusal {
    let names = missing.join(", ");
    Refusal::new(Code::Usage, format!("the tool {tool} needs {names}"))
        .hint(format!("give {names}"))
        .detail("missing", missing)
}
