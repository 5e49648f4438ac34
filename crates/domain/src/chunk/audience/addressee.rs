//! By what the chunks that mean a session are found, without looking at all that mean somebody.

use std::collections::BTreeSet;
use std::iter::once;

use super::{Audience, Listener, Predicate, Rule};

/// Something that is true of some sessions, or of all.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Addressee {
    Everybody,
    /// Those that say this to a predicate.
    Saying(Predicate, String),
}

impl Audience {
    /// Of every session that is meant one of these is true; of others that are not it may be too.
    pub fn addressees(&self) -> BTreeSet<Addressee> {
        self.rules.iter().flat_map(Rule::addressees).collect()
    }
}

impl Rule {
    /// Of what a rule asks all must hold, so that one of it is enough to find it by. The organisation
    /// is that of every session, and the last to choose.
    fn addressees(&self) -> Vec<Addressee> {
        let narrow = self.asks.iter().find(|(predicate, _)| **predicate != Predicate::OrgIds);
        let Some((predicate, words)) = narrow.or_else(|| self.asks.first_key_value()) else {
            return vec![Addressee::Everybody];
        };
        words.iter().map(|word| Addressee::Saying(*predicate, word.clone())).collect()
    }
}

impl Listener {
    /// Everything that is true of it.
    pub fn addressed_as(&self) -> BTreeSet<Addressee> {
        let said = |predicate: &Predicate| {
            let words = self.words(*predicate).into_iter();
            let predicate = *predicate;
            words.map(move |word| Addressee::Saying(predicate, word))
        };
        once(Addressee::Everybody).chain(Predicate::ALL.iter().flat_map(said)).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn addressees(rule: serde_json::Value) -> Vec<Addressee> {
        let audience = Audience::read(&json!({"rules": [rule]})).unwrap();
        audience.addressees().into_iter().collect()
    }

    #[test]
    fn an_audience_that_asks_nothing_is_everybody() {
        assert_eq!(addressees(json!({"all": true})), [Addressee::Everybody]);
        assert_eq!(addressees(json!({"fields": {"state": "open"}})), [Addressee::Everybody]);
    }

    #[test]
    fn a_rule_is_found_by_one_thing_that_it_asks_and_least_by_the_organisation() {
        let both = json!({"org_ids": ["org"], "focus_tags": ["auth", "sql"]});
        let tag = |word: &str| Addressee::Saying(Predicate::FocusTags, word.to_owned());
        assert_eq!(addressees(both), [tag("auth"), tag("sql")]);
        let org = Addressee::Saying(Predicate::OrgIds, "org".to_owned());
        assert_eq!(addressees(json!({"org_ids": ["org"]})), [org]);
    }
}
