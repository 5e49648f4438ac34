//! `chunk review` and `chunk dismiss`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::chunk::Chunk;
use windlass_domain::chunk::access::Act;
use windlass_domain::chunk::review::{self, Action, Signal, dismiss, review, signals};
use windlass_ledger::Error;

use super::asker::Asker;
use super::brief::ChunkBrief;
use super::parts::word;
use super::target;
use super::view::ReviewsView;
use super::writer::Writer;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;

/// Says what a reader thought of a chunk.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Review {
    /// The chunk: its query key, its id, or at least 4 characters of its beginning or end
    pub chunk: String,
    /// How much it helped, from 1 to 5
    #[arg(long, value_name = "N")]
    pub usefulness: u8,
    /// How right it is, from 1 to 5
    #[arg(long, value_name = "N")]
    pub correctness: u8,
    /// What should be done: useful, `needs_update`, outdated or incorrect
    #[arg(long, value_name = "WORD")]
    pub action: String,
    /// What the reader was doing
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub task: Option<String>,
    /// More about how much it helped
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub usefulness_note: Option<String>,
    /// More about what is wrong
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub correctness_note: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub asker: Asker,
}

/// Says that there is nothing to do about what a chunk is flagged for.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Dismiss {
    /// The chunk: its query key, its id, or at least 4 characters of its beginning or end
    pub chunk: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub writer: Writer,
}

/// What is thought of the chunk now.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Reviewed {
    #[serde(flatten)]
    pub chunk: ChunkBrief,
    pub reviews: ReviewsView,
    /// Why somebody should look at it.
    #[schemars(with = "Vec<String>")]
    pub signals: Vec<Signal>,
}

impl Operation for Review {
    type Output = Reviewed;
    const NAME: &'static str = "chunk.review";
    const ABOUT: &'static str = "Say how useful and how right a chunk is, and what should be done";
    const EXAMPLE: &'static str =
        "windlass chunk review 8F3K2Q --usefulness 4 --correctness 2 --action outdated";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Reviewed, Error> {
        let given = review::Review {
            usefulness: self.usefulness,
            correctness: self.correctness,
            action: word("action", &self.action, Action::ALL, Action::as_str)?,
            task: self.task.clone(),
            usefulness_note: self.usefulness_note.clone(),
            correctness_note: self.correctness_note.clone(),
        };
        let known = self.asker.known(cx)?;
        cx.write(&known.name, |tx| {
            let reader = known.reader(tx)?;
            let chunk = target::find(tx, &self.chunk, &reader, Act::Read)?;
            let events = review(&chunk, given.clone(), &reader)?;
            Ok(Reviewed::new(&tx.record_chunk(&chunk, events)?, tx.now()))
        })
    }
}

impl Operation for Dismiss {
    type Output = Reviewed;
    const NAME: &'static str = "chunk.dismiss";
    const ABOUT: &'static str = "Say that there is nothing to do about what a chunk is flagged for";
    const EXAMPLE: &'static str = "windlass chunk dismiss 8F3K2Q";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Reviewed, Error> {
        let sitter = self.writer.sitter(cx)?;
        cx.write(&sitter.known.name, |tx| {
            let (reader, _) = sitter.seated(tx)?;
            let chunk = target::find(tx, &self.chunk, &reader, Act::Write)?;
            let events = dismiss(&chunk, &reader)?;
            Ok(Reviewed::new(&tx.record_chunk(&chunk, events)?, tx.now()))
        })
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        Ok(Some(Self { writer: self.writer.settled(cx), ..self.clone() }))
    }
}

impl Reviewed {
    fn new(chunk: &Chunk, now: Time) -> Self {
        Self {
            chunk: ChunkBrief::from(chunk),
            reviews: ReviewsView::from(&chunk.reviews),
            signals: signals(chunk, now),
        }
    }
}

impl Output for Reviewed {
    fn sheet(&self, _now: Time) -> Sheet {
        let named = self.chunk.named();
        let sheet = Sheet::line(match self.reviews.count {
            0 => format!("{named} was reviewed by nobody"),
            _ => format!("{named} has {}", self.reviews.line()),
        });
        let words: Vec<&str> = self.signals.iter().map(|signal| signal.as_str()).collect();
        match words.is_empty() {
            true => sheet,
            false => sheet.and_line(format!(
                "somebody should look at it: {}",
                words.join(", ").replace('_', " ")
            )),
        }
    }
}
