//! Starting a server, and opening its pages: what is taken, and what is said when something is wrong.

use std::net::{Ipv4Addr, SocketAddr};

use windlass_testkit::{Home, Served, wait};

#[test]
fn a_port_alone_is_one_of_this_machine() {
    for listen in ["localhost:0", ":0", "0"] {
        let home = Home::new();
        let served = Served::from_run(&home, &home.windlass(&["serve", "--listen", listen]));
        assert!(served.address().ip().is_loopback(), "{listen}");
    }
}

#[test]
fn what_is_no_address_is_refused_with_an_example() {
    let home = Home::new();
    for listen in ["127.0.0.1", "here", ":x", "localhost", "99999", ""] {
        let outcome = home.windlass(&["serve", "--json", "--listen", listen]).run();
        let refused = outcome.refused("invalid_value", 3);
        let hint = refused["error"]["hint"].as_str().unwrap();
        assert!(hint.contains("127.0.0.1:7077"), "{listen}: {refused}");
    }
}

#[test]
fn a_mistyped_folder_is_not_made() {
    let home = Home::new();
    let path = home.work().join("no/such/ledger.db");
    let outcome = home.windlass(&["serve", "--json", "--listen", "0"]).db(&path).run();
    let refused = outcome.refused("invalid_value", 3);
    assert!(refused["error"]["hint"].as_str().unwrap().contains("mkdir -p"), "{refused}");
    assert!(!home.work().join("no").exists());
}

#[test]
fn a_server_says_that_its_ledger_is_new() {
    let home = Home::new();
    let says = |served: &Served| served.log().contains("a new ledger was made: ");
    let served = Served::start(&home, &[]);
    wait::until("the server says so", || says(&served));
    drop(served);
    let served = Served::start(&home, &[]);
    let _answered = served.get("/v1/tasks").ok();
    wait::until("the request is in the log", || served.log().contains("/v1/tasks"));
    assert!(!says(&served), "{}", served.log());
}

#[test]
fn a_unit_names_the_user_whose_process_it_is() {
    let home = Home::new();
    let print = |user: &str| {
        home.windlass(&["serve", "--print-systemd"]).env("USER", user).run().ok().stdout
    };
    let user = |unit: String| {
        let line = unit.lines().find(|line| line.starts_with("User=")).unwrap();
        line.to_owned()
    };
    assert_eq!(user(print("")), user(print("nobody-of-that-name")));
    assert_ne!(user(print("")), "User=somebody");
}

#[test]
fn who_opens_a_server_that_asks_for_keys_is_told_where_to_sign_in() {
    let home = Home::new();
    let words = ["key", "create", "--for", "person:anna", "--role", "admin"];
    let _made = home.windlass(&words).run().ok();
    let served = Served::start_at(&home, SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)), &[]);
    let address = format!("http://127.0.0.1:{}", served.address().port());
    let outcome = home.windlass(&["--server", &address, "open", "--print", "--json"]).run();
    let refused = outcome.refused("key_required", 7);
    let hint = refused["error"]["hint"].as_str().unwrap();
    assert!(hint.contains(&format!("{address}/enter")), "{refused}");
}

#[test]
fn refusals_come_in_the_format_of_the_environment() {
    let home = Home::new();
    for words in [
        &["--server", "nonsense", "task", "list"][..],
        &["--server", "http://127.0.0.1:9", "--db", "x.db", "task", "list"],
        &["open", "--print"],
        &["mcp", "--tools", "nope"],
        &["serve", "--listen", "0", "--db", "no/such/ledger.db"],
    ] {
        let outcome = home.windlass(words).env("WINDLASS_FORMAT", "text").run();
        assert_eq!(outcome.stdout, "", "{words:?}");
        assert!(outcome.stderr.starts_with("error: "), "{words:?}: {outcome}");
    }
    let outcome = home
        .windlass(&["--server", "http://127.0.0.1:9", "task", "list"])
        .env("WINDLASS_FORMAT", "text")
        .env("WINDLASS_KEY", "not a key")
        .run();
    assert!(outcome.stderr.starts_with("error: WINDLASS_KEY"), "{outcome}");
}
