//! `config`: every setting and where it came from.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_ledger::{Error, Location};

use crate::context::Context;
use crate::hook::HookView;
use crate::operation::{Access, Operation, Output, Place, Remotely};
use crate::settings::KEYS;
use crate::sheet::{Cell, Sheet};

/// Shows every setting and where it came from.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Config {}

/// The settings in force.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ConfigShown {
    pub settings: Vec<Setting>,
    /// The ledger this command would use, or the server that has it.
    pub db: Value,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Setting {
    pub key: String,
    pub value: Option<String>,
    pub source: String,
    pub about: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Value {
    pub value: String,
    pub source: String,
}

impl Operation for Config {
    type Output = ConfigShown;
    const NAME: &'static str = "config";
    const ABOUT: &'static str = "Show every setting and where it came from";
    const EXAMPLE: &'static str = "windlass config";
    const ACCESS: Access = Access::Read;
    const PLACE: Place = Place::Workplace;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, cx: &mut Context) -> Result<ConfigShown, Error> {
        let given = &cx.settings.given;
        let source =
            |key| given.get(key).map_or("default".to_owned(), |given| given.origin.to_string());
        let shown = |key: &str, value: String| match key {
            "database.url" => Location::parse(&value).to_string(),
            _ => value,
        };
        let keys = KEYS.iter().map(|key| Setting {
            key: key.name.to_owned(),
            value: given
                .get(key.name)
                .map(|given| shown(key.name, given.value.clone()))
                .or(key.default.map(str::to_owned)),
            source: source(key.name),
            about: key.about.to_owned(),
        });
        let hooks = cx.settings.hooks.iter().map(|defined| Setting {
            key: format!("hooks.{}", defined.hook.name),
            value: Some(HookView::new(&defined.hook, "").in_words()),
            source: defined.origin.to_string(),
            about: "a hook".to_owned(),
        });
        let settings = keys.chain(hooks).collect();
        let (value, key) = match &cx.remote {
            Some(remote) => (remote.url(), "server.url"),
            None => (cx.workplace.location.to_string(), "database.url"),
        };
        let db = Value { value, source: source(key) };
        Ok(ConfigShown { settings, db })
    }
}

impl Output for ConfigShown {
    fn sheet(&self, _now: Time) -> Sheet {
        let row = |setting: &Setting| {
            vec![
                setting.key.clone().into(),
                setting.value.clone().map_or_else(|| Cell::dim("–"), Cell::from),
                Cell::dim(&setting.source),
            ]
        };
        Sheet::default()
            .and_table(&["setting", "value", "from…"], self.settings.iter().map(row).collect())
            .and_line(Cell::dim(format!("ledger: {} ({})", self.db.value, self.db.source)))
    }
}
