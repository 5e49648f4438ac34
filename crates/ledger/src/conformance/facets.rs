//! Facets: any list of chunks is exactly what it asks for, in its order, page by page, and is the
//! same after every rebuild.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use windlass_domain::Time;
use windlass_domain::chunk::audience::{Addressee, Audience, Predicate, Rule};
use windlass_domain::chunk::condition::Conditions;
use windlass_domain::chunk::field_set::FieldChange;
use windlass_domain::chunk::link::End;
use windlass_domain::chunk::{Chunk, ChunkType, Field, OwnedBy, Owner, field_set, sort};

use super::bulk::rows;
use super::chunk_scene::{
    TAGS, by_id, define, deleted, happen, linked_task, made, make, project, report, slug,
    some_tags, take_back, updated, value, write, written,
};
use super::pruning::is_sound;
use super::{Bed, on_both};
use crate::chunk::page;
use crate::{ChunkFilter, ChunkOrder, ChunkPage, ChunkState, Clock as _, Direction, Range};

on_both! {
    any_filter_lists_and_pages_exactly_what_it_says
    a_store_of_chunks_survives_a_rebuild_row_by_row
    a_chunk_that_is_deleted_leaves_nothing_behind
    a_field_that_changes_moves_the_chunk
    a_type_that_is_defined_anew_is_listed_as_it_is_then
    a_type_that_is_taken_back_is_listed_as_it_was_brought_along
    a_chunk_that_expires_is_not_listed_any_more
    a_list_by_a_field_that_cannot_be_listed_by_is_a_bug
}

/// Everything of everybody.
fn all() -> ChunkFilter {
    ChunkFilter {
        owned_by: vec![OwnedBy::Org, OwnedBy::AnyProject, OwnedBy::AnyAgent],
        limit: 1_000,
        ..ChunkFilter::default()
    }
}

/// The reports whose field has a value.
fn reports(field: &str, value: &str) -> ChunkFilter {
    let fields = Conditions::is(field, value);
    ChunkFilter { chunk_type: Some(slug("report")), fields, ..all() }
}

fn list(bed: &mut Bed, filter: &ChunkFilter) -> ChunkPage {
    bed.ledger.read(|snapshot| Ok(snapshot.list_chunks(filter)?)).unwrap()
}

fn keys(bed: &mut Bed, filter: &ChunkFilter) -> Vec<String> {
    let page = list(bed, filter);
    assert_eq!(page.total, page.chunks.len() as u64);
    page.chunks.iter().map(|chunk| chunk.query_key.to_string()).collect()
}

/// What a list should show, found by looking at every chunk.
fn looked_through(chunks: &[Chunk], filter: &ChunkFilter, now: Time) -> Vec<Chunk> {
    let mut found: Vec<Chunk> =
        chunks.iter().filter(|chunk| admits(filter, chunk, now)).cloned().collect();
    found.sort_by_key(|chunk| (place(filter, chunk), chunk.created_seq));
    if filter.direction == Direction::Descending {
        found.reverse();
    }
    found
}

fn admits(filter: &ChunkFilter, chunk: &Chunk, now: Time) -> bool {
    let is_in = |range: &Range, time: Time| {
        range.from.is_none_or(|from| time >= from) && range.before.is_none_or(|end| time < end)
    };
    let state = match filter.state {
        ChunkState::Current => chunk.is_current(now),
        ChunkState::Superseded => chunk.superseded.is_some(),
        ChunkState::All => true,
    };
    let links = |wanted: &End| chunk.links.iter().any(|link| link.to == *wanted);
    state
        && filter.owned_by.iter().any(|owners| owners.has(&chunk.owner))
        && filter.chunk_type.as_ref().is_none_or(|wanted| chunk.chunk_type == *wanted)
        && filter.fields.hold(&shown(chunk))
        && filter.tags.iter().all(|tag| chunk.tags.contains(tag))
        && (filter.tags_any.is_empty()
            || filter.tags_any.iter().any(|tag| chunk.tags.contains(tag)))
        && (!filter.own_audience || chunk.audience.is_some())
        && filter.addressee.as_ref().is_none_or(|wanted| {
            chunk.audience.as_ref().is_some_and(|own| own.addressees().contains(wanted))
        })
        && filter.linked_to.as_ref().is_none_or(links)
        && filter.key_prefix.as_ref().is_none_or(|key| chunk.query_key.as_str().starts_with(key))
        && is_in(&filter.created, chunk.created_at)
        && is_in(&filter.updated, chunk.updated_at)
}

fn shown(chunk: &Chunk) -> serde_json::Map<String, Value> {
    match chunk.chunk_type.as_str() {
        "report" => chunk.shown(&report()),
        _ => serde_json::Map::new(),
    }
}

/// What a list is sorted by; what is empty is last.
fn place(filter: &ChunkFilter, chunk: &Chunk) -> (bool, String) {
    match &filter.order {
        ChunkOrder::Created => (false, String::new()),
        ChunkOrder::Updated => (false, format!("{:020}", chunk.updated_at.as_millis())),
        ChunkOrder::Field(name) => {
            let definition = report();
            let field = field_set::find(&definition.fields, name).unwrap();
            let key = sort::key(field, &shown(chunk)[name]);
            (key.is_none(), key.unwrap_or_default())
        }
    }
}

fn owned_by() -> impl Strategy<Value = Vec<OwnedBy>> {
    let me = || OwnedBy::Agent("me".into());
    prop::sample::select(vec![
        all().owned_by,
        vec![OwnedBy::Org, OwnedBy::AnyProject, me()],
        vec![OwnedBy::Org, OwnedBy::Project(project(1)), me()],
        vec![OwnedBy::Project(project(2))],
        vec![OwnedBy::AnyAgent],
        Vec::new(),
    ])
}

fn order(of_reports: bool) -> BoxedStrategy<ChunkOrder> {
    let mut orders = vec![ChunkOrder::Created, ChunkOrder::Updated];
    if of_reports {
        let by = ["status", "urgent", "cost", "due", "place"];
        orders.extend(by.map(|name| ChunkOrder::Field(name.to_owned())));
    }
    prop::sample::select(orders).boxed()
}

/// Conditions on one or two fields, each with one value or two.
fn conditions(of_reports: bool) -> BoxedStrategy<Conditions> {
    let names = ["status", "urgent", "cost", "due", "place", "parts"].to_vec();
    let most = if of_reports { 2 } else { 0 };
    let of_field =
        |name| prop::collection::vec(value(name), 1..=2).prop_map(move |wanted| (name, wanted));
    prop::sample::subsequence(names, 0..=most)
        .prop_flat_map(move |names| names.into_iter().map(of_field).collect::<Vec<_>>())
        .prop_map(|wanted| {
            let given = wanted.into_iter().map(|(name, values)| (name.to_owned(), json!(values)));
            Conditions::read(&Value::Object(given.collect())).unwrap()
        })
        .boxed()
}

fn range(first: Time, minutes: i64) -> impl Strategy<Value = Range> {
    let moment = move || {
        prop::option::weighted(0.15, 0..minutes).prop_map(move |minute| {
            minute.map(|minute| Time::from_millis(first.as_millis() + minute * 60_000))
        })
    };
    (moment(), moment()).prop_map(|(from, before)| Range { from, before })
}

/// Those that the chunks of an agent may be for.
fn me() -> Addressee {
    Addressee::Saying(Predicate::AgentIds, "me".to_owned())
}

fn filters(first: Time, minutes: i64) -> impl Strategy<Value = ChunkFilter> {
    let states =
        prop::sample::select(vec![ChunkState::Current, ChunkState::Superseded, ChunkState::All]);
    let directions = prop::sample::select(vec![Direction::Ascending, Direction::Descending]);
    let of_reports = prop::bool::weighted(0.8)
        .prop_flat_map(|of_reports| (Just(of_reports), conditions(of_reports), order(of_reports)));
    let tags = || prop_oneof![3 => Just(Vec::new()), 1 => some_tags()];
    let tags = (tags(), tags());
    let others = (
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.1),
        prop::option::weighted(0.1, prop::sample::select(vec![Addressee::Everybody, me()])),
        1_u64..40,
    );
    let ranges = (range(first, minutes), range(first, minutes));
    (owned_by(), states, directions, of_reports, tags, others, ranges).prop_map(
        |(owned_by, state, direction, (of_reports, fields, order), tags, others, ranges)| {
            let (is_linked, is_seventh, own_audience, addressee, limit) = others;
            ChunkFilter {
                owned_by,
                state,
                chunk_type: of_reports.then(|| slug("report")),
                fields,
                tags: tags.0,
                tags_any: tags.1,
                own_audience,
                addressee,
                linked_to: is_linked.then(linked_task),
                key_prefix: is_seventh.then(|| "seventh-".to_owned()),
                created: ranges.0,
                updated: ranges.1,
                order,
                direction,
                after: None,
                limit,
            }
        },
    )
}

/// Every page of a list after the other, with the number that each says there are.
fn paged(bed: &mut Bed, filter: &ChunkFilter, few: u64) -> (Vec<Chunk>, Vec<u64>) {
    let mut filter = filter.clone();
    let (mut chunks, mut totals) = (Vec::new(), Vec::new());
    loop {
        let now = bed.clock.now();
        let page =
            bed.ledger.read(|snapshot| Ok(page(snapshot.store, &filter, now, few)?)).unwrap();
        assert!(page.chunks.len() as u64 <= filter.limit);
        chunks.extend(page.chunks);
        totals.push(page.total);
        match page.next {
            Some(next) => filter.after = Some(next),
            None => return (chunks, totals),
        }
    }
}

fn any_filter_lists_and_pages_exactly_what_it_says(bed: &mut Bed) {
    define(bed, &report());
    let asking = [Rule::default(), Rule::asking(Predicate::AgentIds, &["me", "other"])];
    let audience = prop::sample::subsequence(asking.to_vec(), 1..=2);
    let audiences = prop::option::weighted(0.3, audience.prop_map(|rules| Audience { rules }));
    let all = prop::collection::vec(made(audiences), 150);
    let all = all.new_tree(&mut TestRunner::default()).unwrap().current();
    let first = bed.clock.now();
    let chunks = make(bed, &all);
    let now = bed.clock.now();
    let bed = std::cell::RefCell::new(bed);
    let config = ProptestConfig { cases: 120, failure_persistence: None, ..Default::default() };
    let asked = (filters(first, 150), prop::sample::select(vec![0_u64, 10, 1_000]));
    TestRunner::new(config)
        .run(&asked, |(filter, few)| {
            let expected = looked_through(&chunks, &filter, now);
            let (found, totals) = paged(&mut bed.borrow_mut(), &filter, few);
            let keys = |chunks: &[Chunk]| -> Vec<String> {
                chunks.iter().map(|chunk| chunk.query_key.to_string()).collect()
            };
            prop_assert_eq!(keys(&found), keys(&expected));
            prop_assert_eq!(&found, &expected);
            prop_assert!(
                totals.iter().all(|total| *total == expected.len() as u64),
                "{:?}",
                totals
            );
            Ok(())
        })
        .unwrap();
}

fn a_store_of_chunks_survives_a_rebuild_row_by_row(bed: &mut Bed) {
    define(bed, &report());
    let audiences = prop::option::weighted(0.2, Just(Audience::all()));
    let all = prop::collection::vec(made(audiences), 60);
    let all = all.new_tree(&mut TestRunner::default()).unwrap().current();
    make(bed, &all);
    let before = rows(bed);
    assert!(before.iter().any(|row| row.starts_with("chunk_facets ")));
    assert!(before.iter().any(|row| row.starts_with("facet_counts ")));
    is_sound(bed);
    assert_eq!(rows(bed), before);
}

fn a_chunk_that_is_deleted_leaves_nothing_behind(bed: &mut Bed) {
    define(bed, &report());
    let before = lasting_rows(bed);
    let mut event = written("report", Owner::Agent("me".into()), "a");
    event.tags = TAGS.map(str::to_owned).to_vec();
    event.audience = Some(Audience::all());
    let id = write(bed, &event).id;
    happen(bed, id, super::chunk_scene::linked(linked_task()));
    happen(bed, id, deleted());
    assert_eq!(by_id(bed, id), None);
    assert_eq!(lasting_rows(bed), before);
}

/// Every row but those of who acted when, and of who ever had a chunk.
fn lasting_rows(bed: &Bed) -> Vec<String> {
    let others = ["activity ", "agents ", "chunk_owners "];
    let is_other = |row: &String| others.iter().any(|view| row.starts_with(view));
    rows(bed).into_iter().filter(|row| !is_other(row)).collect()
}

fn a_field_that_changes_moves_the_chunk(bed: &mut Bed) {
    define(bed, &report());
    let one = write(bed, &written("report", Owner::Org, "one"));
    write(bed, &written("report", Owner::Org, "two"));
    let change = FieldChange { name: "status".into(), before: json!("new"), after: json!("done") };
    let mut event = updated(&one, "said again");
    event.fields = vec![change];
    happen(bed, one.id, event);
    assert_eq!(keys(bed, &reports("status", "done")), ["one"]);
    assert_eq!(keys(bed, &reports("status", "new")), ["two"]);
    let sorted = ChunkFilter {
        order: ChunkOrder::Field("status".into()),
        ..ChunkFilter { chunk_type: Some(slug("report")), ..all() }
    };
    assert_eq!(keys(bed, &sorted), ["two", "one"]);
    let backwards = ChunkFilter { direction: Direction::Descending, ..sorted };
    assert_eq!(keys(bed, &backwards), ["one", "two"]);
}

fn a_type_that_is_defined_anew_is_listed_as_it_is_then(bed: &mut Bed) {
    define(bed, &report());
    for (owner, key) in [(Owner::Org, "org"), (Owner::Project(project(1)), "project")] {
        write(bed, &written("report", owner, key));
    }
    let mut changed: ChunkType = report();
    changed.fields.push(Field::one_of("weight", &["light", "heavy"]).always("heavy"));
    changed.fields.retain(|field| field.name != "urgent");
    define(bed, &changed);
    assert_eq!(keys(bed, &reports("weight", "heavy")), ["org", "project"]);
    assert_eq!(keys(bed, &reports("weight", "light")), [""; 0]);
    is_sound(bed);
}

fn a_type_that_is_taken_back_is_listed_as_it_was_brought_along(bed: &mut Bed) {
    write(bed, &written("convention", Owner::Org, "older"));
    let before = rows(bed);
    let convention = ChunkType { slug: slug("convention"), ..report() };
    define(bed, &convention);
    let new = ChunkFilter { chunk_type: Some(slug("convention")), ..reports("status", "new") };
    assert_eq!(keys(bed, &new), ["older"]);
    take_back(bed, "convention");
    let facets = |rows: super::bulk::Rows| -> Vec<String> {
        rows.into_iter().filter(|row| row.contains("facet")).collect()
    };
    assert_eq!(facets(rows(bed)), facets(before));
    is_sound(bed);
}

fn a_chunk_that_expires_is_not_listed_any_more(bed: &mut Bed) {
    define(bed, &report());
    let mut event = written("report", Owner::Org, "brief");
    event.expires_at = Some(Time::from_millis(bed.clock.now().as_millis() + 1_000));
    write(bed, &event);
    write(bed, &written("report", Owner::Org, "lasting"));
    assert_eq!(keys(bed, &reports("status", "new")), ["brief", "lasting"]);
    bed.clock.advance(1_000);
    assert_eq!(keys(bed, &reports("status", "new")), ["lasting"]);
    assert_eq!(keys(bed, &all()), ["lasting"]);
    assert_eq!(keys(bed, &ChunkFilter { state: ChunkState::All, ..all() }), ["brief", "lasting"]);
}

fn a_list_by_a_field_that_cannot_be_listed_by_is_a_bug(bed: &mut Bed) {
    define(bed, &report());
    let mut refused = |filter: &ChunkFilter| {
        bed.ledger.read(|snapshot| Ok(snapshot.list_chunks(filter)?)).is_err()
    };
    assert!(refused(&reports("raw", "x")));
    assert!(refused(&reports("colour", "red")));
    let by_raw = ChunkOrder::Field("raw".into());
    let by_raw = ChunkFilter { chunk_type: Some(slug("report")), order: by_raw, ..all() };
    assert!(refused(&by_raw));
    assert!(refused(&ChunkFilter { order: ChunkOrder::Field("status".into()), ..all() }));
}
