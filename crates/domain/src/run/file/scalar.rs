//! One value: plain, in quotes, or a block of lines.

use std::ops::Range;

use super::finding::{Finding, Findings};
use super::lines::{Line, is_blank, trimmed};
use super::scan::{CHECK_KEYS, Field};

/// What a value is for, which decides what is a comment in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What people read.
    Text,
    /// A word, a number or a path.
    Word,
    /// What a shell reads.
    Command,
}

/// A value, never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

/// Reads the value of a field. Nothing where nothing is said, or where it was refused.
pub(super) fn value(kind: Kind, field: &Field<'_>, found: &mut Findings) -> Option<Value> {
    let inline = field.inline_span();
    let (text, span) = if field.says_nothing_inline() {
        below(kind, field, found)?
    } else if let Some(block) = Indicator::of(field.inline) {
        (block.text(field), inline.start..field.end())
    } else if let Some(text) = quoted(field, found)? {
        ignored(field.below, field, found);
        (text, inline)
    } else if kind == Kind::Command && is_flow(field.inline) {
        found.push(flow(field, inline));
        return None;
    } else {
        let text = plain(kind, field, found);
        (text, inline)
    };
    let text = if kind == Kind::Word { trimmed(&text).to_owned() } else { text };
    if text.trim_ascii().is_empty() {
        return None;
    }
    if let Some(letter) =
        text.chars().find(|letter| is_forbidden(*letter) || kind == Kind::Word && *letter == '\n')
    {
        found.push(forbidden(field.key, letter, span));
        return None;
    }
    Some(Value { text, span })
}

/// Characters that a value never holds.
pub(super) fn is_forbidden(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\t' | '\n')
}

fn forbidden(key: &str, letter: char, span: Range<usize>) -> Finding {
    let point = format!("U+{:04X}", u32::from(letter));
    Finding::error(
        "control_character",
        span,
        format!("`{key}` holds the control character {point}"),
    )
    .label("remove it")
}

/// A value that stands below its key.
fn below(kind: Kind, field: &Field<'_>, found: &mut Findings) -> Option<(String, Range<usize>)> {
    let first = field.below.iter().find(|line| !line.is_blank() && !line.is_comment())?;
    if first.after_dash().is_some() {
        found.push(
            Finding::error("list_for_text", first.span(), format!("`{}` is not a list", field.key))
                .label("a list begins here")
                .suggest(field.key_end()..field.key_end(), " |"),
        );
        return None;
    }
    let position = field.below.iter().position(|line| line.start == first.start)?;
    let rest = field.below.get(position + 1..).unwrap_or_default();
    if kind == Kind::Text {
        let text = format!("{} {}", without_comment(kind, first.body), folded(kind, rest));
        return Some((trimmed(&text).to_owned(), first.start + first.indent..field.end()));
    }
    ignored(rest, field, found);
    Some((without_comment(kind, first.body).to_owned(), first.span()))
}

fn plain(kind: Kind, field: &Field<'_>, found: &mut Findings) -> String {
    let text = without_comment(kind, field.inline);
    if kind != Kind::Text {
        ignored(field.below, field, found);
        return text.to_owned();
    }
    let text = trimmed(&format!("{text} {}", folded(kind, field.below))).to_owned();
    if let Some(closing) = unclosed(&text) {
        let start = field.inline_start;
        found.push(
            Finding::warning("unclosed_bracket", start..start + 1, "a bracket is not closed")
                .label(format!("no `{closing}` follows; quotes around the value say it is text")),
        );
    }
    text
}

/// The bracket that is missing at the end of a text that begins with one, as a list of YAML does.
fn unclosed(text: &str) -> Option<char> {
    let opening = text.chars().next()?;
    let closing = match opening {
        '[' => ']',
        '{' => '}',
        _ => return None,
    };
    let count = |bracket: char| text.matches(bracket).count();
    (count(opening) > count(closing)).then_some(closing)
}

/// Lines up to the first gap, joined by spaces.
fn folded(kind: Kind, lines: &[Line<'_>]) -> String {
    let lines = lines.iter().take_while(|line| !line.is_blank());
    let said = lines.filter(|line| !line.is_comment()).map(|line| without_comment(kind, line.body));
    said.collect::<Vec<_>>().join(" ")
}

/// A line that looks as if it belonged to a value and does not.
fn ignored(lines: &[Line<'_>], field: &Field<'_>, found: &mut Findings) {
    let Some(line) = lines.first().filter(|line| !line.is_blank() && !line.is_comment()) else {
        return;
    };
    found.push(
        Finding::warning(
            "line_ignored",
            line.span(),
            format!("this line is not part of `{}`", field.key),
        )
        .label("not read")
        .related(field.key_span(), "to write several lines, begin them with `|`"),
    );
}

/// A value up to its comment.
pub(super) fn without_comment(kind: Kind, text: &str) -> &str {
    if kind == Kind::Command {
        return text;
    }
    let mut closing: Option<char> = None;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        let rest = text.get(at + letter.len_utf8()..).unwrap_or_default();
        if closing == Some(letter) {
            closing = None;
        } else if closing.is_none() && is_blank(before) {
            let opens = matches!(letter, '"' | '\'') && rest.contains(letter);
            let ends_alone = rest.is_empty() || rest.starts_with(is_blank);
            if opens {
                closing = Some(letter);
            } else if letter == '#' && (kind == Kind::Word || ends_alone) {
                return trimmed(text.get(..at).unwrap_or_default());
            }
        }
        before = letter;
    }
    text
}

/// A mapping on one line, which would be run as a command.
fn is_flow(text: &str) -> bool {
    let inner = text.trim_start_matches(['[', '{', ' ']);
    let opened = text.len() - inner.len();
    let key = inner.split(':').next().unwrap_or_default();
    let has_brace = text.get(..opened).is_some_and(|opening| opening.contains('{'));
    has_brace && inner.contains(':') && CHECK_KEYS.contains(&key.to_ascii_lowercase().as_str())
}

fn flow(field: &Field<'_>, span: Range<usize>) -> Finding {
    Finding::error("flow_mapping", span, format!("`{}` is written on one line", field.key))
        .label("write each key on a line of its own, indented below")
}

/// The text of a value in quotes. The outer nothing says that it was refused, the inner one that
/// the value is not in quotes from end to end.
#[expect(clippy::option_option, reason = "refused, not quoted and quoted are three things")]
fn quoted(field: &Field<'_>, found: &mut Findings) -> Option<Option<String>> {
    let Some(quote) = field.inline.chars().next().filter(|letter| matches!(letter, '"' | '\''))
    else {
        return Some(None);
    };
    let Some(inner) = enclosed(quote, field.inline) else {
        let span = field.inline_span();
        found.push(
            Finding::error("unclosed_quote", span.clone(), "a quote is opened and not closed")
                .label(format!("ends without {quote}"))
                .suggest(span.end..span.end, quote.to_string()),
        );
        return None;
    };
    let rest = field.inline.get(inner.len() + 2..).unwrap_or_default();
    let is_whole = rest.is_empty() || rest.starts_with(is_blank) && trimmed(rest).starts_with('#');
    if !is_whole {
        return Some(None);
    }
    if quote == '\'' {
        return Some(Some(inner.replace("''", "'")));
    }
    match unescaped(inner) {
        Ok(text) => Some(Some(text)),
        Err(escape) => {
            let start = field.inline_span().start + 1;
            found.push(unknown_escape(inner, start + escape.start..start + escape.end, escape));
            None
        }
    }
}

fn unknown_escape(inner: &str, span: Range<usize>, escape: Range<usize>) -> Finding {
    let escape = inner.get(escape).unwrap_or_default();
    Finding::error("unknown_escape", span.clone(), format!("`{escape}` means nothing in quotes"))
        .label("for a backslash write two of them")
        .suggest(span.start..span.start, "\\")
}

/// What stands between the first quote and the one that closes it.
fn enclosed(quote: char, text: &str) -> Option<&str> {
    let inner = text.strip_prefix(quote)?;
    let mut letters = inner.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let doubled = letters.peek().is_some_and(|(_, next)| *next == quote);
        if letter == '\\' && quote == '"' || letter == '\'' && quote == '\'' && doubled {
            letters.next();
        } else if letter == quote {
            return inner.get(..at);
        }
    }
    None
}

/// The text with its escapes replaced, or the place of one that means nothing.
fn unescaped(text: &str) -> Result<String, Range<usize>> {
    let mut done = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        done.push_str(before);
        let at = text.len() - after.len() - 1;
        let mut letters = after.chars();
        let letter = letters.next().unwrap_or_default();
        let wrong = at..at + 1 + letter.len_utf8();
        let digits = match letter {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let code = letters.as_str().get(..digits).ok_or(wrong.clone())?;
        done.push(match letter {
            'n' => '\n',
            't' => '\t',
            '"' | '\\' | '/' | ' ' => letter,
            'x' | 'u' | 'U' if code.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                let point = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
                point.ok_or(wrong)?
            }
            _ => return Err(wrong),
        });
        rest = letters.as_str().get(digits..).unwrap_or_default();
    }
    done.push_str(rest);
    Ok(done)
}

/// The text in quotes, so that [`value`] reads it as it is.
pub(super) fn in_quotes(text: &str) -> String {
    let mut written = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => written.extend(['\\', letter]),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            _ => written.push(letter),
        }
    }
    written.push('"');
    written
}

/// `|` or `>`, and how deep the block is if it says so.
#[derive(Debug, Clone, Copy)]
pub(super) struct Indicator {
    folds: bool,
    depth: Option<usize>,
}

impl Indicator {
    pub(super) fn of(text: &str) -> Option<Self> {
        let folds = match text.chars().next()? {
            '|' => false,
            '>' => true,
            _ => return None,
        };
        let rest = text.get(1..)?;
        let sign = |text: &str| text.starts_with(['+', '-']);
        let digit = |text: &str| text.bytes().next().filter(|byte| (b'1'..=b'9').contains(byte));
        let (mut depth, mut rest, mut signed) = (None, rest, false);
        loop {
            if let Some(byte) = digit(rest).filter(|_| depth.is_none()) {
                depth = Some(usize::from(byte - b'0'));
            } else if sign(rest) && !signed {
                signed = true;
            } else {
                break;
            }
            rest = rest.get(1..)?;
        }
        let ends = rest.is_empty() || rest.starts_with(is_blank) && trimmed(rest).starts_with('#');
        ends.then_some(Self { folds, depth })
    }

    fn text(self, field: &Field<'_>) -> String {
        let first = field.below.iter().find(|line| !line.is_blank());
        let found = first.map_or(0, |line| line.indent);
        let depth = self.depth.map_or(found, |depth| field.indent + depth);
        let lines =
            field.below.iter().map(|line| if line.is_blank() { "" } else { cut(line, depth) });
        let text = if self.folds { fold(lines) } else { lines.collect::<Vec<_>>().join("\n") };
        text.trim_matches('\n').to_owned()
    }
}

/// A line without its indentation, or as much of that as it has.
fn cut<'t>(line: &Line<'t>, depth: usize) -> &'t str {
    line.whole.get(depth.min(line.indent)..).unwrap_or_default()
}

/// Lines joined by spaces; a gap is a line break, and a deeper line stands alone.
fn fold<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let mut text = String::new();
    let (mut gap, mut before_is_deep) = (0, true);
    for line in lines {
        if line.is_empty() {
            gap += 1;
            continue;
        }
        let is_deep = line.starts_with(is_blank);
        let joint = match (gap, is_deep || before_is_deep) {
            (0, false) => " ".to_owned(),
            (0, true) => "\n".to_owned(),
            (gap, false) => "\n".repeat(gap),
            (gap, true) => "\n".repeat(gap + 1),
        };
        if !text.is_empty() {
            text.push_str(&joint);
        }
        text.push_str(line);
        (gap, before_is_deep) = (0, is_deep);
    }
    text
}
