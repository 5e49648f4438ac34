//! What stands on standard error while a long operation goes on, and is rewritten in place: how far
//! it has come, or the step of a run that is worked on.
//!
//! A command that is quick shows nothing; what was shown is gone before the answer comes.

mod driven;

use std::io::{Stderr, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use unicode_width::UnicodeWidthStr as _;
use windlass_hands::check::Stop;
use windlass_hands::signals;
use windlass_ops::context::{self, Brakes, Listening, Notices, Step};
use windlass_ops::settings::Format;

use crate::terminal::Terminal;
use crate::wrap::{cut, harmless};

/// Who waits less than this needs no word about it.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two looks of the line: ten a second.
const PAUSE: Duration = Duration::from_millis(100);
/// Goes back to the beginning of the line and empties it.
const CLEAR: &str = "\r\u{1b}[2K";

/// The progress of one command, shown where a person can see it and wants to read.
pub(crate) struct Progress(Option<Arc<Mutex<View<Stderr>>>>);

impl Progress {
    pub(crate) fn on(terminal: &Terminal) -> Self {
        let paper = terminal.err_paper().filter(|_| terminal.can_rewrite_lines());
        let paper = paper.filter(|_| terminal.format() == Format::Text);
        Self(paper.map(|paper| {
            let view = View::new(std::io::stderr(), Terminal::err_columns, Instant::now());
            Arc::new(Mutex::new(View { has_colour: paper.colour, ..view }))
        }))
    }

    /// To be given to the operation; nothing where nobody would see it.
    pub(crate) fn callback(&self) -> Option<Listening> {
        let view = Arc::clone(self.0.as_ref()?);
        Some(Arc::new(move |progress| {
            if let Ok(mut view) = view.lock() {
                view.show(progress, Instant::now());
            }
        }))
    }

    /// Takes it away.
    pub(crate) fn clear(&self) {
        clear(self.0.as_deref());
    }

    /// Writes what an operation that goes on has to tell, on lines that stay.
    pub(crate) fn notices(&self) -> Notices {
        let view = self.0.clone();
        Arc::new(move |text| {
            clear(view.as_deref());
            // What nobody can be told is no reason to end.
            let _told = writeln!(std::io::stderr(), "{}", harmless(text));
        })
    }
}

/// Lets a person stop with Ctrl-C what is asked to stop, and not killed.
pub(crate) fn brakes() -> Brakes {
    Arc::new(|| {
        let stop = Stop::new()?;
        signals::ask_to_stop(stop.clone())?;
        Ok(stop)
    })
}

fn clear(view: Option<&Mutex<View<Stderr>>>) {
    if let Some(Ok(mut view)) = view.map(Mutex::lock) {
        view.clear();
    }
}

/// The lines themselves. What cannot be written is not worth a failure.
struct View<W> {
    out: W,
    /// How many columns the window has at this moment: a person may change it.
    columns: Box<dyn Fn() -> usize + Send>,
    has_colour: bool,
    started: Instant,
    shown: Option<Shown>,
}

/// What stands on the screen.
struct Shown {
    at: Instant,
    lines: usize,
}

impl<W: Write> View<W> {
    fn new(out: W, columns: impl Fn() -> usize + Send + 'static, now: Instant) -> Self {
        let columns = Box::new(columns);
        Self { out, columns, has_colour: false, started: now, shown: None }
    }

    fn show(&mut self, progress: context::Progress<'_>, now: Instant) {
        match progress {
            context::Progress::Counted(step) => {
                let (since, pause) = match &self.shown {
                    None => (self.started, PATIENCE),
                    Some(shown) => (shown.at, PAUSE),
                };
                if now.saturating_duration_since(since) >= pause {
                    self.draw(&[cut(&told(step), self.room())], now);
                }
            }
            context::Progress::Driven(step) => {
                self.draw(&driven::lines(&step, self.room(), self.has_colour), now);
            }
        }
    }

    /// A line that fills the last column could break into two, and one would stay.
    fn room(&self) -> usize {
        (self.columns)().saturating_sub(1)
    }

    /// All at once, so that nobody sees it half.
    fn draw(&mut self, lines: &[String], now: Instant) {
        let text = format!("{}{}", self.clearing(), lines.join("\n"));
        self.shown = Some(Shown { at: now, lines: lines.len() });
        let _shown = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }

    /// What takes away what is there. The cursor is in its last line.
    fn clearing(&self) -> String {
        match self.shown.as_ref().map_or(0, |shown| shown.lines) {
            0 | 1 => CLEAR.to_owned(),
            lines => format!("\r\u{1b}[{}A\u{1b}[J", lines - 1),
        }
    }

    fn clear(&mut self) {
        let clearing = self.clearing();
        if self.shown.take().is_some() {
            let _cleared = self.out.write_all(clearing.as_bytes()).and_then(|()| self.out.flush());
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
        let mut view = View::new(Vec::new(), move || width, start);
        for millis in at {
            let now = start + Duration::from_millis(*millis);
            view.show(context::Progress::Counted(IMPORTING), now);
        }
        view.clear();
        String::from_utf8(view.out).unwrap()
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
    fn a_window_that_becomes_narrower_is_not_overfilled() {
        let start = Instant::now();
        let windows = Mutex::new(vec![14, 80]);
        let columns = move || windows.lock().unwrap().pop().unwrap();
        let mut view = View::new(Vec::new(), columns, start);
        for second in [1, 2] {
            let now = start + Duration::from_secs(second);
            view.show(context::Progress::Counted(IMPORTING), now);
        }
        let expected = format!("{CLEAR}importing… 120,000 tasks{CLEAR}importing… 1…");
        assert_eq!(String::from_utf8(view.out).unwrap(), expected);
    }

    #[test]
    fn the_whole_is_told_where_it_is_known() {
        let step = Step { done: 1_000, of: Some(1_234_567), ..IMPORTING };
        assert_eq!(told(step), "importing… 1,000 of 1,234,567 tasks");
    }
}
