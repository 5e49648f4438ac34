//! What would be done to branch and worktree, and what was.

use super::{BranchStays, Landing, NAMED, Plan};
use crate::sheet::{Cell, Sheet, Tone, counted};

/// Of what is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tense {
    Would,
    Did,
}

impl Tense {
    fn choose(self, would: &'static str, did: &'static str) -> &'static str {
        match self {
            Self::Would => would,
            Self::Did => did,
        }
    }
}

impl Landing {
    /// What would be done, for a person.
    pub fn preview(&self) -> Sheet {
        let lines = self.told(Tense::Would).into_iter();
        let sheet = lines.fold(Sheet::default(), Sheet::and_line);
        let loses = matches!(self.plan, Plan::Discard { .. }) && !self.uncommitted.is_empty();
        if loses { self.onto_losses(sheet) } else { sheet }
    }

    /// What was done. `rescue` is the reference that keeps commits which were in the branch alone.
    pub fn done(&self, rescue: Option<&str>) -> Vec<String> {
        let kept = rescue.map(|reference| {
            let branch = &self.branch;
            format!("its commits are kept: git branch {branch} {reference} brings them back")
        });
        self.told(Tense::Did).into_iter().chain(kept).collect()
    }

    fn told(&self, tense: Tense) -> Vec<String> {
        let mut told = vec![self.first(tense)];
        let go = tense.choose("would go", "is gone");
        if self.goes()
            && let Some(worktree) = &self.worktree
        {
            told.push(format!("the worktree {} {go}", worktree.display()));
        }
        match &self.plan {
            Plan::Merge { .. } => told.push(match &self.branch_stays {
                None => format!("the branch {} {go}", self.branch),
                Some(why) => self.stays(why),
            }),
            Plan::Discard { back_to: Some(back) } => {
                let back_to = tense.choose("would go back to", "went back to");
                told.push(format!("this checkout {back_to} {back}"));
            }
            Plan::Forget => {
                let stays = self.worktree.iter();
                told.extend(stays.map(|folder| format!("the folder {} stays", folder.display())));
            }
            Plan::Keep | Plan::Publish { .. } | Plan::Discard { back_to: None } => {}
        }
        told
    }

    fn first(&self, tense: Tense) -> String {
        let Self { branch, ahead, .. } = self;
        let commits = counted(*ahead, "commit");
        match &self.plan {
            Plan::Keep => match (&self.commit, &self.worktree) {
                (None, _) => "the work stays as it is".to_owned(),
                (Some(_), None) => format!("{branch} stays as it is"),
                (Some(_), Some(_)) => format!("{branch} and its worktree stay as they are"),
            },
            Plan::Merge { into, .. } if *ahead == 0 => format!("all of {branch} is in {into}"),
            Plan::Merge { into, .. } => {
                format!(
                    "{commits} of {branch} {} {into}",
                    tense.choose("would go into", "went into")
                )
            }
            Plan::Publish { remote, .. } => {
                let sent = tense.choose("would be sent to", "was sent to");
                format!("{branch} {sent} {remote}, {commits}")
            }
            Plan::Discard { .. } if self.commit.is_none() => {
                format!("the branch {branch} is not there")
            }
            Plan::Discard { .. } if self.branch_stays.is_some() => {
                self.branch_stays.as_ref().map(|why| self.stays(why)).unwrap_or_default()
            }
            Plan::Discard { .. } => {
                let go = tense.choose("would go", "is gone");
                let are = if *ahead == 1 { "is" } else { "are" };
                format!("{branch} {go}, with {commits} that {are} nowhere else")
            }
            Plan::Forget => {
                format!("{} is not there: nothing is left to discard", self.home.display())
            }
        }
    }

    fn stays(&self, why: &BranchStays) -> String {
        let branch = &self.branch;
        match why {
            BranchStays::OfOthers => {
                format!("the branch {branch} stays: it was not made for the run")
            }
            BranchStays::CheckedOut(path) => {
                format!("the branch {branch} stays: {} is on it", path.display())
            }
        }
    }

    fn onto_losses(&self, sheet: Sheet) -> Sheet {
        let title = Cell::toned("lost, since they are not committed:", Tone::Bad);
        let files = self.uncommitted.iter().take(NAMED);
        let sheet = files.fold(sheet.and_line(title), |sheet, file| {
            sheet.and_line(format!("  {}", file.escape_debug()))
        });
        match self.uncommitted.len().saturating_sub(NAMED) as u64 {
            0 => sheet,
            more => sheet.and_line(format!("  and {}", counted(more, "more file"))),
        }
    }
}
