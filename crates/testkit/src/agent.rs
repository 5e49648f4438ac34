//! A real coding agent from npm, set up to speak to a scripted model and to nobody else.

use serde_json::{Value, json};

use crate::model::Model;
use crate::{Home, Run, Tool};

/// Keeps the agent from calling home, asking and waiting.
const QUIET: [(&str, &str); 9] = [
    ("ANTHROPIC_API_KEY", "scripted"),
    ("ANTHROPIC_MODEL", "scripted-model"),
    ("ANTHROPIC_SMALL_FAST_MODEL", "scripted-model"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_TELEMETRY", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("CLAUDE_CODE_MAX_RETRIES", "1"),
    // All tools are offered from the start, none is to be searched for.
    ("ENABLE_TOOL_SEARCH", "false"),
];

/// Whatever would go out meets a closed door; loopback is not asked for a way.
const NO_WAY_OUT: [(&str, &str); 3] = [
    ("HTTPS_PROXY", "http://127.0.0.1:9"),
    ("HTTP_PROXY", "http://127.0.0.1:9"),
    ("NO_PROXY", "127.0.0.1,localhost"),
];

/// A sitting of the agent with a prompt and the MCP servers it is given, by name, as its settings
/// write them; nothing when this run has no agent (see [`Tool::program`]).
///
/// It may use every tool of those servers and none of its own that change something.
#[track_caller]
pub fn sitting(home: &Home, model: &Model, servers: &Value, prompt: &str) -> Option<Run> {
    let program = Tool::Agent.program()?;
    let names = servers.as_object().into_iter().flat_map(|servers| servers.keys());
    let allowed: Vec<String> = names.map(|name| format!("mcp__{name}")).collect();
    let settings = json!({"mcpServers": servers}).to_string();
    let words = ["--print", prompt, "--output-format", "json", "--strict-mcp-config"];
    let mut run = home
        .program(program)
        .args(words)
        .args(["--mcp-config", &settings, "--allowedTools", &allowed.join(",")])
        .env("CLAUDE_CONFIG_DIR", home.config().join("agent"))
        .env("ANTHROPIC_BASE_URL", model.url());
    for (name, value) in QUIET.into_iter().chain(NO_WAY_OUT) {
        run = run.env(name, value);
    }
    Some(run)
}

/// The name under which the agent knows a tool of a server.
pub fn tool(server: &str, name: &str) -> String {
    format!("mcp__{server}__{name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Turn;

    #[test]
    fn the_agent_says_what_the_model_says() {
        let home = Home::new();
        let model = Model::start(vec![Turn::say("as planned")]);
        let Some(run) = sitting(&home, &model, &json!({}), "Do it.") else { return };
        let answer = run.run().ok().json();
        assert_eq!((&answer["result"], &answer["is_error"]), (&"as planned".into(), &false.into()));
    }
}
