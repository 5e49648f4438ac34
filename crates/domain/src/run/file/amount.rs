//! An amount of a budget: a number from nothing upwards, exact to six decimals.

use std::fmt;

use serde::{Deserialize, Serialize};

const MILLIONTHS: u64 = 1_000_000;
/// Up to here every amount is written exactly as a JSON number.
const LARGEST: u64 = 1_000_000_000 * MILLIONTHS;

/// A limit of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(u64);

impl Amount {
    /// A whole number, if it is not too large.
    pub fn whole(number: u64) -> Option<Self> {
        number.checked_mul(MILLIONTHS).filter(|millionths| *millionths <= LARGEST).map(Self)
    }

    pub const fn is_whole(self) -> bool {
        self.0.is_multiple_of(MILLIONTHS)
    }

    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    pub const fn millionths(self) -> u64 {
        self.0
    }

    #[expect(clippy::cast_precision_loss, reason = "the largest amount is exact as a float")]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / MILLIONTHS as f64
    }

    /// Reads `5`, `1.5` or `.5`; nothing for anything else, too large or too fine.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let fine = fraction.trim_end_matches('0');
        if !digits(whole) || !digits(fraction) || fine.len() > 6 || !text.contains(char::is_numeric)
        {
            return None;
        }
        let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
        let fraction = format!("{fine:0<6}").parse::<u64>().ok()?;
        let millionths = whole.checked_mul(MILLIONTHS)?.checked_add(fraction)?;
        (millionths <= LARGEST).then_some(Self(millionths))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / MILLIONTHS, self.0 % MILLIONTHS);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let fraction = format!("{fraction:06}");
        write!(f, "{whole}.{}", fraction.trim_end_matches('0'))
    }
}

impl Serialize for Amount {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_whole() {
            return serializer.serialize_u64(self.0 / MILLIONTHS);
        }
        serializer.serialize_f64(self.as_f64())
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        // Six decimals are all there are, and written so no number has an exponent.
        Self::parse(&format!("{number:.6}"))
            .ok_or_else(|| serde::de::Error::custom(format!("{number} is not an amount")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_written_as_it_was_read() {
        for text in ["0", "5", "1.5", "0.000001", "1000000000"] {
            assert_eq!(Amount::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_amount_is_not_read() {
        for text in ["", ".", "-1", "1e3", "abc", "1.0000001", "1000000001", "٣", "1.5.2", "+1"] {
            assert_eq!(Amount::parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_amount_is_a_number_in_json() {
        for text in ["0", "7", "1.5", "0.1", "999999999.999999"] {
            let json = serde_json::to_string(&Amount::parse(text).unwrap()).unwrap();
            assert_eq!(json, text);
            assert_eq!(serde_json::from_str::<Amount>(&json).unwrap().to_string(), text);
        }
    }
}
