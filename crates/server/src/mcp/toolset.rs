//! Which operations are tools, for whom, and how they look.

use std::sync::{Arc, LazyLock};

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use windlass_domain::near::near;
use windlass_domain::op::OpId;
use windlass_domain::{Code, Refusal};
use windlass_ops::operation::Access;
use windlass_ops::table::Entry;
use windlass_ops::tools;

use super::shown::{DEFAULT, DESTRUCTIVE, IDEMPOTENT, Shown};
use super::words::as_fields;
use super::{hizal, schema};

/// The field that every tool takes that writes.
const OP_ID: &str = "op_id";

/// Every tool there is.
static OFFERS: LazyLock<Offers> = LazyLock::new(|| Offers {
    small: DEFAULT.iter().filter_map(Offer::small).collect(),
    whole: tools::operations().map(Offer::whole).collect(),
    of_hizal: hizal::TOOLS.iter().filter_map(Offer::of_hizal).collect(),
});

/// Tools by the sets they come in.
struct Offers {
    small: Vec<Offer>,
    /// One for each operation.
    whole: Vec<Offer>,
    of_hizal: Vec<Offer>,
}

/// An operation as a tool.
#[derive(Debug)]
pub(super) struct Offer {
    pub(super) tool: Tool,
    pub(super) entry: &'static Entry,
    /// The tool of Hizal's that it is, if it is one.
    pub(super) of_hizal: Option<&'static hizal::Tool>,
}

impl Offer {
    fn small(shown: &Shown) -> Option<Self> {
        let entry = Entry::named(shown.operation)?;
        let input = with_op_id(entry, schema::chosen(entry, shown));
        let tool = Tool::new(shown.tool, shown.about, Arc::new(input));
        Some(Self { tool: tool.with_annotations(annotations(entry)), entry, of_hizal: None })
    }

    fn of_hizal(theirs: &'static hizal::Tool) -> Option<Self> {
        let entry = Entry::named(theirs.operation)?;
        let input = with_op_id(entry, schema::of_hizal(entry, theirs));
        let tool = Tool::new(theirs.name, theirs.about, Arc::new(input));
        let tool = tool.with_annotations(annotations(entry));
        Some(Self { tool, entry, of_hizal: Some(theirs) })
    }

    fn whole(entry: &'static Entry) -> Self {
        let input = with_op_id(entry, schema::all(entry));
        let tool = Tool::new(tools::name_of(entry), as_fields(entry.about), Arc::new(input))
            .with_annotations(annotations(entry))
            .with_raw_output_schema(Arc::new(schema::answer(entry)));
        Self { tool, entry, of_hizal: None }
    }

    pub(super) fn name(&self) -> &str {
        &self.tool.name
    }

    /// The names of its fields.
    pub(super) fn fields(&self) -> impl Iterator<Item = &str> {
        let properties = self.tool.input_schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str))
    }

    /// The arguments of the operation, and the op id apart from them. What the tool does not show it
    /// does not take.
    pub(super) fn arguments(
        &self,
        mut given: JsonObject,
    ) -> Result<(Value, Option<OpId>), Refusal> {
        let fields: Vec<&str> = self.fields().collect();
        let unknown: Vec<String> =
            given.keys().filter(|name| !fields.contains(&name.as_str())).cloned().collect();
        if !unknown.is_empty() {
            return Err(self.unknown(&unknown, &fields));
        }
        let op_id = match given.remove(OP_ID) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(OpId::parse(&text)?),
            Some(other) => {
                return Err(Refusal::new(Code::InvalidValue, format!("op_id {other} is no text"))
                    .hint("give any text of your own, such as a UUID")
                    .detail("field", OP_ID));
            }
        };
        let arguments = match self.of_hizal {
            None => Value::Object(given),
            Some(theirs) => theirs.arguments(given)?,
        };
        Ok((arguments, op_id))
    }

    fn unknown(&self, unknown: &[String], fields: &[&str]) -> Refusal {
        let meant = unknown.iter().flat_map(|name| near(name, fields.iter().copied()));
        let name = self.name();
        let message = format!("the tool {name} has no field {}", unknown.join(", "));
        Refusal::new(Code::UnknownField, message)
            .hint(format!("its fields are {}", fields.join(", ")))
            .detail("unknown", unknown)
            .suggest(meant)
    }
}

fn writes(entry: &Entry) -> bool {
    entry.access != Access::Read
}

/// What writes can be asked for once, unless its answer is a secret that must not be kept.
fn takes_op_id(entry: &Entry) -> bool {
    writes(entry) && !entry.secret_answer
}

fn with_op_id(entry: &Entry, mut input: JsonObject) -> JsonObject {
    if takes_op_id(entry)
        && let Some(Value::Object(properties)) = input.get_mut("properties")
    {
        let about = "Any key of yours: repeated with it, it happens once";
        properties.insert(OP_ID.to_owned(), json!({"type": "string", "description": about}));
    }
    input
}

/// What differs from what a client takes for granted: that a tool writes, destroys, and does more
/// with each call.
fn annotations(entry: &Entry) -> ToolAnnotations {
    let mut annotations = ToolAnnotations::new().open_world(false);
    if writes(entry) {
        annotations.destructive_hint = Some(DESTRUCTIVE.contains(&entry.name));
        annotations.idempotent_hint = IDEMPOTENT.contains(&entry.name).then_some(true);
    } else {
        annotations.read_only_hint = Some(true);
    }
    annotations
}

/// The tools that one caller is shown.
#[derive(Clone)]
pub(crate) struct Toolset(Arc<[&'static Offer]>);

impl std::fmt::Debug for Toolset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|offer| offer.name())).finish()
    }
}

impl Default for Toolset {
    fn default() -> Self {
        Self(OFFERS.small.iter().collect())
    }
}

impl Toolset {
    /// Reads `all`, `default`, `hizal`, or groups and names with commas between them.
    pub(crate) fn parse(given: &str) -> Result<Self, Refusal> {
        let mut offers: Vec<&'static Offer> = Vec::new();
        for name in tools::parts(given) {
            let found = meant(name);
            if found.is_empty() {
                return Err(tools::unknown(name));
            }
            for offer in found {
                if !offers.iter().any(|known| known.name() == offer.name()) {
                    offers.push(offer);
                }
            }
        }
        Ok(Self(offers.into()))
    }

    /// The same without tools that the caller may not use, who would try them in vain.
    pub(super) fn usable(&self, may: impl Fn(Access) -> bool) -> Self {
        Self(self.0.iter().copied().filter(|offer| may(offer.entry.access)).collect())
    }

    pub(super) fn tools(&self) -> Vec<Tool> {
        self.0.iter().map(|offer| offer.tool.clone()).collect()
    }

    pub(super) fn named(&self, name: &str) -> Option<&'static Offer> {
        self.0.iter().find(|offer| offer.name() == name).copied()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|offer| offer.name())
    }

    /// The tool that does an operation.
    pub(super) fn offer_of(&self, entry: &Entry) -> Option<&'static Offer> {
        self.0.iter().copied().find(|offer| offer.entry.name == entry.name)
    }
}

/// The tools that a part of a set names.
fn meant(name: &str) -> Vec<&'static Offer> {
    let Offers { small, whole, of_hizal } = &*OFFERS;
    match name {
        tools::HIZAL => return of_hizal.iter().collect(),
        tools::ALL => return whole.iter().collect(),
        tools::DEFAULT => return small.iter().collect(),
        _ => {}
    }
    if let Some(offer) = small.iter().find(|offer| offer.name() == name) {
        return vec![offer];
    }
    whole.iter().filter(|offer| tools::is_meant(offer.entry, name)).collect()
}

/// What a list of tools costs whoever reads it: names, descriptions and input schemas as sent.
#[cfg(test)]
fn size_bytes(tools: &[Tool]) -> usize {
    let size = |tool: &Tool| {
        let schema = serde_json::to_string(&*tool.input_schema).unwrap();
        tool.name.len() + tool.description.as_deref().unwrap_or_default().len() + schema.len()
    };
    tools.iter().map(size).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Map;
    use windlass_ops::operation::Place;
    use windlass_ops::table::TABLE;

    use super::*;

    /// What issue and readers of the small set were promised.
    const BOUND_BYTES: usize = 8_000;

    fn property<'a>(tool: &'a Tool, name: &str) -> &'a Map<String, Value> {
        tool.input_schema["properties"][name].as_object().unwrap()
    }

    #[test]
    fn the_usual_tools_are_small() {
        let tools = Toolset::default().tools();
        let whole = serde_json::to_string(&tools).unwrap().len();
        let size = size_bytes(&tools);
        assert!(size <= BOUND_BYTES, "{size} bytes");
        assert!(whole <= BOUND_BYTES, "{whole} bytes with everything around them");
    }

    #[test]
    fn every_usual_tool_and_field_is_there() {
        let small = &OFFERS.small;
        assert!(small.iter().map(Offer::name).eq(tools::USUAL));
        for (shown, offer) in DEFAULT.iter().zip(small) {
            assert_eq!(offer.entry.place, Place::Ledger, "{}", shown.operation);
            for (field, _) in shown.fields {
                assert!(offer.fields().any(|known| known == *field), "{}.{field}", shown.operation);
            }
        }
    }

    #[test]
    fn every_name_of_the_tables_is_an_operation() {
        let never = super::super::shown::NEVER.map(|(operation, _)| operation);
        for name in DESTRUCTIVE.iter().chain(&IDEMPOTENT).chain(&never) {
            assert!(Entry::named(name).is_some(), "{name}");
        }
    }

    #[test]
    fn every_ledger_operation_is_a_tool_and_no_other() {
        let all = Toolset::parse("all").unwrap();
        let count = TABLE.iter().filter(|entry| entry.place == Place::Ledger).count();
        let names: BTreeSet<&str> = all.names().collect();
        assert_eq!(names.len(), count);
        assert!(names.contains("task_set_status"));
        assert!(!names.contains("backup"));
    }

    #[test]
    fn every_tool_that_writes_takes_an_op_id_and_no_operation_has_such_a_field() {
        for offer in &OFFERS.whole {
            assert!(!offer.entry.fields().contains(&OP_ID.to_owned()), "{}", offer.name());
            assert_eq!(offer.fields().any(|field| field == OP_ID), takes_op_id(offer.entry));
        }
    }

    #[test]
    fn fields_are_told_in_few_words() {
        let tools = Toolset::default().tools();
        let claim = tools.iter().find(|tool| tool.name == "claim").unwrap();
        assert_eq!(
            serde_json::to_string(property(claim, "next")).unwrap(),
            r#"{"description":"The best that can be claimed","type":"boolean"}"#
        );
        assert_eq!(property(claim, "tags")["items"], json!({"type": "string"}));
        let show = tools.iter().find(|tool| tool.name == "show").unwrap();
        assert_eq!(property(show, "view")["enum"], json!(["summary", "standard", "full"]));
        assert_eq!(show.input_schema["required"], json!(["task"]));
        for tool in Toolset::parse("all,default").unwrap().tools() {
            let text = serde_json::to_string(&*tool.input_schema).unwrap();
            for gone in ["$schema", "$ref", "\"null\"", "\"format\":\"", " --"] {
                assert!(!text.contains(gone), "{}: {gone} in {text}", tool.name);
            }
        }
    }

    #[test]
    fn annotations_say_what_a_tool_does_to_the_ledger() {
        let of = |name: &str| {
            let tool = Toolset::parse("all").unwrap().named(name).unwrap().tool.clone();
            tool.annotations.unwrap()
        };
        assert_eq!(of("task_show").read_only_hint, Some(true));
        assert_eq!(of("task_add").read_only_hint, None);
        assert_eq!(of("task_add").destructive_hint, Some(false));
        assert_eq!(of("task_add").idempotent_hint, None);
        assert_eq!(of("task_archive").destructive_hint, Some(true));
        assert_eq!(of("task_complete").idempotent_hint, Some(true));
    }

    #[test]
    fn a_set_is_groups_and_names() {
        let names = |given: &str| {
            let set = Toolset::parse(given).unwrap();
            set.names().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(names("dep"), ["dep_list", "dep_tree", "dep_graph"]);
        assert_eq!(names("claim, task.claim,claim"), ["claim", "task_claim"]);
        assert_eq!(names("why"), ["why"]);
        assert_eq!(names("default,stats").len(), DEFAULT.len() + 1);
    }

    #[test]
    fn an_unknown_set_is_refused_with_the_names_there_are() {
        let refusal = Toolset::parse("default,taks").unwrap_err();
        assert_eq!(refusal.code, Code::InvalidValue);
        assert!(refusal.suggestions.contains(&"task".to_owned()));
        let hint = refusal.hint.unwrap();
        assert!(hint.starts_with("use all, default, hizal, agent, audit, "), "{hint}");
        assert!(Toolset::parse("").is_err());
        assert!(Toolset::parse("backup").is_err());
    }

    #[test]
    fn an_answer_is_an_object_or_says_why_not() {
        for offer in &OFFERS.whole {
            let schema = offer.tool.output_schema.as_ref().unwrap();
            assert_eq!(schema["type"], "object", "{}", offer.name());
            let document = &schema["anyOf"][0];
            let is_object = document["type"] == "object" || document.get("anyOf").is_some();
            assert!(is_object, "{}: {document}", offer.name());
        }
    }

    #[test]
    fn a_tool_takes_what_it_shows_and_nothing_else() {
        let set = Toolset::default();
        let complete = set.named("complete").unwrap();
        let given = |value: Value| value.as_object().unwrap().clone();
        let (arguments, op_id) =
            complete.arguments(given(json!({"task": "8F3K", "op_id": "K"}))).unwrap();
        assert_eq!(arguments, json!({"task": "8F3K"}));
        assert_eq!(op_id.unwrap().as_str(), "K");
        let refusal = complete.arguments(given(json!({"tsk": "8F3K"}))).unwrap_err();
        assert_eq!(refusal.code, Code::UnknownField);
        assert_eq!(refusal.suggestions, ["task"]);
        assert!(complete.arguments(given(json!({"task": "8F3K", "force": true}))).is_err());
        let refusal = complete.arguments(given(json!({"task": "8F3K", "op_id": 5}))).unwrap_err();
        assert_eq!(refusal.code, Code::InvalidValue);
    }
}
