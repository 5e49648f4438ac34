//! What stands behind the `?` of an address.

use windlass_domain::{Code, Refusal};

/// The names and values of a query, in their order.
pub(crate) fn pairs(query: &str) -> Result<Vec<(String, String)>, Refusal> {
    let text = |part: &str| String::from_utf8(decoded(part)).map_err(|_| no_text(part));
    parts(query).map(|(name, value)| Ok((text(name)?, text(value)?))).collect()
}

/// The same for what a person sees and can correct: what is no text is told by the signs that stand
/// for it.
pub(crate) fn readable_pairs(query: &str) -> Vec<(String, String)> {
    let text = |part: &str| String::from_utf8_lossy(&decoded(part)).into_owned();
    parts(query).map(|(name, value)| (text(name), text(value))).collect()
}

fn parts(query: &str) -> impl Iterator<Item = (&str, &str)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

fn no_text(part: &str) -> Refusal {
    Refusal::new(Code::Usage, format!("'{part}' in the query is not text"))
        .hint("write what is not ASCII as UTF-8 in percent encoding")
        .detail("given", part)
}

/// A text as forms and addresses write it.
fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        let (decoded, after) = match (byte, after) {
            (b'%', [high, low, after @ ..]) => match hex(*high).zip(hex(*low)) {
                Some((high, low)) => (high * 16 + low, after),
                None => (b'%', rest.get(1..).unwrap_or_default()),
            },
            (b'+', after) => (b' ', after),
            (other, after) => (*other, after),
        };
        bytes.push(decoded);
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
    fn names_and_values_are_decoded_in_their_order() {
        let expected = [("q", "a b&c"), ("tag", "ü"), ("tag", ""), ("x", "%zz")];
        let expected: Vec<_> =
            expected.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        assert_eq!(pairs("q=a+b%26c&tag=%C3%BC&tag&&x=%zz"), Ok(expected));
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for query in ["q=%FF", "%C3=1", "a=b&q=%ED%A0%80"] {
            assert_eq!(pairs(query).unwrap_err().code, Code::Usage, "{query}");
        }
    }
}
