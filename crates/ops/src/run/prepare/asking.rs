//! What can be chosen is asked of the person at the terminal.

use windlass_domain::run::prepare::{Choices, OnDirty, OnExisting, OnFeatureBranch, Typed, typed};
use windlass_domain::{Code, Refusal};

use crate::context::Context;
use crate::sheet::{Cell, Sheet};

/// The choices with what a person answered to a refusal; nothing when nobody can be asked, or
/// nothing was chosen. `is_branch_name` says whether git takes a name for a branch.
pub(super) fn answered(
    cx: &Context,
    refusal: &Refusal,
    choices: &Choices,
    is_branch_name: impl Fn(&str) -> bool,
) -> Option<Choices> {
    let detail = |name: &str| refusal.details.get(name).and_then(serde_json::Value::as_str);
    let mut answered = choices.clone();
    match refusal.code {
        Code::BranchExists if choices.on_existing.is_none() => {
            let ways = [
                ("reuse", "go on with it".to_owned()),
                ("recreate", "begin it again; what it holds is kept".to_owned()),
            ];
            let word = Question { cx, refusal, ways: &ways }.word()?;
            answered.on_existing = Some(match word {
                "reuse" => OnExisting::Reuse,
                _ => OnExisting::Recreate,
            });
        }
        Code::BranchUnclear if choices.on_feature_branch.is_none() => {
            let (current, branch) = (detail("current_branch")?, detail("branch")?);
            let ways = [
                ("here", format!("on {current}, in this checkout")),
                ("isolated", format!("on {branch}, in a worktree of its own (recommended)")),
            ];
            let question = Question { cx, refusal, ways: &ways };
            answered.on_feature_branch = Some(question.word_or_branch(is_branch_name)?);
        }
        // Those in another worktree are not ours to put aside.
        Code::UncommittedChanges
            if choices.on_dirty == OnDirty::Stop && detail("worktree_path").is_none() =>
        {
            let ways = [("stash", "put them aside, and go on".to_owned())];
            let _stash = Question { cx, refusal, ways: &ways }.word()?;
            answered.on_dirty = OnDirty::Stash;
        }
        _ => return None,
    }
    Some(answered)
}

/// A question, and the words that answer it.
struct Question<'a> {
    cx: &'a Context,
    refusal: &'a Refusal,
    ways: &'a [(&'static str, String)],
}

impl Question<'_> {
    /// One of the words; nothing when the person stops.
    fn word(&self) -> Option<&'static str> {
        self.until(&[], |given| Err(format!("'{given}' is none of these")), |word| word)
    }

    /// The same, where the name of a branch is an answer too. It is repeated before it is taken, so
    /// that a word which was meant otherwise makes no branch.
    fn word_or_branch(&self, is_branch_name: impl Fn(&str) -> bool) -> Option<OnFeatureBranch> {
        let named = |name: &str| match is_branch_name(name) {
            false => Err(format!("git takes no branch of the name '{name}'")),
            true => match self.cx.confirm(&Sheet::default(), &meant(name)) {
                Some(true) => Ok(OnFeatureBranch::Branch(name.to_owned())),
                Some(false) | None => Err("say it again, then".to_owned()),
            },
        };
        let more = [("NAME", "on a branch of that name, in a worktree of its own")];
        self.until(&more, named, OnFeatureBranch::from)
    }

    /// Asks until there is an answer. What is none of the words is for `other`, which takes it or
    /// says why not.
    fn until<T>(
        &self,
        more: &[(&str, &str)],
        other: impl Fn(&str) -> Result<T, String>,
        chosen: impl Fn(&'static str) -> T,
    ) -> Option<T> {
        let line = |word: &str, way: &str| Cell::from(format!("  {word}: {way}"));
        let ways = self.ways.iter().map(|(word, way)| line(word, way));
        let more = more.iter().map(|(word, way)| line(word, way));
        let stop = line("stop", "see to it yourself");
        let mut sheet = ways
            .chain(more)
            .chain([stop])
            .fold(Sheet::line(self.refusal.message.as_str()), Sheet::and_line);
        let words: Vec<&'static str> = self.ways.iter().map(|(word, _)| *word).collect();
        loop {
            let given = self.cx.ask(&sheet, "What now? [stop]")?;
            let unclear = match typed(&given, &words) {
                Typed::Stop => return None,
                Typed::Word(word) => return Some(chosen(word)),
                Typed::Near(word) => format!("'{given}' is no answer; did you mean {word}?"),
                Typed::Other(given) => match other(given) {
                    Ok(taken) => return Some(taken),
                    Err(unclear) => unclear,
                },
            };
            sheet = Sheet::line(unclear);
        }
    }
}

fn meant(branch: &str) -> String {
    format!("work on the branch '{branch}', in a worktree of its own?")
}
