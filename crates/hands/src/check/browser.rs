//! A page that must show something, looked at with a real Chromium.
//!
//! What only a person can judge gets a picture taken and is left to a person; so is everything when
//! there is no browser. It never passes unseen.

mod address;
mod chromium;
mod form;
mod page;
mod wire;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::pulse::{self, Pulse, Watch};
use super::{Environment, Outcome, Seen, Verdict, Why};
use crate::guard::Guard;
use address::Address;
use chromium::NoBrowser;
use form::{Form, Found};
use page::Page;
use wire::{Lost, Wire};

/// How long a picture may take, which is no part of the time of the check.
const PICTURE: Duration = Duration::from_secs(10);

/// Between two looks at a page.
const PAUSE: Duration = Duration::from_millis(100);

/// A page, and what must be true of it.
#[derive(Debug, Clone)]
pub struct Browser {
    /// The folder that files to be shown must not leave.
    pub root: PathBuf,
    pub url: Option<String>,
    /// `text: …`, `selector: …`, `title: …`, `js: …`, or any words for a person.
    pub check: Option<String>,
    pub timeout: Duration,
    /// The browser; otherwise one on the `PATH` of the environment.
    pub program: Option<PathBuf>,
    pub environment: Environment,
    /// Where the picture is kept (PNG).
    pub screenshot: PathBuf,
}

impl Browser {
    pub fn run(&self, guard: &Guard, watch: Watch<'_>) -> Outcome {
        self.look(guard, watch).unwrap_or_else(|outcome| outcome)
    }

    /// What comes to an end early is an outcome as well.
    fn look(&self, guard: &Guard, watch: Watch<'_>) -> Result<Outcome, Outcome> {
        let request = Request::of(self)?;
        let address = Address::parse(request.url, &self.root).map_err(|refused| {
            Outcome::failed(format!("browser verify cannot open {}: {refused}", request.url))
        })?;
        let started = chromium::start(self, &address, guard, Pulse::new(watch));
        let wire = started.map_err(|no_browser| match no_browser {
            NoBrowser::Stopped => Outcome::undecided(Why::Stopped, "stopped"),
            NoBrowser::Because(why) => request.review().note(why),
        })?;
        // How long the browser took to start is no fault of the page.
        let visit = Visit { browser: self, request, until: pulse::end_of(self.timeout) };
        visit.run(wire, &address)
    }
}

/// What is asked for, complete.
struct Request<'a> {
    url: &'a str,
    check: &'a str,
    form: Form,
}

impl<'a> Request<'a> {
    fn of(browser: &'a Browser) -> Result<Self, Outcome> {
        let given = |text: &'a Option<String>, name| {
            let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
            let missing = || format!("browser verify missing {name}");
            text.ok_or_else(|| Outcome::undecided(Why::Unclear, missing()))
        };
        let url = given(&browser.url, "url")?;
        let check = given(&browser.check, "check")?;
        Ok(Self { url, check, form: Form::parse(check) })
    }

    fn review(&self) -> Outcome {
        let Self { url, check, .. } = self;
        let message =
            format!("human review required: browser verify requested for {url} - {check}");
        Outcome::undecided(Why::Review, message)
    }
}

/// One look at one page.
struct Visit<'a> {
    browser: &'a Browser,
    request: Request<'a>,
    until: Instant,
}

impl Visit<'_> {
    fn run(&self, wire: Wire<'_>, address: &Address) -> Result<Outcome, Outcome> {
        let mut page = Page::new(wire);
        let outcome = match self.judge(&mut page, address) {
            Ok(outcome) => outcome,
            Err(Lost::Stopped) => return Err(Outcome::undecided(Why::Stopped, "stopped")),
            Err(Lost::TimeIsOver) => self.timed_out("the page does not answer"),
            Err(Lost::Refused(why)) => Outcome::failed(format!("the browser refuses: {why}")),
            Err(Lost::Gone(why)) => {
                return Err(Outcome::undecided(Why::NotRun, format!("the browser ended: {why}")));
            }
        };
        // Words are for a person, also where the page is in trouble.
        let outcome = match (&self.request.form, outcome.verdict) {
            (Form::Words, Verdict::Failed) => self.request.review().note(outcome.message),
            _ => outcome,
        };
        let mut outcome = match self.picture(&mut page) {
            Ok(seen) => outcome.with_files([seen]),
            Err(why) => outcome.note(format!("there is no picture: {why}")),
        };
        outcome.notes.extend(page.notes());
        Ok(outcome)
    }

    fn judge(&self, page: &mut Page<'_>, address: &Address) -> Result<Outcome, Lost> {
        page.open(self.until)?;
        if let Err(trouble) = page.go_to(address.as_str(), self.until)? {
            return Ok(Outcome::failed(trouble.to_string()));
        }
        while !page.is_loaded() {
            if let Some(trouble) = page.trouble() {
                return Ok(Outcome::failed(trouble.to_string()));
            }
            if Instant::now() >= self.until {
                return Ok(self.timed_out("the page is not loaded"));
            }
            page.pause(self.until)?;
        }
        if let Some(invalid) = self.request.form.invalid(page, self.until)? {
            return Ok(Outcome::failed(invalid));
        }
        self.wait(page)
    }

    /// Looks again and again until it is true, or its time is over, or the page is in trouble.
    fn wait(&self, page: &mut Page<'_>) -> Result<Outcome, Lost> {
        let form = &self.request.form;
        let mut why = Some("the page does not answer".to_owned());
        loop {
            let found = form.look(page, self.until);
            if let Some(trouble) = page.trouble() {
                return Ok(Outcome::failed(trouble.to_string()));
            }
            match found {
                Ok(Found::True) => {
                    return Ok(Outcome::passed(format!("browser verify passed: {}", form.said())));
                }
                Ok(Found::ForAPerson) => return Ok(self.request.review()),
                Ok(Found::False) => why = None,
                // A page that is about to be replaced cannot answer; its successor can.
                Ok(Found::Error(error)) | Err(Lost::Refused(error)) => why = Some(error),
                // What it said before is said still.
                Err(Lost::TimeIsOver) => {}
                Err(lost) => return Err(lost),
            }
            if Instant::now() + PAUSE >= self.until {
                let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
                return Ok(self.timed_out(&format!("{}{why}", form.unmet())));
            }
            page.pause(Instant::now() + PAUSE)?;
        }
    }

    fn timed_out(&self, what: &str) -> Outcome {
        Outcome::failed(format!("timed out after {:?}: {what}", self.browser.timeout))
    }

    fn picture(&self, page: &mut Page<'_>) -> Result<Seen, String> {
        page.take_picture(&self.browser.screenshot, Instant::now() + PICTURE)
    }
}
