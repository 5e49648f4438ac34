//! How often somebody may come: a key so many times a second, a wrong key so many times from one
//! address. All of it is in memory and bounded; a server that starts again begins anew.

use std::collections::HashMap;
use std::hash::Hash as Hashable;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, SemaphorePermit};
use windlass_domain::chain::Hash;
use windlass_domain::{Code, Refusal};

use crate::metrics::Limited;

/// More keys or addresses than this are not remembered at once.
const MOST: usize = 10_000;
/// Wrong keys that may come from one address.
const ATTEMPTS: Rate = Rate { per_second: 1.0, burst: 30.0 };
/// How long a key that was found to be valid is not looked up again before its request is read. What
/// is done with it looks it up in any case.
const LATELY: Duration = Duration::from_secs(1);

/// How often, and how often at once.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rate {
    per_second: f64,
    burst: f64,
}

/// What is left of a rate.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
    /// When it was last learnt what this bucket is for: a valid key, or an address of wrong ones.
    learnt: Instant,
}

impl Bucket {
    fn full(rate: Rate, now: Instant) -> Self {
        Self { left: rate.burst, at: now, learnt: now }
    }

    fn refill(&mut self, rate: Rate, now: Instant) {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * rate.per_second).min(rate.burst);
        self.at = now;
    }

    /// Takes one, if there is one.
    fn take(&mut self, rate: Rate, now: Instant) -> bool {
        self.refill(rate, now);
        let has_one = self.left >= 1.0;
        self.left -= if has_one { 1.0 } else { 0.0 };
        has_one
    }
}

/// A bucket for each of many, as long as there are not too many.
#[derive(Debug)]
struct Buckets<K>(HashMap<K, Bucket>);

impl<K: Hashable + Eq> Buckets<K> {
    /// The bucket of somebody, who begins with a full one.
    fn of(&mut self, who: K, rate: Rate, now: Instant) -> &mut Bucket {
        if self.0.len() >= MOST && !self.0.contains_key(&who) {
            self.make_room(rate, now);
        }
        self.0.entry(who).or_insert_with(|| Bucket::full(rate, now))
    }

    /// Forgets those who are as if they had never come; if that is nobody, then everybody.
    fn make_room(&mut self, rate: Rate, now: Instant) {
        self.0.retain(|_, bucket| {
            bucket.refill(rate, now);
            bucket.left < rate.burst
        });
        if self.0.len() >= MOST {
            self.0.clear();
        }
    }
}

/// Who may come how often.
#[derive(Debug)]
pub(crate) struct Limits {
    rate: Rate,
    /// Keys that were found to be valid.
    keys: Mutex<Buckets<Hash>>,
    /// Addresses from which wrong keys came.
    addresses: Mutex<Buckets<IpAddr>>,
    /// Who comes from an address of too many wrong keys is looked up one after the other.
    turns: Semaphore,
}

/// When a key was found to be valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// A moment ago: it need not be looked up again to read what is sent with it.
    Lately,
    Before,
    Never,
}

impl Limits {
    /// A key may be used so many times a second, and twice as often at once. 0 is no limit.
    pub(crate) fn new(per_second: u32) -> Self {
        let rate = match per_second {
            0 => Rate { per_second: f64::MAX, burst: f64::MAX },
            some => Rate { per_second: some.into(), burst: 2.0 * f64::from(some) },
        };
        let (keys, addresses) =
            (Mutex::new(Buckets(HashMap::new())), Mutex::new(Buckets(HashMap::new())));
        Self { rate, keys, addresses, turns: Semaphore::new(1) }
    }

    /// Lets a key be used once more, if it is known; says what is known of it.
    pub(crate) fn admit(&self, key: &Hash, now: Instant) -> Result<Found, Limited> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(bucket) = keys.0.get_mut(key) else { return Ok(Found::Never) };
        if !bucket.take(self.rate, now) {
            return Err(Limited::Key);
        }
        match now.saturating_duration_since(bucket.learnt) < LATELY {
            true => Ok(Found::Lately),
            false => Ok(Found::Before),
        }
    }

    /// Waits until a key from there may be looked up. It is one probe of an index, but wrong keys
    /// without end must not keep all who read from reading.
    pub(crate) async fn turn(&self, from: IpAddr, now: Instant) -> Option<SemaphorePermit<'_>> {
        let is_suspect = {
            let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
            addresses.0.get_mut(&network(from)).is_some_and(|bucket| {
                bucket.refill(ATTEMPTS, now);
                bucket.left < 1.0
            })
        };
        match is_suspect {
            // The turns end with the server.
            true => self.turns.acquire().await.ok(),
            false => None,
        }
    }

    /// The key was looked up and is valid. One that was not known before is counted from now on.
    pub(crate) fn is_valid(&self, key: Hash, found: Found, now: Instant) -> Result<(), Limited> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = keys.of(key, self.rate, now);
        bucket.learnt = now;
        match found == Found::Never && !bucket.take(self.rate, now) {
            true => Err(Limited::Key),
            false => Ok(()),
        }
    }

    /// The key was looked up and opens nothing; too many such keys may have come from there.
    pub(crate) fn is_wrong(&self, key: &Hash, from: IpAddr, now: Instant) -> Result<(), Limited> {
        self.forget(key);
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        match addresses.of(network(from), ATTEMPTS, now).take(ATTEMPTS, now) {
            true => Ok(()),
            false => Err(Limited::Address),
        }
    }

    /// The key was refused by what it should have opened: it is looked up again next time.
    pub(crate) fn forget(&self, key: &Hash) {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).0.remove(key);
    }

    /// What somebody is told who comes too often.
    pub(crate) fn refusal(&self, why: Limited) -> Refusal {
        let message = match why {
            Limited::Key => {
                format!("this key is used more than {} times a second", self.rate.per_second)
            }
            Limited::Address => "too many wrong keys came from your address".to_owned(),
            Limited::Connections => "too many are connected already".to_owned(),
        };
        Refusal::new(Code::RateLimited, message).hint("wait a second, then try again")
    }
}

/// Whoever has one address of IPv6 has all of its network.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => address.into(),
            None => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn key(number: u32) -> Hash {
        Hash::of(&number.to_le_bytes())
    }

    /// A valid key comes; says how often it may.
    fn admitted(limits: &Limits, key: &Hash, now: Instant) -> usize {
        (0..1_000).take_while(|_| comes(limits, key, now).is_ok()).count()
    }

    fn comes(limits: &Limits, key: &Hash, now: Instant) -> Result<(), Limited> {
        match limits.admit(key, now)? {
            Found::Lately => Ok(()),
            found => limits.is_valid(*key, found, now),
        }
    }

    #[test]
    fn a_key_may_come_twice_as_often_at_once_and_then_by_the_second() {
        let (limits, now) = (Limits::new(100), Instant::now());
        assert_eq!(admitted(&limits, &key(1), now), 200);
        assert_eq!(comes(&limits, &key(1), now), Err(Limited::Key));
        assert_eq!(admitted(&limits, &key(1), now + Duration::from_secs(1)), 100);
    }

    #[test]
    fn one_key_does_not_use_up_what_another_has() {
        let (limits, now) = (Limits::new(1), Instant::now());
        assert_eq!(admitted(&limits, &key(1), now), 2);
        assert_eq!(admitted(&limits, &key(2), now), 2);
    }

    #[test]
    fn those_who_come_at_once_with_a_new_key_are_all_counted() {
        let (limits, now) = (Limits::new(1), Instant::now());
        let found = [0; 5].map(|_| limits.admit(&key(1), now).unwrap());
        let let_in = found.map(|found| limits.is_valid(key(1), found, now).is_ok());
        assert_eq!(let_in, [true, true, false, false, false]);
    }

    #[test]
    fn without_a_rate_a_key_may_always_come() {
        let (limits, now) = (Limits::new(0), Instant::now());
        assert_eq!(admitted(&limits, &key(1), now), 1_000);
    }

    #[test]
    fn a_key_is_looked_up_again_after_a_moment() {
        let (limits, now) = (Limits::new(100), Instant::now());
        limits.is_valid(key(1), Found::Never, now).unwrap();
        assert_eq!(limits.admit(&key(1), now), Ok(Found::Lately));
        assert_eq!(limits.admit(&key(1), now + LATELY), Ok(Found::Before));
    }

    #[test]
    fn wrong_keys_from_one_address_are_told_so_after_a_while() {
        let (limits, now) = (Limits::new(100), Instant::now());
        for number in 0..30 {
            assert_eq!(limits.is_wrong(&key(number), HERE, now), Ok(()));
        }
        assert_eq!(limits.is_wrong(&key(99), HERE, now), Err(Limited::Address));
        assert_eq!(limits.is_wrong(&key(99), Ipv4Addr::new(10, 0, 0, 1).into(), now), Ok(()));
        assert_eq!(limits.is_wrong(&key(99), HERE, now + Duration::from_secs(1)), Ok(()));
    }

    #[test]
    fn a_new_key_that_is_valid_is_not_kept_out_by_wrong_ones() {
        let (limits, now) = (Limits::new(100), Instant::now());
        (0..30).for_each(|number| limits.is_wrong(&key(100 + number), HERE, now).unwrap());
        assert_eq!(limits.is_wrong(&key(200), HERE, now), Err(Limited::Address));
        assert_eq!(comes(&limits, &key(1), now), Ok(()));
    }

    #[test]
    fn a_key_that_counts_no_more_is_forgotten() {
        let (limits, now) = (Limits::new(100), Instant::now());
        limits.is_valid(key(1), Found::Never, now).unwrap();
        limits.is_wrong(&key(1), HERE, now).unwrap();
        assert!(limits.keys.lock().unwrap().0.is_empty());
    }

    #[test]
    fn no_number_of_callers_fills_the_memory() {
        let (limits, now) = (Limits::new(100), Instant::now());
        for number in 0..25_000 {
            let from = Ipv4Addr::from_bits(number).into();
            limits.is_wrong(&key(number), from, now).unwrap();
            limits.is_valid(key(number), Found::Never, now).unwrap();
        }
        assert!(limits.addresses.lock().unwrap().0.len() <= MOST);
        assert!(limits.keys.lock().unwrap().0.len() <= MOST);
    }

    #[test]
    fn all_addresses_of_a_network_are_one() {
        let one: IpAddr = "2001:db8:1:2::1".parse().unwrap();
        let other: IpAddr = "2001:db8:1:2:ffff::9".parse().unwrap();
        assert_eq!(network(one), network(other));
        assert_ne!(network(one), network("2001:db8:1:3::1".parse().unwrap()));
        assert_eq!(network("::ffff:10.0.0.1".parse().unwrap()), IpAddr::from([10, 0, 0, 1]));
    }
}
