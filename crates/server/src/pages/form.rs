//! A form as a browser sends it: names with values, in their order, some of them repeated.

use axum::extract::{FromRequest, Request};

use super::trouble::Trouble;
use crate::http::{body, query};

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

    /// Reads `a=1&b=two+words`. Browsers end lines as the network does; a text has plain ones.
    pub(crate) fn parse(text: &str) -> Self {
        let pairs = query::pairs(text).into_iter();
        Self(pairs.map(|(name, value)| (name, value.replace("\r\n", "\n"))).collect())
    }
}

impl<S: Send + Sync> FromRequest<S> for Form {
    type Rejection = Trouble;

    async fn from_request(request: Request, _: &S) -> Result<Self, Trouble> {
        let body = body::read(request).await?;
        Ok(Self::parse(&String::from_utf8_lossy(&body)))
    }
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
