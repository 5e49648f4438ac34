//! `serve --print-systemd`: a unit under which systemd keeps a server running.

use std::path::{Path, PathBuf};

use windlass_ledger::Location;
use windlass_server::serve::LONGEST_STOP;

/// What the unit starts, and as whom.
pub(crate) struct Unit<'a> {
    pub(crate) program: &'a Path,
    pub(crate) user: &'a str,
    pub(crate) ledger: &'a Location,
    /// Where the server writes: the ledger and its token. All of them must be there.
    pub(crate) folders: Vec<PathBuf>,
    /// Arguments of `serve`, as they were given.
    pub(crate) arguments: Vec<String>,
}

impl Unit<'_> {
    pub(crate) fn text(&self) -> String {
        let mut words = vec![self.program.display().to_string(), "serve".to_owned()];
        words.extend(self.arguments.iter().cloned());
        let environment = match self.ledger {
            Location::Sqlite(path) => {
                words.extend(["--db".to_owned(), path.display().to_string()]);
                String::new()
            }
            // Its address may hold a password, and a unit is readable by everybody.
            Location::Postgres(_) => "\
                # A file that only root can read, with one line: WINDLASS_DB=postgres://…\n\
                EnvironmentFile=/etc/windlass.env\n"
                .to_owned(),
        };
        let command = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        let folders = self.folders.iter().map(|folder| quoted(&folder.display().to_string()));
        let folders = folders.collect::<Vec<_>>().join(" ");
        let writes = match folders.is_empty() {
            true => String::new(),
            false => {
                format!("# These must be there, else nothing starts.\nReadWritePaths={folders}\n")
            }
        };
        let stop = LONGEST_STOP.as_secs();
        format!(
            "\
# /etc/systemd/system/windlass.service
# Start it: systemctl daemon-reload && systemctl enable --now windlass
# Its log: journalctl -u windlass
[Unit]
Description=Windlass: the ledger over the network
After=network-online.target
Wants=network-online.target

[Service]
Type=exec
User={user}
{environment}ExecStart={command}
Restart=on-failure
RestartSec=1
# What was begun is finished within {stop} seconds.
TimeoutStopSec={patience}
LimitNOFILE=16384
UMask=0077

NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=read-only
{writes}PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
LockPersonality=yes
MemoryDenyWriteExecute=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service

[Install]
WantedBy=multi-user.target
",
            user = self.user,
            patience = stop + 5,
        )
    }
}

/// The user whose process this is: by name, where the machine's own list has one, else by number.
/// What the environment calls a user may be nobody that systemd knows.
pub(crate) fn user() -> String {
    let id = rustix::process::getuid().as_raw();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    name_of(id, &users).map_or_else(|| id.to_string(), str::to_owned)
}

fn name_of(id: u32, users: &str) -> Option<&str> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?);
        (number.parse() == Ok(id) && !name.is_empty()).then_some(name)
    })
}

/// A word as systemd reads it: percent signs and dollars mean something to it, and spaces part words.
fn quoted(word: &str) -> String {
    let escaped =
        word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    let is_plain = !escaped.is_empty()
        && escaped.chars().all(|letter| !letter.is_whitespace() && !"'\"\\;".contains(letter));
    if is_plain { escaped } else { format!("\"{escaped}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(ledger: &Location) -> String {
        let unit = Unit {
            program: Path::new("/usr/local/bin/windlass"),
            user: "anna",
            ledger,
            folders: vec![PathBuf::from("/home/anna/.local/share/windlass")],
            arguments: vec!["--listen".to_owned(), "127.0.0.1:7077".to_owned()],
        };
        unit.text()
    }

    #[test]
    fn the_unit_starts_the_server_with_its_ledger() {
        let text = unit(&Location::Sqlite(PathBuf::from("/srv/my ledger.db")));
        let start = "ExecStart=/usr/local/bin/windlass serve --listen 127.0.0.1:7077 \
                     --db \"/srv/my ledger.db\"\n";
        assert!(text.contains(start), "{text}");
    }

    #[test]
    fn a_password_is_not_in_the_unit() {
        let text = unit(&Location::parse("postgres://anna:hunter2@db/windlass"));
        assert!(!text.contains("hunter2"), "{text}");
        assert!(text.contains("EnvironmentFile="), "{text}");
    }

    #[test]
    fn a_user_is_found_by_number() {
        let users = "root:x:0:0:root:/root:/bin/sh\n# odd\nanna:x:1000:1000::/home/anna:/bin/sh\n";
        assert_eq!(name_of(1000, users), Some("anna"));
        assert_eq!(name_of(0, users), Some("root"));
        assert_eq!(name_of(7, users), None);
    }

    #[test]
    fn words_mean_what_they_say() {
        assert_eq!(quoted("/a/b-c.db"), "/a/b-c.db");
        assert_eq!(quoted("a b"), "\"a b\"");
        assert_eq!(quoted("100%"), "100%%");
        assert_eq!(quoted("a\"b"), "\"a\\\"b\"");
        assert_eq!(quoted(""), "\"\"");
    }
}
