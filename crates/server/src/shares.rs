//! Shares: where there is only so much of something, one key gets a part of it.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures_util::Stream;
use windlass_domain::{Code, Refusal};

use crate::caller::Owner;

/// Places that are shared out. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Shares {
    /// What is shared out, as callers are told.
    what: &'static str,
    most: usize,
    each: usize,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by: HashMap<Owner, usize>,
}

/// One place, which is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    owner: Owner,
    taken: Arc<Mutex<Taken>>,
}

impl Shares {
    /// So many in all, of which each key has no more than `each`. Whoever has the machine may have
    /// all.
    pub(crate) fn new(what: &'static str, most: usize, each: usize) -> Self {
        Self { what, most, each, taken: Arc::default() }
    }

    pub(crate) fn take(&self, owner: Owner) -> Result<Share, Refusal> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.all >= self.most {
            return Err(self.refusal("there are", self.most));
        }
        let own = taken.by.get(&owner).copied().unwrap_or_default();
        if owner != Owner::Machine && own >= self.each {
            return Err(self.refusal("this key has", self.each));
        }
        taken.all += 1;
        taken.by.insert(owner, own + 1);
        Ok(Share { owner, taken: Arc::clone(&self.taken) })
    }

    fn refusal(&self, whose: &str, limit: usize) -> Refusal {
        let Self { what, .. } = self;
        Refusal::new(Code::ServerBusy, format!("{whose} {limit} {what} already"))
            .hint(format!("end {what} that are not needed, or try again later"))
            .detail("limit", limit)
    }
}

impl Share {
    /// Keeps the place for as long as something is said.
    pub(crate) fn during<S: Stream + Unpin>(self, said: S) -> Held<S> {
        Held { said, _share: self }
    }
}

/// A stream that has a place.
#[derive(Debug)]
pub(crate) struct Held<S> {
    said: S,
    _share: Share,
}

impl<S: Stream + Unpin> Stream for Held<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        Pin::new(&mut self.said).poll_next(cx)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all -= 1;
        if let Some(own) = taken.by.get_mut(&self.owner) {
            *own -= 1;
            if *own == 0 {
                taken.by.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use windlass_domain::chain::Hash;

    use super::*;

    fn key(number: u8) -> Owner {
        Owner::Key(Hash::from_bytes([number; 32]))
    }

    #[test]
    fn one_key_leaves_some_for_the_others() {
        let shares = Shares::new("sessions", 3, 2);
        let _two = [shares.take(key(1)).unwrap(), shares.take(key(1)).unwrap()];
        let refused = shares.take(key(1)).unwrap_err();
        assert_eq!(refused.message, "this key has 2 sessions already");
        let _other = shares.take(key(2)).unwrap();
    }

    #[test]
    fn all_together_have_no_more_than_there_are() {
        let shares = Shares::new("sessions", 2, 2);
        let _two = [shares.take(key(1)).unwrap(), shares.take(Owner::Machine).unwrap()];
        let refused = shares.take(key(2)).unwrap_err();
        assert_eq!(refused.message, "there are 2 sessions already");
    }

    #[test]
    fn whoever_has_the_machine_may_have_all() {
        let shares = Shares::new("sessions", 3, 1);
        let _all: Vec<Share> = (0..3).map(|_| shares.take(Owner::Machine).unwrap()).collect();
    }

    #[test]
    fn a_share_that_is_given_back_can_be_taken_again() {
        let shares = Shares::new("sessions", 1, 1);
        drop(shares.take(key(1)).unwrap());
        let _again = shares.take(key(2)).unwrap();
    }
}
