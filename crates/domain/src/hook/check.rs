//! What a definition of a hook may say, wherever it is written.

use std::collections::BTreeMap;

use super::{Hook, Target, variables};
use crate::duration::Span;
use crate::{Code, Refusal, text};

const ATTEMPTS_HIGHEST: u32 = 20;
const TIMEOUT_LONGEST: Span = Span::from_millis(60_000);
const NAME_CHARS: usize = 64;
const SECRET_CHARS: usize = 1_024;
/// What is set on every delivery, or belongs to the connection.
const RESERVED_HEADERS: [&str; 11] = [
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
    "connection",
    "content-length",
    "expect",
    "host",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

impl Hook {
    /// The definition, if it can be one.
    pub fn checked(self) -> Result<Self, Refusal> {
        check_name(&self.name)?;
        match &self.target {
            Target::Url { url, headers } => {
                address(url)?;
                check_headers(headers)?;
            }
            Target::Command { argv } => check_argv(argv)?,
        }
        let projects = self.projects.iter().map(|name| text::project_name(name));
        let projects = projects.collect::<Result<Vec<_>, _>>()?;
        text::few("projects", &projects)?;
        let tags = text::tags(&self.tags)?;
        if let Some(secret) = &self.secret {
            text::line("secret", secret.as_written(), SECRET_CHARS)?;
        }
        if !(1..=ATTEMPTS_HIGHEST).contains(&self.max_attempts) {
            let what = format!("from 1 to {ATTEMPTS_HIGHEST}");
            return Err(wrong("max_attempts", &self.max_attempts.to_string(), &what));
        }
        if !(1..=TIMEOUT_LONGEST.as_millis()).contains(&self.timeout_ms) {
            let what = format!("at most {TIMEOUT_LONGEST}");
            return Err(wrong("timeout", &self.timeout().to_string(), &what));
        }
        Ok(Self { projects, tags, ..self })
    }

    /// A ledger is read by many: it holds the name of a secret, never the secret.
    pub fn fit_for_ledger(&self) -> Result<(), Refusal> {
        match self.secret.as_ref().is_none_or(|secret| secret.variable().is_some()) {
            true => Ok(()),
            false => Err(Refusal::new(
                Code::InvalidValue,
                "a secret is not kept in the ledger, only the name of the variable that holds it",
            )
            .hint("write --secret '$NAME', and set NAME where hooks are sent")
            .detail("field", "secret")),
        }
    }
}

/// The name of a hook: begins with a letter or digit, then letters, digits, `_` and `-`.
pub fn check_name(given: &str) -> Result<(), Refusal> {
    text::line("name", given, NAME_CHARS)?;
    let mut letters = given.chars();
    let begins_well = letters.next().is_some_and(|first| first.is_ascii_alphanumeric());
    if begins_well && letters.all(|l| l.is_ascii_alphanumeric() || matches!(l, '_' | '-')) {
        return Ok(());
    }
    Err(Refusal::new(Code::InvalidValue, format!("'{given}' is not a name of a hook"))
        .hint("begin with a letter or digit, then use letters, digits, _ and -")
        .detail("field", "name")
        .detail("given", given))
}

fn address(url: &str) -> Result<(), Refusal> {
    text::line("url", url, text::LINK_CHARS)?;
    let refuse = |why: &str| {
        // An address may hold a password, so it is not repeated.
        Err(Refusal::new(Code::InvalidValue, format!("the url of a hook {why}"))
            .hint("write it as http://HOST[:PORT]/PATH or https://…")
            .detail("field", "url"))
    };
    let Some((scheme, rest)) = url.split_once("://") else {
        return refuse("must begin with http:// or https://");
    };
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return refuse("must begin with http:// or https://");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return refuse("must not contain a user or password; use a header with $NAME");
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    if host.is_empty() || host == "[]" {
        return refuse("names no host");
    }
    if port.is_some_and(|port| port.parse::<u16>().is_err()) {
        return refuse("has a port that is not one");
    }
    if url.chars().any(|l| l.is_whitespace() || r#""<>\^`{|}"#.contains(l)) {
        return refuse("contains a character that must be written as %XX");
    }
    Ok(())
}

fn check_headers(headers: &BTreeMap<String, String>) -> Result<(), Refusal> {
    if headers.len() > text::ITEMS {
        return Err(wrong("headers", &headers.len().to_string(), "at most 100"));
    }
    let mut seen = Vec::new();
    for (name, value) in headers {
        let is_token =
            |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
        let lower = name.to_ascii_lowercase();
        let why = if name.is_empty() || !name.chars().all(is_token) {
            "is not the name of a header"
        } else if RESERVED_HEADERS.contains(&lower.as_str()) {
            "is set by windlass itself"
        } else if seen.contains(&lower) {
            "is given twice"
        } else if value.chars().any(|letter| letter.is_control() && letter != '\t') {
            "has a value with control characters"
        } else if value.chars().count() > text::LONG_CHARS {
            "has a value that is too long"
        } else if variables::named(value).is_err() {
            "has a dollar that names no variable (write $$ for a dollar)"
        } else {
            seen.push(lower);
            continue;
        };
        return Err(Refusal::new(Code::InvalidValue, format!("header '{name}' {why}"))
            .hint("write headers as 'Name: value'; $NAME is put in when the hook is sent")
            .detail("field", "headers")
            .detail("given", name));
    }
    Ok(())
}

fn check_argv(argv: &[String]) -> Result<(), Refusal> {
    let refuse = |why: &str| {
        Err(Refusal::new(Code::InvalidValue, format!("the command of a hook {why}"))
            .hint("give the program and its arguments, one by one; no shell reads them")
            .detail("field", "command"))
    };
    if argv.first().is_none_or(|program| program.trim().is_empty()) {
        return refuse("names no program");
    }
    if argv.len() > text::ITEMS {
        return refuse("has more than 100 arguments");
    }
    if argv.iter().any(|word| word.contains('\0') || word.chars().count() > text::LONG_CHARS) {
        return refuse("has an argument with a zero byte, or one that is too long");
    }
    Ok(())
}

fn wrong(field: &str, given: &str, what: &str) -> Refusal {
    Refusal::new(Code::InvalidValue, format!("{field} must be {what}, not {given}"))
        .hint(format!("give a value {what}"))
        .detail("field", field)
        .detail("given", given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::samples::hook;
    use crate::hook::{Secret, Trigger};
    use proptest::prelude::*;

    fn with_url(url: &str) -> Result<Hook, Refusal> {
        let target = Target::Url { url: url.to_owned(), headers: BTreeMap::new() };
        Hook { target, ..hook("h", Trigger::OnDone) }.checked()
    }

    fn with_header(name: &str, value: &str) -> Result<Hook, Refusal> {
        let headers = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        let target = Target::Url { url: "http://localhost".to_owned(), headers };
        Hook { target, ..hook("h", Trigger::OnDone) }.checked()
    }

    #[test]
    fn addresses_of_web_servers_are_accepted() {
        for url in [
            "http://127.0.0.1:18789/events/inject",
            "https://example.org",
            "HTTPS://[::1]:8080/a?b=c#d",
            "http://[::1]/",
            "http://bücher.example/%20",
        ] {
            assert!(with_url(url).is_ok(), "{url}");
        }
    }

    #[test]
    fn other_addresses_are_refused_and_not_repeated() {
        for url in [
            "",
            "example.org",
            "ftp://example.org/",
            "file:///etc/passwd",
            "http://",
            "http:///path",
            "http://user:pa55word@example.org/",
            "http://user@example.org/",
            "http://example.org:99999/",
            "http://example.org:/x y",
            "http://exa mple.org/",
            "http://example.org/\n",
            "http://[]/",
            "javascript:alert(1)",
        ] {
            let refusal = with_url(url).unwrap_err();
            assert_eq!(refusal.code, Code::InvalidValue, "{url}");
            assert!(!format!("{refusal:?}").contains("pa55word"), "{refusal:?}");
        }
    }

    #[test]
    fn headers_are_names_with_one_line_of_value() {
        assert!(with_header("Authorization", "Bearer $TOKEN").is_ok());
        assert!(with_header("X-Empty", "").is_ok());
        assert!(with_header("X-Price", "5$$ of ${A}").is_ok());
        for (name, value) in [
            ("", "x"),
            ("a b", "x"),
            ("näme", "x"),
            ("a:", "x"),
            ("x", "a\r\nb: c"),
            ("x", "a\0"),
            ("Webhook-Signature", "x"),
            ("content-length", "7"),
            ("Host", "x"),
            ("EXPECT", "x"),
            ("te", "x"),
            ("Trailer", "x"),
            ("upgrade", "x"),
            ("x", "$"),
            ("x", "${A"),
        ] {
            assert_eq!(with_header(name, value).unwrap_err().code, Code::InvalidValue, "{name}");
        }
    }

    #[test]
    fn a_header_in_two_spellings_is_refused() {
        let headers = ["x-a", "X-A"].map(|name| (name.to_owned(), String::new())).into();
        let target = Target::Url { url: "http://localhost".to_owned(), headers };
        assert!(Hook { target, ..hook("h", Trigger::OnDone) }.checked().is_err());
    }

    #[test]
    fn a_command_names_its_program() {
        let with = |argv: &[&str]| {
            let argv = argv.iter().map(|word| (*word).to_owned()).collect();
            Hook { target: Target::Command { argv }, ..hook("h", Trigger::OnDone) }.checked()
        };
        assert!(with(&["notify", "", "--x"]).is_ok());
        for argv in [&[][..], &[""], &["  "], &["a", "b\0c"]] {
            assert_eq!(with(argv).unwrap_err().code, Code::InvalidValue, "{argv:?}");
        }
    }

    #[test]
    fn numbers_have_their_bounds() {
        let base = || hook("h", Trigger::OnDone);
        for (attempts, is_fine) in [(0, false), (1, true), (20, true), (21, false)] {
            let checked = Hook { max_attempts: attempts, ..base() }.checked();
            assert_eq!(checked.is_ok(), is_fine, "{attempts}");
        }
        for (millis, is_fine) in [(0, false), (1_000, true), (60_000, true), (61_000, false)] {
            assert_eq!(
                Hook { timeout_ms: millis, ..base() }.checked().is_ok(),
                is_fine,
                "{millis}"
            );
        }
    }

    #[test]
    fn names_are_words() {
        for name in ["on_done", "7-up", "a"] {
            assert!(hook(name, Trigger::OnDone).checked().is_ok(), "{name}");
        }
        for name in ["", " ", "-a", "a b", "a.b", "ä", &"x".repeat(65)] {
            assert!(hook(name, Trigger::OnDone).checked().is_err(), "{name}");
        }
    }

    #[test]
    fn a_plain_secret_stays_out_of_the_ledger() {
        let with =
            |text: &str| Hook { secret: Some(Secret::new(text)), ..hook("h", Trigger::OnDone) };
        assert!(with("$NAME").fit_for_ledger().is_ok());
        let refusal = with("whsec_canary").fit_for_ledger().unwrap_err();
        assert!(!format!("{refusal:?}").contains("canary"));
        assert!(hook("h", Trigger::OnDone).fit_for_ledger().is_ok());
    }

    proptest! {
        #[test]
        fn checking_never_panics(url in ".{0,60}", name in ".{0,20}", value in ".{0,20}") {
            let _checked = (with_url(&url), with_header(&name, &value));
        }
    }
}
