//! Foreign content stays, byte for byte, and comes back when we leave.

use proptest::prelude::*;
use serde_json::json;

use super::super::entry::{Form, Name};
use super::*;

const HOLDER: Holder = Holder { key: "mcpServers", dialect: Dialect::Comments };

fn ours() -> Entry {
    Entry { form: Form::Plain, program: "windlass".to_owned(), agent: Name::Usual("claude") }
}

fn put(text: &str) -> String {
    match HOLDER.put(Some(text), &ours(), Foreign::Keep) {
        Ok(Edited::Text(after)) => after,
        other => panic!("{text}\n{other:?}"),
    }
}

fn taken(text: &str) -> Edited {
    HOLDER.take(Some(text), &ours(), Foreign::Keep).unwrap()
}

/// What the text says, read with comments.
fn meaning(text: &str) -> Value {
    scan(text, Dialect::Comments).unwrap().value()
}

#[test]
fn a_new_file_has_the_entry_alone() {
    let made = HOLDER.new_file(&ours());
    let expected = r#"{
  "mcpServers": {
    "windlass": {
      "command": "windlass",
      "args": ["mcp", "--agent", "claude"]
    }
  }
}
"#;
    assert_eq!(made, expected);
    assert_eq!(taken(&made), Edited::Gone);
}

#[test]
fn a_file_of_an_older_place_of_the_program_is_brought_up_to_date() {
    let old = Entry { program: "/opt/windlass".to_owned(), ..ours() };
    let made = HOLDER.new_file(&old);
    assert_eq!(put(&made), HOLDER.new_file(&ours()));
    assert_eq!(taken(&made), Edited::Gone);
}

#[test]
fn the_entry_is_laid_out_as_its_neighbours_are() {
    let text = "{\n\t\"mcpServers\": {\n\t\t\"other\": {}\n\t},\n\t\"a\": 1\n}\n";
    let expected = "{\n\t\"mcpServers\": {\n\t\t\"other\": {},\n\t\t\"windlass\": {\n\t\t\t\"command\": \
                    \"windlass\",\n\t\t\t\"args\": [\"mcp\", \"--agent\", \"claude\"]\n\t\t}\n\t},\n\t\"a\": 1\n}\n";
    assert_eq!(put(text), expected);
}

#[test]
fn an_empty_object_is_filled_with_the_indentation_of_its_line() {
    let entry = |indent: &str| {
        format!(
            "\"windlass\": {{\n{indent}  \"command\": \"windlass\",\n\
             {indent}  \"args\": [\"mcp\", \"--agent\", \"claude\"]\n{indent}}}"
        )
    };
    for (text, expected) in [
        ("{}\n", format!("{{\"mcpServers\": {{\n  {}\n}}}}\n", entry("  "))),
        ("{\"mcpServers\": {}}\n", format!("{{\"mcpServers\": {{{}}}}}\n", entry(""))),
        (
            "{\n  \"mcpServers\": {}\n}\n",
            format!("{{\n  \"mcpServers\": {{{}}}\n}}\n", entry("  ")),
        ),
    ] {
        assert_eq!(put(text), expected);
    }
}

#[test]
fn a_file_that_says_nothing_is_as_good_as_none() {
    for text in ["", "\n", " \r\n"] {
        assert_eq!(put(text), HOLDER.new_file(&ours()));
        assert_eq!(taken(text), Edited::Same);
    }
}

#[test]
fn lines_end_as_they_did() {
    let after = put("{\r\n  \"a\": 1\r\n}\r\n");
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
}

#[test]
fn whatever_a_file_looks_like_undo_gives_it_back() {
    for text in [
        "{}",
        "{ }\n",
        "{\n}\n",
        "\u{feff}{}\n",
        "{\"a\":1}",
        "{\n    \"a\": [1, 2]\n}",
        "{\"mcpServers\": {}}",
        "{\"mcpServers\": {\n}}",
        "{\n  \"mcpServers\": {\n  }\n}\n",
        "{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n",
        "{\n  \"mcpServers\": {\n    \"x\": {}, // why\n  },\n}\n",
        "{ // first\n}",
        "{ /* first */ }",
        "{\"a\": 1 // why\r\n}\r\n",
        "{\"a\": 1 /* why */ , /* and */ \"b\": 2 /* end */ }",
        "{\"mcpServers\": { // none yet\n}}",
        "// top\n{\"a\": 1}\n// bottom\n",
        "{\"mcp\\u0053ervers\": {\"x\": 1}}",
    ] {
        let after = put(text);
        assert_eq!(taken(&after), Edited::Text(text.to_owned()), "{after}");
        let again = HOLDER.put(Some(&after), &ours(), Foreign::Keep);
        assert_eq!(again, Ok(Edited::Same), "{after}");
    }
}

#[test]
fn what_was_added_around_the_entry_later_stays() {
    let after = put("{\"mcpServers\": {\"x\": {}}}");
    let more = after.replace("\n  }}}", "\n  }, \"y\": {}}}");
    let Edited::Text(rest) = taken(&more) else { panic!("{more}") };
    assert_eq!(rest, "{\"mcpServers\": {\"x\": {}, \"y\": {}}}");
}

#[test]
fn an_entry_that_somebody_else_wrote_is_shown_and_kept_unless_it_may_go() {
    let text = "{\"mcpServers\": {\"windlass\": {\"command\": \"npx\"}, \"x\": 1}}";
    let theirs = "\"windlass\": {\"command\": \"npx\"}".to_owned();
    let refused = Err(Trouble::Foreign { theirs });
    assert_eq!(HOLDER.put(Some(text), &ours(), Foreign::Keep), refused);
    assert_eq!(HOLDER.take(Some(text), &ours(), Foreign::Keep), refused);
    let Ok(Edited::Text(after)) = HOLDER.put(Some(text), &ours(), Foreign::Replace) else {
        panic!()
    };
    let wanted = json!({"mcpServers": {"windlass": ours().value(), "x": 1}});
    assert_eq!(meaning(&after), wanted);
    let rest = HOLDER.take(Some(text), &ours(), Foreign::Replace);
    assert_eq!(rest, Ok(Edited::Text("{\"mcpServers\": { \"x\": 1}}".to_owned())));
}

#[test]
fn a_file_of_another_shape_is_refused_with_the_line() {
    for (text, line) in [
        ("[]", 1),
        ("{\n\"mcpServers\": []}", 2),
        ("{\"mcpServers\": {},\n\"mcpServers\": {}}", 2),
        ("{\"mcpServers\": {\"windlass\": 1,\n\"windlass\": 2}}", 2),
        ("{\n\n", 3),
    ] {
        let edited = HOLDER.put(Some(text), &ours(), Foreign::Replace);
        let Err(Trouble::Broken { line: found, .. }) = edited else { panic!("{text}") };
        assert_eq!(found, line, "{text}");
    }
}

#[test]
fn nothing_is_taken_out_where_nothing_is() {
    assert_eq!(HOLDER.take(None, &ours(), Foreign::Keep), Ok(Edited::Same));
    assert_eq!(taken("{\"mcpServers\": {}}"), Edited::Same);
    assert_eq!(taken("{}"), Edited::Same);
}

/// White space and comments, as somebody may have put them anywhere.
fn space() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ \t]{0,2}",
        2 => Just("\n".to_owned()),
        2 => Just("\r\n".to_owned()),
        1 => Just("/* , } */".to_owned()),
        1 => Just("// \"{\n".to_owned()),
    ];
    prop::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

/// Any JSON, laid out in any way.
fn document(depth: u32) -> BoxedStrategy<String> {
    let plain = prop_oneof![
        Just("1".to_owned()),
        Just("-2.5e3".to_owned()),
        Just("null".to_owned()),
        "\"[a-z/{},:]{0,4}\"",
    ];
    let nested = plain.prop_recursive(depth, 24, 4, |inner| {
        let items = prop::collection::vec((space(), inner.clone(), space()), 0..4);
        let list = (items, space(), any::<bool>()).prop_map(|(items, end, last_comma)| {
            let items: Vec<String> = items.into_iter().map(|(a, v, b)| a + &v + &b).collect();
            let comma = if last_comma && !items.is_empty() { "," } else { "" };
            format!("[{}{comma}{end}]", items.join(","))
        });
        prop_oneof![list, object(inner.boxed())]
    });
    nested.boxed()
}

fn object(inner: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    let member = (space(), "[a-z]{1,3}", space(), space(), inner, space());
    let members = prop::collection::vec(member, 0..4);
    (members, space(), any::<bool>()).prop_map(|(members, end, last_comma)| {
        let members: Vec<String> = members
            .into_iter()
            .map(|(a, key, b, c, value, d)| format!("{a}\"{key}\"{b}:{c}{value}{d}"))
            .collect();
        let comma = if last_comma && !members.is_empty() { "," } else { "" };
        format!("{{{}{comma}{end}}}", members.join(","))
    })
}

/// A file, with or without an object of servers.
fn file() -> impl Strategy<Value = String> {
    let with = (object(document(2)), space(), document(2), space()).prop_map(
        |(servers, space, other, end)| {
            format!("{{{space}\"mcpServers\":{space}{servers},{end}\"zzzz\": {other}{space}}}{end}")
        },
    );
    prop_oneof![object(document(3)), with]
}

/// Whether a text can be had from another by only leaving letters out.
fn is_left_of(text: &str, longer: &str) -> bool {
    let mut letters = longer.chars();
    text.chars().all(|letter| letters.any(|other| other == letter))
}

proptest! {
    #[test]
    fn foreign_content_keeps_every_byte_and_undo_gives_it_back(text in file()) {
        let after = put(&text);
        prop_assert!(is_left_of(&text, &after), "{}", after);
        let mut left = meaning(&after);
        prop_assert_eq!(HOLDER.without(&mut left), Some(ours().value()));
        let again = HOLDER.put(Some(&after), &ours(), Foreign::Keep);
        prop_assert_eq!(again, Ok(Edited::Same));
        prop_assert_eq!(taken(&after), Edited::Text(text));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[{}\\[\\]\",:/*\\\\a1 \n]{0,24}") {
        let _edited = HOLDER.put(Some(&text), &ours(), Foreign::Replace);
    }
}
