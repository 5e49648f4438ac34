//! A moment in UTC, in milliseconds. The stored form is the number; people and JSON see RFC 3339.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Code, Refusal, duration::Span};

/// A moment. Order of events is never taken from it: that is `seq`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

/// The end of 9999-12-29: the last whole day that can be written with every offset.
const LATEST: i64 = 253_402_127_999_999;

impl Time {
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This moment and a span more; stops at the end of year 9999 instead of overflowing.
    #[must_use]
    pub fn plus(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.as_millis()).min(LATEST))
    }

    #[must_use]
    pub const fn before(self, span: Span) -> Self {
        Self::from_millis(self.as_millis().saturating_sub(span.as_millis()))
    }

    pub fn millis_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Reads `2026-11-15T09:30:00Z`, the same with an offset, or a plain date (its midnight in UTC).
    pub fn parse(field: &str, text: &str) -> Result<Self, Refusal> {
        let moment = text.parse::<jiff::Timestamp>().ok().or_else(|| {
            let date = text.parse::<jiff::civil::Date>().ok()?;
            Some(date.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
        });
        moment
            .map(|moment| Self(moment.as_millisecond()))
            .filter(|time| (0..=LATEST).contains(&time.0))
            .ok_or_else(|| {
                Refusal::new(Code::InvalidValue, format!("{field} '{text}' is not a time"))
                    .hint("write 2026-11-15 or 2026-11-15T09:30:00Z")
                    .detail("field", field)
                    .detail("given", text)
            })
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(moment) => write!(f, "{moment:.3}"),
            Err(_) => write!(f, "{}ms", self.0),
        }
    }
}

impl Serialize for Time {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse("time", &text).map_err(|refusal| serde::de::Error::custom(refusal.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_with_milliseconds_and_read_back() {
        let time = Time::from_millis(1_794_735_000_250);
        assert_eq!(time.to_string(), "2026-11-15T09:30:00.250Z");
        assert_eq!(Time::parse("due", &time.to_string()).unwrap(), time);
    }

    #[test]
    fn a_plain_date_means_midnight_in_utc() {
        let time = Time::parse("due", "2026-11-15").unwrap();
        assert_eq!(time.to_string(), "2026-11-15T00:00:00.000Z");
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "tomorrow", "2026-13-01", "2026-11-15T25:00:00Z", "-0001-01-01"] {
            assert_eq!(Time::parse("due", text).unwrap_err().code, Code::InvalidValue, "{text}");
        }
    }

    #[test]
    fn adding_the_longest_span_does_not_overflow() {
        let late = Time::from_millis(LATEST - 1).plus(Span::from_millis(i64::MAX));
        assert!(late.to_string().starts_with("9999-12-29"));
    }
}
