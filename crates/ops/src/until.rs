//! Moments that somebody names by a length of time, or by themselves.

use windlass_domain::duration::Span;
use windlass_domain::{Refusal, Time};

/// A span from now, or a time. Elsewhere a bare number means minutes; who says until when something
/// holds means days, and writes them.
pub(crate) fn until(field: &str, given: &str, now: Time) -> Result<Time, Refusal> {
    let has_unit = given.ends_with(|letter: char| letter.is_ascii_alphabetic());
    match Span::parse(field, given) {
        Ok(span) if has_unit => return Ok(now.plus(span)),
        _ => {}
    }
    let hint = "write how long it holds, such as 30d, or until which day: YYYY-MM-DD";
    Time::parse(field, given).map_err(|refusal| refusal.hint(hint))
}
