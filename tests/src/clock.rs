//! A clock in a file: processes that share the file share the time, and only a test moves it.

#![expect(clippy::panic, reason = "a clock that cannot be read or set ends its test")]

use std::fs;
use std::path::PathBuf;

use windlass_domain::Time;
use windlass_domain::duration::Span;
use windlass_ledger::Clock;

/// When every test begins.
const MORNING: Time = Time::from_millis(1_794_735_000_000);

/// The time is what the file says, in milliseconds since 1970.
#[derive(Debug, Clone)]
pub struct FileClock {
    file: PathBuf,
}

impl FileClock {
    /// The clock in a file that is there.
    pub fn at(file: PathBuf) -> Self {
        Self { file }
    }

    /// A new clock, which shows the morning of a day.
    pub fn made(file: PathBuf) -> Self {
        let clock = Self { file };
        clock.set(MORNING);
        clock
    }

    pub fn file(&self) -> String {
        self.file.display().to_string()
    }

    /// Lets time pass, for everybody at once.
    pub fn advance(&self, span: Span) {
        self.set(self.now().plus(span));
    }

    /// A reader sees the old time or the new one, never half of it.
    fn set(&self, time: Time) {
        let next = self.file.with_extension("next");
        let written = fs::write(&next, time.as_millis().to_string());
        if let Err(error) = written.and_then(|()| fs::rename(&next, &self.file)) {
            panic!("cannot set the clock {}: {error}", self.file.display());
        }
    }
}

impl Clock for FileClock {
    fn now(&self) -> Time {
        let text = fs::read_to_string(&self.file);
        match text.map(|text| text.parse()) {
            Ok(Ok(millis)) => Time::from_millis(millis),
            other => panic!("cannot read the clock {}: {other:?}", self.file.display()),
        }
    }
}
