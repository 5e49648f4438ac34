//! The queue of writers: a kernel lock on a file beside the ledger.
//!
//! The kernel wakes waiters in turn and forgets a holder that dies. The file's text names the
//! holder, for the error of somebody who waited in vain.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use windlass_domain::Code;

use crate::fault::Fault;

pub(super) struct WriterLock {
    path: PathBuf,
    file: Arc<File>,
}

/// The lock is held until this is dropped.
pub(super) struct Held {
    file: Arc<File>,
}

impl Drop for Held {
    fn drop(&mut self) {
        // Closing the file would release it too; a failure here has no other consequence.
        let _unlocked = self.file.unlock();
    }
}

impl WriterLock {
    pub(super) fn beside(ledger: &Path) -> Result<Self, Fault> {
        let mut path = ledger.as_os_str().to_owned();
        path.push(".lock");
        let path = PathBuf::from(path);
        let file = Arc::new(open(&path)?);
        Ok(Self { path, file })
    }

    pub(super) fn acquire(&self, wait: Duration, purpose: &str) -> Result<Held, Fault> {
        let file = match self.file.try_lock() {
            Ok(()) => Arc::clone(&self.file),
            Err(TryLockError::WouldBlock) => Arc::new(self.wait_in_turn(wait)?),
            Err(TryLockError::Error(error)) => return Err(self.unusable(error)),
        };
        let held = Held { file };
        sign(&held.file, purpose);
        Ok(held)
    }

    /// A blocking lock has no time limit, so another thread waits and hands over the locked file.
    /// The file is its own: if nobody is there any more to take it, it is closed and lets go.
    fn wait_in_turn(&self, wait: Duration) -> Result<File, Fault> {
        let (hand_over, take) = sync_channel(0);
        let file = open(&self.path)?;
        std::thread::spawn(move || {
            let locked = file.lock().map(|()| file);
            let _taken = hand_over.send(locked);
        });
        match take.recv_timeout(wait) {
            Ok(Ok(file)) => Ok(file),
            Ok(Err(error)) => Err(self.unusable(error)),
            Err(_) => Err(self.still_held(wait)),
        }
    }

    fn still_held(&self, wait: Duration) -> Fault {
        let mut text = String::new();
        let mut file = &*self.file;
        let read = file.rewind().and_then(|()| file.read_to_string(&mut text));
        let holder = match (read, text.trim().split_once(' ')) {
            (Ok(_), Some((pid, purpose))) => format!("process {pid} ({purpose})"),
            _ => "another process".to_owned(),
        };
        Fault::new(
            Code::LedgerLocked,
            format!("waited {} s for the ledger, which {holder} is writing", wait.as_secs()),
        )
        .hint("wait for it to end, or end it, then try again")
        .detail("holder", text.trim())
        .detail("path", self.path.display().to_string())
    }

    fn unusable(&self, error: std::io::Error) -> Fault {
        Fault::new(
            Code::StorageFailed,
            format!("{} cannot be locked: {error}", self.path.display()),
        )
        .hint("keep the ledger on a local disk")
        .because(error)
    }
}

fn open(path: &Path) -> Result<File, Fault> {
    OpenOptions::new().create(true).read(true).write(true).truncate(false).open(path).map_err(
        |error| {
            Fault::new(
                Code::LedgerReadOnly,
                format!("{} cannot be opened: {error}", path.display()),
            )
            .hint("check the permissions of the ledger's folder")
            .detail("path", path.display().to_string())
            .because(error)
        },
    )
}

fn sign(mut file: &File, purpose: &str) {
    let text = format!("{} {purpose}\n", std::process::id());
    // Only for people to read: whether it succeeds changes nothing.
    let _signed =
        file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
}
