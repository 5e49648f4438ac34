//! What stands behind the `?` of an address, and in forms: `a=1&b=two+words`.

use super::encoded::percent_decoded;

/// The names and values of a query, in their order.
pub(crate) fn pairs(query: &str) -> Vec<(String, String)> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        })
        .collect()
}

/// Text as forms and addresses write it. What is no text is replaced, so that it is refused later
/// like any other wrong value.
fn decoded(text: &str) -> String {
    let bytes = percent_decoded(text.replace('+', " ").as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_decoded_in_their_order() {
        let expected = [("q", "a b&c"), ("tag", "ü"), ("tag", ""), ("x", "%zz")];
        let expected: Vec<_> =
            expected.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        assert_eq!(pairs("q=a+b%26c&tag=%C3%BC&tag&&x=%zz"), expected);
    }
}
