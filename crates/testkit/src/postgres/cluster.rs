//! A PostgreSQL server of our own: made by `initdb`, reached through a Unix socket only.
//!
//! The server is the child of a small guard, a shell that takes orders from a pipe. When the pipe
//! ends, because we dropped the cluster or because we were killed, the guard stops the server and
//! removes its files: nothing is left behind even by a test that is killed for taking too long.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::{Error, Server, USER};
use crate::{machine, wait};

/// What makes a throw-away server fast, and keeps it from leaving shared memory behind.
const SETTINGS: &str = "
listen_addresses = ''
max_connections = 300
fsync = off
full_page_writes = off
dynamic_shared_memory_type = mmap
timezone = 'UTC'
log_timezone = 'UTC'
";

/// The longest path of a socket is 107 bytes, so sockets do not go below the folder of the data.
const SOCKETS_BELOW: &str = "/tmp";

/// Line 7 of `postmaster.pid` holds the key and the id of a memory segment that outlives a kill.
const GUARD: &str = r#"
postgres=$1 folder=$2 sockets=$3
exec 2>>"$folder/log"
server=
stop() {
    test -n "$server" || return
    kill -s "$1" "$server"
    wait "$server"
    server=
}
while read -r order; do
    case $order in
        start) "$postgres" -D "$folder/data" -k "$sockets" </dev/null >>"$folder/log" & server=$! ;;
        stop) stop INT ;;
    esac
    echo "$server"
done
stop QUIT
segment=$(sed -n '7s/.* //p' "$folder/data/postmaster.pid") && ipcrm -m "$segment"
rm -rf "$folder" "$sockets"
"#;

/// A server and its files, both gone when this is dropped.
#[derive(Debug)]
pub struct Cluster {
    folder: PathBuf,
    sockets: PathBuf,
    guard: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// The process of the server while it runs.
    server: Option<Pid>,
}

impl Cluster {
    /// Makes a cluster in a folder that is absent or empty, and starts its server.
    pub fn start(folder: &Path) -> Result<Self, Error> {
        let initdb = machine::find("initdb").ok_or(Error::Missing("initdb"))?;
        let postgres = machine::find("postgres").ok_or(Error::Missing("postgres"))?;
        let owner = owner()?;
        let sockets = prepare(folder, owner)?;
        let mut guard = start_guard(&postgres, folder, &sockets, owner)?;
        let (Some(orders), Some(answers)) = (guard.stdin.take(), guard.stdout.take()) else {
            return Err(Error::NotStarted("the guard has no pipes".into()));
        };
        let mut cluster = Self {
            folder: folder.to_owned(),
            sockets,
            guard,
            orders: Some(orders),
            answers: BufReader::new(answers),
            server: None,
        };
        // From here on the guard cleans up, whatever fails.
        make(&initdb, folder, owner)?;
        cluster.bring_up()?;
        cluster.server().found()?;
        Ok(cluster)
    }

    /// The same in a temporary folder.
    pub fn temporary() -> Result<Self, Error> {
        let folder = tempfile::Builder::new()
            .prefix("windlass-postgres-")
            .tempdir()
            .map_err(|error| Error::Io("make a folder for PostgreSQL".into(), error))?;
        Self::start(&folder.keep())
    }

    /// How to reach the server.
    pub fn server(&self) -> Server {
        Server::at(&self.sockets)
    }

    /// The folder that holds the socket.
    pub fn sockets(&self) -> &Path {
        &self.sockets
    }

    /// Kills the server and all its processes without a warning; it stays away until a restart.
    pub fn kill(&mut self) -> Result<(), Error> {
        if let Some(server) = self.server.take() {
            // Halted, it starts no backend that the list would miss.
            kill_process(server, Signal::STOP).ok();
            let mut processes = children_of(server);
            processes.push(server);
            for process in &processes {
                // A backend may have ended since it was listed.
                kill_process(*process, Signal::KILL).ok();
            }
            // Until the last is gone its memory keeps the data from being opened again.
            wait::happens(|| !processes.iter().any(|process| is_alive(*process)));
        }
        self.order("stop").map(drop)
    }

    /// Stops the server in good order unless it is away already, and starts it on the same data.
    pub fn restart(&mut self) -> Result<(), Error> {
        self.order("stop")?;
        self.bring_up()
    }

    /// Stops the server and removes its files, which dropping does too.
    pub fn stop(self) {
        drop(self);
    }

    fn bring_up(&mut self) -> Result<(), Error> {
        let answer = self.order("start")?;
        self.server = answer.trim().parse().ok().and_then(Pid::from_raw);
        let Some(server) = self.server else {
            return Err(self.not_started());
        };
        let connection = self.server();
        let mut answered = false;
        wait::happens(|| {
            answered = connection.admin().is_ok();
            answered || !is_alive(server)
        });
        if answered { Ok(()) } else { Err(self.not_started()) }
    }

    /// Gives the guard an order and waits until it has carried it out.
    fn order(&mut self, order: &str) -> Result<String, Error> {
        let Self { orders, answers, .. } = self;
        let mut speak = || {
            let orders = orders.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
            writeln!(orders, "{order}")?;
            let mut answer = String::new();
            answers.read_line(&mut answer)?;
            Ok(answer)
        };
        speak()
            .map_err(|error| Error::Io(format!("tell the guard of PostgreSQL to {order}"), error))
    }

    fn not_started(&self) -> Error {
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        Error::NotStarted(
            lines.get(lines.len().saturating_sub(20)..).unwrap_or_default().join("\n"),
        )
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.orders.take());
        // The guard speaks no more; reading to the end waits until it is gone.
        self.answers.read_to_end(&mut Vec::new()).ok();
        self.guard.wait().ok();
        // The guard may lack the right to remove the folders themselves from where they lie.
        fs::remove_dir_all(&self.folder).ok();
        fs::remove_dir_all(&self.sockets).ok();
    }
}

/// The user and group to be when we are root.
type Owner = Option<(u32, u32)>;

fn owner() -> Result<Owner, Error> {
    if !machine::is_root() {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd")
        .map_err(|error| Error::Io("read /etc/passwd".into(), error))?;
    let named = |name| users.lines().find_map(|line| ids_of(line, name));
    named("postgres").or_else(|| named("nobody")).map(Some).ok_or(Error::NoUser)
}

fn ids_of(line: &str, name: &str) -> Owner {
    let mut fields = line.split(':');
    if fields.next() != Some(name) {
        return None;
    }
    Some((fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?))
}

/// Makes the folder of the cluster and the one of its socket, both its owner's.
fn prepare(folder: &Path, owner: Owner) -> Result<PathBuf, Error> {
    let io = |error| Error::Io(format!("prepare {}", folder.display()), error);
    fs::create_dir_all(folder).map_err(io)?;
    if fs::read_dir(folder).map_err(io)?.next().is_some() {
        return Err(Error::NotEmpty(folder.to_owned()));
    }
    let made = tempfile::Builder::new().prefix("windlass-sockets-").tempdir_in(SOCKETS_BELOW);
    let sockets = made.map_err(|error| Error::Io("make a folder for the socket".into(), error))?;
    if let Some((user, group)) = owner {
        chown(folder, Some(user), Some(group)).map_err(io)?;
        chown(sockets.path(), Some(user), Some(group)).map_err(io)?;
    }
    Ok(sockets.keep())
}

fn make(initdb: &Path, folder: &Path, owner: Owner) -> Result<(), Error> {
    let data = folder.join("data");
    let output = as_owner(initdb, owner)
        .args(["--auth=trust", "--locale=C", "--encoding=UTF8", "--no-sync", "--no-instructions"])
        .arg(format!("--username={USER}"))
        .arg("--pgdata")
        .arg(&data)
        .output()
        .map_err(|error| Error::Io("start initdb".into(), error))?;
    if !output.status.success() {
        return Err(Error::Initdb(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    OpenOptions::new()
        .append(true)
        .open(data.join("postgresql.conf"))
        .and_then(|mut file| file.write_all(SETTINGS.as_bytes()))
        .map_err(|error| Error::Io("write the settings of PostgreSQL".into(), error))
}

/// In a process group of its own, so that a Ctrl-C in the terminal does not reach it.
fn start_guard(
    postgres: &Path,
    folder: &Path,
    sockets: &Path,
    owner: Owner,
) -> Result<Child, Error> {
    as_owner(Path::new("/bin/sh"), owner)
        .args(["-c", GUARD, "guard"])
        .args([postgres, folder, sockets])
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| Error::Io("start the guard of PostgreSQL".into(), error))
}

/// A program with the owner's rights and nothing in its environment that PostgreSQL would heed.
fn as_owner(program: &Path, owner: Owner) -> Command {
    let mut command = machine::command(program);
    command.env_clear().env("TZ", "UTC").current_dir("/").stdin(Stdio::null());
    if let Some(path) = machine::variable("PATH") {
        command.env("PATH", path);
    }
    if let Some((user, group)) = owner {
        command.uid(user).gid(group);
    }
    command
}

/// The parent and the state (`S`, `R`, `Z`…) of a process.
fn parent_and_state(process: &str) -> Option<(i32, char)> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in brackets, may hold anything; what follows the last bracket is plain.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((fields.next()?.parse().ok()?, state))
}

fn is_alive(process: Pid) -> bool {
    let state = parent_and_state(&process.as_raw_nonzero().to_string());
    state.is_some_and(|(_, state)| state != 'Z')
}

fn children_of(parent: Pid) -> Vec<Pid> {
    let Ok(processes) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    processes
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let process: i32 = name.to_str()?.parse().ok()?;
            let (of, _) = parent_and_state(name.to_str()?)?;
            (of == parent.as_raw_nonzero().get()).then(|| Pid::from_raw(process))?
        })
        .collect()
}
