//! The cluster and its databases, on clusters of their own: these tests need no `cargo xtask test`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::thread;

use super::*;
use crate::wait;

const PREPARE: &str = "CREATE TABLE task (id int); INSERT INTO task VALUES (1), (2)";

fn prepare(url: &str) {
    ::postgres::Client::connect(url, ::postgres::NoTls).unwrap().batch_execute(PREPARE).unwrap();
}

fn count(database: &Database) -> i64 {
    database.connect().query_one("SELECT count(*) FROM task", &[]).unwrap().get(0)
}

#[test]
fn each_test_gets_a_copy_of_a_template_that_is_made_once() {
    let cluster = Cluster::temporary().unwrap();
    let prepared = std::sync::atomic::AtomicUsize::new(0);
    let databases: Vec<Database> = thread::scope(|scope| {
        let ask = || {
            cluster.server().database_from("ledger", |url| {
                prepared.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                prepare(url);
            })
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(prepared.into_inner(), 1);
    databases[0].connect().batch_execute("DELETE FROM task").unwrap();
    assert_eq!(databases.iter().map(count).collect::<Vec<_>>(), [0, 2, 2, 2]);

    let mut still_connected = databases[1].connect();
    drop(databases);
    assert!(still_connected.simple_query("SELECT 1").is_err());
    let left = "SELECT count(*) FROM pg_database WHERE datname LIKE 'test_%'";
    let left: i64 = cluster.server().admin().unwrap().query_one(left, &[]).unwrap().get(0);
    assert_eq!(left, 0);
}

#[test]
fn a_template_whose_preparation_failed_is_made_afresh() {
    let cluster = Cluster::temporary().unwrap();
    let server = cluster.server();
    let failing = || {
        server.database_from("ledger", |url| {
            prepare(url);
            panic!("half done");
        })
    };
    assert!(thread::scope(|scope| scope.spawn(failing).join()).is_err());
    assert_eq!(count(&server.database_from("ledger", prepare)), 2);
}

#[test]
fn a_killed_server_is_away_until_it_is_restarted_with_what_was_committed() {
    let mut cluster = Cluster::temporary().unwrap();
    let database = cluster.server().empty_database();
    let mut connection = database.connect();
    connection.batch_execute(PREPARE).unwrap();
    cluster.kill().unwrap();
    assert!(connection.simple_query("SELECT 1").is_err());
    assert!(cluster.server().admin().is_err());
    cluster.restart().unwrap();
    assert_eq!(count(&database), 2);
    cluster.restart().unwrap();
    assert_eq!(count(&database), 2);
}

#[test]
fn a_stopped_cluster_leaves_neither_files_nor_processes() {
    let folder = tempfile::tempdir().unwrap();
    // Other users must be able to reach what lies in it.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let inside = folder.path().join("cluster");
    let mut cluster = Cluster::start(&inside).unwrap();
    let sockets = cluster.sockets().to_owned();
    let pid = fs::read_to_string(inside.join("data/postmaster.pid")).unwrap();
    let pid = pid.lines().next().unwrap().to_owned();
    cluster.kill().unwrap();
    cluster.restart().unwrap();
    cluster.kill().unwrap();
    cluster.stop();
    assert!(!inside.exists() && !sockets.exists());
    assert!(!Path::new("/proc").join(pid).exists());
}

#[test]
fn a_folder_with_files_in_it_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("precious"), "").unwrap();
    assert!(matches!(Cluster::start(folder.path()), Err(Error::NotEmpty(_))));
    assert!(folder.path().join("precious").exists());
}

/// Root's cluster is another user's, who cannot get into a folder that is closed to it.
#[test]
fn a_cluster_that_cannot_be_made_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let inside = folder.path().join("cluster");
    let result = Cluster::start(&inside);
    assert_eq!(result.is_err(), machine::is_root());
    drop(result);
    assert!(!inside.exists());
}

/// Runs itself as another process, which starts a cluster, names it and is killed.
#[test]
fn a_killed_test_leaves_no_cluster() {
    const INSIDE: &str = "WINDLASS_TESTKIT_INSIDE";
    if let Some(file) = machine::variable(INSIDE) {
        let cluster = Cluster::temporary().unwrap();
        fs::write(file, cluster.sockets().to_str().unwrap()).unwrap();
        loop {
            thread::park();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sockets");
    let mut child = machine::command(std::env::current_exe().unwrap())
        .args(["--exact", "postgres::tests::a_killed_test_leaves_no_cluster"])
        .env(INSIDE, &file)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut sockets = String::new();
    wait::until("the other process has started its cluster", || {
        sockets = fs::read_to_string(&file).unwrap_or_default();
        !sockets.is_empty()
    });
    assert!(Path::new(&sockets).exists());
    child.kill().unwrap();
    child.wait().unwrap();
    wait::until("the cluster is gone", || !Path::new(&sockets).exists());
}
