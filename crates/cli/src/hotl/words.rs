//! The arguments of a command of HOTL's runtime: words, and options that stand anywhere among them.

use std::collections::VecDeque;
use std::ffi::OsString;

use super::Trouble;

/// Options without a value.
const SWITCHES: [&str; 5] = ["--json", "--force", "--require-owner", "--all", "--create-pr"];

#[derive(Debug, Default)]
pub(super) struct Words {
    plain: VecDeque<String>,
    options: Vec<(String, String)>,
    switches: Vec<String>,
}

impl Words {
    pub(super) fn read(given: Vec<OsString>) -> Result<Self, Trouble> {
        let mut words = Self::default();
        let mut given = given.into_iter();
        while let Some(word) = given.next() {
            let word = text(word)?;
            if SWITCHES.contains(&word.as_str()) {
                words.switches.push(word);
            } else if let Some((name, value)) = word.split_once('=').filter(|_| is_option(&word)) {
                words.options.push((name.to_owned(), value.to_owned()));
            } else if is_option(&word) && word != "--help" {
                let value = given.next().map(text).transpose()?;
                let missing = || Trouble::Told(format!("{word} requires a value"));
                let value = value.ok_or_else(missing)?;
                words.options.push((word, value));
            } else {
                words.plain.push_back(word);
            }
        }
        Ok(words)
    }

    /// The next word.
    pub(super) fn next(&mut self) -> Option<String> {
        self.plain.pop_front()
    }

    /// The next word, without which the command makes no sense.
    pub(super) fn needed(&mut self) -> Result<String, Trouble> {
        self.next().ok_or(Trouble::Usage)
    }

    /// No word is left.
    pub(super) fn is_over(&self) -> bool {
        self.plain.is_empty()
    }

    /// The same words after another one.
    pub(super) fn after(mut self, word: &str) -> Self {
        self.plain.push_front(word.to_owned());
        self
    }

    pub(super) fn with_switch(mut self, name: &str) -> Self {
        self.switches.push(name.to_owned());
        self
    }

    /// The same with an option for when it was not given.
    pub(super) fn or_option(mut self, name: &str, value: &str) -> Self {
        self.options.insert(0, (name.to_owned(), value.to_owned()));
        self
    }

    /// The value of an option; the last one counts.
    pub(super) fn option(&mut self, name: &str) -> Option<String> {
        let of_name = |option: &(String, String)| option.0 == name;
        let found =
            self.options.iter().rfind(|option| of_name(option)).map(|found| found.1.clone());
        self.options.retain(|option| !of_name(option));
        found
    }

    /// The same where skills write `null` for nothing.
    pub(super) fn metadata(&mut self, name: &str) -> Option<String> {
        self.option(name).filter(|value| !value.is_empty() && value != "null")
    }

    pub(super) fn switch(&mut self, name: &str) -> bool {
        let given = self.switches.iter().any(|switch| switch == name);
        self.switches.retain(|switch| switch != name);
        given
    }

    /// Refuses what nobody asked for.
    pub(super) fn end(self) -> Result<(), Trouble> {
        let option = self.options.into_iter().map(|(name, _)| name);
        let left = option.chain(self.switches).chain(self.plain).next();
        left.map_or(Ok(()), |word| Err(Trouble::Told(format!("Unknown argument: {word}"))))
    }
}

fn is_option(word: &str) -> bool {
    word.len() > 2 && word.starts_with("--")
}

fn text(word: OsString) -> Result<String, Trouble> {
    word.into_string()
        .map_err(|word| Trouble::Told(format!("'{}' is not valid UTF-8", word.to_string_lossy())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(given: &[&str]) -> Words {
        Words::read(given.iter().map(Into::into).collect()).ok().unwrap()
    }

    #[test]
    fn options_stand_anywhere_and_the_last_one_counts() {
        let mut words = words(&["step", "--run-id", "a", "1", "start", "--run-id=b", "--json"]);
        assert_eq!(words.next().as_deref(), Some("step"));
        assert_eq!(words.option("--run-id").as_deref(), Some("b"));
        assert_eq!([words.next(), words.next()], [Some("1".into()), Some("start".into())]);
        assert!(words.switch("--json"));
        assert!(words.end().is_ok());
    }

    #[test]
    fn what_nobody_asked_for_is_refused_by_its_name() {
        let Err(Trouble::Told(told)) = words(&["--colour", "red"]).end() else { panic!("taken") };
        assert_eq!(told, "Unknown argument: --colour");
    }

    #[test]
    fn an_option_without_its_value_is_refused() {
        let given = vec!["--reason".into()];
        let Err(Trouble::Told(told)) = Words::read(given) else { panic!("taken") };
        assert_eq!(told, "--reason requires a value");
    }
}
