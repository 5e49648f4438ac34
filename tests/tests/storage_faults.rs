//! What the world does to a ledger: locked, read-only, full, damaged, newer, somebody else's, away.
//!
//! Each ends with exit code 5, a code of its own and a hint; nothing is written, and when the world
//! is in order again the same command succeeds.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a fault that cannot be brought about ends its test"
)]

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use windlass_testkit::home::binary;
use windlass_testkit::postgres::{Cluster, Database, shared};
use windlass_testkit::trace::{Hit, Trace};
use windlass_testkit::{Outcome, Run, machine, wait};
use windlass_tests::ledgers::{Ledger, error_of, text};

const ADD: [&str; 3] = ["task", "add", "one more"];

/// A ledger file with something in it.
#[track_caller]
fn used_ledger() -> Ledger {
    let ledger = Ledger::on_sqlite();
    for _ in 0..3 {
        let _task = ledger.add(&[]);
    }
    ledger
}

/// The same command, which gives up waiting after a second.
#[track_caller]
fn impatient(ledger: &Ledger, args: &[&str]) -> Run {
    ledger.windlass(args).env("WINDLASS_DATABASE_WAIT", "1s")
}

/// What a writer is told who waited for as long as it was ready to.
#[track_caller]
fn waits_in_vain(ledger: &Ledger) -> Value {
    let started = Instant::now();
    let outcome = impatient(ledger, &ADD).run();
    let waited = started.elapsed();
    assert!(waited >= Duration::from_secs(1), "waited only {waited:?}");
    error_of(&outcome, "ledger_locked", 5)
}

/// The ledger is as it was, sound, and takes the next event.
#[track_caller]
fn unharmed(ledger: &Ledger, events_before: u64) {
    assert_eq!(ledger.events(), events_before);
    let examined = ledger.answer(&["doctor", "--rebuild"]);
    assert_eq!(examined["healthy"], true, "{examined}");
    let _task = ledger.answer(&ADD);
    assert_eq!(ledger.events(), events_before + 1);
}

/// Every file of a folder with its contents.
#[track_caller]
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|file| (file.path(), fs::read(file.path()).unwrap_or_default())).collect()
}

fn sqlite(path: impl AsRef<Path>) -> rusqlite::Connection {
    rusqlite::Connection::open(path).unwrap()
}

mod locked {
    use super::*;

    /// The lock of the writers of a ledger, taken as another Windlass would take it.
    #[track_caller]
    fn lock_of(ledger: &Ledger) -> File {
        let path = format!("{}.lock", ledger.address);
        let mut lock = File::options().read(true).write(true).open(path).unwrap();
        lock.lock().unwrap();
        lock.set_len(0).unwrap();
        lock.write_all(b"4242 windlass import\n").unwrap();
        lock
    }

    #[test]
    fn a_ledger_that_another_windlass_writes_is_waited_for_and_then_its_holder_is_named() {
        let ledger = used_ledger();
        let before = ledger.events();
        let lock = lock_of(&ledger);
        let error = waits_in_vain(&ledger);
        let message = text(&error["message"]);
        assert!(message.contains("4242") && message.contains("windlass import"), "{error}");
        assert_eq!(error["details"]["holder"], "4242 windlass import", "{error}");
        // Who only reads does not wait.
        assert_eq!(ledger.answer(&["task", "list"])["total"], 3);
        lock.unlock().unwrap();
        unharmed(&ledger, before);
    }

    #[test]
    fn a_writer_goes_on_as_soon_as_the_one_before_it_ends() {
        let ledger = used_ledger();
        let before = ledger.events();
        let lock = lock_of(&ledger);
        let run = ledger.windlass(&ADD);
        let child = run.spawn();
        let waiting = format!("-> FLOCK  ADVISORY  WRITE {} ", child.id());
        wait::until("the writer waits for the lock", || {
            fs::read_to_string("/proc/locks").unwrap().contains(&waiting)
        });
        assert_eq!(ledger.events(), before);
        lock.unlock().unwrap();
        let _added = run.finish(child).ok();
        unharmed(&ledger, before + 1);
    }

    #[test]
    fn a_ledger_that_another_program_writes_is_waited_for_and_then_given_up() {
        let ledger = used_ledger();
        let before = ledger.events();
        let browser = sqlite(&ledger.address);
        browser.execute_batch("BEGIN IMMEDIATE").unwrap();
        let error = waits_in_vain(&ledger);
        assert!(text(&error["message"]).contains("not windlass"), "{error}");
        assert_eq!(ledger.answer(&["task", "list"])["total"], 3);
        browser.execute_batch("ROLLBACK").unwrap();
        unharmed(&ledger, before);
    }

    #[test]
    fn a_ledger_that_another_program_keeps_to_itself_cannot_be_read_either() {
        let ledger = used_ledger();
        let before = ledger.events();
        let browser = sqlite(&ledger.address);
        let keep = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT";
        browser.execute_batch(keep).unwrap();
        for args in [&["task", "list"][..], &ADD, &["doctor"]] {
            let _error = error_of(&impatient(&ledger, args).run(), "ledger_locked", 5);
        }
        drop(browser);
        unharmed(&ledger, before);
    }
}

mod read_only {
    use super::*;

    /// A ledger in a folder that everybody may look into, and a binary that everybody may run.
    struct Shown {
        ledger: Ledger,
        folder: PathBuf,
        windlass: PathBuf,
    }

    impl Shown {
        #[track_caller]
        fn new() -> Self {
            let ledger = used_ledger();
            let folder = PathBuf::from(&ledger.address).parent().unwrap().to_owned();
            let windlass = ledger.home.path().join("windlass");
            fs::copy(binary(), &windlass).unwrap();
            for folder in folder.ancestors().take_while(|it| it.starts_with(ledger.home.path())) {
                fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
            }
            fs::set_permissions(&windlass, Permissions::from_mode(0o755)).unwrap();
            Self { ledger, folder, windlass }
        }

        #[track_caller]
        fn set_modes(&self, files: u32, folder: u32) {
            for file in contents(&self.folder).keys() {
                fs::set_permissions(file, Permissions::from_mode(files)).unwrap();
            }
            fs::set_permissions(&self.folder, Permissions::from_mode(folder)).unwrap();
        }

        /// A run by a user whom permissions bind, unlike root.
        fn by_nobody(&self, args: &[&str]) -> Outcome {
            let words = [self.windlass.to_str().unwrap()].into_iter().chain(args.iter().copied());
            let run = if machine::is_root() {
                let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"];
                self.ledger.home.program("setpriv").args(nobody).args(words)
            } else {
                self.ledger.home.program(&self.windlass).args(args)
            };
            run.db(&self.ledger.address).cwd("/").run()
        }
    }

    #[test]
    fn a_ledger_that_may_not_be_written_can_still_be_read() {
        let shown = Shown::new();
        let before = shown.ledger.events();
        for (files, folder) in [(0o444, 0o555), (0o444, 0o777), (0o666, 0o555)] {
            shown.set_modes(files, folder);
            let case = format!("files {files:o}, folder {folder:o}");
            assert_eq!(shown.by_nobody(&["task", "list"]).ok().json()["total"], 3, "{case}");
            if files & 0o222 == 0 {
                let _error = error_of(&shown.by_nobody(&ADD), "ledger_read_only", 5);
            }
        }
        shown.set_modes(0o644, 0o755);
        unharmed(&shown.ledger, before);
    }

    #[test]
    fn a_ledger_that_may_not_be_read_is_out_of_reach() {
        let shown = Shown::new();
        let before = shown.ledger.events();
        shown.set_modes(0o000, 0o755);
        for args in [&["task", "list"][..], &ADD] {
            let _error = error_of(&shown.by_nobody(args), "ledger_unreachable", 5);
        }
        shown.set_modes(0o644, 0o755);
        unharmed(&shown.ledger, before);
    }

    #[test]
    fn a_ledger_is_not_made_where_nothing_may_be_made() {
        let shown = Shown::new();
        for path in ["new.db", "new/folder/new.db"] {
            let path = shown.folder.join(path);
            let db = ["--db", path.to_str().unwrap()];
            let outcome = shown.by_nobody(&[&db[..], &ADD].concat());
            let _error = error_of(&outcome, "ledger_unreachable", 5);
            assert!(!path.exists());
        }
    }
}

mod full {
    use super::*;

    /// Lets every call of that name on that file fail, from the first on, then from the second on,
    /// and so forth: each run either changed nothing and said so, or did all it was asked for.
    #[track_caller]
    fn at_every(call: &str, file: &str, errno: &str, code: &str) {
        let ledger = used_ledger();
        let file = format!("{}{file}", ledger.address);
        let mut events = ledger.events();
        let mut refused = 0;
        for nth in 1.. {
            let trace = Trace::of(ledger.home.windlass(&ADD)).calls(&[call]).only_on(&file);
            let injected = trace.fail_from(call, nth, errno);
            if injected.hit == Hit::NeverReached {
                break;
            }
            if injected.outcome.code == Some(0) {
                events += 1;
            } else {
                let error = error_of(&injected.outcome, code, 5);
                refused += 1;
                // A disk that cannot even take a commit back leaves its fate open, and says so.
                if text(&error["message"]).contains("may or may not have been recorded") {
                    let found = ledger.events();
                    assert!(found == events || found == events + 1, "{call} {nth}: {found}");
                    events = found;
                }
            }
            assert_eq!(ledger.events(), events, "{call} {nth}: {}", injected.outcome);
        }
        assert!(refused > 0, "no {call} on {file} was reached");
        unharmed(&ledger, events + 1);
    }

    #[test]
    fn a_full_disk_is_told_and_leaves_no_half_of_a_command() {
        at_every("pwrite64", "-wal", "ENOSPC", "ledger_full");
    }

    /// It is made anew by each command that is alone, so it is what fails first on a full disk.
    #[test]
    fn a_disk_too_full_for_the_shared_memory_of_sqlite_is_told_full_too() {
        at_every("pwrite64", "-shm", "ENOSPC", "ledger_full");
    }

    #[test]
    fn a_disk_that_does_not_confirm_a_write_is_told_and_no_success_is_claimed() {
        at_every("fdatasync", "-wal", "EIO", "storage_failed");
    }

    /// What is committed is in the write-ahead log; that it cannot be moved from there yet is no
    /// fault of the command that happens to try.
    #[test]
    fn a_command_whose_commit_is_safe_does_not_fail_for_the_log_that_cannot_be_moved() {
        let ledger = used_ledger();
        let before = ledger.events();
        let mut added = 0;
        wait::until("a command tries to move the log into the file", || {
            let trace = Trace::of(ledger.home.windlass(&ADD)).calls(&["pwrite64"]);
            let injected = trace.only_on(&ledger.address).fail_from("pwrite64", 1, "ENOSPC");
            let _added = injected.outcome.ok();
            added += 1;
            injected.hit == Hit::Failed
        });
        unharmed(&ledger, before + added);
    }

    #[test]
    fn a_new_ledger_on_a_full_disk_is_told_and_made_when_there_is_space() {
        let ledger = Ledger::on_sqlite();
        let trace = Trace::of(ledger.home.windlass(&ADD)).calls(&["pwrite64"]);
        let injected = trace.fail_from("pwrite64", 1, "ENOSPC");
        assert_eq!(injected.hit, Hit::Failed);
        let _error = error_of(&injected.outcome, "ledger_full", 5);
        assert_eq!(ledger.answer(&["task", "list"])["total"], 0);
        let _added = ledger.answer(&ADD);
        assert_eq!(ledger.answer(&["task", "list"])["total"], 1);
    }
}

mod damaged {
    use super::*;

    const PAGE: u64 = 4096;

    /// Moves what the write-ahead log holds into the file and removes the log.
    #[track_caller]
    fn settle(ledger: &Ledger) {
        let connection = sqlite(&ledger.address);
        let settled = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
        assert_eq!(settled, Ok(0));
        connection.close().unwrap();
    }

    /// Overwrites that part of the file with noise.
    #[track_caller]
    fn overwrite(ledger: &Ledger, from: u64, to: u64) {
        let mut file = File::options().write(true).open(&ledger.address).unwrap();
        file.seek(SeekFrom::Start(from)).unwrap();
        file.write_all(&vec![0xa5; usize::try_from(to - from).unwrap()]).unwrap();
    }

    #[test]
    fn a_file_with_overwritten_pages_is_told_damaged_and_left_alone() {
        let ledger = used_ledger();
        settle(&ledger);
        let size = fs::metadata(&ledger.address).unwrap().len();
        overwrite(&ledger, PAGE, size);
        let before = fs::read(&ledger.address).unwrap();
        for args in [&["task", "list"][..], &ADD, &["audit", "verify"], &["doctor", "--rebuild"]] {
            let error = error_of(&ledger.windlass(args).run(), "ledger_corrupt", 5);
            assert_eq!(error["details"]["path"], ledger.address.as_str(), "{error}");
        }
        assert!(fs::read(&ledger.address).unwrap() == before, "a damaged file was changed");
    }

    #[test]
    fn a_file_that_was_cut_is_told_damaged() {
        let ledger = used_ledger();
        settle(&ledger);
        File::options().write(true).open(&ledger.address).unwrap().set_len(3 * PAGE).unwrap();
        for args in [&["task", "list"][..], &ADD] {
            let _error = error_of(&ledger.windlass(args).run(), "ledger_corrupt", 5);
        }
    }

    #[test]
    fn a_file_whose_first_bytes_are_gone_is_no_ledger() {
        let ledger = used_ledger();
        settle(&ledger);
        overwrite(&ledger, 0, 16);
        for args in [&["task", "list"][..], &ADD] {
            let _error = error_of(&ledger.windlass(args).run(), "not_a_ledger", 5);
        }
    }

    /// A change that SQLite cannot see is one that the chain does.
    #[test]
    fn an_event_that_was_changed_is_found_by_the_chain() {
        let ledger = used_ledger();
        let task = ledger.add(&["--description", "the true reason"]);
        settle(&ledger);
        let mut bytes = Vec::new();
        File::open(&ledger.address).unwrap().read_to_end(&mut bytes).unwrap();
        let (old, new) = (b"the true reason", b"the fake reason");
        for at in 0..bytes.len() - old.len() {
            if bytes[at..].starts_with(old) {
                bytes[at..at + new.len()].copy_from_slice(new);
            }
        }
        fs::write(&ledger.address, bytes).unwrap();
        let shown = ledger.answer(&["task", "show", &task]);
        assert_eq!(shown["task"]["description"], "the fake reason");
        for args in [&["doctor"][..], &["audit", "verify"]] {
            let outcome = ledger.windlass(args).run();
            assert_eq!(outcome.code, Some(6), "{outcome}");
        }
    }
}

mod foreign {
    use super::*;

    /// Neither reading nor writing takes the file for a ledger, or changes anything around it.
    #[track_caller]
    fn is_left_alone(ledger: &Ledger, code: &str) {
        let folder = PathBuf::from(&ledger.address).parent().unwrap().to_owned();
        let before = contents(&folder);
        for args in
            [&["task", "list"][..], &ADD, &["doctor"], &["doctor", "--rebuild"], &["events"]]
        {
            let error = error_of(&ledger.windlass(args).run(), code, 5);
            assert_eq!(error["details"]["path"], ledger.address.as_str(), "{error}");
        }
        let after = contents(&folder);
        assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
        assert!(after == before, "a file of somebody else was changed");
    }

    #[track_caller]
    fn nothing_yet() -> Ledger {
        let ledger = Ledger::on_sqlite();
        fs::create_dir_all(Path::new(&ledger.address).parent().unwrap()).unwrap();
        ledger
    }

    #[test]
    fn a_ledger_of_a_newer_windlass_is_left_alone() {
        let ledger = used_ledger();
        let connection = sqlite(&ledger.address);
        connection.execute_batch("PRAGMA user_version = 999").unwrap();
        connection.close().unwrap();
        let outcome = ledger.windlass(&["task", "list"]).run();
        let error = error_of(&outcome, "ledger_newer", 5);
        assert_eq!(error["details"]["schema"], 999, "{outcome}");
        assert!(text(&error["message"]).contains("999"), "{outcome}");
        is_left_alone(&ledger, "ledger_newer");
    }

    #[test]
    fn a_text_file_is_no_ledger() {
        for contents in ["my notes\n".to_owned(), "my long notes\n".repeat(10_000)] {
            let ledger = nothing_yet();
            fs::write(&ledger.address, contents).unwrap();
            is_left_alone(&ledger, "not_a_ledger");
        }
    }

    #[test]
    fn the_database_of_another_program_is_no_ledger() {
        let tables = "CREATE TABLE events (seq INTEGER PRIMARY KEY); INSERT INTO events VALUES (1)";
        for mark in [
            "",
            "PRAGMA user_version = 2",
            "PRAGMA application_id = 252006674",
            "PRAGMA journal_mode = WAL",
        ] {
            let ledger = nothing_yet();
            let connection = sqlite(&ledger.address);
            connection.execute_batch(&format!("{mark}; {tables}")).unwrap();
            connection.close().unwrap();
            is_left_alone(&ledger, "not_a_ledger");
        }
    }

    #[test]
    fn a_folder_is_no_ledger() {
        let ledger = nothing_yet();
        fs::create_dir(&ledger.address).unwrap();
        is_left_alone(&ledger, "ledger_unreachable");
    }

    #[test]
    fn an_empty_file_becomes_a_ledger() {
        let ledger = nothing_yet();
        fs::write(&ledger.address, "").unwrap();
        let _task = ledger.add(&[]);
        assert_eq!(ledger.answer(&["task", "list"])["total"], 1);
    }
}

mod postgresql {
    use super::*;

    /// A client that locks the end of the log, as every writer does, and stays.
    #[track_caller]
    fn frozen_client(database: &Database, first: &str) -> postgres::Client {
        let mut client = database.connect();
        client.batch_execute(first).unwrap();
        client.batch_execute("BEGIN; SELECT seq FROM head FOR UPDATE").unwrap();
        client
    }

    /// Waits until somebody in that database waits for a lock.
    #[track_caller]
    fn until_somebody_waits(database: &Database) {
        let waiting = "SELECT count(*) FROM pg_stat_activity \
             WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let mut client = database.connect();
        wait::until("a writer waits for the lock", || {
            client.query_one(waiting, &[]).unwrap().get::<_, i64>(0) == 1
        });
    }

    /// Starts a server again that was killed: what is left of the old one may take a moment to go.
    #[track_caller]
    fn bring_back(cluster: &mut Cluster) {
        wait::until("the server is back", || cluster.restart().is_ok());
    }

    #[track_caller]
    fn refuses_all(address: &str, code: &str) -> Value {
        let ledger = Ledger::on_sqlite();
        let run = |args| ledger.home.windlass(args).db(address).run();
        for args in [&["task", "list"][..], &["doctor"], &["events"]] {
            let _error = error_of(&run(args), code, 5);
        }
        error_of(&run(&ADD), code, 5)
    }

    #[test]
    fn a_server_that_is_away_is_told_without_the_password() {
        let folder = Ledger::on_sqlite().home.path().join("no-sockets");
        let socket =
            format!("postgres:///ledger?host={}&user=w&password=hunter2", folder.display());
        for address in [
            &socket,
            "postgres://w:hunter2@127.0.0.1:1/ledger",
            "postgresql://w:hunter2@127.0.0.1:1/x",
        ] {
            let error = refuses_all(address, "ledger_unreachable");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn an_address_that_makes_no_sense_is_a_wrong_value() {
        let ledger = Ledger::on_sqlite();
        for address in ["postgres://localhost:port/x", "postgres://h/x?no_such_option=1"] {
            let outcome = ledger.home.windlass(&ADD).db(address).run();
            let _error = error_of(&outcome, "invalid_value", 3);
        }
    }

    #[test]
    fn a_database_that_does_not_exist_or_a_user_that_may_not_is_told() {
        let Some(server) = shared() else { return };
        let _error = refuses_all(&server.url("no_such_database"), "ledger_unreachable");
        let ledger = Ledger::on(&server);
        let stranger = ledger.address.replace("user=windlass", "user=no_such_user");
        let _error = refuses_all(&stranger, "ledger_unreachable");
    }

    #[test]
    fn a_database_without_a_ledger_is_told_and_left_empty() {
        let Some(server) = shared() else { return };
        let database = server.empty_database();
        let error = refuses_all(&database.url, "ledger_unmigrated");
        assert!(text(&error["hint"]).contains("windlass db migrate"), "{error}");
        let tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace";
        assert_eq!(database.connect().query_one(tables, &[]).unwrap().get::<_, i64>(0), 0);
    }

    #[test]
    fn a_ledger_of_a_newer_windlass_on_postgresql_is_left_alone() {
        let Some(ledger) = Ledger::on_postgres() else {
            return;
        };
        let mut client = ledger.database().unwrap().connect();
        let newer = "INSERT INTO migrations VALUES (999, 'from the future', '', 0)";
        client.batch_execute(newer).unwrap();
        let error = refuses_all(&ledger.address, "ledger_newer");
        assert!(text(&error["message"]).contains("999"), "{error}");
        let migrate = ledger.windlass(&["db", "migrate"]).run();
        let _error = error_of(&migrate, "ledger_newer", 5);
    }

    #[test]
    fn a_database_that_may_not_be_written_can_still_be_read() {
        let Some(ledger) = Ledger::on_postgres() else {
            return;
        };
        let _task = ledger.add(&[]);
        let before = ledger.events();
        let mut client = ledger.database().unwrap().connect();
        let name: String = client.query_one("SELECT current_database()", &[]).unwrap().get(0);
        let set = |value: &str| {
            format!("ALTER DATABASE {name} SET default_transaction_read_only = {value}")
        };
        client.batch_execute(&set("on")).unwrap();
        let _error = error_of(&ledger.windlass(&ADD).run(), "ledger_read_only", 5);
        assert_eq!(ledger.answer(&["task", "list"])["total"], 1);
        client
            .batch_execute(&format!("SET default_transaction_read_only = off; {}", set("off")))
            .unwrap();
        unharmed(&ledger, before);
    }

    /// The product sets the same limit for itself, of ten seconds.
    #[test]
    fn a_client_that_freezes_in_mid_transaction_is_outlived() {
        let Some(ledger) = Ledger::on_postgres() else {
            return;
        };
        let database = ledger.database().unwrap();
        let before = ledger.events();
        let frozen = frozen_client(database, "SET idle_in_transaction_session_timeout = '2s'");
        let run = ledger.windlass(&ADD);
        let child = run.spawn();
        until_somebody_waits(database);
        assert_eq!(ledger.answer(&["task", "list"])["total"], 0);
        let _added = run.finish(child).ok();
        drop(frozen);
        assert_eq!(ledger.answer(&["task", "list"])["total"], 1);
        unharmed(&ledger, before + 2);
    }

    #[test]
    fn a_client_that_keeps_the_lock_is_waited_for_and_then_told() {
        let Some(ledger) = Ledger::on_postgres() else {
            return;
        };
        let before = ledger.events();
        let mut holder = frozen_client(ledger.database().unwrap(), "");
        let _error = waits_in_vain(&ledger);
        holder.batch_execute("ROLLBACK").unwrap();
        let _task = ledger.add(&[]);
        unharmed(&ledger, before + 2);
    }

    #[test]
    fn a_server_that_is_restarted_between_two_commands_has_kept_everything() {
        let mut cluster = Cluster::temporary().unwrap();
        let ledger = Ledger::on(&cluster.server());
        let _task = ledger.add(&[]);
        let before = ledger.events();
        cluster.restart().unwrap();
        assert_eq!(ledger.events(), before);
        cluster.kill().unwrap();
        let _error = error_of(&ledger.windlass(&ADD).run(), "ledger_unreachable", 5);
        bring_back(&mut cluster);
        unharmed(&ledger, before);
    }

    /// Stands between clients and the server of a ledger until one of them commits. That the commit
    /// was done is not told, and nobody reaches the server this way again. Returns the address.
    #[track_caller]
    fn loses_a_commit(ledger: &Ledger, sockets: &Path) -> String {
        let folder = ledger.home.work().join("between");
        fs::create_dir(&folder).unwrap();
        let (here, there) = (folder.join(".s.PGSQL.5432"), sockets.join(".s.PGSQL.5432"));
        let listener = UnixListener::bind(&here).unwrap();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let server = UnixStream::connect(&there).unwrap();
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let (here, is_lost) = (here.clone(), Arc::new(AtomicBool::new(false)));
                let seen = Arc::clone(&is_lost);
                thread::spawn(move || {
                    pass(from, to, |said| {
                        if said.windows(8).any(|part| part == b"; COMMIT") {
                            seen.store(true, Ordering::SeqCst);
                            fs::remove_file(&here).unwrap();
                        }
                        true
                    });
                });
                thread::spawn(move || pass(server, client, |_| !is_lost.load(Ordering::SeqCst)));
            }
        });
        let (before, after) = ledger.address.split_once("host=").unwrap();
        let (_, after) = after.split_once('&').unwrap();
        format!("{before}host={}&{after}", folder.display())
    }

    /// Carries what one says to the other until `goes_on` says no.
    fn pass(mut from: UnixStream, mut to: UnixStream, goes_on: impl Fn(&[u8]) -> bool) {
        let mut said = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = from.read(&mut said) {
            if !goes_on(&said[..length]) || to.write_all(&said[..length]).is_err() {
                break;
            }
        }
        for end in [from, to] {
            // It may be closed already.
            end.shutdown(Shutdown::Both).ok();
        }
    }

    #[test]
    fn a_commit_of_which_nothing_more_is_heard_is_told_as_one_that_may_be_done() {
        let cluster = Cluster::temporary().unwrap();
        let ledger = Ledger::on(&cluster.server());
        let before = ledger.events();
        let address = loses_a_commit(&ledger, cluster.sockets());
        let outcome = ledger.home.windlass(&ADD).db(&address).run();
        let error = error_of(&outcome, "ledger_unreachable", 5);
        assert_eq!(error["details"]["may_be_done"], true, "{error}");
        assert!(ledger.events() > before);
    }

    /// It may come through or be told that the server went away, but never half.
    #[track_caller]
    fn while_a_writer_waits(interrupt: impl FnOnce(&mut Cluster)) {
        let mut cluster = Cluster::temporary().unwrap();
        let ledger = Ledger::on(&cluster.server());
        let _task = ledger.add(&[]);
        let before = ledger.events();
        let database = ledger.database().unwrap();
        let frozen = frozen_client(database, "");
        let run = ledger.windlass(&ADD);
        let child = run.spawn();
        until_somebody_waits(database);
        interrupt(&mut cluster);
        drop(frozen);
        let outcome = run.finish(child);
        let added = u64::from(outcome.code == Some(0));
        if added == 0 {
            let _error = error_of(&outcome, "ledger_unreachable", 5);
        }
        unharmed(&ledger, before + added);
    }

    #[test]
    fn a_server_that_is_restarted_while_a_writer_waits_leaves_no_half_of_it() {
        while_a_writer_waits(|cluster| cluster.restart().unwrap());
    }

    #[test]
    fn a_server_that_dies_while_a_writer_waits_leaves_no_half_of_it() {
        while_a_writer_waits(|cluster| {
            cluster.kill().unwrap();
            bring_back(cluster);
        });
    }
}
