//! What holds for every file and every text.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use super::lines::trimmed;
use super::*;
use crate::duration::Span;

/// Pieces that mean something somewhere.
fn pieces() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a",
        "Z",
        " ",
        " ",
        "#",
        "\"",
        "'",
        "|",
        ">",
        ":",
        "-",
        "- ",
        "\t",
        "\\",
        "*",
        "**",
        "`",
        "---",
        "```",
        "~~~",
        "[",
        "]",
        "{",
        "}",
        ",",
        "until ",
        "false",
        "true",
        "5",
        "1.5",
        "verify:",
        "type:",
        "action: ",
        "é",
        "\u{a0}",
        "\u{3000}",
        "\u{2028}",
        "日",
        "🎉",
        "{type: x}",
        "### 1. ",
        "- [ ] **Step 2: ",
        "\u{feff}",
    ])
    .prop_map(str::to_owned)
}

/// One line, not blank and without blanks around it.
fn line() -> impl Strategy<Value = String> {
    vec(pieces(), 1..8)
        .prop_map(|pieces| trimmed(&pieces.concat()).to_owned())
        .prop_filter("blank", |line| !line.is_empty())
}

/// Any text that is not blank.
fn text() -> impl Strategy<Value = String> {
    let breaks = prop_oneof![Just("\n"), Just("\n\n"), Just("\n  "), Just(" \n"), Just("\n \n")];
    let lines = vec((pieces(), of(breaks)), 1..10).prop_map(|parts| {
        parts.into_iter().map(|(text, end)| text + end.unwrap_or_default()).collect::<String>()
    });
    prop_oneof![line(), lines].prop_filter("blank", |text| !text.trim_ascii().is_empty())
}

fn front() -> impl Strategy<Value = Front> {
    let risk = prop::sample::select(vec![Risk::Low, Risk::Medium, Risk::High]);
    let words = (of(line()), of(line()), of(line()), of(line()), of(line()));
    let amount = || {
        of((0_u64..1_000_000_000_000_000).prop_map(|n| {
            Amount::parse(&format!("{}.{:06}", n / 1_000_000, n % 1_000_000)).unwrap()
        }))
    };
    let budgets = (amount(), amount(), amount(), amount());
    let rest = (budgets, of(gate_timeout()));
    (of(text()), of(text()), of(risk), any::<bool>(), of(line()), words, rest).prop_map(
        |(intent, success_criteria, risk, auto_approve, branch, words, (budgets, gate_timeout))| {
            Front {
                intent,
                success_criteria,
                risk,
                auto_approve,
                branch,
                worktree: words.0.map(Into::into),
                progress: words.1.map(Into::into),
                report_detail: words.2.map(Into::into),
                dirty: words.3.map(Into::into),
                policy_profile: words.4,
                gate_timeout,
                budgets: Budgets {
                    total_attempts: budgets.0,
                    agents: budgets.1,
                    cost_usd: budgets.2,
                    elapsed_minutes: budgets.3,
                },
            }
        },
    )
}

fn gate_timeout() -> impl Strategy<Value = GateTimeout> {
    timeout().prop_map(|span| span.map_or(GateTimeout::Never, GateTimeout::After))
}

fn timeout() -> impl Strategy<Value = Option<Span>> {
    of((1_i64..1_000_000).prop_map(|seconds| Span::from_millis(seconds * 1_000)))
}

fn check() -> impl Strategy<Value = Check> {
    let kind = prop_oneof![Just("exists".to_owned()), Just("contains".to_owned()), line()];
    let kind = of(kind).prop_map(|kind| AssertKind::from(kind.unwrap_or_default()));
    let assert = (kind, of(text())).prop_map(|(kind, value)| {
        (kind != AssertKind::Missing || value.is_some()).then_some(Assert { kind, value })
    });
    let is_unknown = |kind: &String| !Check::KNOWN.contains(&kind.to_ascii_lowercase().as_str());
    prop_oneof![
        (of(text()), timeout()).prop_map(|(command, timeout)| Check::Shell { command, timeout }),
        (of(line()), assert, timeout()).prop_map(|(path, assert, timeout)| Check::Artifact {
            path,
            assert,
            timeout
        }),
        (of(line()), of(text()), timeout()).prop_map(|(url, check, timeout)| Check::Browser {
            url,
            check,
            timeout
        }),
        of(text()).prop_map(|prompt| Check::Review { prompt }),
        line().prop_filter("known", is_unknown).prop_map(|kind| Check::Unknown { kind }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let name = line().prop_filter("strange", |name| !name.contains('\u{2028}'));
    let repeat = of(text()).prop_map(|text| text.map(Into::into).unwrap_or_default());
    let gate = of(line()).prop_map(|gate| gate.map(Into::into));
    let depends_on = vec(any::<u32>(), 0..3);
    (
        name,
        any::<bool>(),
        of(text()),
        repeat,
        any::<u32>(),
        vec(check(), 0..4),
        any::<bool>(),
        gate,
        depends_on,
    )
        .prop_map(|(name, ticked, action, repeat, max, checks, is_list, gate, depends_on)| {
            Step {
                ticked,
                action,
                repeat,
                max_iterations: max,
                form: match checks.len() {
                    0 => Form::None,
                    1 if !is_list => Form::One,
                    _ => Form::Many,
                },
                checks,
                gate,
                depends_on,
                ..Step::new(0, name)
            }
        })
}

fn file() -> impl Strategy<Value = WorkflowFile> {
    (front(), vec(step(), 1..4)).prop_map(|(front, mut steps)| {
        for (number, step) in (1..).zip(&mut steps) {
            step.number = number;
        }
        WorkflowFile { front, steps }
    })
}

/// Lines that mean something, in any order.
fn scraps() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => prop::sample::select(vec![
            "---", "intent: x", "risk_level: high", "### 1. One", "- [ ] **Step 2: Two**", "### 2. B",
            "action: Do", "action: |", "loop: until x", "verify:", "  - type: shell", "- type: shell",
            "    command: a", "    command: >", "      deep", "  type: artifact", "  assert:",
            "    kind: exists", "```", "  ```", "~~~", "", "  ", "gate: human", "  gate: auto", "# c",
            "verify: \"x\"", "depends_on: [1]", "\tverify: y", "  prose",
        ]).prop_map(str::to_owned),
        1 => vec(pieces(), 0..6).prop_map(|pieces| pieces.concat()),
    ];
    (vec(line, 0..24), any::<bool>())
        .prop_map(|(lines, crlf)| lines.join(if crlf { "\r\n" } else { "\n" }))
}

proptest! {
    #[test]
    fn a_file_reads_back_from_its_canonical_form(file in file()) {
        let text = canonical(&file);
        let parsed = parse(&text);
        prop_assert!(parsed.is_ok(), "{text}\n{parsed:#?}");
        prop_assert_eq!(parsed.unwrap().file, file, "{}", text);
    }

    #[test]
    fn a_file_reads_back_from_json(file in file()) {
        let json = serde_json::to_string(&file).unwrap();
        prop_assert_eq!(serde_json::from_str::<WorkflowFile>(&json).unwrap(), file);
    }

    #[test]
    fn any_text_is_accepted_or_refused_with_places_in_it(text in prop_oneof![any::<String>(), scraps()]) {
        for finding in inspect(&text) {
            prop_assert!(text.get(finding.span.clone()).is_some(), "{finding:?}");
            let spans = finding.suggestion.iter().map(|suggestion| &suggestion.span);
            for span in spans.chain(finding.related.iter().map(|(span, _)| span)) {
                prop_assert!(text.get(span.clone()).is_some(), "{finding:?}");
            }
        }
        let Ok(parsed) = parse(&text) else { return Ok(()) };
        let written = canonical(&parsed.file);
        let again = parse(&written);
        prop_assert!(again.is_ok(), "{written}\n{again:#?}");
        let again = again.unwrap().file;
        prop_assert_eq!(&again, &parsed.file, "{}", written);
        prop_assert_eq!(canonical(&again), written);
    }
}
