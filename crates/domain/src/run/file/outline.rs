//! The lines of a file sorted: its frontmatter, its steps, and code that is not read.

use std::ops::Range;

use super::finding::{Finding, Findings};
use super::lines::{Line, is_blank, trimmed};
use super::scan::opens_block;

/// How deep a fence may stand.
const FENCE_INDENT: usize = 3;

/// The lines between the two `---`, if the file begins with one, and the lines after them.
#[derive(Debug)]
pub(super) struct Outline<'a, 't> {
    pub(super) front: Option<(Line<'t>, &'a [Line<'t>])>,
    pub(super) body: &'a mut [Line<'t>],
}

pub(super) fn outline<'a, 't>(lines: &'a mut [Line<'t>], found: &mut Findings) -> Outline<'a, 't> {
    let is_rule = |line: &Line<'_>| line.indent == 0 && line.body == "---";
    let Some(first) = lines.first().copied().filter(is_rule) else {
        return Outline { front: None, body: lines };
    };
    let Some(end) = lines.iter().skip(1).position(is_rule) else {
        found.push(
            Finding::error("front_unclosed", first.span(), "the frontmatter is not closed")
                .label("opened here; a second line `---` ends it"),
        );
        return Outline { front: None, body: lines };
    };
    let (front, body) = lines.split_at_mut(end + 1);
    let front: &'a [Line<'t>] = front;
    Outline {
        front: Some((first, front.get(1..).unwrap_or_default())),
        body: body.get_mut(1..).unwrap_or_default(),
    }
}

/// Marks the lines of fenced code. A fence inside a block of lines belongs to the block.
pub(super) fn mark_fences(lines: &mut [Line<'_>], found: &mut Findings) {
    let mut open: Option<(char, usize, Range<usize>)> = None;
    let mut block: Option<usize> = None;
    for line in lines {
        if let Some(indent) = block {
            if line.is_blank() || line.indent > indent {
                continue;
            }
            block = None;
        }
        if let Some((mark, length, _)) = &open {
            line.is_fenced = true;
            let closes = fence(line).is_some_and(|(closing, count, info)| {
                closing == *mark && count >= *length && info.is_empty()
            });
            if closes {
                open = None;
            }
        } else if let Some((mark, length, _)) = fence(line) {
            line.is_fenced = true;
            open = Some((mark, length, line.span()));
        } else {
            block = opens_block(line);
        }
    }
    if let Some((_, _, span)) = open {
        found.push(
            Finding::warning("fence_unclosed", span, "this code is fenced to the end of the file")
                .label("nothing after this is read"),
        );
    }
}

/// The mark of a fence, how often it stands there, and what follows.
fn fence<'t>(line: &Line<'t>) -> Option<(char, usize, &'t str)> {
    let mark = line.body.chars().next().filter(|letter| matches!(letter, '`' | '~'))?;
    let info = line.body.trim_start_matches(mark);
    let length = line.body.len() - info.len();
    let is_indented = line.indent > FENCE_INDENT || line.whole.starts_with('\t');
    let is_code = mark == '`' && info.contains('`');
    (length >= 3 && !is_indented && !is_code).then_some((mark, length, trimmed(info)))
}

/// The line that begins a step.
#[derive(Debug, Clone)]
pub(super) struct Header<'t> {
    /// Which of the lines it is.
    pub(super) at: usize,
    pub(super) line: Line<'t>,
    pub(super) number: &'t str,
    pub(super) number_span: Range<usize>,
    pub(super) name: &'t str,
    pub(super) name_span: Range<usize>,
    pub(super) ticked: bool,
}

/// The headers among the lines, in order.
pub(super) fn headers<'t>(lines: &[Line<'t>], found: &mut Findings) -> Vec<Header<'t>> {
    let mut headers = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_fenced) {
        match header(at, line) {
            Some(header) if line.indent == 0 => headers.push(header),
            Some(header) => found.push(nearly(line, &header.number_span, header.name)),
            None => like_a_header(line, found),
        }
    }
    headers
}

fn header<'t>(at: usize, line: &Line<'t>) -> Option<Header<'t>> {
    let (rest, ticked) = match line.body.strip_prefix("###") {
        Some(rest) => (rest.strip_prefix(is_blank)?.trim_start_matches(is_blank), None),
        None => boxed(line.body)?,
    };
    let name = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number = rest.strip_suffix(name).filter(|number| !number.is_empty())?;
    let name = match ticked {
        // `### 1.2 Title` is a heading of a document.
        None => {
            name.strip_prefix('.').filter(|name| !name.starts_with(|l: char| l.is_numeric()))?
        }
        Some(_) => bold(name.trim_start_matches(is_blank).strip_prefix(':')?)?,
    };
    let place = |part: &str| {
        let start = line.body_start() + offset(line.body, part);
        start..start + part.len()
    };
    let name = trimmed(name);
    Some(Header {
        at,
        line: *line,
        number,
        number_span: place(number),
        name,
        name_span: place(name),
        ticked: ticked == Some(true),
    })
}

/// Where a part of a text begins.
fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// What follows `- [ ] **Step `, and whether the box is ticked.
fn boxed(body: &str) -> Option<(&str, Option<bool>)> {
    let rest = body.strip_prefix("- [")?;
    let (ticked, rest) = match rest.strip_prefix(' ') {
        Some(rest) => (false, rest),
        None => (true, rest.strip_prefix(['x', 'X'])?),
    };
    let rest = rest.strip_prefix("] **")?;
    let (word, rest) = rest.split_at_checked(4)?;
    let number = rest.trim_start_matches(is_blank);
    (word.eq_ignore_ascii_case("step") && number.len() < rest.len())
        .then_some((number, Some(ticked)))
}

/// What stands before the `**` at the end, or before the first one when text follows it.
fn bold(text: &str) -> Option<&str> {
    match trimmed(text).strip_suffix("**") {
        Some(name) => Some(name),
        None => text.split_once("**").map(|(name, _)| name),
    }
}

/// A line that somebody may have meant as a header: `- [ ] Step 2: …`, `* [ ] **Step 2: …**`,
/// `## Step 2: …`. Headings like `## 2. Overview` are common and mean nothing.
fn like_a_header(line: &Line<'_>, found: &mut Findings) {
    let after_box = || {
        let rest = line.body.strip_prefix(['-', '*', '+'])?;
        let (_, rest) = trimmed(rest).strip_prefix('[')?.split_once(']')?;
        Some(rest)
    };
    let heading = line.body.strip_prefix('#').map(|rest| rest.trim_start_matches('#'));
    let Some(rest) = after_box().or(heading) else { return };
    let rest = rest.trim_start_matches([' ', '\t', '*', '_']);
    let Some((word, rest)) = rest.split_at_checked(4) else { return };
    let number = rest.trim_start_matches(is_blank);
    let after = number.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let Some(digits) = number.strip_suffix(after).filter(|digits| !digits.is_empty()) else {
        return;
    };
    if !word.eq_ignore_ascii_case("step") || number.len() == rest.len() {
        return;
    }
    let start = line.body_start() + offset(line.body, digits);
    let name = after.trim_matches(|letter: char| is_blank(letter) || ":.)*_-".contains(letter));
    let nearly = nearly(line, &(start..start + digits.len()), name);
    let is_begun = line.indent == 0 && boxed(line.body).is_some();
    found.push(if is_begun { nearly.refused("this step has no closing `**`") } else { nearly });
}

fn nearly(line: &Line<'_>, number: &Range<usize>, name: &str) -> Finding {
    let digits = line.body.get(number.start - line.body_start()..number.end - line.body_start());
    let digits = digits.unwrap_or("1");
    Finding::warning("header_like", line.span(), "this looks like a step, but is not read as one")
        .label("a step begins with `- [ ] **Step N: Name**` at the left edge")
        .suggest(line.start..line.span().end, format!("- [ ] **Step {digits}: {name}**"))
}
