//! Waiting for another process to write to the ledger.
//!
//! The kernel tells when the files change; that comes a moment before the commit can be seen, so
//! whoever is woken looks a few times in quick succession and then waits again.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};

/// Where the kernel cannot tell (some file systems), this is how long a change can go unseen.
const LONGEST: Duration = Duration::from_millis(500);
/// How often to look after a change, at first after 1, 2, 4 … milliseconds, then at this pace: for
/// about as long as a commit may take.
const LOOKS: u32 = 20;
const PACE: Duration = Duration::from_millis(10);

/// Watches the folder of a ledger file.
pub(crate) struct Watch {
    changes: Option<OwnedFd>,
    looks_left: u32,
}

impl Watch {
    pub(crate) fn on(path: &Path) -> Self {
        Self { changes: changes_in(&super::open::folder_of(path)).ok(), looks_left: LOOKS }
    }

    /// Waits until it is worth to look again, at most until `deadline`.
    pub(crate) fn wait(&mut self, deadline: Instant) {
        let left = deadline.saturating_duration_since(Instant::now());
        let pause = match self.looks_left {
            0 => LONGEST,
            looks => Duration::from_millis(1 << (LOOKS - looks).min(4)).min(PACE),
        };
        // The next change, such as the end of the writer, is worth a look at once.
        match self.changed_within(pause.min(left)) {
            true => self.looks_left = LOOKS,
            false => self.looks_left = self.looks_left.saturating_sub(1),
        }
    }

    fn changed_within(&self, time: Duration) -> bool {
        let Some(changes) = &self.changes else {
            std::thread::sleep(time.min(Duration::from_millis(50)));
            return false;
        };
        let timeout = Timespec::try_from(time).ok();
        let mut descriptors = [PollFd::new(changes, PollFlags::IN)];
        if !poll(&mut descriptors, timeout.as_ref()).is_ok_and(|ready| ready > 0) {
            return false;
        }
        let mut buffer = [MaybeUninit::uninit(); 4_096];
        let mut reader = Reader::new(changes, &mut buffer);
        // It does not matter what changed, only that all of it has been taken note of.
        while reader.next().is_ok() {}
        true
    }
}

fn changes_in(folder: &Path) -> rustix::io::Result<OwnedFd> {
    let changes = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
    let wanted = WatchFlags::MODIFY | WatchFlags::CLOSE_WRITE | WatchFlags::CREATE;
    inotify::add_watch(&changes, folder, wanted)?;
    Ok(changes)
}
