//! What a run tells other tools, in their forms: `run summary`, `run reconcile`, `run normalize`.

use std::path::PathBuf;

use clap::Args;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use windlass_domain::Time;
use windlass_domain::run::Run;
use windlass_domain::run::normalize::normalize;
use windlass_domain::run::reconcile::reconcile;
use windlass_domain::run::summary::summary;
use windlass_ledger::{Error, Fault};

use super::reconciled::Reconciled;
use super::source::Source;
use super::target::Target;
use crate::context::Context;
use crate::operation::{Access, Operation, Output, Place, Remotely};
use crate::sheet::Sheet;

/// A document whose keys are another tool's, in its order.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Document(Box<RawValue>);

impl Document {
    pub(super) fn of(value: &impl Serialize) -> Result<Self, Fault> {
        serde_json::value::to_raw_value(value)
            .map(Self)
            .map_err(|source| Fault::bug("a document is not JSON").because(source))
    }

    pub fn text(&self) -> &str {
        self.0.get()
    }
}

impl JsonSchema for Document {
    // What is only a document, of whatever kind, is an object itself.
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Document".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}

impl Output for Document {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::default().and_text(indented(self.text()))
    }
}

/// JSON on many lines, its keys in their order.
pub fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_text, mut escaped) = (0, false, false);
    let mut letters = json.chars().peekable();
    let break_line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    while let Some(letter) = letters.next() {
        if in_text {
            in_text = escaped || letter != '"';
            escaped = !escaped && letter == '\\';
            out.push(letter);
            continue;
        }
        match letter {
            '{' | '[' if letters.peek().is_some_and(|next| matches!(next, '}' | ']')) => {
                out.push(letter);
                out.extend(letters.next());
            }
            '{' | '[' => {
                depth += 1;
                out.push(letter);
                break_line(&mut out, depth);
            }
            '}' | ']' => {
                depth -= 1;
                break_line(&mut out, depth);
                out.push(letter);
            }
            ',' => {
                out.push(letter);
                break_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            '"' => {
                in_text = true;
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
    out
}

macro_rules! documents {
    ($($(#[$doc:meta])* $name:ident -> $output:ident $operation:literal $about:literal $example:literal $of:expr;)+) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
            #[serde(default)]
            pub struct $name {
                /// The run; without one, the only run of the folder
                #[arg(value_name = "RUN")]
                pub run: Option<String>,
                #[command(flatten)]
                #[serde(flatten)]
                pub target: Target,
            }

            impl Operation for $name {
                type Output = $output;
                const NAME: &'static str = $operation;
                const ABOUT: &'static str = $about;
                const EXAMPLE: &'static str = $example;
                const ACCESS: Access = Access::Read;

                fn run(&self, cx: &mut Context) -> Result<$output, Error> {
                    let target = Target::named(self.run.as_ref(), &self.target).chosen(cx)?;
                    let of: fn(&Run, Time) -> Result<$output, Fault> = $of;
                    cx.read(|snapshot| {
                        let kept = target.find(snapshot)?;
                        Ok(of(&kept.run, snapshot.now())?)
                    })
                }

                fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
                    let target = Target::named(self.run.as_ref(), &self.target).chosen(cx)?;
                    Ok(Some(Self { run: None, target }))
                }
            }
        )+
    };
}

documents! {
    /// Sums a run up as HOTL does.
    Summary -> Document "run.summary"
        "Sum a run up, as HOTL does" "windlass run summary"
        |run, _| Document::of(&summary(run));
    /// Says what to do next with a run.
    Reconcile -> Reconciled "run.reconcile"
        "Say what stands in the way of a run, and what to do next" "windlass run reconcile"
        |run, now| Document::of(&reconcile(run, now)).map(Reconciled);
}

/// Shows a workflow file as a document, every default filled in.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Normalize {
    /// A workflow file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

impl Operation for Normalize {
    type Output = Document;
    const NAME: &'static str = "run.normalize";
    const ABOUT: &'static str = "Show a workflow file as JSON, every default filled in";
    const EXAMPLE: &'static str = "windlass run normalize hotl-workflow-add-auth.md";
    const ACCESS: Access = Access::Read;
    const PLACE: Place = Place::Workplace;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, cx: &mut Context) -> Result<Document, Error> {
        let source = Source::read(cx, &self.file)?;
        Ok(Document::of(&normalize(source.file(), &source.path))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_on_many_lines_keeps_its_order_and_its_texts() {
        let json = r#"{"b":[1,{"a":"x{,:\"]"}],"e":{},"l":[]}"#;
        let expected = r#"{
  "b": [
    1,
    {
      "a": "x{,:\"]"
    }
  ],
  "e": {},
  "l": []
}"#;
        assert_eq!(indented(json), expected);
    }
}
