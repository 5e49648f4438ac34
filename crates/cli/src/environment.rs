//! Everything the process takes from outside, read once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_domain::op::OpId;
use windlass_domain::{Code, Refusal};
use windlass_hands::remote::{Address, Server};
use windlass_ledger::Location;
use windlass_ops::context::{Surroundings, Variables, Wishes};
use windlass_ops::remote::Remote;
use windlass_ops::settings::{Format, Layers, Origin, Resolved};
use windlass_ops::{Context, Workplace};

use crate::command::Flags;
use crate::elsewhere;
use crate::terminal::Look;

/// Variables that set a value of the settings.
pub(crate) const VARIABLES: [(&str, &str); 15] = [
    ("WINDLASS_AGENT", "agent"),
    ("WINDLASS_PROJECT", "project"),
    ("WINDLASS_CLAIMS_LEASE", "claims.lease"),
    ("WINDLASS_CLAIMS_REQUIRE", "claims.require"),
    ("WINDLASS_WORKFLOWS_AUTO_UNPAUSE", "workflows.auto_unpause"),
    ("WINDLASS_RUNS_GATES", "runs.gates"),
    ("WINDLASS_RUNS_OUTSIDE_EDITS", "runs.outside_edits"),
    ("WINDLASS_RUNS_CHECK_TIMEOUT", "runs.check_timeout"),
    ("WINDLASS_RUNS_GATE_TIMEOUT", "runs.gate_timeout"),
    ("WINDLASS_RUNS_BROWSER", "runs.browser"),
    ("WINDLASS_DB", "database.url"),
    ("WINDLASS_DATABASE_SYNCHRONOUS", "database.synchronous"),
    ("WINDLASS_DATABASE_WAIT", "database.wait"),
    ("WINDLASS_SERVER", "server.url"),
    ("WINDLASS_FORMAT", "display.format"),
];

/// The arguments, variables and working folder of this process.
pub(crate) struct Environment {
    arguments: Vec<OsString>,
    variables: BTreeMap<String, String>,
    /// Variables of ours that are not UTF-8.
    unreadable: Vec<String>,
}

impl Environment {
    pub(crate) fn read() -> Self {
        let mut variables = BTreeMap::new();
        let mut unreadable = Vec::new();
        for (name, value) in std::env::vars_os() {
            let Ok(name) = name.into_string() else { continue };
            match value.into_string() {
                Ok(value) => drop(variables.insert(name, value)),
                Err(_) if name.starts_with("WINDLASS_") => unreadable.push(name),
                Err(_) => {}
            }
        }
        Self { arguments: std::env::args_os().collect(), variables, unreadable }
    }

    pub(crate) fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// The format by the environment, for errors before the settings are read.
    pub(crate) fn format(&self) -> Option<Format> {
        Format::parse(self.variable("WINDLASS_FORMAT")?).ok()
    }

    /// What the terminal can show, and the person wants to see.
    pub(crate) fn look(&self) -> Look {
        match (self.variable("TERM"), self.variable("NO_COLOR")) {
            (Some("dumb"), _) => Look::Dumb,
            (_, Some(_)) => Look::Plain,
            (_, None) => Look::Colour,
        }
    }

    /// A variable that is set to something.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    pub(crate) fn context(&self, flags: Flags) -> Result<Context, Refusal> {
        if let Some(name) = self.unreadable.first() {
            return Err(Refusal::new(Code::InvalidValue, format!("{name} is not valid UTF-8"))
                .hint("unset it, or set it to plain text")
                .detail("field", name));
        }
        let op_id = flags.op_id.as_deref().map(OpId::parse).transpose()?;
        let mut settings = self.settings(&flags)?;
        let address = settings.server()?.cloned();
        let location = match (&settings.settings.database_url, self.data_folder()) {
            (Some(text), _) => Location::parse(&self.expand_home(text)),
            (None, Ok(folder)) => Location::Sqlite(folder.join("windlass").join("ledger.db")),
            // It is the server's affair.
            (None, Err(_)) if address.is_some() => Location::Sqlite(PathBuf::new()),
            (None, Err(refusal)) => return Err(refusal),
        };
        match (&address, &location) {
            (Some(_), _) => settings.warn_of_hooks_elsewhere(),
            (None, Location::Postgres(_)) => settings.warn_of_hooks(),
            (None, Location::Sqlite(_)) => {}
        }
        let mut workplace = Workplace::new(location);
        let own_folder = || self.data_folder().ok().map(|folder| folder.join("windlass"));
        workplace.folder = workplace.folder.or_else(own_folder);
        if let Some(wait) = settings.settings.database_wait {
            workplace.wait = Duration::from_millis(u64::try_from(wait.as_millis()).unwrap_or(0));
        }
        workplace.synchronous = settings.settings.database_synchronous;
        workplace.purpose = flags.purpose;
        let surroundings = Surroundings {
            agent: settings.settings.agent.clone(),
            user: self.user(),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            editor: self.variable("VISUAL").or(self.variable("EDITOR")).map(str::to_owned),
            fence: self.fence()?,
            variables: Variables::new(self.variables.clone()),
            folder: std::env::current_dir().ok(),
            program: std::env::current_exe().ok(),
            wishes: Wishes {
                run: self.variable("WINDLASS_RUN").map(str::to_owned),
                ..Wishes::default()
            },
            door: flags.door,
            ..Surroundings::default()
        };
        let mut cx = Context::new(workplace, surroundings, settings);
        cx.op_id = op_id;
        cx.remote = address.map(|address| self.server(address, &cx)).transpose()?.map(Remote::new);
        Ok(cx)
    }

    /// A server, and what is shown to it. A key is a variable and no argument, which others on this
    /// machine could read.
    fn server(&self, address: Address, cx: &Context) -> Result<Server, Refusal> {
        let tokens = self.token_folder().ok();
        let key = self.variable("WINDLASS_KEY");
        let (address, credential) = elsewhere::credential(address, key, tokens)?;
        let headers = elsewhere::headers(&credential, cx);
        Ok(Server { address, credential, headers })
    }

    fn settings(&self, flags: &Flags) -> Result<Resolved, Refusal> {
        let mut layers = Layers::default();
        if let Ok(folder) = self.config_folder() {
            let path = folder.join("windlass").join("config.toml");
            if let Some(text) = read_if_there(&path)? {
                layers.user_file(&path.display().to_string(), &text)?;
            }
        }
        if let Some((path, text)) = repository_file()? {
            layers.repository_file(&path.display().to_string(), &text)?;
        }
        for (variable, key) in VARIABLES {
            if let Some(value) = self.variable(variable) {
                layers.set(key, value.to_owned(), Origin::Environment(variable));
            }
        }
        if let Some(db) = &flags.db {
            layers.set("database.url", db.clone(), Origin::Flag("--db"));
        }
        if let Some(server) = &flags.server {
            layers.set("server.url", server.clone(), Origin::Flag("--server"));
        }
        if let Some(agent) = &flags.agent {
            layers.set("agent", agent.clone(), Origin::Flag("--agent"));
        }
        layers.resolve()
    }

    fn fence(&self) -> Result<Option<(String, u64)>, Refusal> {
        let (Some(task), Some(fence)) =
            (self.variable("WINDLASS_TASK"), self.variable("WINDLASS_FENCE"))
        else {
            return Ok(None);
        };
        let number = fence.parse().map_err(|_| {
            Refusal::new(Code::InvalidValue, format!("WINDLASS_FENCE '{fence}' is not a number"))
                .hint("unset it, or set it to the fence that the claim answered")
                .detail("field", "WINDLASS_FENCE")
                .detail("given", fence)
        })?;
        Ok(Some((task.to_owned(), number)))
    }

    /// The user of the machine, if that is a name we would take from anybody.
    fn user(&self) -> String {
        let name = self.variable("USER").or(self.variable("LOGNAME"));
        let name = name.and_then(|name| windlass_domain::text::name("user", name).ok());
        name.unwrap_or_else(|| "somebody".to_owned())
    }

    fn home(&self) -> Result<PathBuf, Refusal> {
        self.variable("HOME").map(PathBuf::from).ok_or_else(|| {
            Refusal::new(Code::InvalidValue, "there is no HOME to keep the ledger in")
                .hint("name the ledger: windlass --db PATH, or set WINDLASS_DB")
                .detail("field", "HOME")
        })
    }

    fn data_folder(&self) -> Result<PathBuf, Refusal> {
        match self.variable("XDG_DATA_HOME") {
            Some(folder) => Ok(PathBuf::from(folder)),
            None => Ok(self.home()?.join(".local").join("share")),
        }
    }

    /// Where the tokens of servers on this machine are.
    pub(crate) fn token_folder(&self) -> Result<PathBuf, Refusal> {
        Ok(self.data_folder()?.join("windlass").join("serve"))
    }

    fn config_folder(&self) -> Result<PathBuf, Refusal> {
        match self.variable("XDG_CONFIG_HOME") {
            Some(folder) => Ok(PathBuf::from(folder)),
            None => Ok(self.home()?.join(".config")),
        }
    }

    fn expand_home(&self, text: &str) -> String {
        match (text.strip_prefix("~/"), self.home()) {
            (Some(rest), Ok(home)) => home.join(rest).display().to_string(),
            _ => text.to_owned(),
        }
    }
}

/// `.windlass/config.toml` of this folder or the nearest one above it.
fn repository_file() -> Result<Option<(PathBuf, String)>, Refusal> {
    let Ok(here) = std::env::current_dir() else {
        return Ok(None);
    };
    for folder in here.ancestors() {
        let path = folder.join(".windlass").join("config.toml");
        if let Some(text) = read_if_there(&path)? {
            return Ok(Some((path, text)));
        }
    }
    Ok(None)
}

fn read_if_there(path: &Path) -> Result<Option<String>, Refusal> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error)
            if matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(Refusal::new(
            Code::SettingsInvalid,
            format!("{} cannot be read: {error}", path.display()),
        )
        .hint("check its permissions, and that it is UTF-8 text")
        .detail("file", path.display().to_string())),
    }
}
