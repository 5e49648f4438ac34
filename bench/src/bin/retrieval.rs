//! `retrieval FOLDER`: how well `chunk search` finds what it should, over a set of questions.
//!
//! The folder holds `chunks.jsonl` and `questions.jsonl` as in `tests/retrieval`, or the data of
//! `CoSQA`: web queries and the Python functions that answer them, each of which becomes a chunk with
//! its name for a title.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Map, Value};
use windlass_bench::Failure;
use windlass_domain::chain::Provenance;
use windlass_domain::chunk::access::{Reader, Standing};
use windlass_domain::chunk::event::{ChunkSuperseded, ChunkWritten};
use windlass_domain::chunk::state::Visibility;
use windlass_domain::chunk::{Author, Owner};
use windlass_domain::search::{Question, Sight};
use windlass_ledger::{Ledger, Location, Options};
use windlass_testkit::Home;
use windlass_testkit::retrieval::Figures;

const USAGE: &str = "usage: retrieval FOLDER";
/// A right answer behind more than this is as good as none.
const LOOKED_AT: usize = 100;
/// Longer titles are cut, as people would.
const TITLE_CHARS: usize = 128;

/// What is searched and what is asked.
#[derive(Default)]
struct Set {
    chunks: Vec<(ChunkWritten, Option<String>)>,
    questions: Vec<Asked>,
}

struct Asked {
    kind: String,
    question: String,
    expected: Vec<String>,
}

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        let _unread = writeln!(io::stderr(), "{USAGE}");
        return ExitCode::from(2);
    };
    match measure(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let _unread = writeln!(io::stderr(), "{failure}");
            ExitCode::FAILURE
        }
    }
}

fn measure(folder: &Path) -> Result<(), Failure> {
    let set = match folder.join("chunks.jsonl").exists() {
        true => own(folder)?,
        false => cosqa(folder)?,
    };
    let home = Home::new();
    let mut ledger =
        Ledger::open(&Location::Sqlite(home.data().join("ledger.db")), Options::default())?;
    let begun = Instant::now();
    write(&mut ledger, &set)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{} chunks in {:.1?}", set.chunks.len(), begun.elapsed())?;
    let begun = Instant::now();
    let mut figures: BTreeMap<&str, Figures> = BTreeMap::new();
    for asked in &set.questions {
        let before = before(&mut ledger, asked)?;
        figures.entry(&asked.kind).or_default().count(before);
        figures.entry("all").or_default().count(before);
    }
    writeln!(out, "{} questions in {:.1?}", set.questions.len(), begun.elapsed())?;
    for (kind, figures) in figures {
        writeln!(out, "{kind:<11} {figures}")?;
    }
    Ok(())
}

/// Writes all chunks in one transaction.
fn write(ledger: &mut Ledger, set: &Set) -> Result<(), Failure> {
    let by = Provenance { actor: "bench".to_owned(), ..Provenance::default() };
    ledger.write(&by, |tx| {
        let mut written = BTreeMap::new();
        for (event, _) in &set.chunks {
            written.insert(event.query_key.as_str(), tx.begin_chunk(event.clone())?);
        }
        for (event, newer) in &set.chunks {
            let newer = newer.as_deref().and_then(|key| written.get(key));
            if let (Some(old), Some(newer)) = (written.get(event.query_key.as_str()), newer) {
                let (reason, by) = ("newer".to_owned(), "bench".to_owned());
                tx.record_chunk(old, [ChunkSuperseded { with: newer.id, reason, by }.into()])?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

/// How many chunks stand before the first right answer.
fn before(ledger: &mut Ledger, asked: &Asked) -> Result<Option<usize>, Failure> {
    let reader =
        Reader { name: "bench".into(), standing: Standing::Agent(None), projects: Vec::new() };
    let question = Question::parse(&asked.question).map_err(|refusal| refusal.message)?;
    let found = ledger.read(|snapshot| {
        Ok(snapshot.search_chunks(&question, &Sight::of(&reader), LOOKED_AT)?)
    })?;
    let is_right = |key: &str| asked.expected.iter().any(|expected| expected == key);
    Ok(found.iter().position(|found| is_right(found.chunk.query_key.as_str())))
}

fn own(folder: &Path) -> Result<Set, Failure> {
    let mut set = Set::default();
    for line in fs::read_to_string(folder.join("chunks.jsonl"))?.lines() {
        let given: Value = serde_json::from_str(line)?;
        let event = ChunkWritten {
            tags: texts(&given, "tags"),
            gotchas: texts(&given, "gotchas"),
            ..written(text(&given, "key"), text(&given, "title"), text(&given, "content"))?
        };
        let newer = given.get("superseded_by").and_then(Value::as_str).map(str::to_owned);
        set.chunks.push((event, newer));
    }
    for line in fs::read_to_string(folder.join("questions.jsonl"))?.lines() {
        let given: Value = serde_json::from_str(line)?;
        set.questions.push(Asked {
            kind: text(&given, "kind").to_owned(),
            question: text(&given, "question").to_owned(),
            expected: texts(&given, "expected"),
        });
    }
    Ok(set)
}

fn cosqa(folder: &Path) -> Result<Set, Failure> {
    let mut set = Set::default();
    let functions = fs::read_to_string(folder.join("code_idx_map.txt"))?;
    for (code, number) in serde_json::from_str::<Map<String, Value>>(&functions)? {
        let key = format!("function-{number}");
        set.chunks.push((written(&key, function_name(&code), &code)?, None));
    }
    let asked = fs::read_to_string(folder.join("cosqa-retrieval-dev-500.json"))?;
    for given in serde_json::from_str::<Vec<Value>>(&asked)? {
        let number = given.get("retrieval_idx").cloned().unwrap_or_default();
        set.questions.push(Asked {
            kind: "cosqa".to_owned(),
            question: text(&given, "doc").to_owned(),
            expected: vec![format!("function-{number}")],
        });
    }
    Ok(set)
}

/// The name after the first `def`.
fn function_name(code: &str) -> &str {
    let after = code.split_once("def ").map_or("", |(_, after)| after);
    after.split_once('(').map_or("", |(name, _)| name).trim()
}

fn written(key: &str, title: &str, content: &str) -> Result<ChunkWritten, Failure> {
    Ok(ChunkWritten {
        chunk_type: "knowledge".parse().map_err(|_| "knowledge is no slug")?,
        owner: Owner::Org,
        query_key: key.to_owned().try_into().map_err(|_| format!("{key} is no query key"))?,
        title: title.chars().take(TITLE_CHARS).collect(),
        content: content.to_owned(),
        tags: Vec::new(),
        fields: Map::new(),
        audience: None,
        gotchas: Vec::new(),
        related: Vec::new(),
        visibility: Visibility::Private,
        source: None,
        expires_at: None,
        task: None,
        by: Author { name: "bench".into(), session: None, run: None },
    })
}

fn text<'a>(given: &'a Value, name: &str) -> &'a str {
    given.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn texts(given: &Value, name: &str) -> Vec<String> {
    let list = given.get(name).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}
