//! Whether a licence expression leaves us a licence we accept.
//!
//! The grammar is that of SPDX (`AND` binds closer than `OR`), with the old `/` for `OR`.

use std::collections::VecDeque;

/// All permissive. Nothing that asks for the source of what is linked to it, MPL included.
const ACCEPTED: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether one of the choices that the expression leaves is accepted as a whole.
///
/// An expression that cannot be read is not accepted.
pub(crate) fn is_accepted(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = Words { rest: spaced.split_whitespace().collect() };
    let accepted = words.choice();
    words.rest.is_empty() && accepted == Some(true)
}

struct Words<'a> {
    rest: VecDeque<&'a str>,
}

impl<'a> Words<'a> {
    fn choice(&mut self) -> Option<bool> {
        let mut accepted = self.all()?;
        while self.take("OR") {
            accepted |= self.all()?;
        }
        Some(accepted)
    }

    fn all(&mut self) -> Option<bool> {
        let mut accepted = self.one()?;
        while self.take("AND") {
            accepted &= self.one()?;
        }
        Some(accepted)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let accepted = self.choice()?;
            return self.take(")").then_some(accepted);
        }
        let mut name = self.next()?.to_owned();
        if self.take("WITH") {
            name = format!("{name} WITH {}", self.next()?);
        }
        Some(ACCEPTED.contains(&name.as_str()))
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.rest.front() == Some(&word);
        if found {
            self.rest.pop_front();
        }
        found
    }

    fn next(&mut self) -> Option<&'a str> {
        self.rest.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read_as_spdx_means_them() {
        let cases = [
            ("MIT", true),
            ("GPL-3.0-only", false),
            ("MIT OR GPL-3.0-only", true),
            ("MIT AND GPL-3.0-only", false),
            ("MIT/Apache-2.0", true),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("(MIT OR Apache-2.0) AND OpenSSL", false),
            ("GPL-2.0 OR MIT AND ISC", true),
            ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", true),
            ("GPL-2.0 WITH Classpath-exception-2.0", false),
            ("Apache-2.0 WITH Nonsense", false),
            ("MPL-2.0", false),
            ("(MIT", false),
            ("MIT MIT", false),
            ("MIT OR", false),
            ("OR MIT", false),
            ("", false),
        ];
        for (expression, accepted) in cases {
            assert_eq!(is_accepted(expression), accepted, "{expression}");
        }
    }
}
