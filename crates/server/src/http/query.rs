//! What stands behind the `?` of an address.

use windlass_domain::{Code, Refusal};

/// The names and values of a query, in their order.
pub(crate) fn pairs(query: &str) -> Result<Vec<(String, String)>, Refusal> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decoded(name)?, decoded(value)?))
        })
        .collect()
}

/// Text as forms and addresses write it.
fn decoded(text: &str) -> Result<String, Refusal> {
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
    String::from_utf8(bytes).map_err(|_| {
        Refusal::new(Code::Usage, format!("'{text}' in the query is not text"))
            .hint("write what is not ASCII as UTF-8 in percent encoding")
            .detail("given", text)
    })
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
