//! Stays: who came in through the pages and has not left. A browser keeps a random id of its stay,
//! never a key or the token: what it would give away opens this server alone, until the stay ends.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use windlass_ledger::Fault;

use super::doorkeeper::Badge;

/// How long somebody may be silent and still be there.
const SILENCE: Duration = Duration::from_hours(7 * 24);
/// How many browsers one key, or the token, may be in at once.
const MOST_OF_ONE: usize = 32;
/// How many stays there are at once.
const MOST: usize = 10_000;

/// What is known of somebody who stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stay {
    /// What was shown to come in. Whether a key still counts is asked with every request.
    pub(crate) badge: Badge,
    /// The name under which the user of the machine wants to act.
    pub(crate) name: Option<String>,
}

#[derive(Debug)]
struct Kept {
    stay: Stay,
    /// When it was last heard of.
    heard: Instant,
}

/// By what a stay is found: compared are digests, so how long it takes tells nothing.
type Digest = [u8; 32];

/// All who stay. They are forgotten with the process.
#[derive(Debug, Default)]
pub(crate) struct Stays(Mutex<HashMap<Digest, Kept>>);

impl Stays {
    /// Lets somebody stay; says the id of the stay. Where there are too many, those go who were
    /// silent for longest.
    pub(crate) fn begin(&self, badge: Badge, now: Instant) -> Result<String, Fault> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)
            .map_err(|error| Fault::bug(format!("the system has no random bytes: {error}")))?;
        let id = URL_SAFE_NO_PAD.encode(bytes);
        let mut kept = self.kept();
        kept.retain(|_, kept| !kept.is_over(now));
        make_room(&mut kept, MOST_OF_ONE, |stay| stay.badge == badge);
        make_room(&mut kept, MOST, |_| true);
        kept.insert(digest(&id), Kept { stay: Stay { badge, name: None }, heard: now });
        Ok(id)
    }

    /// The stay with this id, if it is not over.
    pub(crate) fn find(&self, id: &str, now: Instant) -> Option<Stay> {
        let mut kept = self.kept();
        let found = kept.get_mut(&digest(id)).filter(|kept| !kept.is_over(now))?;
        found.heard = now;
        Some(found.stay.clone())
    }

    /// From now on somebody acts under this name, or their own.
    pub(crate) fn rename(&self, id: &str, name: Option<String>) {
        if let Some(kept) = self.kept().get_mut(&digest(id)) {
            kept.stay.name = name;
        }
    }

    /// Somebody leaves.
    pub(crate) fn end(&self, id: &str) {
        self.kept().remove(&digest(id));
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<Digest, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn is_over(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.heard) > SILENCE
    }
}

/// Ends the longest silent of some stays, if they are `most` already.
fn make_room(kept: &mut HashMap<Digest, Kept>, most: usize, of: impl Fn(&Stay) -> bool) {
    let some = || kept.iter().filter(|(_, kept)| of(&kept.stay));
    if some().count() < most {
        return;
    }
    let silent = some().min_by_key(|(_, kept)| kept.heard).map(|(digest, _)| *digest);
    silent.and_then(|digest| kept.remove(&digest));
}

fn digest(id: &str) -> Digest {
    Sha256::digest(id.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use windlass_domain::chain::Hash;

    use super::*;

    fn key(number: usize) -> Badge {
        Badge::Key { digest: Hash::of(&number.to_le_bytes()), prefix: "wl_12345678".to_owned() }
    }

    #[test]
    fn a_stay_is_found_until_it_ends() {
        let (stays, now) = (Stays::default(), Instant::now());
        let [one, other] = [0, 1].map(|_| stays.begin(Badge::Token, now).unwrap());
        assert_ne!(one, other);
        assert_eq!(stays.find(&one, now), Some(Stay { badge: Badge::Token, name: None }));
        stays.end(&one);
        assert_eq!(stays.find(&one, now), None);
        assert!(stays.find(&other, now).is_some());
    }

    #[test]
    fn whoever_is_silent_for_long_is_gone() {
        let (stays, now) = (Stays::default(), Instant::now());
        let id = stays.begin(Badge::Token, now).unwrap();
        let later = now + SILENCE;
        assert!(stays.find(&id, later).is_some());
        assert!(stays.find(&id, later + SILENCE + Duration::from_secs(1)).is_none());
    }

    #[test]
    fn one_key_ends_its_own_stays_and_no_others() {
        let (stays, now) = (Stays::default(), Instant::now());
        let other = stays.begin(key(2), now).unwrap();
        let at = |number: usize| now + Duration::from_secs(number as u64);
        let own: Vec<String> =
            (0..=MOST_OF_ONE).map(|number| stays.begin(key(1), at(number)).unwrap()).collect();
        assert!(stays.find(&own[0], at(0)).is_none());
        assert!(stays.find(&own[1], at(1)).is_some());
        assert!(stays.find(&other, now).is_some());
    }

    #[test]
    fn no_number_of_stays_fills_the_memory() {
        let (stays, now) = (Stays::default(), Instant::now());
        let mut kept = stays.kept();
        for number in 0..MOST {
            let stay = Stay { badge: key(number), name: None };
            kept.insert(digest(&number.to_string()), Kept { stay, heard: now });
        }
        drop(kept);
        stays.begin(Badge::Token, now).unwrap();
        assert_eq!(stays.kept().len(), MOST);
    }
}
