//! A terminal that nobody sits at: what a program shows to a person, as opposed to a pipe.

#![expect(clippy::panic, reason = "a terminal that cannot be made ends its test")]

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;

use crate::run::{Outcome, Run};

const ROWS: u16 = 24;

impl Run {
    /// Runs to the end at a terminal of that many columns, which is all three of its streams. What
    /// is on its standard input was typed in advance.
    ///
    /// What was shown is the standard output of the outcome, its lines ended as in a file.
    #[track_caller]
    pub fn at_terminal(&self, columns: u16) -> Outcome {
        match self.try_at_terminal(columns) {
            Ok(outcome) => outcome,
            Err(error) => panic!("cannot run {} at a terminal: {error}", self.line()),
        }
    }

    fn try_at_terminal(&self, columns: u16) -> io::Result<Outcome> {
        let (mut screen, keyboard) = open(columns)?;
        screen.write_all(self.typed())?;
        let mut child = {
            let mut command = self.command();
            command
                .stdin(Stdio::from(keyboard.try_clone()?))
                .stdout(Stdio::from(keyboard.try_clone()?))
                .stderr(Stdio::from(keyboard));
            command.spawn()?
            // The command goes, and with it our copies of what only the child shall hold.
        };
        let shown = read_all(screen)?;
        let shown = String::from_utf8_lossy(&shown).replace("\r\n", "\n");
        Ok(Outcome::of(self.line(), child.wait()?, shown.as_bytes(), b""))
    }
}

/// Our side of a new terminal, and the side of the program.
fn open(columns: u16) -> io::Result<(File, OwnedFd)> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let ours = rustix::pty::openpt(flags)?;
    rustix::pty::grantpt(&ours)?;
    rustix::pty::unlockpt(&ours)?;
    let name = rustix::pty::ptsname(&ours, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let theirs = rustix::fs::open(name, flags, Mode::empty())?;
    let size = Winsize { ws_row: ROWS, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    rustix::termios::tcsetwinsize(&theirs, size)?;
    Ok((File::from(ours), theirs))
}

/// Linux ends a terminal that the last program has left with an error.
fn read_all(mut screen: File) -> io::Result<Vec<u8>> {
    let mut shown = Vec::new();
    match screen.read_to_end(&mut shown) {
        Err(error) if error.raw_os_error() != Some(Errno::IO.raw_os_error()) => Err(error),
        Ok(_) | Err(_) => Ok(shown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Run {
        Run::of("/bin/sh").args(["-c", script])
    }

    #[test]
    fn a_program_sees_a_terminal_of_the_given_width() {
        let script = "test -t 0 && test -t 1 && test -t 2 && stty size";
        assert_eq!(shell(script).at_terminal(61).ok().stdout, "24 61\n");
    }

    #[test]
    fn both_outputs_and_the_exit_code_are_kept() {
        let outcome = shell("echo out; echo err >&2; exit 7").at_terminal(80);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(7), "out\nerr\n"));
    }

    #[test]
    fn what_is_typed_is_read() {
        let outcome = shell("read line; echo \"<$line>\"").stdin("yes\n").at_terminal(80);
        assert!(outcome.stdout.ends_with("<yes>\n"), "{outcome}");
    }

    #[test]
    fn more_than_a_terminal_holds_is_read() {
        let outcome = shell("seq 100000").at_terminal(80).ok();
        assert_eq!(outcome.stdout.lines().count(), 100_000);
    }
}
