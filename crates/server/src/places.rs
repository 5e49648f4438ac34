//! Places to work at, for which callers wait: one key never has all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use windlass_ledger::Fault;

use crate::caller::Owner;

/// More keys than this are not remembered without need.
const REMEMBERED: usize = 64;

/// Where places are taken.
pub(crate) struct Places {
    all: Arc<Semaphore>,
    each: usize,
    /// The places of each key that has some or waits for one.
    own: Mutex<HashMap<Owner, Weak<Semaphore>>>,
}

/// A place, which is free again when this is dropped.
pub(crate) struct Place {
    _own: Option<OwnedSemaphorePermit>,
    _one: OwnedSemaphorePermit,
}

impl Places {
    /// So many places, of which each key has no more than `each`.
    pub(crate) fn new(most: usize, each: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(most)), each, own: Mutex::default() }
    }

    /// Waits for a place.
    pub(crate) async fn take(&self, owner: Owner) -> Result<Place, Fault> {
        let own = match owner {
            Owner::Machine => None,
            Owner::Key(_) => Some(one_of(self.own(owner)).await?),
        };
        Ok(Place { _own: own, _one: one_of(Arc::clone(&self.all)).await? })
    }

    fn own(&self, owner: Owner) -> Arc<Semaphore> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(places) = own.get(&owner).and_then(Weak::upgrade) {
            return places;
        }
        if own.len() >= REMEMBERED {
            own.retain(|_, places| places.strong_count() > 0);
        }
        let places = Arc::new(Semaphore::new(self.each));
        own.insert(owner, Arc::downgrade(&places));
        places
    }
}

async fn one_of(places: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Fault> {
    let place = places.acquire_owned().await;
    place.map_err(|source| Fault::bug("the desk is closed").because(source))
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use windlass_domain::chain::Hash;

    use super::*;

    fn key(number: u8) -> Owner {
        Owner::Key(Hash::from_bytes([number; 32]))
    }

    /// A place, if one is free.
    fn taken(places: &Places, owner: Owner) -> Option<Place> {
        match pin!(places.take(owner)).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(place) => Some(place.unwrap()),
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_key_that_has_its_places_waits_while_others_find_one() {
        let places = Places::new(3, 2);
        let _two = [taken(&places, key(1)).unwrap(), taken(&places, key(1)).unwrap()];
        assert!(taken(&places, key(1)).is_none());
        assert!(taken(&places, key(2)).is_some());
    }

    #[test]
    fn a_place_that_is_left_can_be_taken_again() {
        let places = Places::new(2, 1);
        drop(taken(&places, key(1)).unwrap());
        assert!(taken(&places, key(1)).is_some());
    }

    #[test]
    fn whoever_has_the_machine_may_have_all() {
        let places = Places::new(2, 1);
        let _two =
            [taken(&places, Owner::Machine).unwrap(), taken(&places, Owner::Machine).unwrap()];
        assert!(taken(&places, key(1)).is_none());
    }
}
