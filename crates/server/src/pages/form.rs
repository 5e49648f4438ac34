//! A form as a browser sends it: names with values, in their order, some of them repeated.

use axum::extract::{FromRequest, Request};

use super::trouble::Trouble;
use crate::http::body;

/// The fields of a form.
#[derive(Debug, Clone, Default)]
pub(crate) struct Form(pub(crate) Vec<(String, String)>);

impl Form {
    /// The first value under a name.
    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        self.0.iter().find_map(|(given, value)| (given == name).then_some(value.as_str()))
    }

    /// Every value under a name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.0.iter().filter(move |(given, _)| given == name);
        named.map(|(_, value)| value.as_str())
    }

    /// Reads `a=1&b=two+words`.
    pub(crate) fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        Self(
            pairs
                .map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (decoded(name), decoded(value))
                })
                .collect(),
        )
    }
}

impl<S: Send + Sync> FromRequest<S> for Form {
    type Rejection = Trouble;

    async fn from_request(request: Request, _: &S) -> Result<Self, Trouble> {
        let body = body::read(request).await?;
        Ok(Self::parse(&String::from_utf8_lossy(&body)))
    }
}

/// A form of somebody who has shown nothing yet, which is short.
#[derive(Debug)]
pub(crate) struct StrangersForm(pub(crate) Form);

impl<S: Send + Sync> FromRequest<S> for StrangersForm {
    type Rejection = Trouble;

    async fn from_request(request: Request, _: &S) -> Result<Self, Trouble> {
        let body = body::read_of_stranger(request.into_body()).await?;
        Ok(Self(Form::parse(&String::from_utf8_lossy(&body))))
    }
}

/// A text as it was before it was encoded. What is no encoding stands for itself.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let mut ahead = rest.clone();
                let two = ahead.next().zip(ahead.next());
                match two.and_then(|(high, low)| Some((hex(high)? << 4) | hex(low)?)) {
                    Some(byte) => {
                        bytes.push(byte);
                        rest = ahead;
                    }
                    None => bytes.push(b'%'),
                }
            }
            byte => bytes.push(byte),
        }
    }
    // Browsers end lines as the network does; a text has plain ones.
    String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_decoded_with_its_repeated_names_in_order() {
        let form = Form::parse("a=1&tags=x&tags=y+z&b=%C3%A4%26%0D%0Ac&&d&e=100%&f=%zz");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = [
            pair("a", "1"),
            pair("tags", "x"),
            pair("tags", "y z"),
            pair("b", "ä&\nc"),
            pair("d", ""),
            pair("e", "100%"),
            pair("f", "%zz"),
        ];
        assert_eq!(form.0, expected);
    }

    #[test]
    fn bytes_that_are_no_text_do_not_end_anything() {
        assert_eq!(Form::parse("a=%ff%fe").first("a"), Some("\u{fffd}\u{fffd}"));
    }
}
