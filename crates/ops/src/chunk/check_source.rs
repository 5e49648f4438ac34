//! `chunk check-source`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chain::Hash;
use windlass_domain::chunk::access::Act;
use windlass_domain::chunk::keep;
use windlass_domain::chunk::source::Source;
use windlass_domain::{Code, Refusal, Time};
use windlass_ledger::Error;

use super::asker::Asker;
use super::brief::ChunkBrief;
use super::parts::digest;
use super::show::Show;
use super::target;
use super::view::SourceView;
use super::whence;
use crate::context::{Context, Files};
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;
use crate::view::usage;

/// Holds a chunk against the file that it is from, as the file is where the caller is.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct CheckSource {
    /// The chunk: its query key, its id, or at least 4 characters of its beginning or end
    pub chunk: String,
    /// SHA-256 of its lines as they are now, where the file cannot be read here
    #[arg(long, value_name = "HEX", conflicts_with = "gone")]
    #[serde(default)]
    pub digest: Option<String>,
    /// Its file, or those lines of it, are not there any more
    #[arg(long)]
    #[serde(default)]
    pub gone: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub asker: Asker,
}

/// Whether the file says the same.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SourceFound {
    #[serde(flatten)]
    pub chunk: ChunkBrief,
    pub source: SourceView,
    /// The file says something else than when the chunk was written.
    pub changed: bool,
}

impl Operation for CheckSource {
    type Output = SourceFound;
    const NAME: &'static str = "chunk.check-source";
    const ABOUT: &'static str = "See whether the file that a chunk is from still says the same";
    const EXAMPLE: &'static str = "windlass chunk check-source one-database";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<SourceFound, Error> {
        let found = self.found(cx)?;
        let known = self.asker.known(cx)?;
        cx.write(&known.name, |tx| {
            let reader = known.reader(tx)?;
            let chunk = target::find(tx, &self.chunk, &reader, Act::Read)?;
            let has_digest = chunk.source.as_ref().is_some_and(|source| source.digest.is_some());
            if !has_digest {
                return Err(unsourced(&self.chunk).into());
            }
            let chunk = tx.record_chunk(&chunk, keep::check_source(&chunk, found))?;
            let source = chunk.source.as_ref().ok_or_else(|| unsourced(&self.chunk))?;
            Ok(SourceFound {
                chunk: ChunkBrief::from(&chunk),
                source: SourceView::new(source, &chunk),
                changed: chunk.source_changed_at.is_some(),
            })
        })
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        let digest = self.found(cx)?.map(|digest| digest.to_string());
        Ok(Some(Self { gone: digest.is_none(), digest, ..self.clone() }))
    }
}

impl CheckSource {
    /// The digest of the lines as they are now; nothing when they are gone.
    fn found(&self, cx: &mut Context) -> Result<Option<Hash>, Error> {
        match (&self.digest, self.gone) {
            (Some(given), false) => Ok(Some(digest(given)?)),
            (None, true) => Ok(None),
            (Some(_), true) => {
                Err(usage("give a digest or gone, not both", "lines that are gone have none")
                    .into())
            }
            (None, false) if cx.surroundings.files == Files::Servers => {
                Err(usage("missing digest", "send the SHA-256 of the lines, or that they are gone")
                    .into())
            }
            (None, false) => self.read(cx),
        }
    }

    /// The same, read where the caller is.
    fn read(&self, cx: &mut Context) -> Result<Option<Hash>, Error> {
        let (chunk, asker) = (self.chunk.clone(), self.asker.clone());
        let show = Show { chunk, version: None, project: None, asker };
        let Some(known) = cx.perform(&show)?.chunk.source else {
            return Err(unsourced(&self.chunk).into());
        };
        let Some(file) = whence::found(cx, &known.file) else { return Ok(None) };
        let source = Source { file: known.file, lines: known.lines, digest: None };
        Ok(Some(source.digest_of(&cx.local_text(&file)?)))
    }
}

fn unsourced(given: &str) -> Refusal {
    Refusal::new(Code::InvalidValue, format!("chunk '{given}' is from no file that was read"))
        .hint(format!("say which: windlass chunk update {given} --source-file FILE"))
        .detail("field", "source_file")
        .detail("given", given)
}

impl Output for SourceFound {
    fn sheet(&self, _now: Time) -> Sheet {
        let (named, file) = (self.chunk.named(), &self.source.file);
        Sheet::line(match self.changed {
            true => format!("{named} may be out of date: {file} says something else now"),
            false => format!("{named} is as {file} has it"),
        })
    }
}
