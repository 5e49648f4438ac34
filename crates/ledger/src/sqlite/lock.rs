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
    file: Arc<File>,
    path: PathBuf,
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
        let file = OpenOptions::new()
            .create(true)
            .read(true)
            .write(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| {
                Fault::new(Code::LedgerReadOnly, format!("{} cannot be opened", path.display()))
                    .hint("check the permissions of the ledger's folder")
                    .detail("path", path.display().to_string())
                    .because(error)
            })?;
        Ok(Self { file: Arc::new(file), path })
    }

    pub(super) fn acquire(&self, wait: Duration, purpose: &str) -> Result<Held, Fault> {
        match self.file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => self.wait_in_turn(wait)?,
            Err(TryLockError::Error(error)) => return Err(self.unusable(error)),
        }
        let held = Held { file: Arc::clone(&self.file) };
        self.sign(purpose);
        Ok(held)
    }

    /// A blocking lock has no time limit, so another thread waits and hands it over. If nobody
    /// is there any more to take it, it is let go again.
    fn wait_in_turn(&self, wait: Duration) -> Result<(), Fault> {
        let (hand_over, take) = sync_channel(0);
        let file = Arc::clone(&self.file);
        std::thread::spawn(move || {
            let locked = file.lock();
            if hand_over.send(locked).is_err() {
                let _unlocked = file.unlock();
            }
        });
        match take.recv_timeout(wait) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(self.unusable(error)),
            Err(_) => Err(self.still_held(wait)),
        }
    }

    fn sign(&self, purpose: &str) {
        let text = format!("{} {purpose}\n", std::process::id());
        let mut file = &*self.file;
        // Only for people to read: whether it succeeds changes nothing.
        let _signed = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(text.as_bytes()));
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
        Fault::new(Code::StorageFailed, format!("{} cannot be locked: {error}", self.path.display()))
            .hint("keep the ledger on a local disk")
            .because(error)
    }
}
