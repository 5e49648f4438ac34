//! What a ledger takes from the world around it: the time and random bits, both replaceable.

use windlass_domain::Time;

use crate::fault::Fault;

/// Where the time comes from. PostgreSQL ledgers use the database's, unless a test sets another.
pub trait Clock: Send + Sync {
    fn now(&self) -> Time;
}

/// The clock of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    fn now(&self) -> Time {
        let since_epoch =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Time::from_millis(i64::try_from(since_epoch.as_millis()).unwrap_or(0))
    }
}

/// 80 random bits for an id.
pub(crate) fn random_bits() -> Result<u128, Fault> {
    Ok(u128::from_be_bytes(random_bytes()?) >> 48)
}

/// Random bytes that nobody can guess.
pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], Fault> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|source| Fault::bug("the system gives no random bits").because(source))?;
    Ok(bytes)
}
