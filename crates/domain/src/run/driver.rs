//! Who drives a run: the name under which a process owns it, and when that process counts as gone.

use super::word::OwnerStanding;

/// What the name of an owner begins with that drives runs; it ends with the number of its process.
const DRIVER: &str = "driver-";

/// The name under which a process drives a run for somebody. An owner has only such letters.
pub fn owner(name: &str, process: u32) -> String {
    let safe = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let name: String = name.chars().map(safe).collect();
    format!("{DRIVER}{name}:{process}")
}

/// The owner of a run, as somebody sees it who would drive the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen<'a> {
    pub standing: OwnerStanding,
    pub owner: Option<&'a str>,
    /// The machine that has the folder of the run, and so its driver.
    pub machine: &'a str,
    /// The machine of the one who looks.
    pub here: &'a str,
}

impl Seen<'_> {
    /// It was a process of this machine and is none any more: its lease is not waited for.
    pub fn was_killed(self, is_gone: impl FnOnce(i32) -> bool) -> bool {
        let process = self.owner.and_then(process_of);
        self.standing == OwnerStanding::Active
            && self.machine == self.here
            && process.is_some_and(is_gone)
    }
}

fn process_of(owner: &str) -> Option<i32> {
    let (_, process) = owner.strip_prefix(DRIVER)?.rsplit_once(':')?;
    process.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_has_only_letters_that_owners_have() {
        assert_eq!(owner("ann b/ü", 7), "driver-ann-b--:7");
    }

    #[test]
    fn only_a_process_of_this_machine_is_known_to_be_gone() {
        let own = owner("ann", 7);
        let driver =
            Seen { standing: OwnerStanding::Active, owner: Some(&own), machine: "a", here: "a" };
        assert!(driver.was_killed(|process| process == 7));
        for (why, seen) in [
            ("it is at work", Seen { owner: Some("driver-ann:8"), ..driver }),
            ("it is elsewhere", Seen { here: "b", ..driver }),
            ("it gave the run back", Seen { standing: OwnerStanding::Released, ..driver }),
            ("it names no process", Seen { owner: Some("driver-ann"), ..driver }),
            ("it drives nothing", Seen { owner: Some("ann:7"), ..driver }),
            ("there is none", Seen { owner: None, ..driver }),
        ] {
            assert!(!seen.was_killed(|process| process == 7), "{why}");
        }
    }
}
