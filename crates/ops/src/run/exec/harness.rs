//! The command line that an agent is started with.

use std::path::Path;

/// The command of a harness for a prompt: on its input, or where it asks for it.
pub(super) fn command(harness: &str, prompt: &str, file: &Path) -> String {
    if harness.contains("{prompt}") {
        return harness.replace("{prompt}", &quoted(prompt));
    }
    format!("{{ {harness}\n}} < {}", quoted(&file.display().to_string()))
}

/// A word of the shell, whatever is in it.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harness_reads_the_prompt_or_has_it_as_an_argument() {
        let file = Path::new("/a b/p.md");
        assert_eq!(command("claude -p", "x", file), "{ claude -p\n} < '/a b/p.md'");
        assert_eq!(command("codex {prompt}", "it's", file), "codex 'it'\\''s'");
    }
}
