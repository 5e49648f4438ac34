//! `hook set` and `hook remove`: definitions in the ledger.

use std::collections::BTreeMap;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::duration::Span;
use windlass_domain::hook::{Hook, MAX_ATTEMPTS, Secret, TIMEOUT, Target, Trigger};
use windlass_domain::{Code, Refusal, Time};
use windlass_ledger::Error;

use super::view::HookView;
use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;
use crate::view::usage;

/// Defines a hook in the ledger, or defines it anew.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Set {
    /// Letters, digits, _ and -; the name of a trigger says what sets it off
    pub name: String,
    /// `on_done`, `on_blocked`, `on_status_changed`, `on_claim_expired` or `on_gate`
    #[arg(long, value_name = "TRIGGER")]
    #[serde(default)]
    pub on: Option<String>,
    /// Where it is sent by HTTP POST
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    #[serde(default)]
    pub url: Option<String>,
    /// `Name: value`; $NAME is taken from the environment when the hook is sent
    #[arg(long, value_name = "HEADER")]
    #[serde(default)]
    pub header: Vec<String>,
    /// The program that gets it on its standard input, with its arguments up to the end or a `;`
    #[arg(
        long,
        value_name = "PROGRAM",
        num_args = 1..,
        allow_hyphen_values = true,
        value_terminator = ";"
    )]
    #[serde(default)]
    pub command: Vec<String>,
    /// The variable that holds the secret for the signature, as '$NAME'
    #[arg(long, value_name = "$NAME")]
    #[serde(default)]
    pub secret: Option<String>,
    /// Only for tasks of these projects
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Vec<String>,
    /// Only for tasks that carry all of these
    #[arg(long, value_name = "TAG")]
    #[serde(default)]
    pub tag: Vec<String>,
    /// How often it is sent at most, 1 to 20; 5 unless given
    #[arg(long, value_name = "NUMBER")]
    #[serde(default)]
    pub max_attempts: Option<u32>,
    /// How long one attempt may take, at most 60s; 10s unless given
    #[arg(long, value_name = "DURATION")]
    #[serde(default)]
    pub timeout: Option<String>,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

impl Operation for Set {
    type Output = HookView;
    const NAME: &'static str = "hook.set";
    const ABOUT: &'static str = "Define a hook: what sets it off, and where it is sent";
    const EXAMPLE: &'static str =
        "windlass hook set on_done --url http://127.0.0.1:18789/events --secret '$HOOK_SECRET'";
    const ACCESS: Access = Access::Admin;

    fn run(&self, cx: &mut Context) -> Result<HookView, Error> {
        let hook = self.definition()?.checked()?;
        hook.fit_for_ledger()?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            for project in &hook.projects {
                tx.project_named(project)?;
            }
            tx.set_hook(hook.clone())?;
            Ok(HookView::new(&hook, "ledger"))
        })
    }
}

impl Set {
    fn definition(&self) -> Result<Hook, Refusal> {
        let target = match (&self.url, self.command.is_empty()) {
            (Some(url), true) => Target::Url { url: url.clone(), headers: headers(&self.header)? },
            (None, false) if self.header.is_empty() => {
                Target::Command { argv: self.command.clone() }
            }
            (None, false) => {
                return Err(usage("a command has no headers", "leave --header out, or use --url"));
            }
            (Some(_), false) | (None, true) => {
                return Err(usage(
                    "a hook is sent to a url or to a command",
                    "give one of --url URL and --command PROGRAM ARGUMENTS",
                ));
            }
        };
        let timeout = self.timeout.as_deref().map(|text| Span::parse("timeout", text));
        Ok(Hook {
            name: self.name.clone(),
            on: Trigger::of(&self.name, self.on.as_deref())?,
            target,
            projects: self.project.clone(),
            tags: self.tag.clone(),
            secret: self.secret.clone().map(Secret::new),
            max_attempts: self.max_attempts.unwrap_or(MAX_ATTEMPTS),
            timeout_ms: timeout.transpose()?.unwrap_or(TIMEOUT).as_millis(),
        })
    }
}

/// Headers as people write them.
fn headers(given: &[String]) -> Result<BTreeMap<String, String>, Refusal> {
    let mut headers = BTreeMap::new();
    for header in given {
        // A value may be a secret by mistake, so none is repeated.
        let wrong = |what: &str| {
            Refusal::new(Code::InvalidValue, what)
                .hint("write it as --header 'Name: value', each name once")
                .detail("field", "header")
        };
        let Some((name, value)) = header.split_once(':') else {
            return Err(wrong("a header has no name"));
        };
        let name = name.trim().to_owned();
        if headers.insert(name, value.trim().to_owned()).is_some() {
            return Err(wrong("a header is given twice"));
        }
    }
    Ok(headers)
}

impl Output for HookView {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::line(format!("hook {} is set: {}", self.name, self.in_words()))
    }
}

/// Takes a definition out of the ledger.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Remove {
    /// The hook
    pub name: String,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

/// The hook that is gone.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Removed {
    pub name: String,
    /// Deliveries in the outbox that nobody can send until it is defined again.
    pub waiting: u64,
}

impl Operation for Remove {
    type Output = Removed;
    const NAME: &'static str = "hook.remove";
    const ABOUT: &'static str = "Take a hook out of the ledger";
    const EXAMPLE: &'static str = "windlass hook remove on_done";
    const ACCESS: Access = Access::Admin;

    fn run(&self, cx: &mut Context) -> Result<Removed, Error> {
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        let source = cx.settings.source_of_hook(&self.name);
        cx.write(&actor, |tx| {
            let defined = tx.hook_named(&self.name)?;
            if defined.in_ledger.is_none() {
                return Err(in_settings(&self.name, &source).into());
            }
            tx.remove_hook(&defined)?;
            // The settings may define one of the same name, which counts from now on.
            let waiting = match tx.hook_named(&self.name) {
                Ok(_) => 0,
                Err(_) => tx.waiting_for_hook(&self.name)?,
            };
            Ok(Removed { name: self.name.clone(), waiting })
        })
    }
}

fn in_settings(name: &str, source: &str) -> Refusal {
    Refusal::new(Code::InvalidValue, format!("the hook '{name}' is not defined in the ledger"))
        .hint(format!("take [hooks.{name}] out of {source}"))
        .detail("hook", name)
        .detail("source", source)
}

impl Output for Removed {
    fn sheet(&self, _now: Time) -> Sheet {
        let sheet = Sheet::line(format!("hook {} is removed", self.name));
        match self.waiting {
            0 => sheet,
            1 => sheet.and_line("1 delivery of it still waits: define it again, or discard it"),
            count => sheet.and_line(format!(
                "{count} deliveries of it still wait: define it again, or discard them"
            )),
        }
    }
}
