//! The chunks of a task, on its page: its spec, and all that point to it.

use maud::{Markup, html};
use serde_json::Value;
use windlass_domain::TaskId;
use windlass_domain::chunk::link::End;
use windlass_ops::chunk::asker::Asker;
use windlass_ops::chunk::{ChunkBrief, List, Show};

use super::super::Visit;
use super::super::trouble::Trouble;
use super::links::brief;

/// Chunks that are shown: of those that the task names, and of those that point to it.
const NAMED: usize = 5;
const MOST: u64 = 50;
const SHOWN: [&str; 5] = ["chunk_type", "query_key", "title", "version", "links"];

/// The chunks of a task, each with why it is one.
#[derive(Debug, Default)]
pub(in crate::pages) struct LinkedChunks(Vec<(ChunkBrief, Vec<String>)>);

impl LinkedChunks {
    /// Those that the task names among its links, then those that point to it.
    pub(in crate::pages) async fn load(
        visit: &Visit,
        task: TaskId,
        links: &[String],
    ) -> Result<Self, Trouble> {
        let named = links.iter().filter_map(|link| link.strip_prefix("chunk:"));
        let mut chunks = Vec::new();
        for link in named.take(NAMED) {
            let show = Show {
                chunk: link.to_owned(),
                version: None,
                project: None,
                asker: Asker::default(),
            };
            // What is gone, or is not for the visitor, is not told of.
            let Ok(shown) = visit.ask(show).await else { continue };
            let chunk = shown.chunk;
            let (chunk_id, chunk_type, query_key) =
                (chunk.chunk_id, chunk.chunk_type, chunk.query_key);
            let brief = ChunkBrief {
                chunk_id,
                chunk_type,
                query_key,
                title: chunk.title,
                version: chunk.version,
            };
            chunks.push((brief, Vec::new()));
        }
        let end = End::Task(task).to_string();
        let pointing = List {
            linked_to: Some(end.clone()),
            state: "all".to_owned(),
            show: SHOWN.map(str::to_owned).to_vec(),
            limit: MOST,
            ..List::default()
        };
        for parts in visit.ask(pointing).await?.chunks {
            let reasons = reasons(parts.0.get("links"), &end);
            if let Ok(brief) = serde_json::from_value(Value::Object(parts.0)) {
                chunks.push((brief, reasons));
            }
        }
        Ok(Self(chunks))
    }

    /// Their ids: what happens to them changes the page.
    pub(in crate::pages) fn ids(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(chunk, _)| chunk.chunk_id.to_string())
    }
}

/// Why a chunk points to something.
fn reasons(links: Option<&Value>, end: &str) -> Vec<String> {
    let links = links.and_then(Value::as_array).into_iter().flatten();
    let to_it = links.filter(|link| link.get("to").and_then(Value::as_str) == Some(end));
    to_it.filter_map(|link| Some(link.get("reason")?.as_str()?.to_owned())).collect()
}

pub(in crate::pages) fn of_task(chunks: &LinkedChunks) -> Markup {
    html! {
        section.panel #chunks data-live hidden[chunks.0.is_empty()] {
            h2 { "Chunks" span.soft.numeric { (chunks.0.len()) } }
            ul.links {
                @for (chunk, reasons) in &chunks.0 {
                    li { (brief(chunk)) @for reason in reasons { p.soft { (reason) } } }
                }
            }
        }
    }
}
