//! What stands behind the `?` of an address, and in forms: `a=1&b=two+words`.

use windlass_domain::{Code, Refusal};

use super::encoded::percent_decoded;

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
    percent_decoded(text.replace('+', " ").as_bytes())
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
