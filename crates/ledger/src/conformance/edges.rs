//! Edges: exactly those that a filter says, in one order, whatever the filter is made of.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use windlass_domain::event::{Authority, TaskArchived};
use windlass_domain::{ProjectId, Status, TaskId};

use super::{Bed, on_both};
use crate::{Edge, EdgeFilter, End, EndFilter};

on_both! {
    any_filter_lists_counts_and_pages_exactly_the_edges_it_says
    an_edge_to_a_task_that_was_pruned_shows_its_missing_end
}

const AGENTS: [&str; 3] = ["", "ada", "bob"];
const TAGS: [&str; 3] = ["a", "b", "ü"];
/// Tasks in a ledger, and edges among them. Some of the ids that are waited for are nobody's.
const TASKS: usize = 14;
const TARGETS: usize = TASKS + 2;

#[derive(Debug, Clone)]
struct Made {
    project: usize,
    status: Status,
    agent: usize,
    tags: Vec<&'static str>,
}

prop_compose! {
    fn made()(
        project in 0..3_usize,
        status in prop::sample::select(Status::ALL.to_vec()),
        agent in 0..AGENTS.len(),
        tags in prop::sample::subsequence(TAGS.to_vec(), 0..=3),
    ) -> Made {
        Made { project, status, agent, tags }
    }
}

#[derive(Debug, Clone)]
struct WantedEnd {
    project: Option<usize>,
    agent: Option<&'static str>,
    tags: Vec<&'static str>,
}

prop_compose! {
    fn wanted_end()(
        project in prop::option::weighted(0.25, 0..3_usize),
        agent in prop::option::weighted(0.2, prop::sample::select(AGENTS[1..].to_vec())),
        tags in prop::sample::subsequence(TAGS.to_vec(), 0..=2),
        has_tags in prop::bool::weighted(0.25),
    ) -> WantedEnd {
        WantedEnd { project, agent, tags: if has_tags { tags } else { Vec::new() } }
    }
}

#[derive(Debug, Clone)]
struct Wanted {
    from: WantedEnd,
    to: WantedEnd,
    either: WantedEnd,
    blocking: bool,
    cross_project: bool,
    open: bool,
}

prop_compose! {
    fn wanted()(
        from in wanted_end(),
        to in wanted_end(),
        either in wanted_end(),
        blocking in prop::bool::weighted(0.3),
        cross_project in prop::bool::weighted(0.3),
        open in prop::bool::weighted(0.2),
    ) -> Wanted {
        Wanted { from, to, either, blocking, cross_project, open }
    }
}

impl Wanted {
    fn filter(&self, projects: &[ProjectId]) -> EdgeFilter {
        let end = |end: &WantedEnd| EndFilter {
            project: end.project.map(|index| projects[index]),
            agent: end.agent.map(str::to_owned),
            tags: end.tags.iter().map(|tag| (*tag).to_owned()).collect(),
        };
        EdgeFilter {
            from: end(&self.from),
            to: end(&self.to),
            either: end(&self.either),
            blocking: self.blocking,
            cross_project: self.cross_project,
            open: self.open,
            after: None,
            limit: 1_000,
        }
    }
}

/// The meaning of a filter, said as plainly as possible.
fn passes(edge: &Edge, filter: &EdgeFilter) -> bool {
    let ends = [&edge.from, &edge.to];
    let project = |end: &End, wanted: Option<ProjectId>| {
        wanted.is_none_or(|wanted| end.task.as_ref().is_some_and(|task| task.project == wanted))
    };
    let agent = |end: &End, wanted: &Option<String>| {
        wanted.is_none() || end.task.as_ref().is_some_and(|task| task.agent == *wanted)
    };
    let tags = |end: &End, wanted: &[String]| {
        let has = |tag: &String| end.task.as_ref().is_some_and(|task| task.tags.contains(tag));
        wanted.iter().all(has)
    };
    let is = |end: &End, wanted: &EndFilter| {
        project(end, wanted.project) && agent(end, &wanted.agent) && tags(end, &wanted.tags)
    };
    is(&edge.from, &filter.from)
        && is(&edge.to, &filter.to)
        && ends.iter().any(|end| project(end, filter.either.project))
        && ends.iter().any(|end| agent(end, &filter.either.agent))
        && ends.iter().any(|end| tags(end, &filter.either.tags))
        && (!filter.blocking || edge.is_blocking())
        && (!filter.cross_project || edge.crosses_projects())
        && (!filter.open || ends.iter().any(|end| !end.is_settled()))
}

fn plant(bed: &mut Bed, tasks: &[Made], edges: &[(usize, usize)]) -> Vec<ProjectId> {
    let projects: Vec<ProjectId> = ["api", "web", "docs"].map(|name| bed.project(name)).to_vec();
    let nobodys = |index: usize| TaskId::from_bytes([u8::try_from(index).unwrap(); 16]);
    let ids: Vec<TaskId> = tasks
        .iter()
        .map(|made| {
            let id = bed.add(projects[made.project], |task| {
                task.status =
                    if made.status == Status::Archived { Status::Ready } else { made.status };
                task.agent = Some(AGENTS[made.agent].to_owned()).filter(|agent| !agent.is_empty());
                task.tags = made.tags.iter().map(|tag| (*tag).to_owned()).collect();
            });
            if made.status == Status::Archived {
                bed.happen(id, TaskArchived { authority: Authority::Free, forced: None });
            }
            id
        })
        .collect();
    bed.write(|tx| {
        let project = tx.project(projects[0])?;
        for (from, to) in edges {
            let to = ids.get(*to).copied().unwrap_or_else(|| nobodys(*to));
            tx.store.add_edge(ids[*from], to)?;
        }
        // Edges alone are no events, and without one nothing is kept.
        tx.record_project(&project, [project.freeze(None).unwrap()])?;
        Ok(())
    })
    .unwrap();
    projects
}

fn any_filter_lists_counts_and_pages_exactly_the_edges_it_says(bed: &mut Bed) {
    let mut runner = TestRunner::deterministic();
    let tasks = prop::collection::vec(made(), TASKS).new_tree(&mut runner).unwrap().current();
    let pairs = prop::collection::btree_set((0..TASKS, 0..TARGETS), 60);
    let edges: Vec<(usize, usize)> =
        pairs.new_tree(&mut runner).unwrap().current().into_iter().collect();
    let projects = plant(bed, &tasks, &edges);
    let all = bed
        .ledger
        .read(|snapshot| {
            let everything = EdgeFilter { limit: 1_000, ..EdgeFilter::default() };
            Ok(snapshot.list_edges(&everything)?)
        })
        .unwrap();
    assert_eq!(all.len(), edges.len());
    let mut met = 0;
    for _ in 0..300 {
        let wanted = wanted().new_tree(&mut runner).unwrap().current();
        let filter = wanted.filter(&projects);
        let expected: Vec<Edge> =
            all.iter().filter(|edge| passes(edge, &filter)).cloned().collect();
        met += expected.len();
        bed.ledger
            .read(|snapshot| {
                assert_eq!(snapshot.list_edges(&filter)?, expected, "{wanted:?}");
                assert_eq!(snapshot.count_edges(&filter)?, expected.len() as u64, "{wanted:?}");
                let mut paged: Vec<Edge> = Vec::new();
                loop {
                    let after = paged.last().map(|last| (last.from.id, last.to.id));
                    let page = EdgeFilter { after, limit: 3, ..filter.clone() };
                    let page = snapshot.list_edges(&page)?;
                    if page.is_empty() {
                        break;
                    }
                    paged.extend(page);
                }
                assert_eq!(paged, expected, "{wanted:?}");
                Ok(())
            })
            .unwrap();
    }
    assert!(met > 100, "the filters met only {met} edges");
}

fn an_edge_to_a_task_that_was_pruned_shows_its_missing_end(bed: &mut Bed) {
    let project = bed.project("api");
    let gone = bed.add(project, |task| task.status = Status::Done);
    let waits = bed.add(project, |task| task.depends_on = vec![gone]);
    bed.write(|tx| {
        let task = tx.task(gone)?.unwrap();
        tx.prune(&task)
    })
    .unwrap();
    let listed = |bed: &mut Bed, filter: EdgeFilter| {
        let filter = EdgeFilter { limit: 10, ..filter };
        bed.ledger.read(|snapshot| Ok(snapshot.list_edges(&filter)?)).unwrap()
    };
    let of_project = EndFilter { project: Some(project), ..EndFilter::default() };
    let found = listed(bed, EdgeFilter { from: of_project.clone(), ..EdgeFilter::default() });
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].from.id, found[0].to.id), (waits, gone));
    assert!(found[0].to.task.is_none() && !found[0].is_blocking());
    let found = listed(bed, EdgeFilter { to: of_project, ..EdgeFilter::default() });
    assert_eq!(found, Vec::new(), "a missing task is in no project");
}
