//! Lists: exactly the tasks that a filter says, in one order, whatever the filter is made of.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use windlass_domain::event::{Authority, TaskArchived, TaskCompleted, TaskCreated};
use windlass_domain::words::{asked, indexed};
use windlass_domain::{Event, ProjectId, Status, Task, TaskId, Time};

use super::{Bed, anybody, on_both, ready};
use crate::{ListFilter, Order, Place};

on_both! {
    any_filter_lists_counts_and_pages_exactly_what_it_says
    an_agent_pattern_is_taken_by_the_letter_but_for_its_stars
    nothing_in_a_frozen_project_is_available
    what_was_finished_is_listed_the_latest_first
}

const AGENTS: [&str; 5] = ["", "bob", "Bob-2", "eve_x", "100%"];
const TAGS: [&str; 3] = ["a", "b", "ü"];
const TITLES: [&str; 3] = ["paint the boat", "paint the mast", "настроить мачту"];

/// What one task is made of.
#[derive(Debug, Clone)]
struct Made {
    in_web: bool,
    status: Status,
    agent: usize,
    tags: Vec<&'static str>,
    due: Option<i64>,
    is_child: bool,
    waits: bool,
    priority: u8,
    title: usize,
}

prop_compose! {
    fn made()(
        in_web in any::<bool>(),
        status in prop::sample::select(Status::ALL.to_vec()),
        agent in 0..AGENTS.len(),
        tags in prop::sample::subsequence(TAGS.to_vec(), 0..=3),
        due in prop::option::of(0..6_i64),
        is_child in prop::bool::weighted(0.2),
        waits in prop::bool::weighted(0.2),
        priority in 0..4_u8,
        title in 0..TITLES.len(),
    ) -> Made {
        Made { in_web, status, agent, tags, due, is_child, waits, priority, title }
    }
}

/// A filter, with what must be looked up left open.
#[derive(Debug, Clone)]
struct Wanted {
    filter: ListFilter,
    in_web: Option<bool>,
    of_parent: bool,
}

prop_compose! {
    fn wanted()(
        in_web in prop::option::weighted(0.3, any::<bool>()),
        of_parent in prop::bool::weighted(0.1),
        status in prop::option::weighted(0.3, prop::sample::select(Status::ALL.to_vec())),
        agent in prop::option::weighted(0.2, prop::sample::select(AGENTS[1..].to_vec())),
        pattern in prop::option::weighted(0.2, prop::sample::select(vec!["B*", "*", "*_*", "*%", "bob"])),
        root in prop::bool::weighted(0.2),
        available in prop::bool::weighted(0.2),
        archived in prop::bool::weighted(0.3),
        tags in prop::sample::subsequence(vec!["ü", "a"], 0..=1),
        tags_any in prop::sample::subsequence(TAGS.to_vec(), 0..=2),
        due_after in prop::option::weighted(0.2, 0..6_i64),
        due_before in prop::option::weighted(0.2, 0..6_i64),
        text in prop::option::weighted(0.2, prop::sample::select(vec!["boat", "МАЧТ", "the pa"])),
    ) -> Wanted {
        let own = |tags: Vec<&str>| tags.into_iter().map(str::to_owned).collect();
        let filter = ListFilter {
            status,
            agent: agent.map(str::to_owned),
            agent_pattern: pattern.map(str::to_owned),
            root,
            available: available && status.is_none(),
            archived,
            tags: own(tags),
            tags_any: own(tags_any),
            due_after: due_after.map(due),
            due_before: due_before.map(due),
            text: text.map(|text| asked(text).unwrap()).unwrap_or_default(),
            limit: 1_000,
            ..ListFilter::default()
        };
        Wanted { filter, in_web, of_parent }
    }
}

fn due(day: i64) -> Time {
    Time::from_millis(1_794_735_000_000 + day * 86_400_000)
}

/// The tasks of one case, made in one transaction.
fn make(bed: &mut Bed, projects: [ProjectId; 2], all: &[Made]) -> (TaskId, Vec<Task>) {
    bed.write(|tx| {
        let parent = tx.new_task_id()?;
        tx.create(parent, ready(projects[0]))?;
        let mut ids = vec![parent];
        for made in all {
            let id = tx.new_task_id()?;
            tx.create(id, made.event(projects, parent))?;
            if made.status == Status::Archived {
                let task = tx.task(id)?.unwrap();
                let archived = TaskArchived { authority: Authority::Free, forced: None };
                tx.record_task(&task, [archived.into()])?;
            }
            ids.push(id);
        }
        let mut tasks = Vec::new();
        for id in ids {
            tasks.extend(tx.task(id)?);
        }
        Ok((parent, tasks))
    })
    .unwrap()
}

impl Made {
    fn event(&self, projects: [ProjectId; 2], parent: TaskId) -> Event {
        TaskCreated {
            title: TITLES[self.title].into(),
            // A list does not ask how a task came to be held.
            status: if self.status == Status::Archived { Status::Ready } else { self.status },
            agent: Some(AGENTS[self.agent].to_owned()).filter(|agent| !agent.is_empty()),
            tags: self.tags.iter().map(|tag| (*tag).to_owned()).collect(),
            due_at: self.due.map(due),
            parent: self.is_child.then_some(parent),
            depends_on: self.waits.then_some(parent).into_iter().collect(),
            priority: self.priority,
            ..ready(projects[usize::from(self.in_web)])
        }
        .into()
    }
}

/// What a filter means.
fn admits(filter: &ListFilter, task: &Task) -> bool {
    let agent = task.agent.as_deref();
    let has = |tag: &String| task.tags.contains(tag);
    let mut words = indexed(&task.title);
    words.extend(task.tags.iter().flat_map(|tag| indexed(tag)));
    filter.project.is_none_or(|project| task.project == project)
        && filter.parent.is_none_or(|parent| task.parent == Some(parent))
        && filter.status.is_none_or(|status| task.status == status)
        && filter.agent.as_deref().is_none_or(|wanted| agent == Some(wanted))
        && filter
            .agent_pattern
            .as_deref()
            .is_none_or(|pattern| agent.is_some_and(|agent| fits(pattern, agent)))
        && (!filter.root || task.parent.is_none())
        && (!filter.available || task.is_claimable())
        && (filter.archived
            || filter.status == Some(Status::Archived)
            || task.status != Status::Archived)
        && filter.tags.iter().all(has)
        && (filter.tags_any.is_empty() || filter.tags_any.iter().any(has))
        && filter.due_after.is_none_or(|time| task.due_at.is_some_and(|due| due >= time))
        && filter.due_before.is_none_or(|time| task.due_at.is_some_and(|due| due < time))
        && filter.text.iter().all(|asked| asked.is_in(&words))
}

/// Whether a name fits a pattern, where a star stands for any letters.
fn fits(pattern: &str, name: &str) -> bool {
    match (pattern.split_once('*'), pattern, name) {
        (Some(("", rest)), _, name) => {
            (0..=name.len()).filter_map(|at| name.get(at..)).any(|name| fits(rest, name))
        }
        (_, "", name) => name.is_empty(),
        (_, pattern, name) => {
            let (mut pattern, mut name) = (pattern.chars(), name.chars());
            let same = pattern.next().zip(name.next());
            same.is_some_and(|(one, other)| one.eq_ignore_ascii_case(&other))
                && fits(pattern.as_str(), name.as_str())
        }
    }
}

fn any_filter_lists_counts_and_pages_exactly_what_it_says(bed: &mut Bed) {
    let projects = [bed.project("api"), bed.project("web")];
    let all = prop::collection::vec(made(), 120).new_tree(&mut TestRunner::default()).unwrap();
    let (parent, mut tasks) = make(bed, projects, &all.current());
    // The counters of the parent changed with its children.
    tasks[0] = bed.task(parent);
    tasks.sort_by_key(|task| (std::cmp::Reverse(task.priority), task.created_seq));
    let bed = std::cell::RefCell::new(bed);
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() };
    TestRunner::new(config)
        .run(&wanted(), |wanted| {
            let filter = ListFilter {
                project: wanted.in_web.map(|in_web| projects[usize::from(in_web)]),
                parent: wanted.of_parent.then_some(parent),
                ..wanted.filter
            };
            let expected: Vec<&Task> = tasks.iter().filter(|task| admits(&filter, task)).collect();
            let answer = answer(&mut bed.borrow_mut(), &filter);
            let seqs: Vec<u64> = expected.iter().map(|task| task.created_seq).collect();
            prop_assert_eq!(&answer.listed, &seqs);
            prop_assert_eq!(&answer.paged, &seqs, "page by page");
            prop_assert_eq!(answer.count, expected.len() as u64);
            let mut by_agent: BTreeMap<String, u64> = BTreeMap::new();
            for task in expected {
                *by_agent.entry(task.agent.clone().unwrap_or_default()).or_default() += 1;
            }
            prop_assert_eq!(answer.by_agent, by_agent.into_iter().collect::<Vec<_>>());
            Ok(())
        })
        .unwrap();
}

/// What the ledger says to a filter, in all its ways.
struct Answer {
    listed: Vec<u64>,
    /// The same, three at a time.
    paged: Vec<u64>,
    count: u64,
    by_agent: Vec<(String, u64)>,
}

fn answer(bed: &mut Bed, filter: &ListFilter) -> Answer {
    bed.ledger
        .read(|snapshot| {
            let seqs =
                |tasks: &[Task]| tasks.iter().map(|task| task.created_seq).collect::<Vec<_>>();
            let (mut paged, mut after) = (Vec::new(), None);
            loop {
                let page = snapshot.list(&ListFilter { after, limit: 3, ..filter.clone() })?;
                paged.extend(seqs(&page));
                after = page.last().map(Place::of);
                if page.len() < 3 {
                    break;
                }
            }
            Ok(Answer {
                listed: seqs(&snapshot.list(filter)?),
                paged,
                count: snapshot.count(filter)?,
                by_agent: snapshot.count_by_agent(filter)?,
            })
        })
        .unwrap()
}

fn nothing_in_a_frozen_project_is_available(bed: &mut Bed) {
    let (frozen, open) = (bed.project("frozen"), bed.project("open"));
    bed.add(frozen, |_| {});
    let free = bed.add(open, |_| {});
    bed.write(|tx| {
        let project = tx.project(frozen)?;
        tx.record_project(&project, [project.freeze(None).unwrap()])?;
        Ok(())
    })
    .unwrap();
    let filter = ListFilter { available: true, unfrozen: true, limit: 10, ..ListFilter::default() };
    let listed = bed.ledger.read(|snapshot| Ok(snapshot.list(&filter)?)).unwrap();
    assert_eq!(listed.iter().map(|task| task.id).collect::<Vec<_>>(), [free]);
}

fn an_agent_pattern_is_taken_by_the_letter_but_for_its_stars(bed: &mut Bed) {
    let project = bed.project("api");
    for agent in ["a_b", "axb", "50%", "50x", "back\\slash", "Ärzte", "ärzte"] {
        bed.add(project, |task| task.agent = Some(agent.into()));
    }
    bed.add(project, |_| {});
    for (pattern, expected) in [
        ("a_b", &["a_b"][..]),
        ("A?b", &[]),
        ("50%", &["50%"]),
        ("*\\S*", &["back\\slash"]),
        ("*", &["50%", "50x", "a_b", "axb", "back\\slash", "Ärzte", "ärzte"]),
        ("a*B", &["a_b", "axb"]),
        ("**x*", &["50x", "axb"]),
        ("", &[]),
    ] {
        let agent_pattern = Some(pattern.to_owned());
        let filter = ListFilter { agent_pattern, limit: 10, ..ListFilter::default() };
        let found = bed.ledger.read(|snapshot| Ok(snapshot.count_by_agent(&filter)?)).unwrap();
        let found: Vec<String> = found.into_iter().map(|(agent, _)| agent).collect();
        assert_eq!(found, expected, "{pattern}");
    }
}

fn what_was_finished_is_listed_the_latest_first(bed: &mut Bed) {
    let (api, web) = (bed.project("api"), bed.project("web"));
    let open = bed.add(api, |_| {});
    let done = [api, web, api].map(|project| bed.add(project, |task| task.priority = 3));
    for at in [1, 0, 2] {
        bed.clock.advance(1_000);
        while bed.task(done[at]).status == Status::Ready {
            bed.claim_next(&anybody("w"), None);
        }
        bed.happen(done[at], TaskCompleted { authority: Authority::Free, forced: None });
    }
    let listed = |bed: &mut Bed, filter: ListFilter| {
        let filter = ListFilter { order: Order::Finished, limit: 10, ..filter };
        let listed = bed.ledger.read(|snapshot| Ok(snapshot.list(&filter)?)).unwrap();
        listed.iter().map(|task| task.id).collect::<Vec<_>>()
    };
    let in_status = |status| ListFilter { status: Some(status), ..ListFilter::default() };
    assert_eq!(listed(bed, in_status(Status::Done)), [done[2], done[0], done[1]]);
    let of_api = ListFilter { project: Some(api), ..in_status(Status::Done) };
    assert_eq!(listed(bed, of_api), [done[2], done[0]]);
    let second = ListFilter { offset: 1, ..in_status(Status::Done) };
    assert_eq!(listed(bed, second), [done[0], done[1]]);
    assert!(!listed(bed, in_status(Status::Ready)).contains(&open));
}
