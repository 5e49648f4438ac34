//! What can be said of a chunk beside its title and content, when it is written or changed.

use std::str::FromStr;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::chain::Hash;
use windlass_domain::chunk::source::Source;
use windlass_domain::chunk::state::Visibility;
use windlass_domain::chunk::{ChunkType, Field, FieldKind, field_set};
use windlass_domain::event::Change;
use windlass_domain::{Code, Refusal, json};
use windlass_ledger::Error;

use super::whence;
use crate::context::{Context, Files};
use crate::view::JsonObject;

/// What can be said of a chunk. When one is changed, what is given stands in place of what was there,
/// and '' takes it away.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Parts {
    /// Words to find it by
    #[arg(
        short,
        long = "tag",
        visible_alias = "tags",
        value_name = "TAG,…",
        value_delimiter = ','
    )]
    pub tags: Option<Vec<String>>,
    /// A field of its type; with nothing after the = it is empty
    #[arg(long, value_name = "NAME=VALUE")]
    pub field: Vec<String>,
    /// Fields of its type, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub fields: Option<JsonObject>,
    /// Whom it is injected to: rules as JSON; '' for whom its type says
    #[arg(long, value_name = "JSON")]
    pub audience: Option<Json>,
    /// What a reader would get wrong
    #[arg(long = "gotcha", value_name = "TEXT")]
    pub gotchas: Option<Vec<String>>,
    /// Query keys of others that belong to it
    #[arg(long, value_name = "KEY,…", value_delimiter = ',')]
    pub related: Option<Vec<String>>,
    /// private, or public: meant to be published, and given to nobody unasked
    #[arg(long, value_name = "WORD")]
    pub visibility: Option<String>,
    /// The file that it is from
    #[arg(long, value_name = "FILE")]
    pub source_file: Option<String>,
    /// The lines of that file
    #[arg(long, value_name = "FIRST-LAST", value_delimiter = '-')]
    pub source_lines: Option<Vec<u32>>,
    /// SHA-256 of those lines, where they cannot be read here
    #[arg(long, value_name = "HEX")]
    pub source_digest: Option<String>,
}

/// A JSON value, written as text on a command line; an empty text is one too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Json(pub Value);

impl FromStr for Json {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "" => Ok(Self(Value::from(""))),
            text => {
                let read = json::read(text.as_bytes());
                read.map(Self).map_err(|wrong| format!("not JSON: {wrong}"))
            }
        }
    }
}

impl Parts {
    /// The fields that are given, each as its type reads what was typed.
    pub fn fields_of(&self, of: &ChunkType) -> Result<Map<String, Value>, Refusal> {
        let mut given = self.fields.as_ref().map(|object| object.0.clone()).unwrap_or_default();
        for typed in &self.field {
            let Some((name, text)) = typed.split_once('=') else {
                let message = format!("'{typed}' gives no value to a field");
                return Err(Refusal::new(Code::InvalidValue, message)
                    .hint("write it as --field NAME=VALUE")
                    .detail("field", "field")
                    .detail("given", typed));
            };
            let field = field_set::find(&of.fields, name)?;
            let value = typed_as(field, text)?;
            // A list may be given word by word.
            match (given.get_mut(name), value) {
                (Some(Value::Array(items)), Value::Array(more)) => items.extend(more),
                (_, value) => drop(given.insert(name.to_owned(), value)),
            }
        }
        Ok(given)
    }

    /// The audience as JSON; null for that of the type.
    pub fn audience(&self) -> Option<Value> {
        let given = self.audience.as_ref()?.0.clone();
        Some(if given == "" { Value::Null } else { given })
    }

    pub fn visibility(&self) -> Result<Option<Visibility>, Refusal> {
        let given = self.visibility.as_deref();
        given
            .map(|given| word("visibility", given, Visibility::ALL, Visibility::as_str))
            .transpose()
    }

    pub fn tags(&self) -> Option<Vec<String>> {
        self.tags.as_deref().map(said)
    }

    pub fn gotchas(&self) -> Option<Vec<String>> {
        self.gotchas.as_deref().map(said)
    }

    pub fn related(&self) -> Option<Vec<String>> {
        self.related.as_deref().map(said)
    }

    /// The file that it is from; its lines are read where the caller is.
    pub fn source(&self, cx: &mut Context) -> Result<Option<Change<Source>>, Error> {
        let lines = self.lines()?;
        let digest = self.source_digest.as_deref().map(digest).transpose()?;
        let file = match &self.source_file {
            Some(file) if !file.is_empty() => file.clone(),
            given => {
                if lines.is_some() || digest.is_some() {
                    return Err(Refusal::new(Code::InvalidValue, "lines are those of a file")
                        .hint("name it: --source-file FILE")
                        .detail("field", "source_file")
                        .into());
                }
                return Ok(given.as_ref().map(|_| Change::Cleared));
            }
        };
        let mut source = Source { file, lines, digest }.checked()?;
        if source.digest.is_none() && cx.surroundings.files == Files::Callers {
            source.digest = Some(source.digest_of(&cx.local_text(&source.file)?));
            source.file = whence::kept(cx, &source.file);
        }
        Ok(Some(Change::To(source)))
    }

    /// The same parts for a server, which reads no file of the caller.
    pub fn for_a_server(&self, cx: &mut Context) -> Result<Self, Error> {
        match self.source(cx)? {
            Some(Change::To(Source { file, digest, .. })) => Ok(Self {
                source_file: Some(file),
                source_digest: digest.map(|digest| digest.to_string()),
                ..self.clone()
            }),
            Some(Change::Cleared) | None => Ok(Self { source_digest: None, ..self.clone() }),
        }
    }

    fn lines(&self) -> Result<Option<(u32, u32)>, Refusal> {
        match self.source_lines.as_deref() {
            None => Ok(None),
            Some([line]) => Ok(Some((*line, *line))),
            Some([first, last]) => Ok(Some((*first, *last))),
            Some(_) => {
                Err(Refusal::new(Code::InvalidValue, "lines are given by two numbers at most")
                    .hint("write --source-lines FIRST-LAST")
                    .detail("field", "source_lines"))
            }
        }
    }
}

/// What somebody typed, as a field of its kind would have it. What cannot be read so stays text, for
/// the field itself to refuse; one for JSON would take that too, so it is refused here.
pub(super) fn typed_as(field: &Field, text: &str) -> Result<Value, Refusal> {
    let read = || json::read(text.as_bytes()).ok();
    let value = match field.kind {
        _ if text.is_empty() => Some(Value::Null),
        FieldKind::Enum
        | FieldKind::Text
        | FieldKind::Url
        | FieldKind::Date
        | FieldKind::ChunkReference => None,
        FieldKind::Number => read().filter(Value::is_number),
        FieldKind::Boolean => read().filter(Value::is_boolean),
        FieldKind::Json => Some(json_typed(field, text)?),
        FieldKind::StringList => {
            let words = || text.split(',').map(|word| Value::from(word.trim())).collect();
            Some(read().filter(Value::is_array).unwrap_or_else(words))
        }
    };
    Ok(value.unwrap_or_else(|| Value::from(text)))
}

fn json_typed(field: &Field, text: &str) -> Result<Value, Refusal> {
    json::read(text.as_bytes()).map_err(|wrong| {
        let name = &field.name;
        Refusal::new(Code::InvalidValue, format!("field '{name}' takes JSON: {wrong}"))
            .hint(format!("write a text in quotes: --field '{name}=\"text\"'"))
            .detail("field", name)
            .detail("expected", field.kind)
            .detail("given", text)
    })
}

/// What was said; an empty text says nothing.
fn said(given: &[String]) -> Vec<String> {
    given.iter().filter(|text| !text.is_empty()).cloned().collect()
}

pub(super) fn digest(given: &str) -> Result<Hash, Refusal> {
    Hash::from_hex(given).ok_or_else(|| {
        Refusal::new(Code::InvalidValue, "a digest is 64 hexadecimal digits")
            .hint("give the SHA-256 of the lines, or leave it out")
            .detail("field", "digest")
            .detail("given", given)
    })
}

/// One of a list of words; another is refused with the list.
pub(super) fn word<T: Copy>(
    field: &str,
    given: &str,
    all: &[T],
    as_str: fn(T) -> &'static str,
) -> Result<T, Refusal> {
    all.iter().copied().find(|one| as_str(*one) == given).ok_or_else(|| {
        let words: Vec<&str> = all.iter().map(|one| as_str(*one)).collect();
        Refusal::new(
            Code::InvalidValue,
            format!("{field} '{given}' is none of {}", words.join(", ")),
        )
        .hint(format!("give one of {}", words.join(", ")))
        .detail("field", field)
        .detail("given", given)
        .detail("allowed", &words)
        .suggest(windlass_domain::near::near(given, words.iter().copied()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use windlass_domain::built_in;

    fn typed(kind: FieldKind, text: &str) -> Value {
        typed_as(&Field::new("it", kind), text).unwrap()
    }

    #[test]
    fn what_is_typed_is_read_as_its_field_has_it() {
        assert_eq!(typed(FieldKind::Number, "1.5"), json!(1.5));
        assert_eq!(typed(FieldKind::Boolean, "true"), json!(true));
        assert_eq!(typed(FieldKind::Text, "true"), json!("true"));
        assert_eq!(typed(FieldKind::StringList, "a, b"), json!(["a", "b"]));
        assert_eq!(typed(FieldKind::StringList, r#"["a,b"]"#), json!(["a,b"]));
        assert_eq!(typed(FieldKind::Json, r#"{"a": [1]}"#), json!({"a": [1]}));
        assert_eq!(typed(FieldKind::Enum, ""), Value::Null);
    }

    #[test]
    fn what_cannot_be_read_stays_text_for_its_field_to_refuse() {
        assert_eq!(typed(FieldKind::Number, "many"), json!("many"));
        assert_eq!(typed(FieldKind::Boolean, "yes"), json!("yes"));
    }

    #[test]
    fn a_field_for_json_takes_nothing_else() {
        for text in ["{bad", "word", r#"{"a":1,"a":2}"#] {
            let refusal = typed_as(&Field::new("it", FieldKind::Json), text).unwrap_err();
            assert_eq!(refusal.code, Code::InvalidValue, "{text}");
        }
    }

    #[test]
    fn a_field_is_given_with_its_name() {
        let types = built_in::chunk_types();
        let spec = types.iter().find(|known| known.slug.as_str() == "dev_spec").unwrap();
        let parts = |field: &str| Parts { field: vec![field.to_owned()], ..Parts::default() };
        let given = parts("ticket_url=https://a.b/?x=1").fields_of(spec).unwrap();
        assert_eq!(Value::from(given), json!({"ticket_url": "https://a.b/?x=1"}));
        assert_eq!(parts("status").fields_of(spec).unwrap_err().code, Code::InvalidValue);
        let refusal = parts("statu=new").fields_of(spec).unwrap_err();
        assert_eq!(
            (refusal.code, refusal.suggestions),
            (Code::UnknownField, vec!["status".into()])
        );
    }
}
