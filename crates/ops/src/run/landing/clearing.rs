//! What is taken away once the outcome of a run is on record: a worktree and a branch of its own.

use windlass_domain::run::disposal::Way;
use windlass_domain::run::prepare::rescue_reference;
use windlass_domain::run::word::Disposition;
use windlass_ledger::Error;

use super::{Approached, Landing, Plan, Subject};
use crate::context::Context;
use crate::run::preserve::preserve;
use crate::run::repository::refused;

impl Landing {
    /// What a call that was interrupted has left of a run whose outcome is on record; nothing where
    /// nothing is left that is the run's beyond doubt. Another run may have the same places by now:
    /// its worktree does not hold the files of this one, nor is its branch where this one ended.
    pub fn left(
        cx: &Context,
        subject: Subject<'_>,
        disposition: Disposition,
        into: Option<&str>,
    ) -> Result<Option<Self>, Error> {
        let Approached { mut landing, has_git, .. } = Self::approach(cx, subject)?;
        let (plan, way) = match (disposition, into) {
            (Disposition::Merged, Some(into)) => {
                let (into, checkout) = (into.to_owned(), landing.home.clone());
                (Plan::Merge { into, checkout }, Way::Merge { into: None })
            }
            (Disposition::Discarded, _) => (Plan::Discard { back_to: None }, Way::Discard),
            (Disposition::Merged | Disposition::Kept | Disposition::Published, _) => {
                return Ok(None);
            }
        };
        if !has_git {
            return Ok(None);
        }
        let state = landing.folder.join(format!(".hotl/state/{}.json", subject.run_id));
        landing.plan = plan;
        landing.worktree = landing.worktree.filter(|_| state.is_file());
        landing.commit = landing.git.branch(&landing.branch).map_err(refused)?;
        let work = subject.work(landing.commit.as_deref(), None);
        if landing.worktree.is_none() && !(work.is_at_end && work.has_branch()) {
            return Ok(None);
        }
        landing.uncommitted = landing.not_committed(subject, &way)?;
        if disposition == Disposition::Merged {
            landing.must_be_committed()?;
        }
        landing.must_be_unlocked()?;
        landing.branch_stays = landing.why_branch_stays(&work)?;
        landing.ahead = landing.count_ahead(subject.place)?;
        Ok(Some(landing))
    }

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
