//! Groups: many commands in one durable commit.
//!
//! Between [`Ledger::begin_group`] and [`Ledger::end_group`] each write is a part of one transaction
//! and can be undone alone. What the parts answered is true only once the group has been committed.

use windlass_domain::chain::Head;
use windlass_domain::{EventId, Time};

use crate::fault::{Error, Fault};
use crate::store::Store;
use crate::transaction::Outcome;
use crate::{Access, Clock, Database, Ledger, transaction_time};

/// What happens when a part of a group must be undone after it wrote something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// All of the group is lost, and can be done again with [`Undo::Each`]. Most commands that are
    /// refused are refused before they write, so this is rare; and it spares the savepoints.
    Together,
    /// That part alone, back to its savepoint.
    Each,
}

/// A transaction whose parts are being written.
pub(crate) struct Group {
    undo: Undo,
    head: Head,
    last: Option<EventId>,
    /// The time of all its parts.
    now: Time,
    wrote: bool,
    /// Parts of it are lost, so all of it is.
    broken: bool,
}

/// Whether a part had written something when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrote {
    Nothing,
    Something,
}

/// What became of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Committed,
    /// Nothing of it was recorded, and its parts can be done again.
    Lost,
}

impl Group {
    /// No part of it was recorded yet.
    pub(crate) fn is_empty(&self) -> bool {
        !self.wrote
    }

    /// A part was recorded.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        self.head = outcome.head;
        self.last = outcome.last.or(self.last);
        self.wrote = true;
    }
}

impl Database {
    fn begin_group(&mut self) -> Result<Head, Fault> {
        match self {
            Self::Sqlite(database) => database.begin_group(),
            Self::Postgres(database) => database.begin_group(),
        }
    }

    /// Begins a part that can be undone alone.
    fn begin_part(&mut self, head: Head) -> Result<Box<dyn Store + '_>, Fault> {
        Ok(match self {
            Self::Sqlite(database) => Box::new(database.begin_part(head)?),
            Self::Postgres(database) => Box::new(database.begin_part(head)?),
        })
    }

    /// Begins a part that is not undone alone, or has nothing to undo.
    fn go_on(&mut self, head: Head) -> Box<dyn Store + '_> {
        match self {
            Self::Sqlite(database) => Box::new(database.go_on(head)),
            Self::Postgres(database) => Box::new(database.go_on(head)),
        }
    }

    fn whole_group(&mut self) -> Box<dyn Store + '_> {
        match self {
            Self::Sqlite(database) => Box::new(database.whole_group()),
            Self::Postgres(database) => Box::new(database.whole_group()),
        }
    }

    fn gave_group_up(&self) -> bool {
        match self {
            Self::Sqlite(database) => database.gave_group_up(),
            Self::Postgres(_) => false,
        }
    }

    /// Begins a transaction, or the next part of the one that is open.
    pub(crate) fn begin_at(
        &mut self,
        group: Option<&Group>,
        clock: Option<&dyn Clock>,
        access: Access,
    ) -> Result<(Box<dyn Store + '_>, Time), Fault> {
        if let Some(group) = group {
            let part = match (access, group.undo) {
                (Access::Write, Undo::Each) => self.begin_part(group.head)?,
                (Access::Read, _) | (Access::Write, Undo::Together) => self.go_on(group.head),
            };
            return Ok((part, group.now));
        }
        let mut store = self.begin(access)?;
        if access == Access::Write {
            // Taking the head first locks out every other writer; only then is the time read.
            store.head()?;
        }
        let now = transaction_time(clock, &mut *store)?;
        Ok((store, now))
    }
}

impl Ledger {
    /// Lets everything that is written from here on be one transaction, part by part.
    pub fn begin_group(&mut self, undo: Undo) -> Result<(), Fault> {
        self.make()?;
        let head = match self.database.begin_group() {
            Err(fault) if fault.lost => {
                self.reconnect()?;
                self.database.begin_group()?
            }
            begun => begun?,
        };
        let now = match self.time_of_group(head) {
            Ok(now) => now,
            Err(fault) => {
                drop(self.database.whole_group());
                return Err(fault);
            }
        };
        self.group = Some(Group { undo, head, last: None, now, wrote: false, broken: false });
        Ok(())
    }

    fn time_of_group(&mut self, head: Head) -> Result<Time, Fault> {
        let clock = self.clock.clone();
        transaction_time(clock.as_deref(), &mut *self.database.go_on(head))
    }

    /// Commits what was written since the group began.
    pub fn end_group(&mut self) -> Result<Fate, Fault> {
        let Some(Group { head, last, wrote, broken, .. }) = self.group.take() else {
            return Ok(Fate::Committed);
        };
        let mut whole = self.database.whole_group();
        if broken {
            drop(whole);
            self.reconnect()?;
            return Ok(Fate::Lost);
        }
        if !wrote {
            return Ok(Fate::Committed);
        }
        let committed = whole.commit(head);
        drop(whole);
        match committed {
            Ok(()) => Ok(Fate::Committed),
            Err(fault) if fault.lost => {
                self.reconnect()?;
                match self.was_committed(&Outcome { head, last, wrote })? {
                    true => Ok(Fate::Committed),
                    false => Ok(Fate::Lost),
                }
            }
            Err(fault) => Err(fault),
        }
    }

    /// A part that failed may have taken the others with it. It did if there is no savepoint and it
    /// wrote something, or if the database would not go on after a statement that failed.
    pub(crate) fn note_failure(&mut self, error: &Error, access: Access, wrote: Wrote) {
        let gave_up = self.database.gave_group_up();
        if let Some(group) = &mut self.group {
            let is_marked = access == Access::Write && group.undo == Undo::Each;
            let left_something = wrote == Wrote::Something || matches!(error, Error::Failed(_));
            group.broken |= error.is_lost() || gave_up || (!is_marked && left_something);
        }
    }
}
