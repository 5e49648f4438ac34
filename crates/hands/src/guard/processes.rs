//! The processes of this machine, as the kernel lists them under `/proc`.

use std::collections::BTreeSet;
use std::fs;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};

/// The states of a process that has ended.
const ENDED: [char; 2] = ['Z', 'X'];

/// One process at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) id: i32,
    pub(super) parent: i32,
    pub(super) session: i32,
    /// When it was started; with the id it tells a process from a later one with the same id.
    started: u64,
}

/// All that live. One that has ended and is not reaped yet does not.
pub(super) fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Process::find(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// Whether a process has ended and only waits to be reaped.
pub(crate) fn has_ended(id: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    words(&stat).is_some_and(|words| words.starts_with(ENDED))
}

/// The words after the name, which stands in brackets and may hold anything.
fn words(stat: &str) -> Option<&str> {
    stat.rsplit_once(") ").map(|(_, words)| words)
}

/// All that come from a process, by however many steps.
pub(super) fn below(ancestor: i32) -> Vec<Process> {
    let mut strangers = all();
    let mut family = BTreeSet::from([ancestor]);
    let mut found = Vec::new();
    loop {
        let (children, others): (Vec<_>, Vec<_>) =
            strangers.into_iter().partition(|process| family.contains(&process.parent));
        if children.is_empty() {
            return found;
        }
        family.extend(children.iter().map(|process| process.id));
        found.extend(children);
        strangers = others;
    }
}

impl Process {
    fn find(id: i32) -> Option<Self> {
        Self::read(id, &fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
    }

    fn read(id: i32, stat: &str) -> Option<Self> {
        let words = words(stat).filter(|words| !words.starts_with(ENDED))?;
        let words: Vec<&str> = words.split(' ').collect();
        let number = |at: usize| words.get(at)?.parse().ok();
        let started = words.get(19)?.parse().ok()?;
        Some(Self { id, parent: number(1)?, session: number(3)?, started })
    }

    /// The value of a variable in the environment that it was started with.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        let environment = fs::read(format!("/proc/{}/environ", self.id)).ok()?;
        let value = environment
            .split(|byte| *byte == 0)
            .find_map(|variable| variable.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        String::from_utf8(value.to_vec()).ok()
    }

    /// The words that it was started with.
    pub(super) fn arguments(&self) -> Vec<String> {
        let line = fs::read(format!("/proc/{}/cmdline", self.id)).unwrap_or_default();
        line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into()).collect()
    }

    /// Another that has got its number meanwhile hears nothing.
    pub(super) fn signal(&self, signal: Signal) {
        let is_same = Self::find(self.id).is_some_and(|now| now.started == self.started);
        if let Some(id) = Pid::from_raw(self.id).filter(|_| is_same) {
            kill_process(id, signal).ok();
        }
    }
}

/// Asks them to end. One that is stopped must go on for that.
pub(super) fn ask_to_end(processes: &[Process]) {
    for process in processes {
        process.signal(Signal::TERM);
        process.signal(Signal::CONT);
    }
}

/// All are stopped first, so that none starts another while its like are killed.
pub(super) fn kill(processes: &[Process]) {
    for signal in [Signal::STOP, Signal::KILL] {
        for process in processes {
            process.signal(signal);
        }
    }
}

/// Kills a child and all that come from it, and waits for the child.
pub(crate) fn kill_family(child: &mut Child) {
    // As long as it is not waited for, no other process can have its number.
    let family = below(i32::try_from(child.id()).unwrap_or_default());
    child.kill().ok();
    kill(&family);
    child.wait().ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "42 (a) b) S 7 42 40 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 99 1 1";

    #[test]
    fn a_process_is_read_whatever_its_name_is() {
        let process = Process { id: 42, parent: 7, session: 40, started: 99 };
        assert_eq!(Process::read(42, STAT), Some(process));
    }

    #[test]
    fn one_that_is_not_reaped_yet_does_not_live() {
        assert_eq!(Process::read(42, &STAT.replace(" S ", " Z ")), None);
    }

    #[test]
    fn we_are_among_those_below_our_parent() {
        let own = i32::try_from(std::process::id()).unwrap();
        let own = Process::find(own).unwrap();
        assert!(below(own.parent).contains(&own));
    }
}
