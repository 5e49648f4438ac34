//! An error told with its causes, since our messages do not repeat them.

use std::error::Error;

/// The message and those of its sources, from the outermost to the innermost.
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        // Some of the errors of others do repeat their source.
        if !text.ends_with(&message) {
            text = format!("{text}: {message}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::postgres;

    #[test]
    fn every_cause_is_told_once() {
        let error = postgres::Error::Io("start initdb".into(), io::Error::other("no such file"));
        assert_eq!(with_causes(&error), "cannot start initdb: no such file");
    }
}
