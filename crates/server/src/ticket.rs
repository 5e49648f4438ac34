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
    let proof = keyed(token)?.chain_update(&said).finalize().into_bytes();
    let proof = URL_SAFE_NO_PAD.encode(proof);
    Ok(format!("{PREFIX}{said}.{proof}"))
}

fn keyed(token: &str) -> Result<Hmac<Sha256>, Fault> {
    Hmac::new_from_slice(token.as_bytes())
        .map_err(|error| Fault::bug(format!("a token is no key: {error}")))
}

/// The tickets of a server that were used.
pub(crate) struct Tickets {
    /// Proves that a ticket was made by somebody who has the token, which is not kept.
    proof: Hmac<Sha256>,
    /// Until when each would have been valid.
    used: Mutex<BTreeMap<String, i64>>,
}

impl Tickets {
    pub(crate) fn of(token: &str) -> Result<Self, Fault> {
        Ok(Self { proof: keyed(token)?, used: Mutex::default() })
    }

    /// Whether somebody brings a ticket that was not used before.
    pub(crate) fn punch(&self, ticket: &str, now: Time) -> bool {
        let Some((said, until)) = self.understood(ticket) else { return false };
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|_, until| *until >= now.as_millis());
        until >= now.as_millis() && used.insert(said.to_owned(), until).is_none()
    }

    /// What a ticket of ours says, and until when it is valid.
    fn understood<'a>(&self, ticket: &'a str) -> Option<(&'a str, i64)> {
        let (said, shown) = ticket.strip_prefix(PREFIX)?.rsplit_once('.')?;
        let shown = URL_SAFE_NO_PAD.decode(shown).ok()?;
        self.proof.clone().chain_update(said).verify_slice(&shown).ok()?;
        let (until, _) = said.split_once('.')?;
        Some((said, until.parse().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_millis(1_800_000_000_000);

    #[test]
    fn a_ticket_lets_in_once() {
        let tickets = Tickets::of("secret").unwrap();
        let own = ticket("secret", NOW).unwrap();
        assert!(tickets.punch(&own, NOW));
        assert!(!tickets.punch(&own, NOW));
        assert!(tickets.punch(&ticket("secret", NOW).unwrap(), NOW));
    }

    #[test]
    fn a_ticket_does_not_hold_for_ever() {
        let tickets = Tickets::of("secret").unwrap();
        let late = NOW.plus(VALID).plus(Span::from_millis(1));
        assert!(!tickets.punch(&ticket("secret", NOW).unwrap(), late));
    }

    #[test]
    fn tickets_cannot_be_made_or_changed_without_the_token() {
        let tickets = Tickets::of("secret").unwrap();
        let other = ticket("other", NOW).unwrap();
        let longer = ticket("secret", NOW).unwrap().replacen("wle_1", "wle_2", 1);
        for forged in [other.as_str(), &longer, "wle_", "wle_1.2.3", "", "secret"] {
            assert!(!tickets.punch(forged, NOW), "{forged}");
        }
    }
}
