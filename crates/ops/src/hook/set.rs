//! `hook set` and `hook remove`: definitions in the ledger.

use std::collections::BTreeMap;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::duration::Span;
use windlass_domain::hook::{
    Hook, MAX_ATTEMPTS, Secret, TIMEOUT, Target, Trigger, check_name, shown_header,
};
use windlass_domain::{Code, Refusal, Time};
use windlass_ledger::{Defined, Error};

use super::view::HookView;
use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;
use crate::view::usage;

/// Our own options, which a command takes for arguments of its own.
const OPTIONS: [&str; 9] = [
    "--on",
    "--url",
    "--header",
    "--secret",
    "--project",
    "--tag",
    "--max-attempts",
    "--timeout",
    "--author",
];

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
    /// The program that gets it on its standard input, with all that follows as its arguments, up to
    /// a `;`: give other options before it
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

/// The hook as it is defined now.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WasSet {
    #[serde(flatten)]
    pub hook: HookView,
    /// The ledger had defined it otherwise, or in the same way, before.
    pub replaced: bool,
    /// What may not be as it was meant.
    pub warnings: Vec<String>,
}

impl Operation for Set {
    type Output = WasSet;
    const NAME: &'static str = "hook.set";
    const ABOUT: &'static str = "Define a hook: what sets it off, and where it is sent";
    const EXAMPLE: &'static str =
        "windlass hook set on_done --url http://127.0.0.1:18789/ --secret '$KEY'";
    const ACCESS: Access = Access::Admin;

    fn run(&self, cx: &mut Context) -> Result<WasSet, Error> {
        let hook = self.definition()?.checked()?;
        hook.fit_for_ledger()?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            for project in &hook.projects {
                tx.project_named(project)?;
            }
            let is_same = |known: &Defined| known.hook.name == hook.name;
            let replaced =
                tx.hooks()?.iter().any(|known| known.in_ledger.is_some() && is_same(known));
            tx.set_hook(hook.clone())?;
            let warnings = warnings(&hook);
            Ok(WasSet { hook: HookView::new(&hook, "ledger"), replaced, warnings })
        })
    }
}

/// What may not be as it was meant.
fn warnings(hook: &Hook) -> Vec<String> {
    let mut warnings = Vec::new();
    match &hook.target {
        Target::Url { headers, .. } => {
            let literal = |(name, value): &(&String, &String)| {
                shown_header(value) != value.as_str() && may_be_secret(name, value)
            };
            warnings.extend(headers.iter().filter(literal).map(|(name, _)| {
                format!(
                    "the value of {name} is kept in the ledger for ever, where others can read it; \
                     if it is a secret, change it there and write $NAME here"
                )
            }));
        }
        Target::Command { argv } => {
            let is_ours =
                |word: &&String| OPTIONS.contains(&word.split('=').next().unwrap_or(word));
            warnings.extend(argv.iter().skip(1).filter(is_ours).map(|word| {
                format!("{word} is an argument of the command; options of hook set come before it")
            }));
        }
    }
    warnings
}

/// Whether a header looks as if it carries a credential.
fn may_be_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words = ["auth", "cookie", "key", "token", "secret", "password", "signature"];
    let schemes = ["bearer ", "basic ", "token "];
    words.iter().any(|word| name.contains(word))
        || schemes.iter().any(|scheme| value.to_ascii_lowercase().starts_with(scheme))
}

impl Set {
    fn definition(&self) -> Result<Hook, Refusal> {
        check_name(&self.name)?;
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

impl Output for WasSet {
    fn sheet(&self, _now: Time) -> Sheet {
        let Self { hook, replaced, warnings } = self;
        let became = if *replaced { "replaced" } else { "set" };
        let sheet = Sheet::line(format!("hook {} is {became}: {}", hook.name, hook.in_words()));
        warnings.iter().fold(sheet, |sheet, warning| sheet.and_line(format!("warning: {warning}")))
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
            let unknown = tx.waiting_for_unknown()?.into_iter();
            let of_this = unknown.filter(|(name, _)| *name == self.name);
            let waiting = of_this.map(|(_, count)| count).sum();
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
