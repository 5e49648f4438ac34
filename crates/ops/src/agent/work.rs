//! What became of each agent's claims over a window.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::ProjectId;
use windlass_domain::duration::Span;
use windlass_domain::holding::End;
use windlass_ledger::{Fault, Snapshot};

use crate::holding::{held_since, since};
use crate::sheet::{Cell, Tone};

/// What became of an agent's claims in the window.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentWork {
    /// Claims that ended with the task done.
    pub completed: u64,
    /// Claims that ended, however.
    pub ended: u64,
    /// Claims that ended by a release, a block, a takeover or a lease that ran out.
    pub failed: u64,
    /// `failed` of `ended`, from 0 to 1; null when nothing ended.
    pub failure_rate: Option<f64>,
}

impl AgentWork {
    fn count(&mut self, end: End) {
        self.ended += 1;
        self.completed += u64::from(end == End::Done);
        self.failed += u64::from(end.is_failure());
        self.failure_rate = Some(share(self.failed, self.ended));
    }

    pub(super) fn row(&self, agent: &str) -> Vec<Cell> {
        let rate = self.failure_rate.map(|rate| format!("{:.0}%", rate * 100.0));
        let failed = match self.failed {
            0 => Cell::dim("0"),
            failed => Cell::toned(failed.to_string(), Tone::Bad),
        };
        vec![
            agent.into(),
            self.completed.to_string().into(),
            self.ended.to_string().into(),
            failed,
            rate.unwrap_or_default().into(),
        ]
    }
}

#[expect(clippy::cast_precision_loss, reason = "nobody wins 2^52 claims")]
fn share(part: u64, whole: u64) -> f64 {
    let thousandths = (part as f64 * 1_000.0 / whole as f64).round();
    thousandths / 1_000.0
}

/// The work of everybody whose claims ended in the window.
pub(super) fn work(
    snapshot: &mut Snapshot<'_>,
    window: Span,
    project: Option<ProjectId>,
) -> Result<BTreeMap<String, AgentWork>, Fault> {
    let since = since(snapshot, window);
    let mut work: BTreeMap<String, AgentWork> = BTreeMap::new();
    for held in held_since(snapshot, since, project)? {
        if let Some((_, end)) = held.end {
            work.entry(held.holding.agent).or_default().count(end);
        }
    }
    Ok(work)
}
