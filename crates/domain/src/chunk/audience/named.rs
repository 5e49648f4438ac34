//! What an audience names must be there: a misspelt name would mean nobody, and nobody would notice.

use super::{Audience, Predicate};
use crate::Refusal;
use crate::definition::find;
use crate::session::{AgentType, Lifecycle};

impl Audience {
    /// Refuses an agent type or a lifecycle that is not there. Agents and tags need not be known: any
    /// name may sit down, with any focus.
    pub fn check_named(
        &self,
        agent_types: &[AgentType],
        lifecycles: &[Lifecycle],
    ) -> Result<(), Refusal> {
        for (predicate, words) in self.rules.iter().flat_map(|rule| &rule.asks) {
            for word in words {
                match predicate {
                    Predicate::AgentTypes => find(agent_types, &word.parse()?).map(drop)?,
                    Predicate::LifecycleTypes => find(lifecycles, &word.parse()?).map(drop)?,
                    Predicate::AgentIds
                    | Predicate::ProjectIds
                    | Predicate::OrgIds
                    | Predicate::AgentTags
                    | Predicate::FocusTags => {}
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use crate::built_in::{agent_types, lifecycles};
    use serde_json::json;

    fn check(predicate: &str, word: &str) -> Result<(), Refusal> {
        let audience = Audience::read(&json!({"rules": [{predicate: [word]}]}))?;
        audience.check_named(&agent_types(), &lifecycles())
    }

    #[test]
    fn what_is_not_there_is_refused_with_the_nearest() {
        for (predicate, word, code, near) in [
            ("agent_types", "dev_codr", Code::AgentTypeNotFound, "dev_coder"),
            ("lifecycle_types", "dev_codin", Code::LifecycleNotFound, "dev_coding"),
        ] {
            let refusal = check(predicate, word).unwrap_err();
            assert_eq!((refusal.code, refusal.suggestions), (code, vec![near.to_owned()]));
            assert_eq!(check(predicate, near), Ok(()));
        }
    }

    #[test]
    fn agents_and_tags_need_not_be_known() {
        for predicate in ["agent_ids", "agent_tags", "focus_tags", "org_ids"] {
            assert_eq!(check(predicate, "any"), Ok(()));
        }
    }
}
