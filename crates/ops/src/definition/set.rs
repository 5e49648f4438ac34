//! Defining something, or defining it anew.

use std::marker::PhantomData;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::chunk::Slug;
use windlass_domain::{Code, Refusal, Time, text};
use windlass_ledger::Error;

use super::{AUDIENCE, Definable, DefinitionView};
use crate::chunk::audience;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;
use crate::view::{JsonObject, usage};

/// Defines something, or defines it anew.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
#[serde(bound = "")]
#[schemars(rename = "Set", bound = "")]
pub struct Set<T: Definable> {
    /// Its slug
    pub slug: String,
    /// The definition as a file, in JSON or TOML; - is the standard input
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub from: Option<String>,
    /// The same, given here instead of in a file
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    pub definition: Option<JsonObject>,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
    #[arg(skip)]
    #[serde(skip)]
    pub of: PhantomData<T>,
}

/// The definition as it is now.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WasSet {
    #[serde(flatten)]
    pub defined: DefinitionView,
    /// What it is: a chunk type, an agent type or a lifecycle.
    pub what: String,
}

impl<T: Definable> Operation for Set<T> {
    type Output = WasSet;
    const NAME: &'static str = T::COMMANDS.set.name;
    const ABOUT: &'static str = T::COMMANDS.set.about;
    const EXAMPLE: &'static str = T::COMMANDS.set.example;
    const ACCESS: Access = Access::Admin;

    fn run(&self, cx: &mut Context) -> Result<WasSet, Error> {
        let object = self.object(cx)?;
        let actor = cx.person(self.author.as_ref())?;
        cx.write(&actor, |tx| {
            let mut object = object.clone();
            if let Some(written) = object.get_mut(AUDIENCE) {
                *written = audience::kept(tx, written.take())?;
            }
            let checked = read::<T>(&self.slug, object)?.checked(tx)?;
            tx.set_definition(checked.clone().set_by(&actor))?;
            let defined = DefinitionView::of(tx, &checked)?;
            Ok(WasSet { defined, what: T::WHAT.to_owned() })
        })
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        let definition = Some(JsonObject(self.object(cx)?));
        Ok(Some(Self { from: None, definition, ..self.clone() }))
    }
}

impl<T: Definable> Set<T> {
    fn object(&self, cx: &mut Context) -> Result<Map<String, Value>, Error> {
        match (&self.from, &self.definition) {
            (Some(file), None) => Ok(parsed(&cx.local_text(file)?)?),
            (None, Some(given)) => Ok(given.0.clone()),
            (Some(_), Some(_)) | (None, None) => Err(usage(
                "give the definition in a file or as JSON",
                "add one of --from FILE and --definition JSON; `show` prints one to begin with",
            )
            .into()),
        }
    }
}

/// A definition as people write it: JSON where it begins with a brace, else TOML.
fn parsed(written: &str) -> Result<Map<String, Value>, Refusal> {
    if written.trim_start().starts_with('{') {
        return text::object("from", written);
    }
    toml::from_str(written).map_err(|wrong| {
        Refusal::new(Code::InvalidValue, format!("this is no TOML: {}", wrong.message()))
            .hint("write the definition in TOML, or in JSON with a brace at its beginning")
            .detail("field", "from")
    })
}

/// The definition that an object says. Its slug is that of the command, whatever the object says: so
/// one is copied under another name.
fn read<T: Definable>(slug: &str, mut object: Map<String, Value>) -> Result<T, Refusal> {
    let slug = Slug::parse(T::WHAT, slug)?;
    object.insert("slug".to_owned(), Value::from(slug.as_str()));
    object.entry("name").or_insert_with(|| Value::from(slug.as_str()));
    serde_path_to_error::deserialize(Value::Object(object)).map_err(|wrong| {
        let (path, what) = (wrong.path().to_string(), T::WHAT);
        Refusal::new(Code::InvalidValue, format!("{path}: {}", wrong.inner()))
            .hint(format!("see how one is written: windlass {what} list, windlass {what} show"))
            .detail("field", path)
    })
}

impl Output for WasSet {
    fn sheet(&self, now: Time) -> Sheet {
        let mut sheet = Sheet::line(format!("{} {} is set", self.what, self.defined.slug));
        sheet.blocks.extend(self.defined.sheet(now).blocks);
        sheet
    }
}
