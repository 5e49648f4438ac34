//! What can be chosen is asked of the person at the terminal.

use windlass_domain::run::prepare::{Choices, OnDirty, OnExisting, OnFeatureBranch};
use windlass_domain::{Code, Refusal};

use crate::context::Context;
use crate::sheet::{Cell, Sheet};

/// The choices with what a person answered to a refusal; nothing when nobody can be asked, or
/// nothing was chosen.
pub(super) fn answered(cx: &Context, refusal: &Refusal, choices: &Choices) -> Option<Choices> {
    let detail = |name: &str| refusal.details.get(name).and_then(serde_json::Value::as_str);
    let ask = |ways: &[(&str, String)]| {
        let sheet =
            ways.iter().fold(Sheet::line(refusal.message.as_str()), |sheet, (word, way)| {
                sheet.and_line(Cell::from(format!("  {word}: {way}")))
            });
        cx.ask(&sheet, "What now? [stop]")
    };
    let mut answered = choices.clone();
    match refusal.code {
        Code::BranchExists if choices.on_existing.is_none() => {
            let answer = ask(&[
                ("reuse", "go on with it".to_owned()),
                ("recreate", "begin it again; what it holds is kept".to_owned()),
                ("stop", "see to it yourself".to_owned()),
            ])?;
            answered.on_existing = match answer.as_str() {
                "reuse" => Some(OnExisting::Reuse),
                "recreate" => Some(OnExisting::Recreate),
                _ => return None,
            };
        }
        Code::BranchUnclear if choices.on_feature_branch.is_none() => {
            let (current, branch) = (detail("current_branch")?, detail("branch")?);
            let answer = ask(&[
                ("here", format!("on {current}, in this checkout")),
                ("isolated", format!("on {branch}, in a worktree of its own (recommended)")),
                ("NAME", "on a branch of that name, in a worktree of its own".to_owned()),
                ("stop", "see to it yourself".to_owned()),
            ])?;
            answered.on_feature_branch = match answer.as_str() {
                "" | "stop" => return None,
                word => Some(OnFeatureBranch::from(word)),
            };
        }
        // Those in another worktree are not ours to put aside.
        Code::UncommittedChanges
            if choices.on_dirty == OnDirty::Stop && detail("worktree_path").is_none() =>
        {
            let answer = ask(&[
                ("stash", "put them aside, and go on".to_owned()),
                ("stop", "clean up or stash them yourself".to_owned()),
            ])?;
            match answer.as_str() {
                "stash" => answered.on_dirty = OnDirty::Stash,
                _ => return None,
            }
        }
        _ => return None,
    }
    Some(answered)
}
