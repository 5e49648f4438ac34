//! `explain`: what an error code means and what to do about it.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::near::near;
use windlass_domain::{Code, Refusal, Time};
use windlass_ledger::Error;

use crate::context::Context;
use crate::operation::{Access, Operation, Output, Remotely};
use crate::sheet::Sheet;

macro_rules! pages {
    ($($code:literal)+) => {
        /// Every code with its page.
        pub const PAGES: &[(&str, &str)] =
            &[$(($code, include_str!(concat!("../../../docs/errors/", $code, ".md")))),+];
    };
}

pages! {
    "bug" "usage" "not_here" "invalid_value" "unknown_field" "id_too_short" "id_ambiguous"
    "settings_invalid"
    "invalid_transition" "already_claimed" "already_held" "stale_claim" "agent_required"
    "fence_required" "reason_required" "lease_required" "lease_not_expired" "wrong_role"
    "dependencies_open" "dependency_cycle" "edit_conflict" "op_conflict" "op_running" "children_open" "subtask_depth" "task_archived"
    "edges_outside"
    "run_not_running" "step_order" "gate_undecided" "attempts_exhausted" "budget_exceeded"
    "person_required" "owner_required" "run_unfinished" "evidence_missing" "run_edited"
    "checkout_unfit" "uncommitted_changes" "branch_unclear" "branch_exists"
    "merge_conflict" "git_refused"
    "run_not_found" "step_not_found" "action_not_found"
    "type_in_use" "definition_in_use" "content_incomplete" "query_key_taken" "links_incoming"
    "step_required" "session_open" "session_over" "chunk_not_found" "session_not_found"
    "chunk_type_not_found" "agent_type_not_found" "lifecycle_not_found"
    "project_exists" "project_protected" "project_frozen" "project_deleted" "tasks_held" "import_invalid" "import_conflict"
    "code_not_found" "operation_not_found" "path_not_found" "key_not_found"
    "not_allowed" "key_required" "foreign_origin" "workplace_only" "too_large" "too_slow" "version_mismatch"
    "rate_limited" "server_busy" "server_unreachable" "address_unusable"
    "ledger_locked"
    "file_exists" "file_invalid" "entry_exists" "task_not_found" "project_not_found" "workflow_not_found" "hook_not_found" "delivery_not_found"
    "ledger_read_only" "ledger_full" "ledger_corrupt" "ledger_newer" "ledger_unreachable"
    "ledger_unmigrated" "not_a_ledger" "network_file_system" "storage_failed" "file_unusable"
}

/// Explains an error code.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Explain {
    /// The code of an error, as `--json` shows it
    pub code: String,
}

/// The page of a code.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedCode {
    pub code: String,
    pub exit: u8,
    /// Markdown.
    pub page: String,
}

impl Operation for Explain {
    type Output = ExplainedCode;
    const NAME: &'static str = "explain";
    const ABOUT: &'static str = "Explain an error code and what to do about it";
    const EXAMPLE: &'static str = "windlass explain stale_claim";
    const ACCESS: Access = Access::Read;
    // Above all when the server cannot be reached.
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, _cx: &mut Context) -> Result<ExplainedCode, Error> {
        let page = PAGES.iter().find(|(code, _)| *code == self.code);
        let (Some(code), Some((_, page))) = (Code::from_text(&self.code), page) else {
            let known = Code::ALL.iter().map(|code| code.as_str());
            return Err(Refusal::new(
                Code::CodeNotFound,
                format!("'{}' is not an error code", self.code),
            )
            .hint("errors name their code; with --json it is error.code")
            .detail("given", &self.code)
            .suggest(near(&self.code, known))
            .into());
        };
        Ok(ExplainedCode {
            code: self.code.clone(),
            exit: code.exit() as u8,
            page: (*page).to_owned(),
        })
    }
}

impl Output for ExplainedCode {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::default().and_text(self.page.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_page() {
        for code in Code::ALL {
            let page = PAGES.iter().find(|(name, _)| *name == code.as_str());
            let (_, text) = page.unwrap_or_else(|| panic!("no page for {code}"));
            assert!(text.starts_with(&format!("# {code}\n")), "{code}: wrong heading");
            let exit = format!("Exit code {}", code.exit() as u8);
            assert!(text.contains(&exit), "{code}: should say '{exit}'");
        }
        assert_eq!(PAGES.len(), Code::ALL.len());
    }
}
