//! What a guard says to its parent: lines of two words on the socket that is its standard input.
//!
//! The parent never says anything. When its end is closed, by will or by death, all is to end.

use std::fmt;
use std::io;
use std::str::FromStr;

use rustix::process::WaitStatus;

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Code(i32),
    Signal(i32),
}

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// The guard guards, and starts the program next.
    Ready,
    /// The program could not be started, for this reason of the system.
    NotStarted(i32),
    /// The program itself has ended; what it left behind is ended next.
    Ended(Ended),
    /// Nothing is left.
    Over,
}

impl Word {
    pub(super) fn line(self) -> String {
        match self {
            Self::Ready => "ready 0\n".to_owned(),
            Self::NotStarted(number) => format!("error {number}\n"),
            Self::Ended(Ended::Code(number)) => format!("code {number}\n"),
            Self::Ended(Ended::Signal(number)) => format!("signal {number}\n"),
            Self::Over => "over 0\n".to_owned(),
        }
    }
}

/// Without the end of the line.
impl FromStr for Word {
    type Err = io::Error;

    fn from_str(line: &str) -> io::Result<Self> {
        let unknown =
            || io::Error::new(io::ErrorKind::InvalidData, "a guard that speaks otherwise");
        let (word, number) = line.split_once(' ').ok_or_else(unknown)?;
        let number = number.parse().map_err(|_| unknown())?;
        match word {
            "ready" => Ok(Self::Ready),
            "error" => Ok(Self::NotStarted(number)),
            "code" => Ok(Self::Ended(Ended::Code(number))),
            "signal" => Ok(Self::Ended(Ended::Signal(number))),
            "over" => Ok(Self::Over),
            _ => Err(unknown()),
        }
    }
}

impl Ended {
    pub(super) fn of(status: WaitStatus) -> Option<Self> {
        let code = status.exit_status().map(Self::Code);
        code.or_else(|| status.terminating_signal().map(Self::Signal))
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "ended with code {code}"),
            Self::Signal(signal) => write!(f, "ended by signal {signal}{}", name(*signal)),
        }
    }
}

/// In brackets, if it is one of those that people meet.
fn name(signal: i32) -> &'static str {
    match signal {
        1 => " (HUP)",
        2 => " (INT)",
        3 => " (QUIT)",
        4 => " (ILL)",
        6 => " (ABRT)",
        7 => " (BUS)",
        8 => " (FPE)",
        9 => " (KILL)",
        11 => " (SEGV)",
        13 => " (PIPE)",
        14 => " (ALRM)",
        15 => " (TERM)",
        24 => " (XCPU)",
        25 => " (XFSZ)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_guard_says_is_understood() {
        let ended = [Ended::Code(200), Ended::Signal(9)].map(Word::Ended);
        for word in ended.into_iter().chain([Word::Ready, Word::NotStarted(2), Word::Over]) {
            assert_eq!(word.line().trim_end().parse::<Word>().unwrap(), word);
        }
        assert!("hello".parse::<Word>().is_err());
    }
}
