//! `[hooks.NAME]` in a file of settings.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use windlass_domain::duration::Span;
use windlass_domain::hook::{Hook, MAX_ATTEMPTS, Secret, TIMEOUT, Target, Trigger, check_name};
use windlass_domain::{Code, Refusal};

/// The keys of a table, and what each means.
pub const HOOK_KEYS: [(&str, &str); 11] = [
    (
        "on",
        "what sets it off, unless its name says so: on_done, on_blocked, on_status_changed, on_claim_expired, on_gate",
    ),
    ("url", "where it is sent by HTTP POST"),
    ("headers", "a table of headers; $NAME is taken from the environment when the hook is sent"),
    (
        "command",
        "instead of url: a program and its arguments; the message is on its standard input",
    ),
    ("secret", "what deliveries are signed with: $NAME, or the secret itself"),
    ("project", "only for tasks of this project"),
    ("projects", "only for tasks of these"),
    ("tag", "only for tasks that carry this"),
    ("tags", "only for tasks that carry all of these"),
    ("max_attempts", "how often it is sent at most: 1 to 20, by default 5"),
    ("timeout", "how long one attempt may take: at most 60s, by default 10s"),
];

/// One table as TOML sees it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HookTable {
    on: Option<String>,
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    command: Option<Vec<String>>,
    secret: Option<Secret>,
    project: Option<String>,
    #[serde(default)]
    projects: Vec<String>,
    tag: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    max_attempts: Option<u32>,
    timeout: Option<String>,
}

/// A table with the place in the file where it begins.
pub(super) type Placed = toml::Spanned<HookTable>;

/// What a table defines, or a refusal that names the file, the line and the hook.
pub(super) fn definition(
    path: &str,
    text: &str,
    name: &str,
    placed: Placed,
) -> Result<Hook, Refusal> {
    let line = line_of(text, &placed.span());
    let table = placed.into_inner();
    table.define(name).and_then(Hook::checked).map_err(|refusal| {
        let key = format!("hooks.{name}");
        let message = format!("{path}, line {line}: {key}: {}", refusal.message);
        Refusal { code: Code::SettingsInvalid, message, ..refusal }
            .detail("file", path)
            .detail("line", line)
            .detail("key", key)
    })
}

pub(super) fn line_of(text: &str, span: &Range<usize>) -> usize {
    text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1
}

impl HookTable {
    fn define(self, name: &str) -> Result<Hook, Refusal> {
        check_name(name)?;
        let wrong = |what: &str| {
            Refusal::new(Code::InvalidValue, what).hint("correct that table of the file")
        };
        let target = match (self.url, self.command) {
            (Some(url), None) => Target::Url { url, headers: self.headers },
            (None, Some(argv)) if self.headers.is_empty() => Target::Command { argv },
            (None, Some(_)) => return Err(wrong("a command has no headers")),
            (Some(_), Some(_)) => return Err(wrong("a hook has a url or a command, not both")),
            (None, None) => return Err(wrong("a hook needs a url or a command")),
        };
        let timeout = self.timeout.as_deref().map(|text| Span::parse("timeout", text));
        Ok(Hook {
            on: Trigger::of(name, self.on.as_deref())?,
            name: name.to_owned(),
            target,
            projects: self.project.into_iter().chain(self.projects).collect(),
            tags: self.tag.into_iter().chain(self.tags).collect(),
            secret: self.secret,
            max_attempts: self.max_attempts.unwrap_or(MAX_ATTEMPTS),
            timeout_ms: timeout.transpose()?.unwrap_or(TIMEOUT).as_millis(),
        })
    }
}
