//! Reading by address: `GET /v1/tasks` and the like, each an operation of the table.

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use axum::routing::get;
use serde_json::Value;
use windlass_domain::{Code, Refusal};
use windlass_ops::table::Entry;

use super::Shared;
use super::doorkeeper::Visitor;
use super::fields::Fields;
use super::ops::answer;
use super::problem::Problem;
use super::query;
use crate::desk::Call;

/// An address under which something can be read.
pub(crate) struct Read {
    pub(crate) path: &'static str,
    pub(crate) operation: &'static str,
    /// Names in the path or the query that the operation has under another name, which comes second.
    pub(crate) renamed: &'static [(&'static str, &'static str)],
}

/// Every one of them.
pub(crate) const READS: &[Read] = &[
    read("/v1/tasks", "task.list"),
    named("/v1/tasks/{id}", "task.show", &[("id", "task")]),
    named("/v1/tasks/{id}/history", "task.history", &[("id", "task")]),
    named("/v1/tasks/{id}/dependencies", "dep.tree", &[("id", "task")]),
    named("/v1/tasks/{id}/why", "why", &[("id", "task")]),
    named("/v1/search", "task.search", &[("q", "query")]),
    read("/v1/stuck", "task.stuck"),
    read("/v1/projects", "project.list"),
    read("/v1/projects/{name}", "project.show"),
    read("/v1/dependencies", "dep.list"),
    read("/v1/graph", "dep.graph"),
    read("/v1/workflows", "workflow.list"),
    read("/v1/workflows/{name}", "workflow.show"),
    read("/v1/hooks", "hook.list"),
    read("/v1/hooks/{name}", "hook.show"),
    read("/v1/agents", "agent.status"),
    read("/v1/agents/{agent}/log", "agent.log"),
    read("/v1/why", "why"),
    read("/v1/stats", "stats"),
    read("/v1/timeline", "timeline"),
    read("/v1/events", "events"),
    read("/v1/head", "audit.head"),
];

const fn read(path: &'static str, operation: &'static str) -> Read {
    named(path, operation, &[])
}

const fn named(
    path: &'static str,
    operation: &'static str,
    renamed: &'static [(&'static str, &'static str)],
) -> Read {
    Read { path, operation, renamed }
}

impl Read {
    pub(crate) fn entry(&self) -> Option<&'static Entry> {
        Entry::named(self.operation)
    }
}

/// The paths of all reads.
pub(crate) fn routes() -> Router<Shared> {
    READS.iter().fold(Router::new(), |router, read| {
        let Some(entry) = read.entry() else { return router };
        let fields = Arc::new(Fields::of(entry, read.renamed));
        let look =
            move |house, visitor, path, query| look(entry, fields, house, (visitor, path, query));
        router.route(read.path, get(look))
    })
}

type Asked = (Visitor, Result<Path<Vec<(String, String)>>, PathRejection>, RawQuery);

async fn look(
    entry: &'static Entry,
    fields: Arc<Fields>,
    State(house): State<Shared>,
    (Visitor(caller), path, RawQuery(query)): Asked,
) -> Result<Response, Problem> {
    let Path(path) = path.map_err(|_| unreadable())?;
    let query = query::pairs(query.as_deref().unwrap_or_default());
    let arguments = Value::Object(fields.arguments(path.into_iter().chain(query))?);
    let reply = house.desk.run(Call { entry, arguments, caller, op_id: None }).await?;
    answer(&reply)
}

/// A path that is not even text names nothing.
pub(crate) fn unreadable() -> Refusal {
    Refusal::new(Code::Usage, "the path is not text")
        .hint("write what is not ASCII as UTF-8 in percent encoding")
}

#[cfg(test)]
mod tests {
    use windlass_ops::operation::{Access, Place};

    use super::*;

    #[test]
    fn every_address_reads_an_operation_of_the_ledger() {
        for read in READS {
            let entry = read.entry().unwrap_or_else(|| panic!("no {}", read.operation));
            assert_eq!((entry.access, entry.place), (Access::Read, Place::Ledger), "{}", read.path);
        }
    }

    #[test]
    fn every_name_of_an_address_is_a_field() {
        for read in READS {
            let fields = read.entry().map(Entry::fields).unwrap_or_default();
            let parts =
                read.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
            let own_names = parts.map(|part| {
                let renamed = read.renamed.iter().find(|(name, _)| *name == part);
                renamed.map_or(part, |(_, own_name)| own_name)
            });
            for name in own_names.chain(read.renamed.iter().map(|(_, own_name)| *own_name)) {
                assert!(fields.iter().any(|field| field == name), "{} {name}", read.path);
            }
        }
    }
}
