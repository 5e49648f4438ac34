//! What somebody may have meant: suggested, never assumed.

use clap::error::{ContextKind, ContextValue};
use windlass_domain::near::near;
use windlass_ops::table::{Entry, TABLE};

use crate::command::GROUPS;
use crate::own::OWN;

/// Words that other tools use, and the operations that do what they mean.
const OTHER_WORDS: [(&str, &[&str]); 25] = [
    ("close", &["task.complete"]),
    ("create", &["task.add"]),
    ("delete", &["task.archive"]),
    ("dep", &["task.add-dep", "task.show", "validate"]),
    ("done", &["task.complete"]),
    ("edit", &["task.edit"]),
    ("finish", &["task.complete"]),
    ("get", &["task.show", "project.show"]),
    ("heartbeat", &["task.renew"]),
    ("log", &["task.history", "events"]),
    ("ls", &["task.list", "project.list"]),
    ("new", &["task.add", "project.create"]),
    ("next", &["task.claim"]),
    ("note", &["task.comment"]),
    ("pause", &["project.freeze"]),
    ("pick", &["task.claim"]),
    ("remove", &["task.archive"]),
    ("resolve", &["task.complete"]),
    ("resume", &["task.unblock", "project.unfreeze"]),
    ("rm", &["task.archive"]),
    ("status", &["task.list", "why"]),
    ("take", &["task.claim", "task.steal"]),
    ("unclaim", &["task.release"]),
    ("undo", &["task.reopen"]),
    ("view", &["task.show"]),
];

/// The commands, flags or values nearest to what made no sense.
pub(crate) fn meant(error: &clap::Error) -> Vec<String> {
    let mut found = Vec::new();
    for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedValue] {
        match error.get(kind) {
            Some(ContextValue::String(word)) => found.push(word.clone()),
            Some(ContextValue::Strings(words)) => found.extend(words.iter().cloned()),
            _ => {}
        }
    }
    if let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) {
        let given = given.to_lowercase();
        found.extend(beginnings(&given));
        found.extend(commands(&given));
        // Those of the group in which it was looked for come first.
        if let Some(group) = group(error) {
            found.sort_by_key(|command| !command.starts_with(&group));
        }
    }
    found
}

/// The words before the one that made no sense, as the usage has them: `windlass task `.
fn group(error: &clap::Error) -> Option<String> {
    let ContextValue::StyledStr(usage) = error.get(ContextKind::Usage)? else {
        return None;
    };
    let usage = usage.to_string();
    let end = usage.find(['[', '<'])?;
    Some(usage.get(..end)?.trim_start_matches("Usage: ").to_owned())
}

/// Groups and other words that a command can begin with.
fn beginnings(given: &str) -> Vec<String> {
    let groups = GROUPS.iter().map(|(group, _)| *group).filter(|group| !group.contains('.'));
    let words = groups.chain(OWN.iter().map(|own| own.name));
    let words: Vec<&str> = words.chain(["help"]).collect();
    let longer = words.iter().filter(|word| given.len() >= 3 && word.starts_with(given));
    let mut found: Vec<String> = longer.map(|word| (*word).to_owned()).collect();
    found.extend(near(given, words).into_iter().filter(|word| !word.starts_with(given)));
    found
}

/// Whole commands, because the word may be right and only its group wrong: `task why` is `why`.
fn commands(given: &str) -> Vec<String> {
    let others = OTHER_WORDS.iter().filter(|(word, _)| *word == given);
    let by_other_word: Vec<&str> = others.flat_map(|(_, names)| *names).copied().collect();
    let is_meant = |entry: &&Entry| {
        // A word that is known to mean something is no near miss of something else.
        if !by_other_word.is_empty() {
            return by_other_word.contains(&entry.name);
        }
        let leaf = entry.words().last().unwrap_or_default();
        let is_prefix = given.len() >= 3 && leaf.starts_with(given);
        is_prefix || !near(given, [leaf]).is_empty()
    };
    let entries = TABLE.iter().filter(is_meant);
    entries.map(|entry| format!("windlass {}", entry.name.replace('.', " "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_words_lead_to_operations_that_exist() {
        for (word, names) in OTHER_WORDS {
            for name in names {
                assert!(Entry::named(name).is_some(), "{word}: {name}");
            }
        }
    }

    #[test]
    fn the_word_of_another_tool_is_understood() {
        assert_eq!(commands("done"), ["windlass task complete"]);
    }

    #[test]
    fn a_group_is_found_by_its_beginning_or_a_near_miss() {
        assert_eq!(beginnings("proj"), ["project"]);
        assert_eq!(beginnings("tsk"), ["task"]);
    }

    #[test]
    fn a_word_in_the_wrong_group_is_found() {
        assert_eq!(commands("why"), ["windlass why"]);
    }
}
