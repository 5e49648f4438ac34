//! Headers with any text: plain ones, and those that end in `*` and are encoded, as in RFC 8187.

use axum::http::{HeaderMap, HeaderName};

/// The text of a header, in either form. What is no UTF-8 is told by the signs that stand for it.
pub(crate) fn text(
    headers: &HeaderMap,
    plain: &HeaderName,
    encoded: &HeaderName,
) -> Option<String> {
    let bytes = match (headers.get(plain), headers.get(encoded)) {
        (Some(given), _) => given.as_bytes().to_vec(),
        (None, Some(given)) => decoded(given.as_bytes()),
        (None, None) => return None,
    };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// `UTF-8''%41b`
fn decoded(value: &[u8]) -> Vec<u8> {
    percent_decoded(value.strip_prefix(b"UTF-8''").unwrap_or(value))
}

/// Bytes as they were before they were written as `%41`. What is no encoding stands for itself.
pub(crate) fn percent_decoded(mut rest: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(rest.len());
    while let [byte, after @ ..] = rest {
        let (byte, after) = match (byte, after) {
            (b'%', [high, low, beyond @ ..]) => match hex(*high).zip(hex(*low)) {
                Some((high, low)) => ((high << 4) | low, beyond),
                None => (b'%', after),
            },
            (byte, after) => (*byte, after),
        };
        bytes.push(byte);
        rest = after;
    }
    bytes
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_characters_are_decoded() {
        for (value, text) in [
            ("UTF-8''%20%61b", " ab"),
            ("UTF-8''%0A", "\n"),
            ("%C3%A9", "é"),
            ("%4", "%4"),
            ("", ""),
        ] {
            assert_eq!(decoded(value.as_bytes()), text.as_bytes(), "{value}");
        }
    }
}
