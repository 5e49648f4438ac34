//! Questions to the person at the terminal.

use std::io::{BufRead as _, IsTerminal as _, Write as _, stderr, stdin};
use std::sync::Arc;

use windlass_ops::context::{Asking, Presence, Questions};
use windlass_ops::settings::Format;

use crate::terminal::Terminal;

/// Whether somebody can type here. Who answers a program's pipe is no person.
pub(crate) fn presence() -> Presence {
    if stdin().is_terminal() { Presence::Terminal } else { Presence::Unknown }
}

/// Asks where a person can read the question and type an answer; nothing elsewhere.
pub(crate) fn on(terminal: &Terminal) -> Option<Questions> {
    let ask = asking(terminal)?;
    // Who cannot be asked has not said yes.
    Some(Arc::new(move |sheet, question| {
        ask(sheet, &format!("{question} [y/N]")).is_some_and(|answer| is_yes(&answer))
    }))
}

/// The same for a question that is answered with a word.
pub(crate) fn asking(terminal: &Terminal) -> Option<Asking> {
    let paper = terminal.err_paper()?;
    if terminal.format() != Format::Text || !stdin().is_terminal() {
        return None;
    }
    Some(Arc::new(move |sheet, question| {
        let mut err = stderr().lock();
        let asked = write!(err, "{}{question} ", paper.render(sheet));
        let mut answer = String::new();
        let asked = asked.and_then(|()| err.flush());
        let heard = asked.and_then(|()| stdin().lock().read_line(&mut answer));
        if !answer.ends_with('\n') {
            let _on_a_new_line = writeln!(err);
        }
        heard.ok().map(|_| answer.trim().to_owned())
    }))
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_is_yes() {
        assert!(["y\n", "Yes\n", " y "].iter().all(|answer| is_yes(answer)));
        assert!(["", "\n", "n\n", "yess\n", "ja\n"].iter().all(|answer| !is_yes(answer)));
    }
}
