//! The page: how it is opened, what it answers, and what goes wrong in it.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::super::digest::Digest;
use super::super::{Kind, Seen};
use super::PAUSE;
use super::wire::{Event, Lost, Wire};
use crate::reason;

/// How many errors are told, and how many things that were not loaded.
const MOST: usize = 5;

/// A page that was silent is dead when it stays silent for so long.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

/// What a page is told to report.
const REPORTS: [&str; 5] =
    ["Page.enable", "Runtime.enable", "Network.enable", "Log.enable", "Inspector.enable"];

pub(super) struct Page<'a> {
    wire: Wire<'a>,
    session: String,
    /// The page itself, as opposed to those that it frames.
    frame: String,
    is_loaded: bool,
    /// It did not answer the last order in time.
    is_silent: bool,
    has_crashed: bool,
    /// What the server answered, if that was an error.
    answer: Option<String>,
    errors: BTreeSet<String>,
    not_loaded: BTreeSet<String>,
}

/// What no page should be in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    NotOpened(String),
    Answered(String),
    Crashed,
    Errors(Vec<String>),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOpened(why) => write!(f, "the page cannot be opened: {why}"),
            Self::Answered(status) => write!(f, "the page answers {status}"),
            Self::Crashed => f.write_str("the page crashed"),
            Self::Errors(errors) => write!(f, "the page has errors: {}", errors.join("; ")),
        }
    }
}

/// The value of an expression.
pub(super) enum Judged {
    True,
    False,
    /// It threw this.
    Error(String),
    /// It promised something, and that did not come in time.
    Pending,
}

impl<'a> Page<'a> {
    pub(super) fn new(wire: Wire<'a>) -> Self {
        Self {
            wire,
            session: String::new(),
            frame: String::new(),
            is_loaded: false,
            is_silent: false,
            has_crashed: false,
            answer: None,
            errors: BTreeSet::new(),
            not_loaded: BTreeSet::new(),
        }
    }

    /// A tab that shows nothing yet.
    pub(super) fn open(&mut self, until: Instant) -> Result<(), Lost> {
        let mut ask = |method, parameters, key: &str| {
            let answer: Value = self.wire.call(None, method, parameters, until)?;
            Ok(answer.get(key).and_then(Value::as_str).unwrap_or_default().to_owned())
        };
        ask("Browser.setDownloadBehavior", json!({"behavior": "deny"}), "")?;
        let target = ask("Target.createTarget", json!({"url": "about:blank"}), "targetId")?;
        let attach = json!({"targetId": target, "flatten": true});
        self.session = ask("Target.attachToTarget", attach, "sessionId")?;
        for report in REPORTS {
            self.order(report, json!({}), until)?;
        }
        Ok(())
    }

    /// Goes to an address, as far as the server's answer.
    pub(super) fn go_to(&mut self, url: &str, until: Instant) -> Result<Result<(), Trouble>, Lost> {
        // The blank page was loaded as well.
        self.wire.events();
        let answer = match self.order("Page.navigate", json!({"url": url}), until) {
            Err(Lost::Refused(why)) => return Ok(Err(Trouble::NotOpened(why))),
            answer => answer?,
        };
        let text = |key| answer.get(key).and_then(Value::as_str);
        text("frameId").unwrap_or_default().clone_into(&mut self.frame);
        self.hear();
        match (self.answer.clone(), text("errorText")) {
            (Some(status), _) => Ok(Err(Trouble::Answered(status))),
            (None, Some(error)) => Ok(Err(Trouble::NotOpened(error.to_owned()))),
            (None, None) => Ok(Ok(())),
        }
    }

    pub(super) fn is_loaded(&mut self) -> bool {
        self.hear();
        self.is_loaded
    }

    /// What is wrong with it, so far.
    pub(super) fn trouble(&mut self) -> Option<Trouble> {
        self.hear();
        if self.has_crashed {
            return Some(Trouble::Crashed);
        }
        let answered = self.answer.clone().map(Trouble::Answered);
        let errors = || self.errors.iter().cloned().collect();
        answered.or_else(|| (!self.errors.is_empty()).then(|| Trouble::Errors(errors())))
    }

    /// What was not loaded is no error, and yet may be why something is not as it should be.
    pub(super) fn notes(&self) -> Vec<String> {
        self.not_loaded.iter().map(|what| format!("not loaded: {what}")).collect()
    }

    /// Hears what happens, for a moment.
    pub(super) fn pause(&mut self, until: Instant) -> Result<(), Lost> {
        self.wire.listen(until.min(Instant::now() + PAUSE))
    }

    /// Whether an expression, or what it promises, is true.
    pub(super) fn is_true(&mut self, expression: &str, until: Instant) -> Result<Judged, Lost> {
        let order = json!({"expression": expression, "awaitPromise": true, "silent": true});
        let answer = self.wire.call_patiently(&self.session, "Runtime.evaluate", order, until);
        self.is_silent = matches!(answer, Err(Lost::TimeIsOver));
        let Some(answer) = answer? else { return Ok(Judged::Pending) };
        Ok(match answer.get("exceptionDetails") {
            Some(error) => Judged::Error(exception(error)),
            None if is_truthy(answer.get("result").unwrap_or(&Value::Null)) => Judged::True,
            None => Judged::False,
        })
    }

    /// Why a text is no expression.
    pub(super) fn compile(
        &mut self,
        expression: &str,
        until: Instant,
    ) -> Result<Option<String>, Lost> {
        let order = json!({"expression": expression, "sourceURL": "", "persistScript": false});
        let answer = self.order("Runtime.compileScript", order, until)?;
        Ok(answer.get("exceptionDetails").map(exception))
    }

    /// No picture is waited for of a page that does not answer. One that was asked when its time was
    /// nearly over may just have been slow.
    pub(super) fn take_picture(&mut self, path: &Path, until: Instant) -> Result<Seen, String> {
        if self.is_silent {
            let soon = until.min(Instant::now() + SIGN_OF_LIFE);
            let answer = self.order("Runtime.evaluate", json!({"expression": "0"}), soon);
            answer.map_err(|_| "the page does not answer".to_owned())?;
        }
        let answer = self.order("Page.captureScreenshot", json!({"format": "png"}), until);
        let answer = answer.map_err(|lost| lost.to_string())?;
        let data = answer.get("data").and_then(Value::as_str).unwrap_or_default();
        let picture = STANDARD.decode(data).map_err(|error| error.to_string())?;
        fs::write(path, &picture).map_err(|error| reason::root_cause(&error))?;
        let mut digest = Digest::default();
        digest.take(&picture);
        Ok(Seen {
            path: path.to_owned(),
            kind: Kind::File,
            size_bytes: u64::try_from(picture.len()).unwrap_or(u64::MAX),
            sha256: Some(digest.text()),
        })
    }

    fn order(&mut self, method: &str, parameters: Value, until: Instant) -> Result<Value, Lost> {
        let answer = self.wire.call(Some(&self.session), method, parameters, until);
        self.is_silent = matches!(answer, Err(Lost::TimeIsOver));
        answer
    }

    fn hear(&mut self) {
        for Event { name, details } in self.wire.events() {
            match name.as_str() {
                "Page.loadEventFired" => self.is_loaded = true,
                "Inspector.targetCrashed" => self.has_crashed = true,
                "Runtime.exceptionThrown" => {
                    let error = details.get("exceptionDetails").map(exception);
                    remember(&mut self.errors, error);
                }
                "Network.responseReceived" => self.answered(&details),
                "Log.entryAdded" => remember(&mut self.not_loaded, not_loaded(&details)),
                _ => {}
            }
        }
    }

    /// The page may lead to another, whose answer counts then.
    fn answered(&mut self, details: &Value) {
        let text = |pointer| details.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        if text("/type") != "Document" || text("/frameId") != self.frame {
            return;
        }
        let status = details.pointer("/response/status").and_then(Value::as_u64).unwrap_or(0);
        let words = format!("{status} {}", text("/response/statusText"));
        self.answer = (status >= 400).then(|| reason::one_line(words.trim_end()));
    }
}

fn remember(them: &mut BTreeSet<String>, one: Option<String>) {
    if them.len() < MOST {
        them.extend(one);
    }
}

fn not_loaded(details: &Value) -> Option<String> {
    let text = |pointer| details.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let is_meant = text("/entry/source") == "network" && text("/entry/level") == "error";
    let (url, why) = (text("/entry/url"), text("/entry/text"));
    let why = why.strip_prefix("Failed to load resource: ").unwrap_or(why);
    is_meant.then(|| reason::one_line(&format!("{url} ({why})")))
}

/// What was thrown, without where.
fn exception(details: &Value) -> String {
    let text = |pointer| details.pointer(pointer).and_then(Value::as_str);
    let described = text("/exception/description").or(text("/exception/value"));
    let whole = described.or(text("/text")).unwrap_or("an error without words");
    reason::one_line(whole.lines().next().unwrap_or(whole))
}

/// What the language holds to be true.
fn is_truthy(result: &Value) -> bool {
    let text = |key| result.get(key).and_then(Value::as_str);
    if let Some(number) = text("unserializableValue") {
        return !matches!(number, "NaN" | "-0" | "0n");
    }
    match (text("type"), result.get("value")) {
        (Some("undefined"), _) | (_, Some(Value::Null)) => false,
        (_, Some(Value::Bool(value))) => *value,
        (_, Some(Value::Number(number))) => number.as_f64() != Some(0.0),
        (_, Some(Value::String(text))) => !text.is_empty(),
        // Objects and functions are told by name only, except for null.
        _ => text("subtype") != Some("null"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_as_true_as_in_the_language() {
        for (result, expected) in [
            (json!({"type": "undefined"}), false),
            (json!({"type": "object", "subtype": "null", "value": null}), false),
            (json!({"type": "boolean", "value": false}), false),
            (json!({"type": "number", "value": 0}), false),
            (json!({"type": "number", "unserializableValue": "NaN"}), false),
            (json!({"type": "bigint", "unserializableValue": "0n"}), false),
            (json!({"type": "string", "value": ""}), false),
            (json!({"type": "boolean", "value": true}), true),
            (json!({"type": "number", "value": -1}), true),
            (json!({"type": "number", "unserializableValue": "Infinity"}), true),
            (json!({"type": "string", "value": "0"}), true),
            (json!({"type": "object", "subtype": "array", "objectId": "1"}), true),
            (json!({"type": "function", "objectId": "2"}), true),
        ] {
            assert_eq!(is_truthy(&result), expected, "{result}");
        }
    }
}
