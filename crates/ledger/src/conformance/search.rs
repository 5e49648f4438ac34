//! Search: both databases find the same tasks in the same order, and mean what
//! [`windlass_domain::words`] means.

use std::cell::RefCell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::json;
use windlass_domain::event::{Authority, CommentAdded, TaskArchived, TaskMoved};
use windlass_domain::words::{Asked, asked, indexed};
use windlass_domain::{Event, ProjectId, Status, TaskId};

use super::{Bed, on_both};
use crate::{ListFilter, SearchFilter};

on_both! {
    a_question_finds_the_same_on_every_database
    the_title_counts_more_than_the_text_and_the_text_more_than_what_was_said
    the_newest_comes_first_among_equals_and_a_limit_keeps_the_best
    a_project_and_a_status_narrow_a_search
    everything_that_was_said_is_found
    what_was_changed_is_found_by_its_new_words_only
    a_list_is_filtered_by_the_same_words
    any_question_finds_what_the_tokeniser_says
    a_task_may_have_more_words_than_an_index_can_hold
}

fn event(kind: &str, data: &serde_json::Value) -> Event {
    Event::decode(kind, 1, &data.to_string()).unwrap()
}

/// What a search answers: the tasks and how many there are in all.
fn search(bed: &mut Bed, query: &str, filter: &SearchFilter, limit: usize) -> (Vec<TaskId>, u64) {
    let asked = asked(query).unwrap();
    bed.ledger
        .read(|snapshot| {
            let found = snapshot.search(&asked, filter, limit)?;
            let total = snapshot.count_found(&asked, filter)?;
            Ok((found.iter().map(|task| task.id).collect(), total))
        })
        .unwrap()
}

/// The tasks that a search finds, all of them, known to be counted right.
#[track_caller]
fn found(bed: &mut Bed, query: &str) -> Vec<TaskId> {
    let (found, total) = search(bed, query, &SearchFilter::default(), 100);
    assert_eq!(found.len() as u64, total, "{query}");
    found
}

/// Titles, and questions with the numbers of the titles they find, newest first.
const TITLES: [&str; 12] = [
    "Fix the login cookie",
    "修复数据库连接",
    "Починить вход в систему",
    "Größe der Schaltfläche",
    "parseHTTPRequest fails",
    "データベースの移行",
    "कार्य सूची",
    "ترجمة الصفحة",
    "Migrations for v1.2.3-rc1",
    "src/foo_bar.rs: off by one",
    "50% of 'quoted' \"text\" & more | less",
    "🎉 release party",
];

const QUESTIONS: [(&str, &[usize]); 30] = [
    ("login", &[0]),
    ("log cook", &[0]),
    ("COOKIES login", &[0]),
    ("fix", &[0]),
    ("数据库", &[1]),
    ("库", &[1]),
    ("数库", &[]),
    ("вход", &[2]),
    ("ВХОД систем", &[2]),
    ("grosse", &[3]),
    ("GRÖẞE", &[3]),
    ("schaltflache", &[3]),
    ("http", &[4]),
    ("parseRequest", &[4]),
    ("移行", &[5]),
    ("ﾃﾞｰﾀ", &[5]),
    ("कार्य", &[6]),
    ("الصفحة", &[7]),
    ("migrating", &[8]),
    ("v1.2.3", &[8]),
    ("rc", &[8]),
    ("foo_bar.rs", &[9]),
    ("o", &[10, 9]),
    ("50% \"quoted\"", &[10]),
    ("text OR nothing", &[]),
    ("NOT text", &[]),
    ("le* & more", &[10]),
    ("'less' -more", &[10]),
    ("release", &[11]),
    ("nowhere", &[]),
];

fn a_question_finds_the_same_on_every_database(bed: &mut Bed) {
    let project = bed.project("api");
    let ids = TITLES.map(|title| bed.add(project, |task| task.title = title.into()));
    for (query, numbers) in QUESTIONS {
        let expected: Vec<TaskId> = numbers.iter().map(|number| ids[*number]).collect();
        assert_eq!(found(bed, query), expected, "{query}");
    }
}

fn the_title_counts_more_than_the_text_and_the_text_more_than_what_was_said(bed: &mut Bed) {
    let project = bed.project("api");
    let title = bed.add(project, |task| task.title = "rotate the keys".into());
    let body = bed.add(project, |task| task.description = Some("rotate all keys".into()));
    let both = bed.add(project, |task| {
        task.title = "keys".into();
        task.tags = vec!["rotate".into()];
    });
    let said = bed.add(project, |task| task.title = "keys".into());
    bed.happen(said, CommentAdded { text: "we must rotate".into() });
    let newest = bed.add(project, |task| task.title = "keys to rotate".into());
    assert_eq!(found(bed, "rotate keys"), [newest, title, both, body, said]);
}

fn the_newest_comes_first_among_equals_and_a_limit_keeps_the_best(bed: &mut Bed) {
    let project = bed.project("api");
    let in_title = [(); 3].map(|()| bed.add(project, |task| task.title = "dredge".into()));
    let in_text = [(); 4]
        .map(|()| bed.add(project, |task| task.description = Some("dredge the harbour".into())));
    let best: Vec<TaskId> = in_title.into_iter().rev().chain(in_text.into_iter().rev()).collect();
    for limit in 1..=8 {
        let (found, total) = search(bed, "dredge", &SearchFilter::default(), limit);
        assert_eq!((found.as_slice(), total), (&best[..limit.min(7)], 7), "limit {limit}");
    }
}

fn a_project_and_a_status_narrow_a_search(bed: &mut Bed) {
    let (api, web) = (bed.project("api"), bed.project("web"));
    let titled = |task: &mut windlass_domain::event::TaskCreated| task.title = "caulk".into();
    let open = bed.add(api, titled);
    let gone = bed.add(api, titled);
    let elsewhere = bed.add(web, titled);
    bed.happen(gone, TaskArchived { authority: Authority::Free, forced: None });
    let mut narrowed = |project, status| search(bed, "caulk", &SearchFilter { project, status }, 9);
    assert_eq!(narrowed(Some(api), None), (vec![gone, open], 2));
    assert_eq!(narrowed(None, Some(Status::Ready)), (vec![elsewhere, open], 2));
    assert_eq!(narrowed(Some(api), Some(Status::Archived)), (vec![gone], 1));
    assert_eq!(narrowed(Some(web), Some(Status::Done)), (vec![], 0));
    bed.happen(open, TaskMoved { project: web, from: None });
    let moved = search(bed, "caulk", &SearchFilter { project: Some(web), status: None }, 9);
    assert_eq!(moved, (vec![elsewhere, open], 2));
}

fn everything_that_was_said_is_found(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.add(project, |task| {
        task.title = "mast".into();
        task.description = Some("spruce, twelve metres".into());
        task.tags = vec!["rigging-loft".into()];
    });
    let claimed = json!({"agent": "ada", "fence": 1, "won": "claimed"});
    bed.happen(id, event("task_claimed", &claimed));
    bed.happen(id, event("comment_added", &json!({"text": "Splice the halyard"})));
    let data = json!({"name": "stepped", "data": {"note": "shrouds loose", "furled": 4}});
    bed.happen(id, event("checkpoint_recorded", &data));
    bed.happen(id, event("task_blocked", &json!({"reason": "no turnbuckles"})));
    bed.happen(id, event("comment_added", &json!({"text": "splice again"})));
    for word in [
        "mast",
        "spruce",
        "twelve",
        "rigging",
        "loft",
        "halyard",
        "stepped",
        "shroud",
        "turnbuckle",
    ] {
        assert_eq!(found(bed, word), [id], "{word}");
    }
    // Across all places, and not what is no text.
    assert_eq!(found(bed, "mast spruce loft halyard stepped turnbuckles again"), [id]);
    for word in ["furled", "claimed", "ada", "4"] {
        assert_eq!(found(bed, word), [], "{word}");
    }
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
}

fn what_was_changed_is_found_by_its_new_words_only(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.add(project, |task| {
        task.title = "anchor".into();
        task.description = Some("galvanised chain".into());
        task.tags = vec!["bow".into()];
    });
    bed.happen(id, CommentAdded { text: "kedge".into() });
    bed.happen(id, event("task_updated", &json!({"title": "mooring"})));
    bed.happen(id, event("task_updated", &json!({"tags": ["stern"]})));
    bed.happen(id, event("task_updated", &json!({"description": "nylon rope"})));
    for (word, expected) in [
        ("anchor", 0),
        ("mooring", 1),
        ("bow", 0),
        ("stern", 1),
        ("chain", 0),
        ("nylon", 1),
        ("kedge", 1),
    ] {
        assert_eq!(found(bed, word).len(), expected, "{word}");
    }
    bed.happen(id, event("task_updated", &json!({"description": ""})));
    assert_eq!(found(bed, "rope"), []);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
}

fn a_list_is_filtered_by_the_same_words(bed: &mut Bed) {
    let project = bed.project("api");
    let low = bed.add(project, |task| task.title = "sand the keel".into());
    let high = bed.add(project, |task| {
        task.priority = 3;
        task.description = Some("keel, then sand".into());
    });
    bed.add(project, |task| task.title = "sand only".into());
    let text = asked("keel sand").unwrap();
    let filter = ListFilter { text, limit: 10, ..ListFilter::default() };
    let (listed, count) = bed
        .ledger
        .read(|snapshot| Ok((snapshot.list(&filter)?, snapshot.count(&filter)?)))
        .unwrap();
    let listed: Vec<TaskId> = listed.iter().map(|task| task.id).collect();
    assert_eq!((listed, count), (vec![high, low], 2), "in the order of lists");
}

/// The words of one task in its three places.
#[derive(Debug, Clone)]
struct Texts {
    title: String,
    tag: String,
    description: String,
    comment: String,
}

impl Texts {
    /// What somebody might ask to find it.
    fn questions(&self) -> [String; 3] {
        let beginning = self.description.chars().take(3).collect();
        [self.title.clone(), beginning, format!("{} {}", self.tag, self.comment)]
    }

    /// How good a place holds all that was asked for.
    fn place(&self, asked: &[Asked]) -> Option<u8> {
        let mut words = BTreeSet::new();
        let places = [vec![&self.title], vec![&self.tag, &self.description], vec![&self.comment]];
        for (place, texts) in (0..).zip(places) {
            words.extend(texts.into_iter().flat_map(|text| indexed(text)));
            if asked.iter().all(|asked| asked.is_in(&words)) {
                return Some(place);
            }
        }
        None
    }
}

/// Texts of the characters most likely to go wrong, with few enough words to meet.
fn text() -> impl Strategy<Value = String> {
    let odd: Vec<char> =
        "abAB12 _-.:'\"*&|!()<>\\/%ßſΣςİé\u{301}\u{200d}がカ中文가कर्ा🎉½".chars().collect();
    prop_oneof![
        prop::collection::vec(prop::sample::select(odd), 0..10).prop_map(String::from_iter),
        "(test|tests|testing|ok|o|数据|据库|задача|задачи|db DB|fooBar|foo_bar| ){0,4}",
        any::<String>().prop_map(|text| text.replace('\0', "")),
    ]
}

fn texts() -> impl Strategy<Value = Texts> {
    (text(), text(), text(), text()).prop_map(|(title, tag, description, comment)| Texts {
        title,
        tag,
        description,
        comment,
    })
}

fn any_question_finds_what_the_tokeniser_says(bed: &mut Bed) {
    let (mut asked_for, mut met) = (0, 0);
    let cases = (prop::collection::vec(texts(), 1..6), prop::collection::vec(text(), 1..8));
    let config = ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() };
    let mut number = 0;
    let check = RefCell::new(|(tasks, queries): (Vec<Texts>, Vec<String>)| {
        number += 1;
        let project = bed.project(&format!("p{number}"));
        let ids: Vec<TaskId> = tasks.iter().map(|texts| add(bed, project, texts)).collect();
        let own = tasks.iter().flat_map(Texts::questions);
        for query in queries.into_iter().chain(own) {
            let Ok(asked) = asked(&query) else { continue };
            let mut expected: Vec<(u8, TaskId)> = Vec::new();
            for (texts, id) in tasks.iter().zip(&ids).rev() {
                expected.extend(texts.place(&asked).map(|place| (place, *id)));
            }
            expected.sort_by_key(|(place, _)| *place);
            let expected: Vec<TaskId> = expected.into_iter().map(|(_, id)| id).collect();
            let filter = SearchFilter { project: Some(project), status: None };
            asked_for += 1;
            met += usize::from(!expected.is_empty());
            let total = expected.len() as u64;
            prop_assert_eq!(search(bed, &query, &filter, 100), (expected, total), "{:?}", query);
        }
        Ok(())
    });
    TestRunner::new(config).run(&cases, |case| (check.borrow_mut())(case)).unwrap();
    assert!(met > asked_for / 3, "only {met} of {asked_for} questions found anything");
}

fn add(bed: &mut Bed, project: ProjectId, texts: &Texts) -> TaskId {
    let id = bed.add(project, |task| {
        task.title.clone_from(&texts.title);
        task.tags = Some(texts.tag.clone()).filter(|tag| !tag.is_empty()).into_iter().collect();
        task.description = Some(texts.description.clone());
    });
    bed.happen(id, CommentAdded { text: texts.comment.clone() });
    id
}

/// PostgreSQL keeps at most a megabyte of words for one task. A comment must not be refused for all
/// the words that were said before it.
fn a_task_may_have_more_words_than_an_index_can_hold(bed: &mut Bed) {
    let project = bed.project("api");
    let id = bed.add(project, |_| {});
    let comment = |number: u32| {
        let words: Vec<String> = (0..400).map(|word| format!("w{number:039}{word:03}")).collect();
        words.join(" ")
    };
    let comments: Vec<Event> =
        (0..70).map(|number| CommentAdded { text: comment(number) }.into()).collect();
    bed.write(|tx| {
        let task = tx.task(id)?.unwrap();
        tx.record_task(&task, comments.clone())?;
        Ok(())
    })
    .unwrap();
    let first = format!("w{0:039}000 w{0:039}399", 0);
    assert_eq!(found(bed, &first), [id], "the first words are found");
    bed.happen(id, CommentAdded { text: "the last word".into() });
    assert_eq!(bed.task(id).version, 72);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
}
