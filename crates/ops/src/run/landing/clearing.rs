//! What is taken away once the outcome of a run is on record: a worktree and a branch of its own.

use windlass_domain::run::prepare::rescue_reference;
use windlass_ledger::Error;

use super::{Landing, Plan};
use crate::run::preserve::preserve;
use crate::run::repository::refused;

impl Landing {
    /// Takes away what is no longer needed, once the outcome is on record. The files of the run stay,
    /// beside the repository's own. Commits that are nowhere else stay too, under the reference that
    /// is returned.
    pub fn clear_up(&self) -> Result<Option<String>, Error> {
        if !self.goes() {
            return Ok(None);
        }
        if let Some(worktree) = &self.worktree {
            preserve(&self.folder, &self.home, &self.run_id)?;
            self.git.discard_worktree(worktree).map_err(refused)?;
        }
        if self.branch_stays.is_some() {
            return Ok(None);
        }
        let Some(commit) = self.git.branch(&self.branch).map_err(refused)? else {
            return Ok(None);
        };
        let is_elsewhere = match &self.plan {
            Plan::Merge { into, .. } => {
                self.git.is_merged(&commit, &format!("refs/heads/{into}")).map_err(refused)?
            }
            Plan::Keep | Plan::Publish { .. } | Plan::Discard { .. } | Plan::Forget => false,
        };
        let mut rescue = None;
        if !is_elsewhere {
            let reference = rescue_reference(&self.branch, &commit);
            let why = format!("windlass: {} was discarded", self.branch);
            self.git.set_reference(&reference, &commit, &why).map_err(refused)?;
            rescue = Some(reference);
        }
        self.git.delete_branch(&self.branch, &commit).map_err(refused)?;
        Ok(rescue)
    }
}
