//! How long a receiver asks to be left alone: `Retry-After`, in seconds or as a date.

use std::time::Duration;

use jiff::fmt::rfc2822::DateTimeParser;

/// Nobody adds up more: whoever asks for longer gets this.
const LONGEST: Duration = Duration::from_hours(366 * 24);

/// `now` in seconds since 1970. A date that is past asks for nothing, and so does what is neither.
pub(super) fn read(value: &str, now: i64) -> Option<Duration> {
    let value = value.trim();
    let seconds = value.parse().ok().or_else(|| until(value, now))?;
    (seconds > 0).then(|| Duration::from_secs(seconds).min(LONGEST))
}

fn until(date: &str, now: i64) -> Option<u64> {
    let date = DateTimeParser::new().parse_timestamp(date).ok()?;
    u64::try_from(date.as_second().checked_sub(now)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-06 08:49:37 UTC.
    const NOW: i64 = 1_793_954_977;

    #[test]
    fn seconds_and_dates_are_understood() {
        for (value, expected) in [
            ("120", Some(120)),
            (" 7 ", Some(7)),
            ("Fri, 06 Nov 2026 08:51:37 GMT", Some(120)),
            ("Fri, 06 Nov 2026 08:49:37 GMT", None),
            ("Sun, 06 Nov 1994 08:49:37 GMT", None),
            ("0", None),
            ("-5", None),
            ("1.5", None),
            ("", None),
            ("soon", None),
            ("99999999999999999999999", None),
        ] {
            assert_eq!(read(value, NOW), expected.map(Duration::from_secs), "{value}");
        }
    }

    #[test]
    fn nobody_can_ask_for_an_age() {
        assert_eq!(read(&u64::MAX.to_string(), NOW), Some(LONGEST));
    }
}
