//! The entry that `windlass setup` writes, started as an agent starts it.

use std::fs;

use serde_json::{Value, json};
use windlass_testkit::Home;

use crate::talk::Talk;

fn set_up(home: &Home, words: &[&str]) -> Talk {
    let _written = home.windlass(&["setup", "claude", "--yes"]).args(words).run().ok();
    let written = fs::read_to_string(home.work().join(".mcp.json")).unwrap();
    let written: Value = serde_json::from_str(&written).unwrap();
    let entry = &written["mcpServers"]["windlass"];
    let args: Vec<&str> =
        entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    Talk::greet(&home.program(entry["command"].as_str().unwrap()).args(&args))
}

#[test]
fn from_setup_on_a_task_goes_from_start_to_complete() {
    for (words, agent) in [(&[][..], "claude"), (&["--agent", "anna"], "anna")] {
        let home = Home::new();
        let _added = home.windlass(&["task", "add", "Mend it", "-s", "ready"]).run().ok();
        let mut client = set_up(&home, words);
        let taken = client.call("start", json!({}))["selected"].clone();
        assert_eq!(taken["title"], "Mend it", "{taken}");
        let done =
            client.call("complete", json!({"task": taken["task_id"], "fence": taken["fence"]}));
        assert_eq!((&done["status"], &done["agent"]), (&json!("done"), &json!(agent)), "{done}");
    }
}
