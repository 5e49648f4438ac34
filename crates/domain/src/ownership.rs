//! Who may do something to a task that somebody holds.
//!
//! A fence that is shown must be the current one; a named agent must be the holder; who gives
//! neither is let through and marked, unless the settings ask for more. `--force` with a reason
//! overrides, and is recorded.

use serde::{Deserialize, Serialize};

use crate::event::Authority;
use crate::task::Task;
use crate::{Code, Refusal};

/// What a caller must show to act on a held task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Required {
    #[default]
    Nothing,
    Identity,
    Fence,
}

/// What a caller shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bearer {
    /// Who acts. Always known, if only as the user of the machine.
    pub name: String,
    /// The name was given on purpose, so it is held against the holder's.
    pub named: bool,
    pub fence: Option<u64>,
    /// The reason for overriding the rules.
    pub force: Option<String>,
    pub required: Required,
}

/// The right under which something happens, as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grant {
    pub authority: Authority,
    /// The reason, when a rule was overridden.
    pub forced: Option<String>,
}

/// Decides whether `bearer` may act on `task`.
pub fn authorise(task: &Task, bearer: &Bearer) -> Result<Grant, Refusal> {
    match (check(task, bearer), &bearer.force) {
        (Ok(authority), _) => Ok(Grant { authority, forced: None }),
        (Err(_), Some(reason)) => {
            Ok(Grant { authority: Authority::Forced, forced: Some(reason.clone()) })
        }
        (Err(refusal), None) => Err(refusal),
    }
}

fn check(task: &Task, bearer: &Bearer) -> Result<Authority, Refusal> {
    let Some(held) = task.held() else {
        return match bearer.fence {
            Some(fence) => Err(stale(task, bearer, format!("claim {fence} has ended"))),
            None => Ok(Authority::Free),
        };
    };
    match (bearer.fence, bearer.required) {
        (Some(fence), _) if fence == held.fence => Ok(Authority::Fence),
        (Some(fence), _) => Err(stale(
            task,
            bearer,
            format!("fence {fence} is not the current one, {}", held.fence),
        )),
        (None, Required::Fence) => Err(Refusal::new(
            Code::FenceRequired,
            format!("task {} is held, and these settings ask for its fence", task.id),
        )
        .hint("give --fence N, as the claim answered it")
        .detail("task_id", task.id)),
        (None, _) if bearer.named && bearer.name == held.agent => Ok(Authority::Holder),
        (None, _) if bearer.named => {
            Err(stale(task, bearer, format!("{} does not hold it", bearer.name)))
        }
        (None, Required::Identity) => Err(Refusal::new(
            Code::AgentRequired,
            format!("task {} is held, and these settings ask who is calling", task.id),
        )
        .hint("give --agent NAME or set WINDLASS_AGENT")
        .detail("task_id", task.id)),
        (None, Required::Nothing) => Ok(Authority::Unfenced),
    }
}

fn stale(task: &Task, bearer: &Bearer, why: String) -> Refusal {
    let now = match task.held() {
        Some(held) => format!("{} holds it under fence {}", held.agent, held.fence),
        None => format!("nobody holds it and it is {}", task.status),
    };
    Refusal::new(Code::StaleClaim, format!("task {}: {why}; {now}", task.id))
        .hint(format!("see who holds it: windlass task show {}", task.id))
        .detail("task_id", task.id)
        .detail("status", task.status)
        .detail("holder", task.held().map(|held| held.agent))
        .detail("fence", task.held().map(|held| held.fence))
        .detail("given_fence", bearer.fence)
        .detail("given_agent", bearer.named.then_some(&bearer.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;
    use crate::task::samples::{claim, claimed_by, in_status};

    fn nobody() -> Bearer {
        Bearer { name: "user".into(), ..Bearer::default() }
    }

    fn named(name: &str) -> Bearer {
        Bearer { name: name.into(), named: true, ..Bearer::default() }
    }

    fn fenced(fence: u64) -> Bearer {
        Bearer { fence: Some(fence), ..nobody() }
    }

    #[test]
    fn the_table_of_ownership_of_a_held_task() {
        let mut task = claimed_by("w1");
        claim(&mut task, "w2");
        let rows = [
            ("no identity", nobody(), Ok(Authority::Unfenced)),
            ("the holder by name", named("w2"), Ok(Authority::Holder)),
            ("another by name", named("w1"), Err(Code::StaleClaim)),
            ("the current fence", fenced(2), Ok(Authority::Fence)),
            ("an old fence", fenced(1), Err(Code::StaleClaim)),
            ("a fence from the future", fenced(3), Err(Code::StaleClaim)),
            (
                "the holder with an old fence",
                Bearer { fence: Some(1), ..named("w2") },
                Err(Code::StaleClaim),
            ),
            (
                "another with the fence",
                Bearer { fence: Some(2), ..named("w9") },
                Ok(Authority::Fence),
            ),
            (
                "another with force",
                Bearer { force: Some("holder is gone".into()), ..named("w9") },
                Ok(Authority::Forced),
            ),
            (
                "nobody where identity is required",
                Bearer { required: Required::Identity, ..nobody() },
                Err(Code::AgentRequired),
            ),
            (
                "the holder where a fence is required",
                Bearer { required: Required::Fence, ..named("w2") },
                Err(Code::FenceRequired),
            ),
            (
                "the fence where a fence is required",
                Bearer { required: Required::Fence, ..fenced(2) },
                Ok(Authority::Fence),
            ),
        ];
        for (what, bearer, expected) in rows {
            let decided = authorise(&task, &bearer)
                .map(|grant| grant.authority)
                .map_err(|refusal| refusal.code);
            assert_eq!(decided, expected, "{what}");
        }
    }

    #[test]
    fn a_task_nobody_holds_is_free_to_all_but_an_ended_claim() {
        for status in [Status::Backlog, Status::Ready, Status::Done] {
            let task = in_status(status);
            assert_eq!(authorise(&task, &named("w9")).unwrap().authority, Authority::Free);
            assert_eq!(authorise(&task, &fenced(1)).unwrap_err().code, Code::StaleClaim);
        }
    }

    #[test]
    fn a_stale_claim_says_who_holds_the_task_now() {
        let refusal = authorise(&claimed_by("w1"), &named("w2")).unwrap_err();
        assert!(refusal.message.contains("w1 holds it under fence 1"), "{}", refusal.message);
        assert_eq!(refusal.details["holder"], "w1");
    }
}
