//! What goes out of the house: whether a person approved exactly that, and whether a run waits for
//! nothing else.

use serde_json::Value;

use super::name::command;
use super::state_file::ActionJson;
use super::word::{ActionKind, ActionStatus, EffectStatus, Reason};
use crate::{Code, Refusal};

/// What is done outside of a run when its work lands, as a person approves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outward {
    pub kind: ActionKind,
    /// Word by word.
    pub target: String,
}

impl Outward {
    /// The approved action that is meant, and is not over: the one with the id that is named, else
    /// one that was not begun rather than one that was.
    pub fn approved<'a>(
        &self,
        actions: &'a [ActionJson],
        named: Option<&str>,
    ) -> Option<&'a ActionJson> {
        let is_meant = |action: &&ActionJson| {
            action.kind == self.kind
                && action.target == self.target
                && action.status == ActionStatus::Approved
                && named.is_none_or(|id| action.id == id)
        };
        let open = [EffectStatus::NotStarted, EffectStatus::InProgress];
        open.into_iter().find_map(|status| {
            actions.iter().filter(is_meant).find(|action| effect(action) == Some(status))
        })
    }

    /// The same, refused where there is none and it may not be done without.
    pub fn must_be_approved<'a>(
        &self,
        run_id: &str,
        actions: &'a [ActionJson],
        named: Option<&str>,
    ) -> Result<Option<&'a ActionJson>, Refusal> {
        let approved = self.approved(actions, named);
        let needs_one = self.kind == ActionKind::ExternalWrite || named.is_some();
        if approved.is_some() || !needs_one {
            return Ok(approved);
        }
        let Self { kind, target } = self;
        Err(Refusal::new(Code::PersonRequired, format!("nobody approved to {target}"))
            .hint(format!(
                "ask for it: {}, then let a person decide it: {}",
                command(run_id, format_args!("action request {kind} --target '{target}'")),
                command(run_id, "action decide ACTION approved")
            ))
            .detail("target", target))
    }
}

/// Whether all that a run was refused for is what comes of this action, which is about to be done.
pub fn waits_for(refusal: &Refusal, action: &ActionJson, actions: &[ActionJson]) -> bool {
    let unresolved = Reason::SensitiveActionEffectUnresolved.as_str();
    let reasons = refusal.details.get("reasons").and_then(Value::as_array);
    let is_settled = |other: &ActionJson| {
        other.id == action.id
            || !other.kind.is_sensitive()
            || matches!(effect(other), Some(EffectStatus::Succeeded | EffectStatus::Cancelled))
    };
    refusal.code == Code::EvidenceMissing
        && reasons.is_some_and(|reasons| {
            !reasons.is_empty() && reasons.iter().all(|reason| reason == unresolved)
        })
        && actions.iter().all(is_settled)
}

fn effect(action: &ActionJson) -> Option<EffectStatus> {
    action.effect.as_ref().map(|effect| effect.status)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn action(id: &str, kind: &str, target: &str, effect: &str) -> ActionJson {
        serde_json::from_value(json!({
            "id": id, "kind": kind, "target": target, "status": "approved",
            "requested_at": "2026-11-16T02:00:00+00:00", "effect": {"status": effect},
        }))
        .unwrap()
    }

    fn outward(kind: ActionKind, target: &str) -> Outward {
        Outward { kind, target: target.to_owned() }
    }

    #[test]
    fn an_approval_counts_for_its_own_words_until_it_is_used_up() {
        let wanted = outward(ActionKind::ExternalWrite, "publish x to origin");
        for (kind, target, effect, counts) in [
            ("external_write", "publish x to origin", "not_started", true),
            ("external_write", "publish x to origin", "in_progress", true),
            ("external_write", "publish x to origin", "succeeded", false),
            ("external_write", "publish y to origin", "not_started", false),
            ("production_change", "publish x to origin", "not_started", false),
        ] {
            let actions = [action("action-1", kind, target, effect)];
            assert_eq!(
                wanted.approved(&actions, None).is_some(),
                counts,
                "{kind} {target} {effect}"
            );
        }
    }

    #[test]
    fn what_leaves_the_house_needs_an_approval_and_a_merge_may_have_one() {
        let publish = outward(ActionKind::ExternalWrite, "publish x to origin");
        assert_eq!(
            publish.must_be_approved("boat-1", &[], None).unwrap_err().code,
            Code::PersonRequired
        );
        let merge = outward(ActionKind::ProductionChange, "merge x into main");
        assert_eq!(merge.must_be_approved("boat-1", &[], None), Ok(None));
        let named = merge.must_be_approved("boat-1", &[], Some("action-1"));
        assert_eq!(named.unwrap_err().code, Code::PersonRequired);
    }

    #[test]
    fn of_two_approvals_with_the_same_words_the_named_counts_then_the_one_not_begun() {
        let target = "publish x to origin";
        let wanted = outward(ActionKind::ExternalWrite, target);
        let actions = [("action-1", "in_progress"), ("action-2", "not_started")]
            .map(|(id, effect)| action(id, "external_write", target, effect));
        for (named, expected) in [
            (None, Some("action-2")),
            (Some("action-1"), Some("action-1")),
            (Some("action-2"), Some("action-2")),
            (Some("action-3"), None),
        ] {
            let found = wanted.approved(&actions, named).map(|action| action.id.as_str());
            assert_eq!(found, expected, "{named:?}");
        }
    }

    #[test]
    fn a_run_waits_for_an_action_when_nothing_else_is_open() {
        let own = action("action-1", "external_write", "publish x to origin", "not_started");
        let lacks = |reasons: &[&str]| {
            Refusal::new(Code::EvidenceMissing, "not yet").detail("reasons", reasons)
        };
        let only = lacks(&["sensitive_action_effect_unresolved"]);
        assert!(waits_for(&only, &own, std::slice::from_ref(&own)));
        let more = lacks(&["sensitive_action_effect_unresolved", "budget_exceeded"]);
        assert!(!waits_for(&more, &own, std::slice::from_ref(&own)));
        assert!(!waits_for(&lacks(&[]), &own, std::slice::from_ref(&own)));
        let other = action("action-2", "production_change", "deploy", "in_progress");
        assert!(!waits_for(&only, &own, &[own.clone(), other]));
    }
}
