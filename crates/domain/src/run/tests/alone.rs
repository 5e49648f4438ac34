//! A run that wants to be the only one of its file in a folder.

use super::scene::{LOW, Scene, THREE, attested};
use crate::run::alone::must_be_alone;
use crate::run::event::Place;
use crate::run::finish::Force;
use crate::run::word::Disposition;
use crate::{Code, Refusal};

/// What is said to somebody who begins the file of a run once more, in its folder.
fn once_more(scene: &Scene) -> Result<(), Refusal> {
    must_be_alone(&scene.run.place, [&scene.run])
}

fn hint(scene: &Scene) -> String {
    let refusal = once_more(scene).unwrap_err();
    assert_eq!(refusal.code, Code::RunUnfinished);
    refusal.hint.unwrap()
}

fn done() -> Scene {
    let mut scene = attested(LOW, THREE);
    scene.all_done();
    scene.finalize().unwrap();
    scene
}

#[test]
fn a_run_with_work_left_is_gone_on_with() {
    let hint = hint(&attested(LOW, THREE));
    assert!(hint.starts_with("go on with it: windlass run exec --run-id boat-"), "{hint}");
}

#[test]
fn a_run_whose_work_waits_is_finished_first() {
    let hint = hint(&done());
    assert!(hint.starts_with("finish it: windlass run finish keep"), "{hint}");
}

#[test]
fn a_run_that_was_finished_is_in_nobody_s_way() {
    let mut scene = done();
    scene.finish(Disposition::Kept, Force::No).unwrap();
    assert_eq!(once_more(&scene), Ok(()));
}

#[test]
fn a_run_that_was_given_up_is_in_nobody_s_way() {
    let mut scene = attested(LOW, THREE);
    scene.block(1, "lost").unwrap();
    scene.finalize().unwrap();
    scene.finish(Disposition::Discarded, Force::No).unwrap();
    assert_eq!(once_more(&scene), Ok(()));
}

#[test]
fn a_copy_of_the_file_is_the_same_file() {
    let scene = attested(LOW, THREE);
    let place = scene.run.place.clone();
    let copy = "/trees/boat/docs/hotl-workflow-boat.md".to_owned();
    let copied = Place { workflow_path: copy, ..place.clone() };
    assert!(must_be_alone(&copied, [&scene.run]).is_err());
    let other = "/repo/docs/hotl-workflow-ship.md".to_owned();
    let other = Place { workflow_path: other.clone(), source_workflow_path: other, ..place };
    assert_eq!(must_be_alone(&other, [&scene.run]), Ok(()));
}
