//! `setup` in a hermetic home: every agent's files with somebody's content in them, and everything
//! that can be wrong with such a file.

#![expect(clippy::unwrap_used, reason = "an answer of another shape ends its test")]

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use windlass_testkit::home::binary;
use windlass_testkit::{Home, Outcome, Run, machine};
use windlass_tests::ledgers::{error_of, text};

/// A project in a home; `windlass` is on the path.
struct Place {
    home: Home,
}

/// An agent, its two files in a project (`~/` is the home), and what somebody has in them.
struct Agent {
    name: &'static str,
    servers: &'static str,
    theirs: &'static str,
    /// Where the entry is, and what it says.
    pointer: &'static str,
    instructions: &'static str,
}

const AGENTS: [Agent; 5] = [
    Agent {
        name: "claude",
        servers: ".mcp.json",
        theirs: "{\n    \"mcpServers\": {\n        \"other\": { \"command\": \"x\" }\n    }\n}",
        pointer: "/mcpServers/windlass",
        instructions: "CLAUDE.md",
    },
    Agent {
        name: "codex",
        servers: "~/.codex/config.toml",
        theirs: "model = \"m\" # mine\n\n[mcp_servers.other]\ncommand = 'x'",
        pointer: "/mcp_servers/windlass",
        instructions: "AGENTS.md",
    },
    Agent {
        name: "opencode",
        servers: "opencode.json",
        theirs: "{\"$schema\":\"https://opencode.ai/config.json\", // mine\n \"mcp\":{},}\n",
        pointer: "/mcp/windlass",
        instructions: "AGENTS.md",
    },
    Agent {
        name: "gemini",
        servers: ".gemini/settings.json",
        theirs: "{\r\n\t\"theme\": \"x\" /* mine */\r\n}\r\n",
        pointer: "/mcpServers/windlass",
        instructions: "GEMINI.md",
    },
    Agent {
        name: "cursor",
        servers: ".cursor/mcp.json",
        theirs: "{\n  // mine\n}\n",
        pointer: "/mcpServers/windlass",
        instructions: ".cursor/rules/windlass.mdc",
    },
];

impl Agent {
    fn is_json(&self) -> bool {
        self.servers.contains(".json")
    }

    /// The entry that it must find.
    fn entry(&self) -> Value {
        match self.name {
            "opencode" => {
                json!({"type": "local", "command": ["windlass", "mcp", "--agent", "opencode"]})
            }
            name => json!({"command": "windlass", "args": ["mcp", "--agent", name]}),
        }
    }
}

impl Place {
    fn new() -> Self {
        let home = Home::new();
        fs::create_dir(home.work().join(".git")).unwrap();
        let bin = home.path().join("bin");
        fs::create_dir(&bin).unwrap();
        symlink(binary(), bin.join("windlass")).unwrap();
        Self { home }
    }

    fn path(&self, name: &str) -> PathBuf {
        match name.strip_prefix("~/") {
            Some(name) => self.home.path().join(name),
            None => self.home.work().join(name),
        }
    }

    fn has(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn holds(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn run(&self, args: &[&str]) -> Run {
        let path = format!("{}:/usr/bin:/bin", self.path("~/bin").display());
        self.home.windlass(&["setup"]).args(args).env("PATH", path)
    }

    #[track_caller]
    fn answer(&self, args: &[&str]) -> Value {
        self.run(args).run().ok().json()
    }

    /// Every file and folder of the home, and what is in it.
    fn all(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut all = BTreeMap::new();
        collect(self.home.path(), &mut all);
        all
    }
}

fn collect(folder: &Path, all: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.insert(path.clone(), None);
            collect(&path, all);
        } else if !path.ends_with("bin/windlass") {
            all.insert(path.clone(), Some(fs::read(&path).unwrap()));
        }
    }
}

/// What each file is changed by.
fn changes(answer: &Value) -> Vec<String> {
    let files = answer["files"].as_array().unwrap();
    files.iter().map(|file| text(&file["change"])).collect()
}

#[test]
fn an_agent_without_files_gets_them_and_undo_leaves_nothing() {
    for agent in &AGENTS {
        let place = Place::new();
        // The home folder of an agent is not ours to remove.
        place.has("~/.codex/log", "");
        let before = place.all();
        let done = place.answer(&[agent.name, "--yes"]);
        assert_eq!((changes(&done), &done["written"]), (vec!["create".into(); 2], &json!(true)));
        if agent.is_json() {
            let file: Value = serde_json::from_str(&place.holds(agent.servers)).unwrap();
            assert_eq!(file.pointer(agent.pointer), Some(&agent.entry()), "{}", agent.name);
        }
        let block = place.holds(agent.instructions);
        assert!(block.contains("<!-- windlass:begin -->\n## Tasks: Windlass\n"), "{block}");
        let undone = place.answer(&[agent.name, "--undo", "--yes"]);
        assert_eq!(changes(&undone), ["remove", "remove"]);
        assert_eq!(place.all(), before, "{}", agent.name);
    }
}

#[test]
fn what_somebody_wrote_keeps_every_byte_and_undo_gives_it_back() {
    for agent in &AGENTS {
        let place = Place::new();
        place.has(agent.servers, agent.theirs);
        place.has(agent.instructions, "# Mine\r\n\r\nDo as I say.");
        let before = place.all();
        let done = place.answer(&[agent.name, "--yes"]);
        assert_eq!(changes(&done), ["edit", "edit"], "{}", agent.name);
        assert!(place.holds(agent.instructions).starts_with("# Mine\r\n\r\nDo as I say.\r\n"));
        let mut servers = place.holds(agent.servers).into_bytes().into_iter();
        assert!(agent.theirs.bytes().all(|byte| servers.any(|other| other == byte)));
        let _undone = place.answer(&[agent.name, "--undo", "--yes"]);
        assert_eq!(place.all(), before, "{}", agent.name);
    }
}

#[test]
fn the_second_time_nothing_is_touched() {
    for agent in &AGENTS {
        let place = Place::new();
        place.has(agent.servers, agent.theirs);
        let _first = place.answer(&[agent.name, "--yes"]);
        let inode = |name| fs::metadata(place.path(name)).unwrap().ino();
        let before = (place.all(), inode(agent.servers), inode(agent.instructions));
        // Nothing is asked either, since there is nothing to write.
        let second = place.answer(&[agent.name]);
        assert_eq!((changes(&second), &second["written"]), (vec!["none".into(); 2], &json!(false)));
        assert_eq!((place.all(), inode(agent.servers), inode(agent.instructions)), before);
    }
}

#[test]
fn the_entry_in_a_file_of_codex_is_what_its_parser_finds() {
    let place = Place::new();
    place.has("~/.codex/config.toml", AGENTS[1].theirs);
    let _done = place.answer(&["codex", "--yes"]);
    let config = place.holds("~/.codex/config.toml");
    let expected = "\n\n# windlass:begin\n[mcp_servers.windlass]\ncommand = \"windlass\"\nargs = [\"mcp\", \"--agent\", \"codex\"]\n\
                    # windlass:end";
    assert_eq!(config, format!("{}{expected}", AGENTS[1].theirs));
}

#[test]
fn for_a_user_the_files_of_the_home_folder_are_taken() {
    for (agent, files) in [
        ("claude", &["~/.claude.json", "~/.claude/CLAUDE.md"][..]),
        ("codex", &["~/.codex/config.toml", "~/.codex/AGENTS.md"]),
        ("opencode", &["~/.config/opencode/opencode.json", "~/.config/opencode/AGENTS.md"]),
        ("gemini", &["~/.gemini/settings.json", "~/.gemini/GEMINI.md"]),
        ("cursor", &["~/.cursor/mcp.json"]),
    ] {
        let place = Place::new();
        let done = place.answer(&[agent, "--user", "--yes"]);
        let named = done["files"].as_array().unwrap().iter().map(|file| text(&file["path"]));
        let expected = files.iter().map(|file| place.path(file).display().to_string());
        assert!(named.eq(expected), "{done}");
        assert!(files.iter().all(|file| place.path(file).is_file()));
        let left: Vec<_> = fs::read_dir(place.home.work()).unwrap().collect();
        assert_eq!(left.len(), 1, "only .git is in the project");
    }
}

#[test]
fn folders_that_an_agent_was_told_to_use_are_used() {
    let place = Place::new();
    let folder = place.path("~/elsewhere");
    let run = |agent: &str| place.run(&[agent, "--user", "--yes"]);
    let _codex = run("codex").env("CODEX_HOME", &folder).run().ok();
    let _claude = run("claude").env("CLAUDE_CONFIG_DIR", &folder).run().ok();
    for file in ["config.toml", "AGENTS.md", ".claude.json", "CLAUDE.md"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
}

#[test]
fn the_folder_of_the_project_is_that_of_its_repository() {
    let place = Place::new();
    let inner = place.path("a/b");
    fs::create_dir_all(&inner).unwrap();
    let _done = place.run(&["claude", "--yes"]).cwd(&inner).run().ok();
    assert!(place.path(".mcp.json").is_file() && place.path("CLAUDE.md").is_file());
    fs::remove_dir(place.path(".git")).unwrap();
    let _done = place.run(&["claude", "--yes"]).cwd(&inner).run().ok();
    assert!(inner.join(".mcp.json").is_file());
}

#[test]
fn a_program_that_is_not_on_the_path_is_named_by_its_place() {
    let place = Place::new();
    let _done = place.run(&["claude", "--yes"]).env("PATH", "/usr/bin").run().ok();
    let file: Value = serde_json::from_str(&place.holds(".mcp.json")).unwrap();
    let command = text(&file["mcpServers"]["windlass"]["command"]);
    assert!(Path::new(&command).is_absolute(), "{command}");
    // Once it is on the path, the name is better.
    let _done = place.answer(&["claude", "--yes"]);
    let file: Value = serde_json::from_str(&place.holds(".mcp.json")).unwrap();
    assert_eq!(file.pointer("/mcpServers/windlass"), Some(&AGENTS[0].entry()));
}

#[test]
fn without_yes_nothing_is_written() {
    let place = Place::new();
    let before = place.all();
    let dry = place.answer(&["claude", "--dry-run", "--yes"]);
    assert_eq!((changes(&dry), &dry["written"]), (vec!["create".into(); 2], &json!(false)));
    assert!(text(&dry["files"][0]["diff"]).starts_with("--- /dev/null\n+++ b/.mcp.json\n@@ "));
    let refused = error_of(&place.run(&["claude"]).run(), "usage", 2);
    assert!(text(&refused["hint"]).contains("--yes"), "{refused}");
    assert_eq!(refused["details"]["files"].as_array().unwrap().len(), 2);
    assert_eq!(place.all(), before);
}

#[test]
fn a_person_is_shown_the_change_and_asked() {
    let place = Place::new();
    let before = place.all();
    for answer in ["n\n", "\n", "\u{4}"] {
        let asked = place.run(&["claude"]).env("NO_COLOR", "1").stdin(answer).at_terminal(100).ok();
        assert!(asked.stdout.contains("+++ b/CLAUDE.md"), "{asked}");
        assert!(asked.stdout.contains("Write this? [y/N]"), "{asked}");
        assert!(asked.stdout.ends_with("nothing was written\n"), "{asked}");
        assert_eq!(place.all(), before);
    }
    let asked = place.run(&["claude"]).env("NO_COLOR", "1").stdin("y\n").at_terminal(100).ok();
    assert!(asked.stdout.ends_with("Claude Code is set up: 2 files written\n"), "{asked}");
    assert_eq!(asked.stdout.matches("+++ b/CLAUDE.md").count(), 1, "shown once\n{asked}");
    assert!(place.path("CLAUDE.md").is_file());
}

#[test]
fn a_malformed_file_is_refused_with_its_line_and_nothing_is_written() {
    for agent in &AGENTS {
        let (content, line) = match agent.is_json() {
            true => ("{\n  \"a\": 1\n  \"b\": 2\n}\n", 3),
            false => ("a = 1\n\nb = = 2\n", 3),
        };
        for undo in [&[][..], &["--undo"]] {
            let place = Place::new();
            place.has(agent.servers, content);
            let before = place.all();
            let args = [&[agent.name, "--yes"], undo].concat();
            let refused = error_of(&place.run(&args).run(), "file_invalid", 3);
            assert_eq!(refused["details"]["line"], line, "{refused}");
            assert!(text(&refused["message"]).contains(", line 3: "), "{refused}");
            assert_eq!(place.all(), before, "{}", agent.name);
        }
    }
}

#[test]
fn damaged_marks_are_refused_with_their_line_and_nothing_is_written() {
    for agent in &AGENTS {
        let place = Place::new();
        place.has(agent.instructions, "# Mine\n\n<!-- windlass:begin -->\nand no end\n");
        let before = place.all();
        let refused = error_of(&place.run(&[agent.name, "--yes"]).run(), "file_invalid", 3);
        assert_eq!(refused["details"]["line"], 3, "{refused}");
        assert_eq!(place.all(), before, "{}", agent.name);
    }
}

#[test]
fn comments_stay_where_an_agent_allows_them_and_are_refused_elsewhere() {
    let commented = "// top\n{\n  \"mcp\": { // servers\n    \"x\": {}, // last\n  },\n}\n";
    let place = Place::new();
    place.has("opencode.jsonc", commented);
    let _done = place.answer(&["opencode", "--yes"]);
    let with = place.holds("opencode.jsonc");
    for line in ["// top\n", "  \"mcp\": { // servers\n", "    \"x\": {}, // last\n"] {
        assert!(with.contains(line), "{with}");
    }
    assert!(!place.path("opencode.json").exists());
    let _undone = place.answer(&["opencode", "--undo", "--yes"]);
    assert_eq!(place.holds("opencode.jsonc"), commented);
    place.has(".mcp.json", "{\n  // Claude Code reads no comments\n}\n");
    let refused = error_of(&place.run(&["claude", "--yes"]).run(), "file_invalid", 3);
    assert_eq!(refused["details"]["line"], 2);
}

#[test]
fn what_cannot_be_edited_safely_is_told_with_what_to_paste() {
    let place = Place::new();
    place.has("~/.codex/config.toml", "mcp_servers = { other = { command = \"x\" } }\n");
    let before = place.all();
    let refused = error_of(&place.run(&["codex", "--yes"]).run(), "file_invalid", 3);
    assert!(text(&refused["hint"]).contains("[mcp_servers.windlass]\n"), "{refused}");
    assert_eq!(place.all(), before);
}

#[test]
fn an_entry_of_somebody_else_is_shown_and_overwritten_only_on_request() {
    for (agent, content) in [
        (&AGENTS[0], "{\"mcpServers\": {\"windlass\": {\"command\": \"docker\"}}}\n"),
        (&AGENTS[1], "[mcp_servers.windlass]\ncommand = \"docker\"\n"),
        (&AGENTS[2], "{\"mcp\": {\"windlass\": {\"command\": [\"docker\"]}}}\n"),
    ] {
        let place = Place::new();
        place.has(agent.servers, content);
        let before = place.all();
        for undo in [&[][..], &["--undo"]] {
            let args = [&[agent.name, "--yes"], undo].concat();
            let refused = error_of(&place.run(&args).run(), "entry_exists", 3);
            assert!(text(&refused["message"]).contains("docker"), "{refused}");
            assert!(text(&refused["hint"]).contains("--replace"), "{refused}");
            assert!(text(&refused["details"]["ours"]).contains("mcp"), "{refused}");
            assert_eq!(place.all(), before, "{}", agent.name);
        }
        let done = place.answer(&[agent.name, "--replace", "--yes"]);
        assert_eq!(changes(&done), ["edit", "create"]);
        assert!(!place.holds(agent.servers).contains("docker"));
        let again = place.answer(&[agent.name]);
        assert_eq!(changes(&again), ["none", "none"]);
    }
}

#[test]
fn a_link_stays_and_the_file_it_leads_to_is_changed() {
    let place = Place::new();
    place.has("AGENTS.md", "# Mine\n");
    symlink("AGENTS.md", place.path("CLAUDE.md")).unwrap();
    fs::set_permissions(place.path("AGENTS.md"), Permissions::from_mode(0o604)).unwrap();
    let _done = place.answer(&["claude", "--yes"]);
    assert!(place.path("CLAUDE.md").is_symlink());
    assert!(!place.path("AGENTS.md").is_symlink());
    assert!(place.holds("AGENTS.md").contains("windlass:begin"));
    assert_eq!(fs::metadata(place.path("AGENTS.md")).unwrap().mode() & 0o777, 0o604);
    // Another agent reads the same file: its block is there already.
    let codex = place.answer(&["codex", "--yes"]);
    assert_eq!(changes(&codex), ["create", "none"]);
    let _undone = place.answer(&["claude", "--undo", "--yes"]);
    assert_eq!(place.holds("AGENTS.md"), "# Mine\n");
}

#[test]
fn a_link_is_not_left_leading_to_nothing() {
    let place = Place::new();
    let _done = place.answer(&["codex", "--yes"]);
    symlink("AGENTS.md", place.path("CLAUDE.md")).unwrap();
    let _done = place.answer(&["claude", "--undo", "--yes"]);
    assert_eq!(place.holds("CLAUDE.md"), "");
    fs::remove_file(place.path("AGENTS.md")).unwrap();
    let refused = place.run(&["claude", "--yes"]).run();
    let _error = error_of(&refused, "file_unusable", 5);
    assert!(!place.path(".mcp.json").exists());
}

#[test]
fn what_is_no_text_or_no_file_is_refused() {
    let place = Place::new();
    fs::write(place.path("CLAUDE.md"), b"\xff\xfe").unwrap();
    fs::create_dir(place.path("GEMINI.md")).unwrap();
    let before = place.all();
    for agent in ["claude", "gemini"] {
        let _error = error_of(&place.run(&[agent, "--yes"]).run(), "file_unusable", 5);
        assert_eq!(place.all(), before, "{agent}");
    }
}

/// A run by a user whom permissions bind, unlike root.
fn by_nobody(place: &Place, args: &[&str]) -> Outcome {
    let windlass = place.path("~/windlass");
    fs::copy(binary(), &windlass).unwrap();
    let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    mode(place.home.path(), 0o755);
    mode(&windlass, 0o755);
    mode(&place.home.work(), 0o555);
    let run = if machine::is_root() {
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"];
        place.home.program("setpriv").args(nobody).args([&windlass])
    } else {
        place.home.program(&windlass)
    };
    let outcome = run.args(["setup"]).args(args).run();
    mode(&place.home.work(), 0o755);
    fs::remove_file(windlass).unwrap();
    outcome
}

#[test]
fn in_a_folder_that_may_not_be_written_nothing_changes() {
    let place = Place::new();
    place.has("CLAUDE.md", "# Mine\n");
    fs::set_permissions(place.path("CLAUDE.md"), Permissions::from_mode(0o666)).unwrap();
    let before = place.all();
    for agent in ["claude", "cursor"] {
        let _error = error_of(&by_nobody(&place, &[agent, "--yes"]), "file_unusable", 5);
        assert_eq!(place.all(), before, "{agent}");
    }
    let dry = by_nobody(&place, &["claude", "--dry-run"]).ok().json();
    assert_eq!(changes(&dry), ["create", "edit"]);
}

#[test]
fn an_unknown_agent_is_refused_with_those_there_are() {
    let place = Place::new();
    let refused = error_of(&place.run(&["clause"]).run(), "invalid_value", 3);
    assert_eq!(refused["suggestions"], json!(["claude"]));
}

/// A copy of the program in a folder of its own, and the words to set up HOTL with it.
struct Linking {
    place: Place,
    program: PathBuf,
}

impl Linking {
    fn new() -> Self {
        let place = Place::new();
        let program = place.path("~/tools/windlass");
        fs::create_dir(program.parent().unwrap()).unwrap();
        fs::copy(binary(), &program).unwrap();
        Self { place, program }
    }

    fn run(&self, args: &[&str]) -> Run {
        self.place.home.program(&self.program).args(["setup", "hotl"]).args(args)
    }

    #[track_caller]
    fn answer(&self, args: &[&str]) -> Value {
        self.run(args).run().ok().json()
    }

    fn link(&self) -> PathBuf {
        self.place.path("~/tools/hotl-rt")
    }
}

#[test]
fn skills_of_hotl_find_the_link_beside_the_program_and_undo_takes_it_away() {
    let linking = Linking::new();
    let dry = linking.answer(&["--dry-run"]);
    assert_eq!((changes(&dry), &dry["written"]), (vec!["create".into()], &json!(false)));
    assert!(text(&dry["files"][0]["diff"]).ends_with("/tools/hotl-rt -> windlass\n"), "{dry}");
    let unasked = error_of(&linking.run(&[]).run(), "usage", 2);
    assert!(text(&unasked["hint"]).contains("--yes"), "{unasked}");
    assert!(!linking.link().exists());
    let done = linking.answer(&["--yes"]);
    assert_eq!(done["written"], true);
    let help = linking.place.home.program(linking.link()).args(["help"]).run().ok();
    assert!(help.stdout.starts_with("Usage: hotl-rt <command>"), "{help}");
    let again = linking.answer(&["--yes"]);
    assert_eq!((changes(&again), &again["written"]), (vec!["none".into()], &json!(false)));
    assert_eq!(changes(&linking.answer(&["--undo", "--yes"])), ["remove"]);
    assert!(!linking.link().is_symlink());
    assert_eq!(changes(&linking.answer(&["--undo", "--yes"])), ["none"]);
}

#[test]
fn whether_skills_of_hotl_find_the_link_is_said() {
    let linking = Linking::new();
    let tools = linking.link().parent().unwrap().display().to_string();
    let note = |path: &str| {
        let said = linking.run(&["--yes"]).env("PATH", path).run().ok().json();
        text(&said["notes"][0])
    };
    assert!(note("/usr/bin").contains("is not on the PATH"));
    assert_eq!(note(&format!("/usr/bin:{tools}")), format!("{tools} is on the PATH"));
    linking.place.has("~/first/hotl-rt", "theirs");
    let first = linking.place.path("~/first").display().to_string();
    let said = note(&format!("{first}:{tools}"));
    assert!(said.ends_with("/first/hotl-rt comes before it"), "{said}");
}

#[test]
fn the_link_for_hotl_goes_into_a_folder_that_is_named() {
    let linking = Linking::new();
    let done = linking.answer(&["--dir", "deep/bin", "--yes"]);
    let link = linking.place.path("deep/bin/hotl-rt");
    assert_eq!(fs::read_link(&link).unwrap(), linking.program, "{done}");
    assert_eq!(changes(&linking.answer(&["--dir", "deep/bin", "--undo", "--yes"])), ["remove"]);
    assert!(!link.is_symlink());
}

#[test]
fn what_somebody_else_has_at_the_place_of_the_link_stays() {
    let linking = Linking::new();
    linking.place.has("~/tools/hotl-rt", "theirs");
    for args in [&["--yes"][..], &["--replace", "--yes"], &["--undo", "--yes"]] {
        let refused = error_of(&linking.run(args).run(), "entry_exists", 3);
        assert!(text(&refused["hint"]).contains("mv "), "{refused}");
        assert_eq!(linking.place.holds("~/tools/hotl-rt"), "theirs");
    }
    fs::remove_file(linking.link()).unwrap();
    symlink("/opt/hotl/hotl-rt", linking.link()).unwrap();
    for args in [&["--yes"][..], &["--undo", "--yes"]] {
        let _refused = error_of(&linking.run(args).run(), "entry_exists", 3);
    }
    assert_eq!(changes(&linking.answer(&["--replace", "--yes"])), ["edit"]);
    assert_eq!(fs::read_link(linking.link()).unwrap(), Path::new("windlass"));
}

#[test]
fn flags_of_agents_mean_nothing_for_hotl_and_the_other_way_round() {
    let linking = Linking::new();
    let _user = error_of(&linking.run(&["--user"]).run(), "usage", 2);
    let _agent = error_of(&linking.run(&["--agent", "a"]).run(), "usage", 2);
    let _dir = error_of(&linking.place.run(&["claude", "--dir", "bin"]).run(), "usage", 2);
}
