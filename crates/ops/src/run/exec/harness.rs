//! The command line that an agent is started with.
//!
//! A prompt is somebody else's text. It comes on the input or in a variable, and no shell reads it as
//! a command.

use std::path::Path;

use windlass_domain::{Code, Refusal};

/// Where a harness wants the prompt.
const PLACE: &str = "{prompt}";
/// The variable that has it then, as a word of the shell.
pub(super) const VARIABLE: &str = "WINDLASS_PROMPT";
const WORD: &str = "\"$WINDLASS_PROMPT\"";

/// Linux takes no longer argument than 128 KiB, and there may be more in it than the prompt.
const LONGEST_BYTES: usize = 100 << 10;

/// The command that works on a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Harness<'a> {
    /// As it was given.
    pub(super) text: &'a str,
    way: Way,
}

/// How it gets the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Way {
    Input,
    /// By this command, which has the variable in its place.
    Argument(String),
}

impl<'a> Harness<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, Refusal> {
        if text.trim().is_empty() {
            return Err(Refusal::new(Code::InvalidValue, "the harness is empty")
                .hint("name the command that works on a step: --harness \"claude -p\"")
                .detail("field", "harness"));
        }
        let command = with_variable(text)?;
        let takes_argument = command != text || text.contains(VARIABLE);
        let way = if takes_argument { Way::Argument(command) } else { Way::Input };
        Ok(Self { text, way })
    }

    /// Refuses a prompt that it cannot be given.
    pub(super) fn must_hold(&self, prompt: &str) -> Result<(), Refusal> {
        if self.way == Way::Input || prompt.len() <= LONGEST_BYTES {
            return Ok(());
        }
        let length = prompt.len();
        let message =
            format!("the prompt has {length} bytes, and an argument at most {LONGEST_BYTES}");
        Err(Refusal::new(Code::TooLarge, message)
            .hint("let the command read it on its input: leave {prompt} out of --harness")
            .detail("field", "harness"))
    }

    /// The command that a shell reads. The prompt is in the file too.
    pub(super) fn command(&self, file: &Path) -> String {
        match &self.way {
            Way::Input => {
                format!("{{ {}\n}} < {}", self.text, quoted(&file.display().to_string()))
            }
            Way::Argument(command) => command.clone(),
        }
    }

    /// What the variable says; nothing where it is not asked for.
    pub(super) fn variable<'p>(&self, prompt: &'p str) -> Option<&'p str> {
        (self.way != Way::Input).then_some(prompt)
    }
}

/// The command with the variable in every place of the prompt, as one word. In quotes the place must
/// stand alone: with more around it, it may be a command for another shell, or a sentence, and what
/// is right for one is wrong for the other.
fn with_variable(harness: &str) -> Result<String, Refusal> {
    let mut command = String::with_capacity(harness.len());
    // The mark of the quotes that are open, and where they begin.
    let mut open: Option<(char, usize)> = None;
    let mut rest = harness;
    while let Some(letter) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix(PLACE) {
            rest = behind;
            if let Some((mark, from)) = open.take() {
                let is_alone = command.len() == from + mark.len_utf8();
                rest = behind.strip_prefix(mark).filter(|_| is_alone).ok_or_else(not_alone)?;
                command.truncate(from);
            }
            command.push_str(WORD);
            continue;
        }
        let behind = rest.get(letter.len_utf8()..).unwrap_or_default();
        let is_escape = letter == '\\' && !matches!(open, Some(('\'', _)));
        let escaped = behind.chars().next().filter(|_| is_escape);
        open = match (letter, open) {
            (mark @ ('"' | '\''), None) => Some((mark, command.len())),
            (letter, Some((mark, _))) if letter == mark => None,
            (_, open) => open,
        };
        command.push(letter);
        command.extend(escaped);
        rest = behind.get(escaped.map_or(0, char::len_utf8)..).unwrap_or_default();
    }
    Ok(command)
}

fn not_alone() -> Refusal {
    Refusal::new(Code::InvalidValue, "{prompt} stands in quotes with something else")
        .hint("let it stand by itself, or write \"$WINDLASS_PROMPT\" where a shell reads it")
        .detail("field", "harness")
}

/// A word of the shell, whatever is in it.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(harness: &str) -> String {
        Harness::parse(harness).unwrap().command(Path::new("/a b/p.md"))
    }

    #[test]
    fn a_harness_reads_the_prompt_on_its_input() {
        assert_eq!(command("claude -p"), "{ claude -p\n} < '/a b/p.md'");
        assert_eq!(command("a \\{prompt}"), "{ a \\{prompt}\n} < '/a b/p.md'");
    }

    #[test]
    fn the_place_of_a_prompt_is_one_word_however_it_is_quoted() {
        for (harness, expected) in [
            ("codex {prompt}", "codex \"$WINDLASS_PROMPT\""),
            ("codex \"{prompt}\" -q", "codex \"$WINDLASS_PROMPT\" -q"),
            ("codex '{prompt}'", "codex \"$WINDLASS_PROMPT\""),
            ("a --b={prompt} 'c d'", "a --b=\"$WINDLASS_PROMPT\" 'c d'"),
            ("a \"b\"{prompt}\"c\"", "a \"b\"\"$WINDLASS_PROMPT\"\"c\""),
            ("a \\\"{prompt}\\\"", "a \\\"\"$WINDLASS_PROMPT\"\\\""),
            ("a '\\' {prompt}", "a '\\' \"$WINDLASS_PROMPT\""),
            ("sh -c 'a \"$WINDLASS_PROMPT\"'", "sh -c 'a \"$WINDLASS_PROMPT\"'"),
        ] {
            assert_eq!(command(harness), expected, "{harness}");
        }
    }

    #[test]
    fn a_prompt_in_quotes_with_something_else_is_refused() {
        for harness in [
            "sh -c 'codex {prompt}'",
            "sh -c \"codex {prompt}\"",
            "a \"{prompt} b\"",
            "a \"\\\"{prompt}\"",
            "a \"{prompt}",
        ] {
            let refusal = Harness::parse(harness).unwrap_err();
            assert_eq!(refusal.code, Code::InvalidValue, "{harness}");
        }
    }

    #[test]
    fn a_prompt_that_is_too_long_for_an_argument_is_refused_and_read_on_the_input() {
        let long = "a".repeat(LONGEST_BYTES + 1);
        let argument = Harness::parse("codex {prompt}").unwrap();
        assert_eq!(argument.must_hold(&long).unwrap_err().code, Code::TooLarge);
        assert_eq!(argument.must_hold(&long[1..]), Ok(()));
        let input = Harness::parse("codex").unwrap();
        assert_eq!((input.must_hold(&long), input.variable(&long)), (Ok(()), None));
    }
}
