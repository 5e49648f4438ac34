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

/// A transaction whose parts are being written.
pub(crate) struct Group {
    head: Head,
    last: Option<EventId>,
    /// The time of all its parts.
    now: Time,
    wrote: bool,
    /// Parts of it are lost, so all of it is.
    broken: bool,
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

    fn begin_part(&mut self, head: Head, access: Access) -> Result<Box<dyn Store + '_>, Fault> {
        Ok(match self {
            Self::Sqlite(database) => Box::new(database.begin_part(head, access)?),
            Self::Postgres(database) => Box::new(database.begin_part(head, access)?),
        })
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
            return Ok((self.begin_part(group.head, access)?, group.now));
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
    pub fn begin_group(&mut self) -> Result<(), Fault> {
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
        self.group = Some(Group { head, last: None, now, wrote: false, broken: false });
        Ok(())
    }

    fn time_of_group(&mut self, head: Head) -> Result<Time, Fault> {
        let clock = self.clock.clone();
        let mut look = self.database.begin_part(head, Access::Read)?;
        transaction_time(clock.as_deref(), &mut *look)
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
            Err(fault) if fault.lost => match self.was_committed(&Outcome { head, last, wrote })? {
                true => Ok(Fate::Committed),
                false => Ok(Fate::Lost),
            },
            Err(fault) => Err(fault),
        }
    }

    /// A part that failed may have taken the others with it. So did a look that failed: it has no
    /// mark to which a database could go back.
    pub(crate) fn note_failure(&mut self, error: &Error, access: Access) {
        let gave_up = self.database.gave_group_up();
        let without_mark = access == Access::Read && matches!(error, Error::Failed(_));
        if let Some(group) = &mut self.group {
            group.broken |= error.is_lost() || gave_up || without_mark;
        }
    }
}
