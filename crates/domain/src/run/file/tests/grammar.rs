//! The rest of the form: values, places, limits.

use super::*;

#[test]
fn a_command_is_kept_as_written() {
    for command in [
        "grep \"a b\" f",
        "true",
        "5",
        "npm test # all of them",
        "\"$BIN\" --check \"x\"",
        "'a' 'b'",
        "[ -f Cargo.toml ]",
        "{ cd x && make; }",
        "| cat",
        "> out",
        "echo '#'",
        "test \"$(id -u)\" = '0'",
    ] {
        assert_eq!(step(&format!("verify: {command}")).checks, [shell(command)], "{command}");
    }
}

#[test]
fn a_command_in_quotes_from_end_to_end_is_unquoted() {
    for (written, command) in [
        ("\"npm test\"", "npm test"),
        ("'npm test'", "npm test"),
        ("'it''s'", "it's"),
        (r#""grep \"a b\" f""#, r#"grep "a b" f"#),
        ("\"npm test\" # all", "npm test"),
        (r#""a\tb\u00e9\\""#, "a\tb\u{e9}\\"),
    ] {
        assert_eq!(step(&format!("verify: {written}")).checks, [shell(command)], "{written}");
    }
}

#[test]
fn a_quote_that_is_not_closed_is_refused() {
    let text = step_text("action: \"Do it");
    let (error, place) = refused(&text);
    assert_eq!((error.code, place), ("unclosed_quote", "\"Do it"));
    assert_eq!(accepted(&patched(&text, &error)).steps[0].action.as_deref(), Some("Do it"));
}

#[test]
fn an_escape_without_a_meaning_is_refused_with_its_place() {
    let text = step_text(r#"verify: "grep '\.rs' f""#);
    let (error, place) = refused(&text);
    assert_eq!((error.code, place), ("unknown_escape", "\\."));
    assert_eq!(accepted(&patched(&text, &error)).steps[0].checks, [shell(r"grep '\.rs' f")]);
}

#[test]
fn comments_end_texts_and_words_but_not_inside_quotes() {
    for (written, action) in [
        ("Do it # now", "Do it"),
        ("Fix #12", "Fix #12"),
        ("Say \"a # b\" # twice", "Say \"a # b\""),
        ("don't # stop", "don't"),
        ("a#b", "a#b"),
    ] {
        assert_eq!(step(&format!("action: {written}")).action.as_deref(), Some(action));
    }
    assert_eq!(front("branch: fix/a#1 #2").branch.as_deref(), Some("fix/a#1"));
    assert_eq!(front("intent: # nothing").intent, None);
}

#[test]
fn a_text_goes_on_over_deeper_lines() {
    let front = front("intent: Add it\n  to the API # soon\n  # a comment\n  now");
    assert_eq!(front.intent.as_deref(), Some("Add it to the API now"));
    let step = step("action:\n  Do this\n  and that\nloop: false");
    assert_eq!(step.action.as_deref(), Some("Do this and that"));
}

#[test]
fn a_line_that_looks_like_part_of_a_command_is_pointed_at() {
    let text = step_text("verify: pytest\n  --verbose\n");
    assert_eq!(warnings(&text), [("line_ignored", "--verbose")]);
}

/// An item has no key in the text: it is its dash that is pointed at, whatever follows.
#[test]
fn a_line_that_looks_like_part_of_an_item_is_pointed_at() {
    let text = "### 1. One\nverify:\n  - go é\n    and on\n  - # why\n    - no\n";
    let found = inspect(text);
    let of = |code: &str| found.iter().find(|finding| finding.code == code).unwrap();
    let (related, _) = of("line_ignored").related.clone().unwrap();
    assert_eq!((&text[of("line_ignored").span.clone()], &text[related]), ("and on", "-"));
    let list = of("list_for_text").suggestion.clone().unwrap();
    assert_eq!(text[..list.span.start].chars().last(), Some('-'));
}

#[test]
fn blocks_keep_or_fold_their_lines() {
    for (block, action) in [
        ("|\n  one\n    two\n\n  three\n", "one\n  two\n\nthree"),
        (">\n  one\n  two\n\n  three\n", "one two\nthree"),
        (">-\n  one\n    deep\n  two\n", "one\n  deep\ntwo"),
        ("|+\n  one\n\n", "one"),
        ("|2-\n    one\n   two\n", "  one\n two"),
        ("| # why\n\tone\n\ttwo\n", "one\ntwo"),
        ("|\n  ```\n  code\n  ```\n  after\n", "```\ncode\n```\nafter"),
        ("|\n  loop: x\n  # not a comment\n", "loop: x\n# not a comment"),
    ] {
        let step = step(&format!("action: {block}gate: auto\n"));
        assert_eq!((step.action.as_deref(), step.gate), (Some(action), Some(Gate::Auto)));
    }
}

#[test]
fn fields_may_be_indented_and_in_any_order_and_in_capitals() {
    let step = step("  Gate: human\n\n  VERIFY: npm test\n\tLoop: until done\n  Action: Do\n");
    assert_eq!(step.checks, [shell("npm test")]);
    assert_eq!((step.gate, step.action.as_deref()), (Some(Gate::Human), Some("Do")));
    assert_eq!(step.repeat, Loop::Until("done".into()));
}

#[test]
fn prose_between_fields_means_nothing() {
    let text = step_text(
        "Some words.\nNote: this is prose\nDate: today\naction: Do\n\n> loop: quoted\n\n\
         - a list\n- verify: no field\nhttp://x: y\nloop: false\n",
    );
    assert_eq!(warnings(&text), []);
    let step = &accepted(&text).steps[0];
    assert_eq!((step.action.as_deref(), step.form), (Some("Do"), Form::None));
}

#[test]
fn a_key_that_is_nearly_right_is_pointed_at() {
    let text = step_text("acton: Do\nmax-iteration: 2\n");
    assert_eq!(warnings(&text), [("unknown_key", "acton"), ("unknown_key", "max-iteration")]);
    let finding = &parse(&text).unwrap().warnings[0];
    assert_eq!(accepted(&patched(&text, finding)).steps[0].action.as_deref(), Some("Do"));
}

#[test]
fn an_unknown_key_of_the_frontmatter_or_a_check_is_pointed_at() {
    let text = "---\ntitle: x\nbudget:\n  intent: deep\nrisk-level: high\n---\n### 1. One\n\
                verify:\n  type: shell\n  cmd: x\n";
    assert_eq!(
        warnings(text),
        [
            ("unknown_key", "title"),
            ("unknown_key", "budget"),
            ("unknown_key", "risk-level"),
            ("unknown_key", "cmd"),
        ]
    );
    let suggested = parse(text).unwrap().warnings[2].suggestion.clone().unwrap();
    assert_eq!(suggested.replacement, "risk_level");
}

#[test]
fn a_key_of_another_type_of_check_is_pointed_at() {
    let text = step_text("verify:\n  type: shell\n  command: x\n  url: y\n");
    assert_eq!(warnings(&text), [("unused_key", "url")]);
}

#[test]
fn a_key_given_twice_in_a_step_or_a_check_is_refused() {
    let text = step_text("loop: false\n  Loop: until x\n");
    assert_eq!(refused(&text).0.code, "duplicate_key");
    let text = step_text("verify:\n  - kind: exists\n    assert:\n      kind: contains\n");
    let (error, place) = refused(&text);
    assert_eq!((error.code, place), ("duplicate_key", "kind"));
}

#[test]
fn a_line_of_the_frontmatter_that_is_no_field_is_refused() {
    let text = "---\nas risky as can be\n---\n### 1. One\n";
    let (error, place) = refused(text);
    assert_eq!((error.code, place), ("not_a_field", "as risky as can be"));
}

#[test]
fn a_key_of_the_frontmatter_without_its_colon_is_refused_with_the_place_to_put_it() {
    let text = "---\nrisk_level high\n---\n### 1. One\n";
    let (error, place) = refused(text);
    assert_eq!((error.code, place), ("colon_missing", "risk_level"));
    assert_eq!(accepted(&patched(text, &error)).front.risk, Some(Risk::High));
}

#[test]
fn a_list_that_is_not_closed_is_read_as_text_with_a_warning() {
    for (value, opening) in [("[a, b", "["), ("{a: b", "{"), ("[[a], b", "[")] {
        let text = format!("---\nintent: {value}\n---\n### 1. One\n");
        assert_eq!(warnings(&text), [("unclosed_bracket", opening)], "{value}");
        assert_eq!(accepted(&text).front.intent.as_deref(), Some(value));
    }
}

#[test]
fn brackets_that_are_closed_or_quoted_are_no_matter() {
    for value in ["[a, b]", "[wip] do it", "\"[a, b\"", "a [b", "{a}", "[a,\n  b]"] {
        assert_eq!(warnings(&format!("---\nintent: {value}\n---\n### 1. One\n")), [], "{value}");
    }
}

#[test]
fn a_list_where_a_text_stands_is_refused_with_the_mark_to_add() {
    let text = "---\nsuccess_criteria:\n  - a\n  - b\n---\n### 1. One\n";
    let (error, place) = refused(text);
    assert_eq!((error.code, place), ("list_for_text", "- a"));
    let front = accepted(&patched(text, &error)).front;
    assert_eq!(front.success_criteria.as_deref(), Some("- a\n- b"));
}

#[test]
fn a_frontmatter_that_is_not_closed_is_refused() {
    assert_eq!(refused("---\nintent: x\n### 1. One\n").0.code, "front_unclosed");
}

#[test]
fn a_file_without_a_frontmatter_or_with_a_byte_order_mark_is_read() {
    assert_eq!(accepted("### 1. One\n").front, Front::default());
    let file = accepted("\u{feff}---\nintent: x\n---\n### 1. One\n");
    assert_eq!(file.front.intent.as_deref(), Some("x"));
}

#[test]
fn a_word_of_risk_or_a_budget_that_is_none_is_refused() {
    let text = "---\nrisk_level: hihg\n---\n### 1. One\n";
    let (error, place) = refused(text);
    assert_eq!((error.code, place), ("risk_word", "hihg"));
    assert_eq!(accepted(&patched(text, &error)).front.risk, Some(Risk::High));
    let text = "---\nmax_cost_usd: -1\n---\n### 1. One\n";
    assert_eq!(refused(text).0.code, "budget_number");
}

#[test]
fn two_steps_with_one_number_are_refused_with_both_places() {
    let text = "### 1. One\n### 2. Two\n### 2. Again\n### 3. Three\n";
    let (error, place) = refused(text);
    assert_eq!((error.code, place), ("step_number", "2"));
    assert_eq!(error.message, "there are two steps with the number 2");
    assert_eq!(error.related.unwrap().0, 15..16);
}

#[test]
fn steps_out_of_order_are_refused() {
    let found = parse("### 2. Two\n### 1. One\n").unwrap_err();
    assert!(found.iter().all(|finding| finding.code == "step_number"), "{found:?}");
}

#[test]
fn a_line_that_looks_like_a_step_is_pointed_at() {
    for line in ["- [ ] Step 2: Two", "* [ ] **Step 2: Two**", "## Step 2: Two", "  ### 2. Two"] {
        let text = format!("### 1. One\n{line}\n");
        assert_eq!(warnings(&text)[0].0, "header_like", "{line}");
        let finding = &parse(&text).unwrap().warnings[0];
        let steps = accepted(&patched(&text, finding)).steps;
        assert_eq!(steps[1].name, "Two", "{line}");
    }
}

#[test]
fn a_heading_of_a_document_is_not_pointed_at() {
    assert_eq!(warnings("## 1. Overview\n### 1.2 Part\n# Steps\n### 1. One\n"), []);
}

#[test]
fn a_step_without_closing_stars_is_refused() {
    let text = "- [ ] **Step 1: One\naction: Do\n";
    let found = parse(text).unwrap_err();
    assert_eq!(found[0].code, "header_like");
    assert_eq!(accepted(&patched(text, &found[0])).steps[0].name, "One");
}

#[test]
fn stars_and_words_after_a_name_are_told_apart() {
    let file = accepted("- [ ] **Step 1: Use **kwargs**\n- [ ] **Step 2: Two** (soon)\n");
    assert_eq!(file.steps[0].name, "Use **kwargs");
    assert_eq!(file.steps[1].name, "Two");
}

#[test]
fn code_that_is_fenced_to_the_end_is_pointed_at() {
    let text = "### 1. One\n```\n### 2. Two\n";
    assert_eq!(warnings(text), [("fence_unclosed", "```")]);
}

#[test]
fn a_fence_that_is_indented_too_far_is_none() {
    let file = accepted("    ```\n### 1. One\n   ```\n### 2. Two\n   ````\n");
    assert_eq!(file.steps.len(), 1);
}

#[test]
fn a_check_without_a_type_is_a_command() {
    assert_eq!(step("verify:\n  command: make\n").checks, [shell("make")]);
}

#[test]
fn what_lint_refuses_is_still_a_value() {
    let step = step(
        "gate: whatever\nloop: forever\nverify:\n  - type: magic\n    spell: x\n  - type: artifact\n\
         \x20 - type: artifact\n    path: p\n    assert:\n      kind: odd\n  - type: artifact\n    \
         assert:\n      value: v\n",
    );
    assert_eq!((step.action, step.gate), (None, Some(Gate::Other("whatever".into()))));
    assert_eq!(step.repeat, Loop::Other("forever".into()));
    assert_eq!(step.checks[0], Check::Unknown { kind: "magic".into() });
    assert_eq!(step.checks[1], Check::Artifact { path: None, assert: None, timeout: None });
    let odd = Assert { kind: AssertKind::Other("odd".into()), value: None };
    let path = Some("p".into());
    assert_eq!(step.checks[2], Check::Artifact { path, assert: Some(odd), timeout: None });
    let bare = Assert { kind: AssertKind::Missing, value: Some("v".into()) };
    assert_eq!(step.checks[3], Check::Artifact { path: None, assert: Some(bare), timeout: None });
    let front = front("worktree: maybe");
    assert_eq!(front.worktree, Some(Worktree::Other("maybe".into())));
}

#[test]
fn a_list_may_stand_as_deep_as_its_key_and_hold_plain_commands() {
    let step =
        step("verify:\n- type: shell\n  command: a\n- command: |\n    b\n    c\n\nA list:\n- x\n");
    assert_eq!(step.checks, [shell("a"), shell("b\nc")]);
    let plain = self::step("verify:\n  - npm test\n  - \"npm run lint\"\n  - |\n    a\n    b\n");
    assert_eq!(plain.checks, [shell("npm test"), shell("npm run lint"), shell("a\nb")]);
}

#[test]
fn a_check_may_have_a_time_limit_with_its_unit() {
    let step = step("verify:\n  type: shell\n  command: a\n  timeout: 90s # long\n");
    let timeout = crate::duration::Span::parse("timeout", "90s").ok();
    assert_eq!(step.checks, [Check::Shell { command: Some("a".into()), timeout }]);
    let text = step_text("verify:\n  type: shell\n  timeout: 30\n");
    assert_eq!(refused(&text).0.message, "timeout '30' has no unit");
}

#[test]
fn a_mapping_on_one_line_is_not_run_as_a_command() {
    let text = step_text("verify: {type: shell, command: x}");
    assert_eq!(refused(&text).0.code, "flow_mapping");
}

#[test]
fn dependencies_are_numbers_in_any_form() {
    for written in ["[1, 2]", "1, 2", "[1,2] # why", "\n  - 1\n  - 2 # why"] {
        let file = accepted(&format!("### 1. A\n### 2. B\n### 3. C\ndepends_on: {written}\n"));
        assert_eq!(file.steps[2].depends_on, [1, 2], "{written}");
    }
    assert_eq!(refused(&step_text("depends_on: []")).0.message, "depends_on names no step");
    assert_eq!(refused(&step_text("depends_on: [one]")).0.code, "not_a_number");
}

#[test]
fn control_characters_are_refused_in_names_and_values() {
    assert_eq!(refused("### 1. O\u{1b}ne\n").0.code, "control_character");
    assert_eq!(refused("### 1. O\u{202e}ne\n").0.code, "control_character");
    assert_eq!(refused(&step_text("verify: a\0b")).0.code, "control_character");
    assert_eq!(refused(&step_text("action: \"a\\x1b\"")).0.code, "control_character");
}

#[test]
fn files_steps_and_names_have_limits() {
    assert_eq!(refused(&" ".repeat(LARGEST_BYTES + 1)).0.code, "file_too_large");
    let steps =
        |count: usize| (1..=count).map(|n| format!("### {n}. S\n")).collect::<Vec<_>>().concat();
    assert_eq!(accepted(&steps(MOST_STEPS)).steps.len(), MOST_STEPS);
    assert_eq!(refused(&steps(MOST_STEPS + 1)).0.code, "too_many_steps");
    accepted(&format!("### 1. {}\n", "ä".repeat(LONGEST_NAME_CHARS)));
    let long = format!("### 1. {}\n", "ä".repeat(LONGEST_NAME_CHARS + 1));
    assert_eq!(refused(&long).0.code, "name_too_long");
    assert_eq!(refused("### 1.\n").0.code, "name_missing");
}

#[test]
fn several_errors_are_told_in_one_go() {
    let found =
        parse("---\nrisk_level: x\nauto_approve: y\n---\n### 2. A\nloop: \"x\n").unwrap_err();
    let codes: Vec<_> = found.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["risk_word", "auto_approve_word", "step_number", "unclosed_quote"]);
}

#[test]
fn endless_findings_are_cut_and_an_error_among_them_still_counts() {
    let many = "x: y\n".repeat(5_000);
    let found = parse(&format!("---\n{many}risk_level: no\n---\n### 1. A\n")).unwrap_err();
    assert_eq!(found.len(), 101);
    assert_eq!(found.last().unwrap().code, "risk_word");
}

#[test]
fn a_file_is_carried_by_json() {
    let file = accepted(&step_text(
        "action: Do\nloop: until x\nverify:\n  - type: artifact\n    path: p\n    assert: exists\n    \
         timeout: 5m\n  - type: odd\ngate: other\ndepends_on: 1\n",
    ));
    let json = serde_json::to_string(&file).unwrap();
    assert_eq!(serde_json::from_str::<WorkflowFile>(&json).unwrap(), file, "{json}");
}
