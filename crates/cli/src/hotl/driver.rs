//! HOTL's driver for any host, as `windlass hotl driver generic …`: its runtime under a protocol.

use std::path::PathBuf;

use serde_json::json;
use serde_json::value::RawValue;
use windlass_domain::Exit;
use windlass_ops::Context;
use windlass_ops::run::Normalize;

use super::runtime::{self, must_exist, say};
use super::words::Words;
use super::{Trouble, tell};

const PROTOCOL: &str = "hotl.driver/v1";

const USAGE: &str = "\
usage: driver generic <describe|preflight|launch|owner|step|gate|action|budget|status|receipt|\
reconcile|finalize|finish> [args]
";

/// What the runtime takes as it is.
const PASSED_ON: [&str; 8] =
    ["owner", "step", "gate", "action", "budget", "reconcile", "finalize", "finish"];

pub(super) fn answer(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    match words.next().as_deref() {
        Some("generic") => generic(cx, words),
        Some(host) => Err(Trouble::Told(format!(
            "Unknown driver: {host}\n       Any host can use the generic one: windlass hotl driver \
             generic"
        ))),
        None => Err(Trouble::Misused(USAGE)),
    }
}

fn generic(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    let command = words.next().ok_or(Trouble::Misused(USAGE))?;
    match command.as_str() {
        "describe" => describe(words),
        "preflight" => preflight(cx, words),
        "launch" => launch(cx, words),
        "status" => one_run(cx, words, "summary", "usage: driver generic status <run-id>"),
        "receipt" => one_run(cx, words, "receipt", "usage: driver generic receipt <run-id>"),
        passed_on if PASSED_ON.contains(&passed_on) => runtime::answer(cx, words.after(&command)),
        "help" | "--help" | "-h" => say(USAGE.trim_end()),
        unknown => {
            tell(&format!("ERROR: Unknown generic driver command: {unknown}"));
            Err(Trouble::Misused(USAGE))
        }
    }
}

fn describe(words: Words) -> Result<Exit, Trouble> {
    words.end()?;
    let supports: Vec<&str> = ["normalize", "launch"]
        .into_iter()
        .chain(["owner", "step", "gate", "action", "budget", "status", "receipt"])
        .chain(["reconcile", "finalize", "finish"])
        .collect();
    let described = json!({
        "protocol": PROTOCOL,
        "id": "generic",
        "host": "fallback",
        "maturity": "conformant",
        "execution": "hotl-rt",
        "supports": supports,
    });
    say(&described.to_string())
}

fn preflight(cx: &mut Context, mut words: Words) -> Result<Exit, Trouble> {
    let usage = "usage: driver generic preflight <workflow>";
    let file = PathBuf::from(words.next().ok_or(Trouble::Misused(usage))?);
    words.end().map_err(|_| Trouble::Misused(usage))?;
    must_exist(cx, &file)?;
    let document = cx.call(&Normalize { file })?;
    let workflow: &RawValue = serde_json::from_str(document.text())
        .map_err(|wrong| Trouble::Told(format!("the workflow cannot be told: {wrong}")))?;
    say(&format!(
        r#"{{"protocol":"{PROTOCOL}","driver":"generic","ready":true,"fallback":false,"workflow":{workflow}}}"#
    ))
}

/// A run of this driver belongs to nobody until somebody claims it.
fn launch(cx: &mut Context, words: Words) -> Result<Exit, Trouble> {
    if words.is_over() {
        return Err(Trouble::Misused("usage: driver generic launch <workflow> [init options]"));
    }
    let words = words
        .after("init")
        .with_switch("--require-owner")
        .or_option("--executor-mode", "generic")
        .or_option("--driver", "generic")
        .or_option("--host", "fallback");
    runtime::answer(cx, words)
}

/// A command of the runtime about one run, which must be named.
fn one_run(
    cx: &mut Context,
    words: Words,
    command: &str,
    usage: &'static str,
) -> Result<Exit, Trouble> {
    match words.is_over() {
        true => Err(Trouble::Misused(usage)),
        false => runtime::answer(cx, words.after(command)),
    }
}
