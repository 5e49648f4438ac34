//! What is written in one colour on another can be read, in both themes: WCAG AA, over the colours
//! that the style sheet names.

use std::collections::BTreeMap;

const SHEET: &str = include_str!("assets/app.css");

/// Text is at least this far from what is behind it.
const TEXT: f64 = 4.5;
/// What shows where something is, such as the border of a field, is at least this far.
const SHAPE: f64 = 3.0;

/// The colours by name, as they are in the light and in the dark.
fn colours() -> BTreeMap<&'static str, [f64; 2]> {
    let pairs = SHEET.lines().filter_map(|line| {
        let (name, value) = line.trim().strip_prefix("--")?.split_once(':')?;
        let (light, dark) = value.trim().strip_prefix("light-dark(")?.split_once(',')?;
        let dark = dark.trim().strip_suffix(");")?;
        Some((name, [luminance(light.trim())?, luminance(dark.trim())?]))
    });
    pairs.collect()
}

/// How bright `#rrggbb` is, by the formula of WCAG.
fn luminance(colour: &str) -> Option<f64> {
    let digits = colour.strip_prefix('#')?;
    let channel = |at: usize| {
        let value = u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()?;
        let value = f64::from(value) / 255.0;
        Some(match value <= 0.04045 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        })
    };
    Some(0.2126 * channel(0)? + 0.7152 * channel(2)? + 0.0722 * channel(4)?)
}

fn ratio(one: f64, other: f64) -> f64 {
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The pairs that are nearer to each other than they may be.
fn too_near(pairs: &[(&str, &str)], least: f64) -> Vec<String> {
    let colours = colours();
    let mut near = Vec::new();
    for (front, behind) in pairs {
        let (front_pair, behind_pair) = (colours[front], colours[behind]);
        for (theme, at) in [("light", 0), ("dark", 1)] {
            let found = ratio(front_pair[at], behind_pair[at]);
            if found < least {
                near.push(format!("{front} on {behind}, {theme}: {found:.2}"));
            }
        }
    }
    near
}

#[test]
fn the_formula_is_that_of_wcag() {
    let [black, white] = ["#000000", "#ffffff"].map(|colour| luminance(colour).unwrap());
    assert!((ratio(black, white) - 21.0).abs() < 0.001);
    let grey = luminance("#767676").unwrap();
    assert!((ratio(grey, white) - 4.54).abs() < 0.01);
}

#[test]
fn text_can_be_read_on_what_is_behind_it() {
    let mut pairs = vec![("on-accent", "accent")];
    for behind in ["ground", "surface", "sunken", "raised"] {
        for front in ["ink", "soft", "accent", "blocked", "warn", "done", "ready", "in-progress"] {
            pairs.push((front, behind));
        }
    }
    for name in ["backlog", "ready", "in-progress", "blocked", "done", "warn", "accent"] {
        let tint: &'static str = match name {
            "backlog" => "backlog-tint",
            "ready" => "ready-tint",
            "in-progress" => "in-progress-tint",
            "blocked" => "blocked-tint",
            "done" => "done-tint",
            "warn" => "warn-tint",
            _ => "accent-tint",
        };
        pairs.extend([(name, tint), ("ink", tint), ("soft", tint)]);
    }
    assert_eq!(too_near(&pairs, TEXT), Vec::<String>::new());
}

#[test]
fn the_borders_of_fields_can_be_seen() {
    let pairs = [
        ("edge", "surface"),
        ("edge", "ground"),
        ("edge", "raised"),
        ("accent", "ground"),
        ("accent", "surface"),
        ("accent", "sunken"),
        ("in-progress", "line"),
    ];
    assert_eq!(too_near(&pairs, SHAPE), Vec::<String>::new());
}
