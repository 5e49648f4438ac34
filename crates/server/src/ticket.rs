//! Tickets: what `windlass open` puts into an address. Others on the machine can see the arguments
//! of a browser, so a ticket is not the token: it lets in once, and only for a while.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use windlass_domain::Time;
use windlass_domain::duration::Span;
use windlass_ledger::Fault;

/// How a ticket begins.
const PREFIX: &str = "wle_";
/// How long a ticket lets somebody in.
const VALID: Span = Span::from_millis(10 * 60 * 1_000);

/// A ticket for the server with this token. No two are the same.
pub fn ticket(token: &str, now: Time) -> Result<String, Fault> {
    let mut own = [0; 12];
    getrandom::fill(&mut own)
        .map_err(|error| Fault::bug(format!("the system has no random bytes: {error}")))?;
    let until = now.plus(VALID).as_millis();
    let said = format!("{until}.{}", URL_SAFE_NO_PAD.encode(own));
    let proof = URL_SAFE_NO_PAD.encode(proof(token, &said)?.finalize().into_bytes());
    Ok(format!("{PREFIX}{said}.{proof}"))
}

fn proof(token: &str, said: &str) -> Result<Hmac<Sha256>, Fault> {
    let mut proof = Hmac::<Sha256>::new_from_slice(token.as_bytes())
        .map_err(|error| Fault::bug(format!("a token is no key: {error}")))?;
    proof.update(said.as_bytes());
    Ok(proof)
}

/// The tickets of a server that were used.
pub(crate) struct Tickets {
    token: String,
    /// Until when each would have been valid.
    used: Mutex<BTreeMap<String, i64>>,
}

impl Tickets {
    pub(crate) fn of(token: &str) -> Self {
        Self { token: token.to_owned(), used: Mutex::default() }
    }

    /// The token, for whoever brings a ticket that was not used before.
    pub(crate) fn punch(&self, ticket: &str, now: Time) -> Option<&str> {
        let (said, shown) = ticket.strip_prefix(PREFIX)?.rsplit_once('.')?;
        let shown = URL_SAFE_NO_PAD.decode(shown).ok()?;
        proof(&self.token, said).ok()?.verify_slice(&shown).ok()?;
        let (until, _) = said.split_once('.')?;
        let until: i64 = until.parse().ok()?;
        if until < now.as_millis() {
            return None;
        }
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|_, until| *until >= now.as_millis());
        used.insert(said.to_owned(), until).is_none().then_some(self.token.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_millis(1_800_000_000_000);

    #[test]
    fn a_ticket_lets_in_once() {
        let tickets = Tickets::of("secret");
        let own = ticket("secret", NOW).unwrap();
        assert_eq!(tickets.punch(&own, NOW), Some("secret"));
        assert_eq!(tickets.punch(&own, NOW), None);
        assert_eq!(tickets.punch(&ticket("secret", NOW).unwrap(), NOW), Some("secret"));
    }

    #[test]
    fn a_ticket_does_not_hold_for_ever() {
        let tickets = Tickets::of("secret");
        let late = NOW.plus(VALID).plus(Span::from_millis(1));
        assert_eq!(tickets.punch(&ticket("secret", NOW).unwrap(), late), None);
    }

    #[test]
    fn tickets_cannot_be_made_or_changed_without_the_token() {
        let tickets = Tickets::of("secret");
        let other = ticket("other", NOW).unwrap();
        let longer = ticket("secret", NOW).unwrap().replacen("wle_1", "wle_2", 1);
        for forged in [other.as_str(), &longer, "wle_", "wle_1.2.3", "", "secret"] {
            assert_eq!(tickets.punch(forged, NOW), None, "{forged}");
        }
    }
}
