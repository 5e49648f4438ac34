//! Settings: values from files, the environment and flags, each with where it came from.
//!
//! This module only interprets what a door has read. An unknown key or a wrong type is an error
//! that names the file, the line and the key.

mod hook_table;

use std::collections::BTreeMap;

use serde::Deserialize;
use windlass_domain::duration::Span;
use windlass_domain::hook::Hook;
use windlass_domain::near::near;
use windlass_domain::ownership::Required;
use windlass_domain::run::edit::OutsideEdits;
use windlass_domain::run::file::GateTimeout;
use windlass_domain::run::word::Gates;
use windlass_domain::{Code, Refusal};
use windlass_hands::remote::Address;
use windlass_ledger::Synchronous;

pub use hook_table::HOOK_KEYS;
use hook_table::{Placed, definition, line_of};

use crate::view::usage;

/// Every key, with its default and whether a repository's file may set it.
pub const KEYS: [Key; 15] = [
    Key {
        name: "agent",
        default: None,
        in_repository: true,
        about: "who acts when nobody is named",
    },
    Key {
        name: "project",
        default: None,
        in_repository: true,
        about: "the project of new tasks and claims",
    },
    Key {
        name: "claims.lease",
        default: None,
        in_repository: true,
        about: "the lease of a claim that names none",
    },
    Key {
        name: "claims.require",
        default: Some("nothing"),
        in_repository: false,
        about: "what must be shown to act on a held task: nothing, identity or fence",
    },
    Key {
        name: "workflows.auto_unpause",
        default: Some("false"),
        in_repository: false,
        about: "whether every task that delegate pauses goes on by itself: true or false",
    },
    Key {
        name: "runs.gates",
        default: Some("enforced"),
        in_repository: false,
        about: "who decides gates of runs: enforced asks a person, attested believes the caller",
    },
    Key {
        name: "runs.outside_edits",
        default: Some("refuse"),
        in_repository: false,
        about: "what becomes of a state file that another hand changed: refuse or adopt",
    },
    Key {
        name: "runs.check_timeout",
        default: Some("30m"),
        in_repository: false,
        about: "how long a check of a run may take that does not say so itself",
    },
    Key {
        name: "runs.gate_timeout",
        default: Some("never"),
        in_repository: false,
        about: "how long a run waits for a person before the answer is overdue: a duration, or never",
    },
    Key {
        name: "runs.browser",
        default: None,
        in_repository: false,
        about: "the browser for checks of pages; by default the first Chromium on the PATH",
    },
    Key {
        name: "database.url",
        default: None,
        in_repository: false,
        about: "the ledger: a path or a postgres:// address",
    },
    Key {
        name: "database.synchronous",
        default: Some("full"),
        in_repository: false,
        about: "full survives power loss; normal may lose the last commits then",
    },
    Key {
        name: "database.wait",
        default: Some("30s"),
        in_repository: false,
        about: "how long to wait for another writer",
    },
    Key {
        name: "server.url",
        default: None,
        in_repository: false,
        about: "the server that has the ledger: an http:// or https:// address",
    },
    Key {
        name: "display.format",
        default: None,
        in_repository: true,
        about: "text or json; by default text on a terminal",
    },
];

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    pub name: &'static str,
    pub default: Option<&'static str>,
    /// A repository's own file may set it: cloning must not decide where work is stored.
    pub in_repository: bool,
    pub about: &'static str,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    User(String),
    Repository(String),
    Environment(&'static str),
    Flag(&'static str),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::User(path) | Self::Repository(path) => f.write_str(path),
            Self::Environment(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// How close to a command something was said; the closest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    Default,
    File,
    Environment,
    Flag,
}

impl Origin {
    fn nearness(&self) -> Nearness {
        match self {
            Self::Default => Nearness::Default,
            Self::User(_) | Self::Repository(_) => Nearness::File,
            Self::Environment(_) => Nearness::Environment,
            Self::Flag(_) => Nearness::Flag,
        }
    }
}

/// A value and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    pub value: String,
    pub origin: Origin,
}

/// The settings in force.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub agent: Option<String>,
    pub project: Option<String>,
    pub claims_lease: Option<Span>,
    pub claims_require: Required,
    pub workflows_auto_unpause: bool,
    /// As somebody set it: not every door has the same default.
    pub runs_gates: Option<Gates>,
    pub runs_outside_edits: OutsideEdits,
    pub runs_check_timeout: Option<Span>,
    pub runs_gate_timeout: GateTimeout,
    pub runs_browser: Option<String>,
    pub database_url: Option<String>,
    pub database_synchronous: Synchronous,
    pub database_wait: Option<Span>,
    pub server_url: Option<Address>,
    pub display_format: Option<Format>,
}

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Text,
    Json,
}

impl Format {
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(one_of("format", text, &["text", "json"])),
        }
    }
}

/// A hook of the settings, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsHook {
    pub hook: Hook,
    pub origin: Origin,
}

/// The settings in force and where each came from.
#[derive(Debug, Clone, Default)]
pub struct Resolved {
    pub settings: Settings,
    pub given: BTreeMap<&'static str, Given>,
    /// `[hooks.NAME]`, by name.
    pub hooks: Vec<SettingsHook>,
    /// What was read and ignored, for the door to say.
    pub warnings: Vec<String>,
}

impl Resolved {
    /// On a ledger that many share, its own hooks count alone; those of the settings are ignored, which is
    /// said.
    pub fn warn_of_hooks(&mut self) {
        let ignored = self.hooks.iter().map(|SettingsHook { hook, origin }| {
            let name = &hook.name;
            format!(
                "{origin}: 'hooks.{name}' is ignored: on PostgreSQL only the ledger's hooks count"
            )
        });
        self.warnings.extend(ignored);
    }

    /// The server that has the ledger, unless a database is named closer by: flags come before
    /// variables, and those before files.
    pub fn server(&self) -> Result<Option<&Address>, Refusal> {
        let distance = |key| self.given.get(key).map(|given| given.origin.nearness());
        match (distance("server.url"), distance("database.url")) {
            (Some(Nearness::Flag), Some(Nearness::Flag)) => Err(usage(
                "give --db or --server, not both",
                "a server has its ledger; without --server the database is opened here",
            )),
            (Some(server), Some(database)) if server < database => Ok(None),
            _ => Ok(self.settings.server_url.as_ref()),
        }
    }

    /// A server has its own hooks; those of the settings here are ignored, which is said.
    pub fn warn_of_hooks_elsewhere(&mut self) {
        let ignored = self.hooks.iter().map(|SettingsHook { hook, origin }| {
            let name = &hook.name;
            format!("{origin}: 'hooks.{name}' is ignored: with a server only its own hooks count")
        });
        self.warnings.extend(ignored);
    }

    /// The file that defines a hook; nothing when none does.
    pub(crate) fn source_of_hook(&self, name: &str) -> String {
        let found = self.hooks.iter().find(|defined| defined.hook.name == name);
        found.map(|defined| defined.origin.to_string()).unwrap_or_default()
    }
}

/// Collects values, later ones winning.
#[derive(Debug, Default)]
pub struct Layers {
    given: BTreeMap<&'static str, Given>,
    hooks: Vec<SettingsHook>,
    warnings: Vec<String>,
}

impl Layers {
    /// Adds a user's file.
    pub fn user_file(&mut self, path: &str, text: &str) -> Result<(), Refusal> {
        let (values, hooks) = read(path, text)?;
        for (key, value) in values {
            self.given.insert(key.name, Given { value, origin: Origin::User(path.to_owned()) });
        }
        for (name, table) in hooks {
            let hook = definition(path, text, &name, table)?;
            self.hooks.push(SettingsHook { hook, origin: Origin::User(path.to_owned()) });
        }
        Ok(())
    }

    /// Adds a repository's file; what such a file may not decide is ignored and said.
    pub fn repository_file(&mut self, path: &str, text: &str) -> Result<(), Refusal> {
        let (values, hooks) = read(path, text)?;
        for (key, value) in values {
            if key.in_repository {
                let origin = Origin::Repository(path.to_owned());
                self.given.insert(key.name, Given { value, origin });
            } else {
                self.warnings.push(ignored(path, key.name));
            }
        }
        // Cloning a repository must not send anything anywhere.
        self.warnings.extend(hooks.keys().map(|name| ignored(path, &format!("hooks.{name}"))));
        Ok(())
    }

    /// Adds one value of the environment or a flag.
    pub fn set(&mut self, key: &'static str, value: String, origin: Origin) {
        self.given.insert(key, Given { value, origin });
    }

    /// Interprets the values.
    pub fn resolve(self) -> Result<Resolved, Refusal> {
        let mut settings = Settings::default();
        for (name, given) in &self.given {
            settings.take(name, &given.value).map_err(|refusal| {
                let message = format!("{}: {name}: {}", given.origin, refusal.message);
                Refusal { code: Code::SettingsInvalid, message, ..refusal }
                    .detail("key", *name)
                    .detail("origin", given.origin.to_string())
            })?;
        }
        let Self { given, hooks, warnings } = self;
        Ok(Resolved { settings, given, hooks, warnings })
    }
}

impl Settings {
    fn take(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        match name {
            "agent" => self.agent = Some(windlass_domain::text::name("agent", value)?),
            "project" => self.project = Some(windlass_domain::text::project_name(value)?),
            "claims.lease" => self.claims_lease = Some(Span::parse("lease", value)?),
            "claims.require" => {
                self.claims_require = match value {
                    "nothing" => Required::Nothing,
                    "identity" => Required::Identity,
                    "fence" => Required::Fence,
                    _ => return Err(one_of("require", value, &["nothing", "identity", "fence"])),
                }
            }
            "workflows.auto_unpause" => {
                self.workflows_auto_unpause = match value {
                    "true" => true,
                    "false" => false,
                    _ => return Err(one_of("auto_unpause", value, &["true", "false"])),
                }
            }
            "runs.gates" => {
                let words = ["enforced", "attested"];
                let gates =
                    Gates::from_text(value).ok_or_else(|| one_of("gates", value, &words))?;
                self.runs_gates = Some(gates);
            }
            "runs.outside_edits" => {
                self.runs_outside_edits = match value {
                    "refuse" => OutsideEdits::Refuse,
                    "adopt" => OutsideEdits::Adopt,
                    _ => return Err(one_of("outside_edits", value, &["refuse", "adopt"])),
                }
            }
            "runs.check_timeout" => {
                self.runs_check_timeout = Some(Span::parse("check_timeout", value)?);
            }
            "runs.gate_timeout" => {
                self.runs_gate_timeout = GateTimeout::parse("gate_timeout", value)?;
            }
            "runs.browser" => self.runs_browser = Some(value.to_owned()),
            "database.url" => self.database_url = Some(value.to_owned()),
            "database.synchronous" => {
                self.database_synchronous = match value {
                    "full" => Synchronous::Full,
                    "normal" => Synchronous::Normal,
                    _ => return Err(one_of("synchronous", value, &["full", "normal"])),
                }
            }
            "database.wait" => self.database_wait = Some(Span::parse_or_zero("wait", value)?),
            "server.url" => self.server_url = Some(address(value)?),
            "display.format" => self.display_format = Some(Format::parse(value)?),
            _ => {
                return Err(Refusal::new(
                    Code::SettingsInvalid,
                    format!("'{name}' is not a setting"),
                ));
            }
        }
        Ok(())
    }
}

/// The file as TOML sees it. Every value becomes a string, so that each is interpreted in one place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    agent: Option<String>,
    project: Option<String>,
    claims: Option<Claims>,
    workflows: Option<Workflows>,
    runs: Option<Runs>,
    database: Option<Database>,
    server: Option<ServerTable>,
    display: Option<Display>,
    #[serde(default)]
    hooks: BTreeMap<String, Placed>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    lease: Option<String>,
    require: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Workflows {
    auto_unpause: Option<bool>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Runs {
    gates: Option<String>,
    outside_edits: Option<String>,
    check_timeout: Option<String>,
    gate_timeout: Option<String>,
    browser: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Database {
    url: Option<String>,
    synchronous: Option<String>,
    wait: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerTable {
    url: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Display {
    format: Option<String>,
}

fn ignored(path: &str, key: &str) -> String {
    format!("{path}: '{key}' is ignored, a repository's file may not set it")
}

/// The values of a file by their keys, and its hooks by name.
type Contents = (Vec<(Key, String)>, BTreeMap<String, Placed>);

fn read(path: &str, text: &str) -> Result<Contents, Refusal> {
    let file: File = toml::from_str(text).map_err(|error| unreadable(path, text, &error))?;
    let (mut lease, mut require) = (None, None);
    if let Some(claims) = file.claims {
        (lease, require) = (claims.lease, claims.require);
    }
    let auto_unpause = file.workflows.and_then(|workflows| workflows.auto_unpause);
    let auto_unpause = auto_unpause.map(|value| value.to_string());
    let runs = file.runs.unwrap_or_default();
    let (mut url, mut synchronous, mut wait) = (None, None, None);
    if let Some(database) = file.database {
        (url, synchronous, wait) = (database.url, database.synchronous, database.wait);
    }
    let server = file.server.and_then(|server| server.url);
    let format = file.display.and_then(|display| display.format);
    let values = [
        file.agent,
        file.project,
        lease,
        require,
        auto_unpause,
        runs.gates,
        runs.outside_edits,
        runs.check_timeout,
        runs.gate_timeout,
        runs.browser,
        url,
        synchronous,
        wait,
        server,
        format,
    ];
    let values = KEYS.into_iter().zip(values).filter_map(|(key, value)| Some((key, value?)));
    Ok((values.collect(), file.hooks))
}

fn unreadable(path: &str, text: &str, error: &toml::de::Error) -> Refusal {
    let line = error.span().map_or(1, |span| line_of(text, &span));
    let key =
        error.message().split('`').nth(1).filter(|_| error.message().starts_with("unknown field"));
    let known = KEYS.iter().flat_map(|key| key.name.split('.'));
    let known = known.chain(HOOK_KEYS.iter().map(|(key, _)| *key));
    let mut suggestions = key.map(|key| near(key, known)).unwrap_or_default();
    suggestions.dedup();
    let what = match key {
        Some(key) => format!("'{key}' is not a setting"),
        None => error.message().trim_end().replace('\n', ", "),
    };
    Refusal::new(Code::SettingsInvalid, format!("{path}, line {line}: {what}"))
        .hint("correct or remove that line")
        .detail("file", path)
        .detail("line", line)
        .detail("key", key)
        .suggest(suggestions)
}

fn address(given: &str) -> Result<Address, Refusal> {
    Address::parse(given).map_err(|wrong| {
        Refusal::new(Code::InvalidValue, wrong.to_string())
            .hint("give it as http://127.0.0.1:7077 or https://host.example")
            .detail("field", "server")
    })
}

pub(crate) fn one_of(field: &str, given: &str, allowed: &[&str]) -> Refusal {
    Refusal::new(
        Code::InvalidValue,
        format!("{field} '{given}' is not one of {}", allowed.join(", ")),
    )
    .hint(format!("use {}", allowed.join(" or ")))
    .detail("field", field)
    .detail("given", given)
    .detail("allowed", allowed)
    .suggest(near(given, allowed.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_names_the_file_the_line_and_the_key() {
        let refusal = Layers::default()
            .user_file("config.toml", "agent = \"a\"\n\n[claims]\nleas = \"30m\"\n")
            .unwrap_err();
        assert_eq!(refusal.code, Code::SettingsInvalid);
        assert_eq!(refusal.message, "config.toml, line 4: 'leas' is not a setting");
        assert_eq!(refusal.suggestions, ["lease"]);
    }

    #[test]
    fn a_wrong_type_names_the_line() {
        let refusal =
            Layers::default().user_file("c.toml", "agent = \"a\"\nproject = 7\n").unwrap_err();
        assert!(refusal.message.starts_with("c.toml, line 2: "), "{}", refusal.message);
    }

    #[test]
    fn a_wrong_value_names_the_key_and_its_origin() {
        let mut layers = Layers::default();
        layers.user_file("c.toml", "[claims]\nlease = \"soon\"\n").unwrap();
        let refusal = layers.resolve().unwrap_err();
        assert_eq!(refusal.code, Code::SettingsInvalid);
        assert!(refusal.message.contains("c.toml: claims.lease"), "{}", refusal.message);
    }

    fn hooks_of(text: &str) -> Result<Vec<Hook>, Refusal> {
        let mut layers = Layers::default();
        layers.user_file("c.toml", text)?;
        Ok(layers.resolve()?.hooks.into_iter().map(|defined| defined.hook).collect())
    }

    #[test]
    fn a_hook_is_a_table_of_its_own() {
        let hooks = hooks_of(
            "[hooks.on_done]\nurl = 'http://127.0.0.1:1/x'\nsecret = '$S'\n\
             [hooks.on_done.headers]\nAuthorization = 'Bearer $TOKEN'\n\
             [hooks.mine]\non = 'on_blocked'\ncommand = ['notify', '-x']\nproject = 'api'\n\
             tags = ['a', 'b']\nmax_attempts = 2\ntimeout = '3s'\n",
        );
        let hooks = hooks.unwrap();
        let names: Vec<(&str, &str)> =
            hooks.iter().map(|hook| (hook.name.as_str(), hook.on.as_str())).collect();
        assert_eq!(names, [("mine", "on_blocked"), ("on_done", "on_done")]);
        let mine = &hooks[0];
        assert_eq!((mine.max_attempts, mine.timeout().as_millis()), (2, 3_000));
        assert_eq!((mine.projects.join(" "), mine.tags.join(" ")), ("api".into(), "a b".into()));
    }

    #[test]
    fn a_wrong_hook_names_the_file_the_line_and_the_key() {
        for (text, expected) in [
            ("agent='a'\n[hooks.x]\nurll='http://a/'\n", "c.toml, line 3: 'urll' is not a setting"),
            ("[hooks.x]\nurl=7\n", "c.toml, line 2: invalid type"),
            ("\n[hooks.x]\nurl='http://a/'\n", "c.toml, line 2: hooks.x: the hook 'x' does not"),
            ("[hooks.on_done]\nurl='ftp://a/'\n", "c.toml, line 1: hooks.on_done: the url"),
            ("[hooks.on_done]\n", "c.toml, line 1: hooks.on_done: a hook needs"),
            ("[hooks.on_done]\nurl='http://a/'\ncommand=['b']\n", "c.toml, line 1: hooks.on_done"),
            ("[hooks.on_done]\ncommand=['b']\nheaders={a='b'}\n", "c.toml, line 1: hooks.on_done"),
            ("[hooks.on_done]\nurl='http://a/'\ntimeout='9d'\n", "c.toml, line 1: hooks.on_done"),
            (
                "[hooks.on_done]\nurl='http://a/'\nmax_attempts=-1\n",
                "c.toml, line 3: invalid value",
            ),
            ("hooks = 3\n", "c.toml, line 1: invalid type"),
        ] {
            let refusal = hooks_of(text).unwrap_err();
            assert_eq!(refusal.code, Code::SettingsInvalid, "{text}");
            assert!(refusal.message.starts_with(expected), "{text}: {}", refusal.message);
        }
    }

    #[test]
    fn a_repository_cannot_define_hooks() {
        let mut layers = Layers::default();
        layers.repository_file("repo.toml", "[hooks.on_done]\ncommand = ['rm', '-rf']").unwrap();
        let resolved = layers.resolve().unwrap();
        assert_eq!(resolved.hooks, []);
        assert!(resolved.warnings[0].contains("hooks.on_done"), "{:?}", resolved.warnings);
    }

    #[test]
    fn later_layers_win_and_remember_where_they_came_from() {
        let mut layers = Layers::default();
        layers.user_file("user.toml", "agent = \"one\"").unwrap();
        layers.repository_file("repo.toml", "agent = \"two\"").unwrap();
        layers.set("agent", "three".into(), Origin::Environment("WINDLASS_AGENT"));
        let resolved = layers.resolve().unwrap();
        assert_eq!(resolved.settings.agent.as_deref(), Some("three"));
        assert_eq!(resolved.given["agent"].origin.to_string(), "WINDLASS_AGENT");
    }

    #[test]
    fn a_repository_cannot_redirect_the_ledger() {
        let mut layers = Layers::default();
        layers.repository_file("repo.toml", "[database]\nurl = \"/tmp/x.db\"").unwrap();
        let resolved = layers.resolve().unwrap();
        assert_eq!(resolved.settings.database_url, None);
        assert!(resolved.warnings[0].contains("database.url"));
    }

    #[test]
    fn what_is_said_closest_decides_between_a_server_and_a_database() {
        let file = "[server]\nurl='http://h'\n[database]\nurl='l.db'\n";
        let resolved = |set: &[(&'static str, Origin)]| {
            let mut layers = Layers::default();
            layers.user_file("c.toml", file).unwrap();
            for (key, origin) in set {
                layers.set(key, "http://near".to_owned(), origin.clone());
            }
            layers.resolve().unwrap()
        };
        let variable = || Origin::Environment("X");
        assert!(resolved(&[]).server().unwrap().is_some());
        assert!(resolved(&[("database.url", variable())]).server().unwrap().is_none());
        let both = [("database.url", variable()), ("server.url", variable())];
        assert!(resolved(&both).server().unwrap().is_some());
        let both = [("database.url", Origin::Flag("--db")), ("server.url", variable())];
        assert!(resolved(&both).server().unwrap().is_none());
        let both =
            [("database.url", Origin::Flag("--db")), ("server.url", Origin::Flag("--server"))];
        assert_eq!(resolved(&both).server().unwrap_err().code, Code::Usage);
    }

    #[test]
    fn a_repository_cannot_choose_the_server() {
        let mut layers = Layers::default();
        layers.repository_file("repo.toml", "[server]\nurl = 'http://elsewhere'").unwrap();
        let resolved = layers.resolve().unwrap();
        assert!(resolved.server().unwrap().is_none());
        assert!(resolved.warnings[0].contains("server.url"));
    }

    #[test]
    fn every_key_can_be_set_in_a_file() {
        let text = "agent='a'\nproject='p'\n[claims]\nlease='1h'\nrequire='fence'\n\
                    [workflows]\nauto_unpause=true\n[runs]\ngates='attested'\noutside_edits='adopt'\ncheck_timeout='1h'\ngate_timeout='4h'\nbrowser='b'\n[database]\nurl='x'\nsynchronous='normal'\nwait='5s'\n[server]\nurl='http://h'\n[display]\nformat='json'\n";
        let mut layers = Layers::default();
        layers.user_file("c.toml", text).unwrap();
        assert_eq!(layers.resolve().unwrap().given.len(), KEYS.len());
    }
}
