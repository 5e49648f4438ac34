//! Arguments from a query: texts become what the schema of the operation says they are.

use serde_json::{Map, Value};
use windlass_domain::{Code, Refusal};
use windlass_ops::misfit::missing;
use windlass_ops::table::Entry;
use windlass_ops::view::unknown_fields;

use super::kind::Kind;

/// The fields of an operation, by the names they have in paths and queries.
#[derive(Debug, Clone)]
pub(crate) struct Fields {
    entry: &'static Entry,
    fields: Vec<Field>,
}

#[derive(Debug, Clone)]
struct Field {
    name: String,
    /// As the operation calls it.
    own_name: String,
    kind: Kind,
    is_needed: bool,
}

impl Fields {
    /// `renamed` are the fields that paths and queries call by another name, which comes first.
    pub(crate) fn of(entry: &'static Entry, renamed: &[(&str, &str)]) -> Self {
        let schema = (entry.input)().to_value();
        let properties = schema.get("properties").and_then(Value::as_object);
        let needed = schema.get("required").and_then(Value::as_array);
        let fields = properties.into_iter().flatten().map(|(own_name, _)| {
            let name = renamed.iter().find(|(_, field)| field == own_name);
            let name = name.map_or(own_name.as_str(), |(name, _)| name).to_owned();
            let is_needed = needed.is_some_and(|all| all.iter().any(|one| one == own_name));
            let kind = Kind::of(&schema, own_name);
            Field { name, own_name: own_name.clone(), kind, is_needed }
        });
        Self { entry, fields: fields.collect() }
    }

    /// The same without a field, which nobody can ask for here.
    pub(crate) fn without(mut self, own_name: &str) -> Self {
        self.fields.retain(|field| field.own_name != own_name);
        self
    }

    /// A refusal of the operation, in the words of paths and queries.
    pub(crate) fn in_own_words(&self, refusal: Refusal) -> Refusal {
        let named = refusal.details.get("field").and_then(Value::as_str);
        let field = self.fields.iter().find(|field| Some(field.own_name.as_str()) == named);
        let Some(Field { name, own_name, .. }) = field.filter(|field| field.name != field.own_name)
        else {
            return refusal;
        };
        let message = match refusal.message.strip_prefix(own_name.as_str()) {
            Some(rest) if rest.starts_with(' ') => format!("{name}{rest}"),
            _ => refusal.message.clone(),
        };
        let hint = refusal.hint.map(|hint| match hint.strip_prefix(&format!("give {own_name}")) {
            Some(rest) => format!("give {name}{rest}"),
            None => hint,
        });
        Refusal { message, hint, ..refusal }.detail("field", name)
    }

    /// The arguments that some pairs of name and value say.
    pub(crate) fn arguments(
        &self,
        pairs: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Map<String, Value>, Refusal> {
        let mut arguments = Map::new();
        let mut unknown = Vec::new();
        for (name, given) in pairs {
            // Who knows the operation knows its own names.
            let is_meant = |field: &&Field| field.name == name || field.own_name == name;
            let Some(field) = self.fields.iter().find(is_meant) else {
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
        if !unknown.is_empty() {
            let known: Vec<String> = self.fields.iter().map(|field| field.name.clone()).collect();
            return Err(unknown_fields(self.entry.name, &unknown, &known));
        }
        let is_missing =
            |field: &&Field| field.is_needed && !arguments.contains_key(&field.own_name);
        match self.fields.iter().find(is_missing) {
            Some(field) => Err(self.in_own_words(missing(self.entry, &field.own_name))),
            None => Ok(arguments),
        }
    }
}

impl Field {
    fn value(&self, given: String) -> Result<Value, Refusal> {
        match self.kind {
            // An object has no form in a query; the operation says so.
            Kind::Text | Kind::Object | Kind::Any => Ok(given.into()),
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

pub(crate) fn given_twice(name: &str) -> Refusal {
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
        assert_eq!(asked("task.list", &[("limit", "-1")]), Ok(json!({"limit": -1})));
    }

    #[test]
    fn a_field_can_have_another_name_here() {
        assert_eq!(asked("task.search", &[("q", "login")]), Ok(json!({"query": "login"})));
    }

    #[test]
    fn a_field_that_has_another_name_here_may_be_called_by_its_own() {
        assert_eq!(asked("task.search", &[("query", "login")]), Ok(json!({"query": "login"})));
        let twice = [("query", "login"), ("q", "login")];
        assert_eq!(asked("task.search", &twice).unwrap_err().code, Code::Usage);
    }

    #[test]
    fn what_is_missing_is_named_as_it_is_called_here() {
        let refusal = asked("task.search", &[]).unwrap_err();
        assert_eq!((refusal.code, refusal.message.as_str()), (Code::InvalidValue, "q is missing"));
        assert_eq!(refusal.details["field"], "q");
        assert!(refusal.hint.unwrap().starts_with("give q: "));
    }

    #[test]
    fn where_there_are_no_fields_none_is_named() {
        let refusal = asked("audit.head", &[("x", "1")]).unwrap_err();
        assert_eq!(refusal.hint.as_deref(), Some("it takes none"));
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
