//! Reads the frontmatter.

use crate::near::near;
use crate::run::file::amount::Amount;
use crate::run::file::finding::{Finding, Findings};
use crate::run::file::front::{Budgets, Front, GateTimeout, Risk};
use crate::run::file::lines::Line;
use crate::run::file::place::Fields;
use crate::run::file::scalar::{Kind, Value};
use crate::run::file::scan::{Around, FRONT_KEYS, Mapping, fields};

pub(super) fn front(lines: &[Line<'_>], found: &mut Findings) -> (Front, Fields) {
    let mut mapping =
        Mapping::of(fields(lines, &FRONT_KEYS, Around::Mapping("the frontmatter"), found));
    let from = &mut mapping;
    let front = Front {
        intent: from.text("intent", found),
        success_criteria: from.text("success_criteria", found),
        risk: from.take(Kind::Word, "risk_level", found).and_then(|value| risk(&value, found)),
        auto_approve: from
            .take(Kind::Word, "auto_approve", found)
            .is_some_and(|value| truth(&value, found)),
        branch: from.word("branch", found),
        worktree: from.word("worktree", found).map(Into::into),
        progress: from.word("progress", found).map(Into::into),
        report_detail: from.word("report_detail", found).map(Into::into),
        dirty: from.word("dirty_worktree", found).map(Into::into),
        policy_profile: from.word("policy_profile", found),
        gate_timeout: gate_timeout(from, found),
        budgets: Budgets {
            total_attempts: budget(from, "max_total_attempts", found),
            agents: budget(from, "max_agents", found),
            cost_usd: budget(from, "max_cost_usd", found),
            elapsed_minutes: budget(from, "max_elapsed_minutes", found),
        },
    };
    (front, mapping.places)
}

/// HOTL's lint looks at the first word only; a run takes the whole value.
fn risk(value: &Value, found: &mut Findings) -> Option<Risk> {
    let risk = Risk::from_word(&value.text);
    if risk.is_none() {
        let near = near(&value.text.to_ascii_lowercase(), Risk::KNOWN).into_iter().next();
        let first = value.text.split_ascii_whitespace().next().unwrap_or_default();
        let message = format!("risk_level must be low, medium, or high (got: '{}')", value.text);
        let compat = format!(
            "risk_level must be low, medium, or high (got: '{}')",
            first.to_ascii_lowercase()
        );
        found.push(
            Finding::error("risk_word", value.span.clone(), message)
                .suggest_word(value.span.clone(), near)
                .in_hotl(compat),
        );
    }
    risk
}

/// `true` and `false` in any case. `yes` and its like are words that YAML itself has given up.
fn truth(value: &Value, found: &mut Findings) -> bool {
    let word = value.text.to_ascii_lowercase();
    let meant = match word.as_str() {
        "true" => return true,
        "false" => return false,
        "yes" | "y" | "on" | "1" => Some("true"),
        "no" | "n" | "off" | "0" => Some("false"),
        other => near(other, ["true", "false"]).first().map(|word| match word.as_str() {
            "true" => "true",
            _ => "false",
        }),
    };
    let message = format!("auto_approve must be true or false (got: '{}')", value.text);
    found.push(
        Finding::error("auto_approve_word", value.span.clone(), message)
            .suggest_word(value.span.clone(), meant.map(str::to_owned)),
    );
    false
}

/// A number alone is refused: somebody means minutes, somebody else hours.
fn gate_timeout(from: &mut Mapping<'_>, found: &mut Findings) -> Option<GateTimeout> {
    let value = from.take(Kind::Word, "gate_timeout", found)?;
    if !value.text.is_empty() && value.text.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = format!("gate_timeout '{}' has no unit", value.text);
        let finding = Finding::error("gate_timeout", value.span.clone(), message);
        found.push(finding.suggest(value.span.end..value.span.end, "h"));
        return None;
    }
    GateTimeout::parse("gate_timeout", &value.text)
        .map_err(|refusal| {
            let finding = Finding::error("gate_timeout", value.span, refusal.message);
            found.push(finding.label("write `never`, or a number and a unit, such as 30m or 4h"));
        })
        .ok()
}

fn budget(from: &mut Mapping<'_>, key: &'static str, found: &mut Findings) -> Option<Amount> {
    let value = from.take(Kind::Word, key, found)?;
    let amount = Amount::parse(&value.text);
    if amount.is_none() {
        let message = format!("{key} must be a number from 0 upwards (got: '{}')", value.text);
        let finding = Finding::error("budget_number", value.span, message);
        found.push(finding.label("such as 10 or 1.5, with at most six decimals"));
    }
    amount
}
