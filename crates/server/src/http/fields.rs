//! Arguments from a query: texts become what the schema of the operation says they are.

use serde_json::{Map, Value};
use windlass_domain::{Code, Refusal};
use windlass_ops::table::Entry;
use windlass_ops::view::unknown_fields;

use super::kind::Kind;

/// The fields of an operation, by the names they have in paths and queries.
#[derive(Debug, Clone)]
pub(crate) struct Fields {
    operation: &'static str,
    fields: Vec<Field>,
}

#[derive(Debug, Clone)]
struct Field {
    name: String,
    /// As the operation calls it.
    own_name: String,
    kind: Kind,
}

impl Fields {
    /// `renamed` are the fields that paths and queries call by another name, which comes first.
    pub(crate) fn of(entry: &Entry, renamed: &[(&str, &str)]) -> Self {
        let schema = (entry.input)().to_value();
        let properties = schema.get("properties").and_then(Value::as_object);
        let fields = properties.into_iter().flatten().map(|(own_name, _)| {
            let name = renamed.iter().find(|(_, field)| field == own_name);
            let name = name.map_or(own_name.as_str(), |(name, _)| name).to_owned();
            Field { name, own_name: own_name.clone(), kind: Kind::of(&schema, own_name) }
        });
        Self { operation: entry.name, fields: fields.collect() }
    }

    /// The arguments that some pairs of name and value say.
    pub(crate) fn arguments(
        &self,
        pairs: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Map<String, Value>, Refusal> {
        let mut arguments = Map::new();
        let mut unknown = Vec::new();
        for (name, given) in pairs {
            let Some(field) = self.fields.iter().find(|field| field.name == name) else {
                unknown.push(name);
                continue;
            };
            let value = field.value(given)?;
            match (arguments.get_mut(&field.own_name), value) {
                (None, value) => drop(arguments.insert(field.own_name.clone(), value)),
                (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
                (Some(_), _) => return Err(given_twice(&name)),
            }
        }
        if unknown.is_empty() {
            return Ok(arguments);
        }
        let known: Vec<String> = self.fields.iter().map(|field| field.name.clone()).collect();
        Err(unknown_fields(self.operation, &unknown, &known))
    }
}

impl Field {
    fn value(&self, given: String) -> Result<Value, Refusal> {
        match self.kind {
            // An object has no form in a query; the operation says so.
            Kind::Text | Kind::Object => Ok(given.into()),
            Kind::List => Ok(Value::Array(vec![given.into()])),
            Kind::Flag => match given.as_str() {
                "true" => Ok(true.into()),
                "false" => Ok(false.into()),
                _ => Err(self.is_not(&given, "true or false", "true")),
            },
            Kind::Whole => {
                let number = given.parse::<u64>().map(Value::from);
                let number = number.or_else(|_| given.parse::<i64>().map(Value::from));
                number.map_err(|_| self.is_not(&given, "a whole number", "1"))
            }
            Kind::Number => {
                let number = given.parse::<f64>().map(Value::from);
                number.map_err(|_| self.is_not(&given, "a number", "0.5"))
            }
        }
    }

    fn is_not(&self, given: &str, what: &str, example: &str) -> Refusal {
        let name = &self.name;
        Refusal::new(Code::InvalidValue, format!("{name} '{given}' is not {what}"))
            .hint(format!("give {name}={example}"))
            .detail("field", name)
            .detail("given", given)
    }
}

fn given_twice(name: &str) -> Refusal {
    Refusal::new(Code::Usage, format!("{name} is given more than once"))
        .hint("give it once: only lists are given by repeating their name")
        .detail("field", name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(operation: &str, query: &[(&str, &str)]) -> Result<Value, Refusal> {
        let fields = Fields::of(Entry::named(operation).unwrap(), &[("q", "query")]);
        let pairs = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        fields.arguments(pairs).map(Value::Object)
    }

    #[test]
    fn numbers_flags_and_lists_become_what_they_are() {
        let query = [("limit", "7"), ("root", "true"), ("tags", "a"), ("tags", "b"), ("text", "7")];
        let expected = json!({"limit": 7, "root": true, "tags": ["a", "b"], "text": "7"});
        assert_eq!(asked("task.list", &query), Ok(expected));
    }

    #[test]
    fn a_number_below_zero_is_left_to_the_operation() {
        assert_eq!(asked("dep.tree", &[("depth", "-1")]), Ok(json!({"depth": -1})));
    }

    #[test]
    fn a_field_can_have_another_name_here() {
        assert_eq!(asked("task.search", &[("q", "login")]), Ok(json!({"query": "login"})));
    }

    #[test]
    fn an_unknown_name_is_refused_with_what_may_have_been_meant() {
        let refusal = asked("task.list", &[("statsu", "ready")]).unwrap_err();
        assert_eq!(refusal.code, Code::UnknownField);
        assert_eq!(refusal.suggestions, ["status"]);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert_eq!(asked("task.list", &[("limit", "many")]).unwrap_err().code, Code::InvalidValue);
    }

    #[test]
    fn a_flag_is_true_or_false() {
        assert_eq!(asked("task.list", &[("root", "yes")]).unwrap_err().code, Code::InvalidValue);
    }

    #[test]
    fn only_lists_are_given_more_than_once() {
        let twice = [("status", "ready"), ("status", "done")];
        assert_eq!(asked("task.list", &twice).unwrap_err().code, Code::Usage);
    }
}
