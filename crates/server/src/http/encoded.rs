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
    let mut rest = value.strip_prefix(b"UTF-8''").unwrap_or(value);
    let mut bytes = Vec::new();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (byte, length) = match (first, byte) {
            (b'%', Some(byte)) => (byte, 3),
            _ => (*first, 1),
        };
        bytes.push(byte);
        rest = rest.get(length..).unwrap_or_default();
    }
    bytes
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
