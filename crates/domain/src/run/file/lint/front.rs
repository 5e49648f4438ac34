//! Rules of the frontmatter.

use std::ops::Range;

use crate::near::near;
use crate::run::file::WorkflowFile;
use crate::run::file::amount::Amount;
use crate::run::file::finding::{Finding, Findings};
use crate::run::file::front::{Budgets, Dirty, Front, Progress, ReportDetail, Worktree};
use crate::run::file::place::{Fields, Places};

pub(super) fn rules(file: &WorkflowFile, places: &Places, found: &mut Findings) {
    let Some(place) = &places.front else {
        found.push(
            Finding::error("front_missing", 0..0, "the file does not begin with a frontmatter")
                .label("begin the very first line with `---`")
                .in_hotl("Missing YAML frontmatter (file must start with ---)"),
        );
        return;
    };
    for key in ["intent", "success_criteria", "risk_level"] {
        required(key, &place.opening, &place.fields, found);
    }
    words(&file.front, &place.fields, found);
    budgets(&file.front.budgets, &place.fields, found);
}

fn required(key: &str, opening: &Range<usize>, fields: &Fields, found: &mut Findings) {
    let Some(field) = fields.get(key) else {
        found.push(
            Finding::error("front_field_missing", opening.clone(), format!("`{key}` is missing"))
                .label(format!("add `{key}: …` below"))
                .in_hotl(format!("Frontmatter missing '{key}:' field")),
        );
        return;
    };
    if field.value.is_none() {
        let finding =
            Finding::error("empty_value", field.key_span.clone(), format!("`{key}` is empty"));
        // HOTL is content with a text that is there and empty; a risk must be one of three words.
        let compat = "risk_level must be low, medium, or high (got: '')";
        found.push(if key == "risk_level" { finding.in_hotl(compat) } else { finding });
    }
}

fn words(front: &Front, fields: &Fields, found: &mut Findings) {
    let mut word = |key: &str, given: Option<&str>, known: &[&str], expected: &str| {
        let Some(given) = given else { return };
        let span = fields.span(key).unwrap_or_default();
        let first = given.split_ascii_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        let near = near(&first, known.iter().copied()).into_iter().next();
        let said = |given: &str| format!("{key} must be {expected} if set (got: '{given}')");
        let finding = Finding::error("front_word", span.clone(), said(given));
        let finding = finding.suggest_word(span, near.filter(|_| !first.is_empty()));
        // HOTL looks at the first word alone.
        let passes_there = known.contains(&first.as_str());
        found.push(if passes_there { finding } else { finding.in_hotl(said(&first)) });
    };
    if let Some(Progress::Other(given)) = &front.progress {
        word("progress", Some(given), Progress::KNOWN, "'verbose'");
    }
    if let Some(ReportDetail::Other(given)) = &front.report_detail {
        word("report_detail", Some(given), ReportDetail::KNOWN, "'full'");
    }
    if let Some(Worktree::Other(given)) = &front.worktree {
        word("worktree", Some(given), Worktree::KNOWN, "true, false, or host");
    }
    if let Some(Dirty::Other(given)) = &front.dirty {
        word("dirty_worktree", Some(given), Dirty::KNOWN, "'allow'");
    }
}

fn budgets(budgets: &Budgets, fields: &Fields, found: &mut Findings) {
    let mut whole = |key: &str, amount: Option<Amount>| {
        let Some(amount) = amount.filter(|amount| !amount.is_whole()) else { return };
        let message = format!("{key} counts whole things (got: {amount})");
        found.push(Finding::error("budget_whole", fields.span(key).unwrap_or_default(), message));
    };
    whole("max_total_attempts", budgets.total_attempts);
    whole("max_agents", budgets.agents);
    for (key, amount) in [
        ("max_total_attempts", budgets.total_attempts),
        ("max_agents", budgets.agents),
        ("max_elapsed_minutes", budgets.elapsed_minutes),
    ] {
        if amount.is_some_and(Amount::is_zero) {
            let span = fields.span(key).unwrap_or_default();
            let message = format!("with {key}: 0 no step can start");
            found.push(Finding::error("budget_zero", span, message));
        }
    }
}
