//! What somebody may have meant: suggested, never assumed.

use clap::error::{ContextKind, ContextValue};
use windlass_domain::near::near;
use windlass_ops::table::{Entry, TABLE};

/// Words that other tools use, and the operations that do what they mean.
const OTHER_WORDS: [(&str, &[&str]); 24] = [
    ("close", &["task.complete"]),
    ("create", &["task.add"]),
    ("delete", &["task.archive"]),
    ("done", &["task.complete"]),
    ("edit", &["task.update"]),
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
        found.extend(commands(&given.to_lowercase()));
    }
    if let Some(ContextValue::Strings(words)) = error.get(ContextKind::SuggestedSubcommand)
        && found.is_empty()
    {
        found.extend(words.iter().cloned());
    }
    found
}

/// Whole commands, because the word may be right and only its group wrong: `task why` is `why`.
fn commands(given: &str) -> Vec<String> {
    let others = OTHER_WORDS.iter().filter(|(word, _)| *word == given);
    let by_other_word: Vec<&str> = others.flat_map(|(_, names)| *names).copied().collect();
    let is_meant = |entry: &&Entry| {
        let leaf = entry.words().last().unwrap_or_default();
        let is_prefix = given.len() >= 3 && leaf.starts_with(given);
        by_other_word.contains(&entry.name) || is_prefix || !near(given, [leaf]).is_empty()
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
    fn a_word_in_the_wrong_group_is_found() {
        assert_eq!(commands("why"), ["windlass why"]);
    }
}
