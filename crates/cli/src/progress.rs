//! One line on standard error that says how far a long operation has come.
//!
//! A command that is quick shows nothing; a line that was shown is gone before the answer comes.

use std::io::{Stderr, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use unicode_width::UnicodeWidthStr as _;
use windlass_ops::context::{Notices, Step};
use windlass_ops::settings::Format;

use crate::terminal::Terminal;
use crate::wrap::cut;

/// Who waits less than this needs no word about it.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two looks of the line: ten a second.
const PAUSE: Duration = Duration::from_millis(100);
/// Goes back to the beginning of the line and empties it.
const CLEAR: &str = "\r\u{1b}[2K";

/// What operations report their steps to.
pub(crate) type Callback = Arc<dyn Fn(Step) + Send + Sync>;

/// The progress of one command, shown where a person can see it and wants to read.
pub(crate) struct Progress(Option<Arc<Mutex<Line<Stderr>>>>);

impl Progress {
    pub(crate) fn on(terminal: &Terminal) -> Self {
        let paper = terminal.err_paper().filter(|_| terminal.can_rewrite_lines());
        let paper = paper.filter(|_| terminal.format() == Format::Text);
        Self(paper.map(|paper| {
            let line = Line::new(std::io::stderr(), paper.width(), Instant::now());
            Arc::new(Mutex::new(line))
        }))
    }

    /// To be given to the operation; nothing where nobody would see it.
    pub(crate) fn callback(&self) -> Option<Callback> {
        let line = Arc::clone(self.0.as_ref()?);
        Some(Arc::new(move |step| {
            if let Ok(mut line) = line.lock() {
                line.step(step, Instant::now());
            }
        }))
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        clear(self.0.as_deref());
    }

    /// Writes what an operation that goes on has to tell, on lines that stay.
    pub(crate) fn notices(&self) -> Notices {
        let line = self.0.clone();
        Arc::new(move |text| {
            clear(line.as_deref());
            // What nobody can be told is no reason to end.
            let _told = writeln!(std::io::stderr(), "{text}");
        })
    }
}

fn clear(line: Option<&Mutex<Line<Stderr>>>) {
    if let Some(Ok(mut line)) = line.map(Mutex::lock) {
        line.clear();
    }
}

/// The line itself. What cannot be written is not worth a failure.
struct Line<W> {
    out: W,
    width: usize,
    started: Instant,
    shown: Option<Instant>,
}

impl<W: Write> Line<W> {
    fn new(out: W, width: usize, now: Instant) -> Self {
        Self { out, width, started: now, shown: None }
    }

    fn step(&mut self, step: Step, now: Instant) {
        let (since, pause) = match self.shown {
            None => (self.started, PATIENCE),
            Some(shown) => (shown, PAUSE),
        };
        if now.saturating_duration_since(since) < pause {
            return;
        }
        self.shown = Some(now);
        // A line that fills the last column could break into two, and one would stay.
        let text = cut(&told(step), self.width.saturating_sub(1));
        let _shown = write!(self.out, "{CLEAR}{text}").and_then(|()| self.out.flush());
    }

    fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _cleared = write!(self.out, "{CLEAR}").and_then(|()| self.out.flush());
        }
    }
}

/// `importing… 120,000 of 300,000 tasks`.
fn told(step: Step) -> String {
    let Step { doing, done, of, unit } = step;
    let done = grouped(done);
    match of {
        Some(of) => format!("{doing}… {done} of {} {unit}", grouped(of)),
        None => format!("{doing}… {done} {unit}"),
    }
}

/// A number with a comma between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.width() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMPORTING: Step = Step { doing: "importing", done: 120_000, of: None, unit: "tasks" };

    /// What is written when steps are reported at these milliseconds.
    fn written(width: usize, at: &[u64]) -> String {
        let start = Instant::now();
        let mut line = Line::new(Vec::new(), width, start);
        for millis in at {
            line.step(IMPORTING, start + Duration::from_millis(*millis));
        }
        line.clear();
        String::from_utf8(line.out).unwrap()
    }

    #[test]
    fn a_quick_command_shows_nothing() {
        assert_eq!(written(80, &[0, 10, 999]), "");
    }

    #[test]
    fn the_line_is_shown_after_a_second_and_cleared_at_the_end() {
        assert_eq!(written(80, &[0, 1_000]), format!("{CLEAR}importing… 120,000 tasks{CLEAR}"));
    }

    #[test]
    fn the_line_changes_at_most_ten_times_a_second() {
        let every_millisecond: Vec<u64> = (0..2_000).collect();
        assert_eq!(written(80, &every_millisecond).matches("importing").count(), 10);
    }

    #[test]
    fn the_line_never_fills_the_window() {
        assert_eq!(written(14, &[1_000]), format!("{CLEAR}importing… 1…{CLEAR}"));
    }

    #[test]
    fn the_whole_is_told_where_it_is_known() {
        let step = Step { done: 1_000, of: Some(1_234_567), ..IMPORTING };
        assert_eq!(told(step), "importing… 1,000 of 1,234,567 tasks");
    }
}
