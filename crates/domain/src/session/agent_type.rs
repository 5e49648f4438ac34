//! Agent types: which chunks agents of one kind are given, and which they find.

use serde::{Deserialize, Serialize};

use super::Lifecycle;
use crate::chunk::{Scope, Slug};
use crate::definition::find;
use crate::{Refusal, text};

/// What agents of one kind have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentType {
    pub slug: Slug,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The lifecycle of a session that names none.
    pub lifecycle: Slug,
    /// What may be injected.
    #[serde(default)]
    pub inject: Filter,
    /// What a search may find.
    #[serde(default)]
    pub search: Filter,
    /// A search looks at chunks of the organisation only when it is asked to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub org_search_requires_explicit_scope: bool,
    /// Of what is injected at most so much, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_inject_tokens: Option<u32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// Which chunks pass: those of an included scope and type that nothing excludes. What includes
/// nothing includes everything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include_scopes: Vec<Scope>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude_scopes: Vec<Scope>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include_chunk_types: Vec<Slug>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude_chunk_types: Vec<Slug>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude_query_keys: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude_query_key_prefixes: Vec<String>,
}

impl Filter {
    /// Checks the filter itself.
    pub fn check(&self) -> Result<(), Refusal> {
        text::few("include_chunk_types", &self.include_chunk_types)?;
        text::few("exclude_chunk_types", &self.exclude_chunk_types)?;
        text::few("exclude_query_keys", &self.exclude_query_keys)?;
        text::few("exclude_query_key_prefixes", &self.exclude_query_key_prefixes)
    }

    /// Whether chunks of a scope and type can pass.
    pub fn admits_some(&self, scope: Scope, chunk_type: &Slug) -> bool {
        includes(&self.include_scopes, &scope)
            && !self.exclude_scopes.contains(&scope)
            && includes(&self.include_chunk_types, chunk_type)
            && !self.exclude_chunk_types.contains(chunk_type)
    }

    /// Whether a chunk passes.
    pub fn admits(&self, scope: Scope, chunk_type: &Slug, query_key: &str) -> bool {
        self.admits_some(scope, chunk_type)
            && !self.exclude_query_keys.iter().any(|key| key == query_key)
            && !self.exclude_query_key_prefixes.iter().any(|prefix| query_key.starts_with(prefix))
    }

    /// The same filter with every part replaced that another one has.
    #[must_use]
    pub fn overridden_by(&self, other: &Self) -> Self {
        Self {
            include_scopes: either(&other.include_scopes, &self.include_scopes),
            exclude_scopes: either(&other.exclude_scopes, &self.exclude_scopes),
            include_chunk_types: either(&other.include_chunk_types, &self.include_chunk_types),
            exclude_chunk_types: either(&other.exclude_chunk_types, &self.exclude_chunk_types),
            exclude_query_keys: either(&other.exclude_query_keys, &self.exclude_query_keys),
            exclude_query_key_prefixes: either(
                &other.exclude_query_key_prefixes,
                &self.exclude_query_key_prefixes,
            ),
        }
    }

    /// The scopes that a search looks at. One that it was asked for and that is not among them
    /// leaves nothing, and never widens the search.
    pub fn scopes(&self, asked: Option<Scope>) -> Vec<Scope> {
        let passes = |scope: &Scope| {
            includes(&self.include_scopes, scope)
                && !self.exclude_scopes.contains(scope)
                && asked.is_none_or(|asked| asked == *scope)
        };
        Scope::ALL.iter().copied().filter(passes).collect()
    }
}

fn either<T: Clone>(first: &[T], second: &[T]) -> Vec<T> {
    if first.is_empty() { second.to_vec() } else { first.to_vec() }
}

fn includes<T: PartialEq>(included: &[T], one: &T) -> bool {
    included.is_empty() || included.contains(one)
}

impl AgentType {
    /// Checks the type itself, against the lifecycles there are.
    pub fn checked(mut self, lifecycles: &[Lifecycle]) -> Result<Self, Refusal> {
        self.name = text::name("name", &self.name)?;
        if let Some(description) = &self.description {
            text::long("description", description)?;
        }
        self.inject.check()?;
        self.search.check()?;
        find(lifecycles, &self.lifecycle)?;
        Ok(self)
    }

    /// The scopes that a search by such an agent looks at.
    pub fn searched(&self, asked: Option<Scope>) -> Vec<Scope> {
        let mut scopes = self.search.scopes(asked);
        if self.org_search_requires_explicit_scope && asked.is_none() {
            scopes.retain(|scope| *scope != Scope::Org);
        }
        scopes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(json: &str) -> Filter {
        serde_json::from_str(json).unwrap()
    }

    fn admits(json: &str) -> bool {
        filter(json).admits(Scope::Project, &"plan".parse().unwrap(), "auth-plan")
    }

    #[test]
    fn every_part_of_a_filter_is_applied() {
        for (passing, cutting) in [
            (r#"{"include_scopes":["project"]}"#, r#"{"include_scopes":["org","agent"]}"#),
            (r#"{"exclude_scopes":["org"]}"#, r#"{"exclude_scopes":["project"]}"#),
            (r#"{"include_chunk_types":["spec","plan"]}"#, r#"{"include_chunk_types":["spec"]}"#),
            (r#"{"exclude_chunk_types":["spec"]}"#, r#"{"exclude_chunk_types":["spec","plan"]}"#),
            (r#"{"exclude_query_keys":["auth"]}"#, r#"{"exclude_query_keys":["auth-plan"]}"#),
            (
                r#"{"exclude_query_key_prefixes":["login"]}"#,
                r#"{"exclude_query_key_prefixes":["login","auth"]}"#,
            ),
        ] {
            assert!(admits(passing), "{passing}");
            assert!(!admits(cutting), "{cutting}");
        }
    }

    #[test]
    fn an_empty_filter_lets_everything_pass() {
        assert!(admits("{}"));
    }

    #[test]
    fn a_search_without_a_scope_looks_at_every_allowed_one() {
        let filter = filter(r#"{"exclude_scopes":["agent"]}"#);
        assert_eq!(filter.scopes(None), [Scope::Org, Scope::Project]);
    }

    #[test]
    fn a_search_for_a_scope_that_is_not_allowed_looks_at_none() {
        let filter = filter(r#"{"include_scopes":["agent"]}"#);
        assert!(filter.scopes(Some(Scope::Org)).is_empty());
    }

    #[test]
    fn the_organisation_is_searched_only_on_request_where_that_is_said() {
        let shy = AgentType {
            slug: "shy".parse().unwrap(),
            name: "Shy".into(),
            description: None,
            lifecycle: "default".parse().unwrap(),
            inject: Filter::default(),
            search: Filter::default(),
            org_search_requires_explicit_scope: true,
            max_inject_tokens: None,
            hidden: false,
        };
        assert_eq!(shy.searched(None), [Scope::Project, Scope::Agent]);
        assert_eq!(shy.searched(Some(Scope::Org)), [Scope::Org]);
    }

    #[test]
    fn a_misspelt_filter_is_refused() {
        assert!(serde_json::from_str::<Filter>(r#"{"include_scope":["org"]}"#).is_err());
    }
}
