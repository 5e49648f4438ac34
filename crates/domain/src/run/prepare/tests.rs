//! Every row of the preflight, by its name.

use super::*;
use crate::Code;
use crate::run::state_file::StateFile;
use crate::run::word::RunStatus;

const FILE: &str = "hotl-workflow-add-auth.md";
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const PATH: &str = "/home/.hotl-worktrees/api/hotl-add-auth";

fn on(branch: Option<&str>) -> Checkout {
    Checkout {
        root: "/home/api".to_owned(),
        is_linked: false,
        branch: branch.map(str::to_owned),
        commit: COMMIT.to_owned(),
        file: Some(FILE.to_owned()),
        changed: Vec::new(),
    }
}

fn linked(branch: Option<&str>) -> Checkout {
    Checkout { is_linked: true, ..on(branch) }
}

fn front(worktree: Option<Worktree>, branch: Option<&str>) -> Front {
    Front { worktree, branch: branch.map(str::to_owned), ..Front::default() }
}

fn free() -> Target {
    Target {
        is_name: true,
        commit: None,
        checked_out: None,
        gone: Vec::new(),
        path: PATH.to_owned(),
        at_path: AtPath::Nothing,
    }
}

fn existing() -> Target {
    Target { commit: Some(COMMIT.to_owned()), ..free() }
}

fn with_worktree(blocking: &[&str]) -> Target {
    let blocking = blocking.iter().copied().map(str::to_owned).collect();
    let branch = Some("hotl/add-auth".to_owned());
    Target { at_path: AtPath::Worktree { branch, blocking }, ..existing() }
}

fn decided(
    checkout: &Checkout,
    front: &Front,
    choices: &Choices,
    target: &Target,
) -> Result<Plan, Refusal> {
    let wanted = Wanted { file: FILE, front, choices };
    let ground = Ground::Checkout(checkout.clone());
    match course(wanted, &ground)? {
        Course::Stay { branch } => Ok(Plan::staying(wanted, &ground, branch)),
        Course::Go(errand) => plan(wanted, checkout, errand, target),
    }
}

fn stays(branch: &str) -> Plan {
    Plan { branch: branch.to_owned(), worktree: None, acts: Vec::new() }
}

fn switches(branch: &str) -> Plan {
    Plan { acts: vec![Act::Switch { how: How::New }], ..stays(branch) }
}

fn adds(branch: &str, how: How) -> Plan {
    let path = PATH.to_owned();
    let acts = vec![Act::Add { path, how }, Act::Copy];
    Plan { branch: branch.to_owned(), worktree: Some(PATH.to_owned()), acts }
}

fn keeps() -> Act {
    let reference = "refs/windlass/rescue/hotl-add-auth-0123456789ab".to_owned();
    Act::Keep { reference, commit: COMMIT.to_owned() }
}

fn on_existing(choice: OnExisting) -> Choices {
    Choices { on_existing: Some(choice), ..Choices::default() }
}

fn on_feature(choice: &str) -> Choices {
    Choices { on_feature_branch: Some(OnFeatureBranch::from(choice)), ..Choices::default() }
}

#[track_caller]
fn refused(decided: Result<Plan, Refusal>, code: Code, words: &str) {
    let refusal = decided.unwrap_err();
    assert_eq!(refusal.code, code, "{refusal:?}");
    assert!(refusal.message.contains(words), "{refusal:?}");
    assert!(refusal.hint.is_some(), "{refusal:?}");
}

fn no_choice() -> Choices {
    Choices::default()
}

#[test]
fn preflight_not_a_git_repo_stays_and_names_the_branch() {
    let choices = no_choice();
    for (front, branch) in
        [(front(None, None), "hotl/add-auth"), (front(None, Some("feat/x")), "feat/x")]
    {
        let wanted = Wanted { file: FILE, front: &front, choices: &choices };
        let decided = course(wanted, &Ground::NoRepository).unwrap();
        assert_eq!(decided, Course::Stay { branch: branch.to_owned() });
    }
}

#[test]
fn preflight_git_without_a_commit_stays_and_names_the_branch() {
    let (front, choices) = (front(Some(Worktree::Isolated), None), no_choice());
    let wanted = Wanted { file: FILE, front: &front, choices: &choices };
    let ground = Ground::NoHistory { root: "/home/api".to_owned(), branch: "main".to_owned() };
    let decided = course(wanted, &ground).unwrap();
    assert_eq!(decided, Course::Stay { branch: "hotl/add-auth".to_owned() });
}

#[test]
fn preflight_a_repository_without_a_checkout_is_refused() {
    let (front, choices) = (front(None, None), no_choice());
    let wanted = Wanted { file: FILE, front: &front, choices: &choices };
    let ground = Ground::NoCheckout { repository: "/home/api.git".to_owned() };
    assert_eq!(course(wanted, &ground).unwrap_err().code, Code::CheckoutUnfit);
}

#[test]
fn preflight_main_with_nothing_pinned_gets_a_worktree() {
    for trunk in ["main", "master"] {
        let plan = decided(&on(Some(trunk)), &front(None, None), &no_choice(), &free());
        assert_eq!(plan, Ok(adds("hotl/add-auth", How::New)));
    }
}

#[test]
fn preflight_a_feature_branch_with_nothing_pinned_asks() {
    let plan = decided(&on(Some("feature/x")), &front(None, None), &no_choice(), &free());
    refused(plan, Code::BranchUnclear, "you are on 'feature/x'");
}

#[test]
fn preflight_a_feature_branch_goes_where_it_is_told() {
    for (choice, expected) in [
        ("here", stays("feature/x")),
        ("isolated", adds("hotl/add-auth", How::New)),
        ("feat/own", adds("feat/own", How::New)),
    ] {
        let plan =
            decided(&on(Some("feature/x")), &front(None, None), &on_feature(choice), &free());
        assert_eq!(plan, Ok(expected), "{choice}");
    }
}

#[test]
fn preflight_a_feature_branch_is_not_asked_about_where_something_is_pinned() {
    let checkout = on(Some("feature/x"));
    let branch = decided(&checkout, &front(None, Some("feat/y")), &no_choice(), &free());
    assert_eq!(branch, Ok(adds("feat/y", How::New)));
    let worktree = front(Some(Worktree::Isolated), None);
    let worktree = decided(&checkout, &worktree, &no_choice(), &free());
    assert_eq!(worktree, Ok(adds("hotl/add-auth", How::New)));
}

#[test]
fn preflight_no_branch_at_all_gets_a_worktree() {
    let plan = decided(&on(None), &front(None, None), &no_choice(), &free());
    assert_eq!(plan, Ok(adds("hotl/add-auth", How::New)));
}

#[test]
fn preflight_a_named_linked_worktree_with_nothing_pinned_stays() {
    let plan = decided(&linked(Some("feature/x")), &front(None, None), &no_choice(), &free());
    assert_eq!(plan, Ok(stays("feature/x")));
}

#[test]
fn preflight_a_linked_worktree_on_main_gets_a_worktree() {
    let plan = decided(&linked(Some("main")), &front(None, None), &no_choice(), &free());
    assert_eq!(plan, Ok(adds("hotl/add-auth", How::New)));
}

#[test]
fn preflight_a_detached_linked_worktree_with_nothing_pinned_gets_a_worktree() {
    let plan = decided(&linked(None), &front(None, None), &no_choice(), &free());
    assert_eq!(plan, Ok(adds("hotl/add-auth", How::New)));
}

#[test]
fn preflight_worktree_host_stays_on_a_feature_branch() {
    for branch in [None, Some("feature/x")] {
        let front = front(Some(Worktree::Host), branch);
        let plan = decided(&on(Some("feature/x")), &front, &no_choice(), &free());
        assert_eq!(plan, Ok(stays("feature/x")));
    }
}

#[test]
fn preflight_worktree_host_is_refused_on_main_and_master() {
    for trunk in ["main", "master"] {
        let front = front(Some(Worktree::Host), Some(trunk));
        let plan = decided(&on(Some(trunk)), &front, &no_choice(), &free());
        refused(plan, Code::CheckoutUnfit, trunk);
    }
}

#[test]
fn preflight_worktree_host_is_refused_without_a_branch() {
    let plan = decided(&on(None), &front(Some(Worktree::Host), None), &no_choice(), &free());
    refused(plan, Code::CheckoutUnfit, "none is checked out");
}

#[test]
fn preflight_worktree_host_is_refused_when_the_branch_differs() {
    let front = front(Some(Worktree::Host), Some("feat/y"));
    let plan = decided(&on(Some("feature/x")), &front, &no_choice(), &free());
    refused(plan, Code::CheckoutUnfit, "wants branch 'feat/y', and this is 'feature/x'");
}

#[test]
fn preflight_worktree_false_makes_the_branch_here() {
    for current in [Some("main"), Some("feature/x"), None] {
        let front = front(Some(Worktree::Here), None);
        let plan = decided(&on(current), &front, &no_choice(), &free());
        assert_eq!(plan, Ok(switches("hotl/add-auth")));
    }
}

#[test]
fn preflight_worktree_false_stays_when_the_branch_is_current() {
    let front = front(Some(Worktree::Here), Some("feature/x"));
    let plan = decided(&on(Some("feature/x")), &front, &no_choice(), &existing());
    assert_eq!(plan, Ok(stays("feature/x")));
}

#[test]
fn preflight_worktree_false_asks_when_the_branch_exists() {
    let front = front(Some(Worktree::Here), None);
    for choices in [no_choice(), on_existing(OnExisting::Fail)] {
        let plan = decided(&on(Some("main")), &front, &choices, &existing());
        refused(plan, Code::BranchExists, "branch 'hotl/add-auth' exists, at 0123456789ab");
    }
}

#[test]
fn preflight_worktree_false_does_with_an_existing_branch_as_told() {
    let front = front(Some(Worktree::Here), None);
    for (choice, acts) in [
        (OnExisting::Reuse, vec![Act::Switch { how: How::Old }, Act::Copy]),
        (OnExisting::Recreate, vec![keeps(), Act::Switch { how: How::Again }]),
    ] {
        let plan = decided(&on(Some("main")), &front, &on_existing(choice), &existing());
        assert_eq!(plan.unwrap().acts, acts);
    }
}

#[test]
fn preflight_worktree_true_and_the_current_branch_is_refused_with_the_way_out() {
    for worktree in [Some(Worktree::Isolated), None] {
        let front = front(worktree, Some("feature/x"));
        let refusal =
            decided(&on(Some("feature/x")), &front, &no_choice(), &existing()).unwrap_err();
        assert_eq!(refusal.code, Code::CheckoutUnfit);
        let hint = refusal.hint.unwrap();
        assert!(hint.contains("worktree: false") && hint.contains("worktree: host"), "{hint}");
    }
}

#[test]
fn preflight_a_worktree_path_that_exists_is_refused() {
    let foreign = AtPath::Worktree { branch: Some("other".to_owned()), blocking: Vec::new() };
    for at_path in [AtPath::Other, foreign] {
        for choices in [no_choice(), on_existing(OnExisting::Recreate)] {
            let target = Target { at_path: at_path.clone(), ..free() };
            let plan = decided(&on(Some("main")), &front(None, None), &choices, &target);
            refused(plan, Code::CheckoutUnfit, PATH);
        }
    }
}

#[test]
fn preflight_a_worktree_that_was_deleted_by_hand_is_made_again() {
    let target = Target { gone: vec![PATH.to_owned()], ..existing() };
    let reuse = on_existing(OnExisting::Reuse);
    let plan = decided(&on(Some("main")), &front(None, None), &reuse, &target).unwrap();
    let remove = Act::Remove { path: PATH.to_owned() };
    assert_eq!(plan.acts, [vec![remove], adds("", How::Old).acts].concat());
}

#[test]
fn preflight_a_branch_that_exists_always_asks() {
    for target in [existing(), with_worktree(&[])] {
        for choices in [no_choice(), on_existing(OnExisting::Fail)] {
            let plan = decided(&on(Some("main")), &front(None, None), &choices, &target);
            let refusal = plan.unwrap_err();
            assert_eq!(refusal.code, Code::BranchExists);
            let hint = refusal.hint.unwrap();
            for way in ["--on-existing reuse", "--on-existing recreate", "yourself"] {
                assert!(hint.contains(way), "{hint}");
            }
        }
    }
}

#[test]
fn preflight_a_branch_that_exists_is_reused_when_told() {
    let reuse = on_existing(OnExisting::Reuse);
    let plan = decided(&on(Some("main")), &front(None, None), &reuse, &existing());
    assert_eq!(plan, Ok(adds("hotl/add-auth", How::Old)));
    let plan = decided(&on(Some("main")), &front(None, None), &reuse, &with_worktree(&["x"]));
    assert_eq!(plan.unwrap().acts, [Act::Copy]);
}

#[test]
fn preflight_a_branch_that_begins_again_is_kept_under_a_reference() {
    let recreate = on_existing(OnExisting::Recreate);
    let plan = decided(&on(Some("main")), &front(None, None), &recreate, &existing()).unwrap();
    assert_eq!(plan.acts, [vec![keeps()], adds("", How::Again).acts].concat());
    let target = with_worktree(&[]);
    let plan = decided(&on(Some("main")), &front(None, None), &recreate, &target).unwrap();
    let remove = Act::Remove { path: PATH.to_owned() };
    assert_eq!(plan.acts, [vec![keeps(), remove], adds("", How::Again).acts].concat());
}

#[test]
fn preflight_work_that_is_not_committed_is_never_recreated_away() {
    let recreate = on_existing(OnExisting::Recreate);
    let target = with_worktree(&["half-done.rs"]);
    let plan = decided(&on(Some("main")), &front(None, None), &recreate, &target);
    refused(plan, Code::UncommittedChanges, "half-done.rs");
}

#[test]
fn preflight_a_branch_that_is_checked_out_elsewhere_is_refused() {
    let target = Target { checked_out: Some("/home/other".to_owned()), ..existing() };
    for worktree in [Worktree::Isolated, Worktree::Here] {
        let reuse = on_existing(OnExisting::Reuse);
        let plan = decided(&on(Some("main")), &front(Some(worktree), None), &reuse, &target);
        refused(plan, Code::CheckoutUnfit, "checked out at /home/other");
    }
}

#[test]
fn preflight_a_bad_worktree_word_is_refused() {
    let front = front(Some(Worktree::Other("yes".to_owned())), None);
    let choices = no_choice();
    let wanted = Wanted { file: FILE, front: &front, choices: &choices };
    let refusal = course(wanted, &Ground::NoRepository).unwrap_err();
    assert_eq!(refusal.message, "Invalid worktree mode 'yes'");
}

#[test]
fn preflight_a_name_that_is_no_branch_is_refused() {
    let target = Target { is_name: false, ..free() };
    let plan = decided(&on(Some("main")), &front(None, Some("a b")), &no_choice(), &target);
    refused(plan, Code::InvalidValue, "'a b' is not a name that git takes");
}

#[test]
fn preflight_a_workflow_outside_the_repo_is_refused() {
    let checkout = Checkout { file: None, ..on(Some("main")) };
    let plan = decided(&checkout, &front(None, None), &no_choice(), &free());
    refused(plan, Code::CheckoutUnfit, "outside of the repository /home/api");
}

fn dirty() -> Checkout {
    let changed = ["src/b.rs", "a", FILE].map(str::to_owned).to_vec();
    Checkout { changed, ..on(Some("main")) }
}

#[test]
fn preflight_dirty_files_stop_with_three_ways_on() {
    let refusal = decided(&dirty(), &front(None, None), &no_choice(), &free()).unwrap_err();
    assert_eq!(refusal.code, Code::UncommittedChanges);
    assert_eq!(refusal.message, "Non-HOTL dirty files block execution.\n  a\n  src/b.rs");
    let hint = refusal.hint.unwrap();
    for way in ["clean up", "git stash -u", "--stash"] {
        assert!(hint.contains(way), "{hint}");
    }
}

#[test]
fn preflight_dirty_worktree_allow_goes_on() {
    let front = Front { dirty: Some(Dirty::Allow), ..front(None, None) };
    let plan = decided(&dirty(), &front, &no_choice(), &free());
    assert_eq!(plan, Ok(adds("hotl/add-auth", How::New)));
}

#[test]
fn preflight_dirty_files_are_stashed_when_a_person_says_so() {
    let stash = Choices { on_dirty: OnDirty::Stash, ..Choices::default() };
    let plan = decided(&dirty(), &front(None, None), &stash, &free()).unwrap();
    assert_eq!(plan.acts, [vec![Act::Stash], adds("", How::New).acts].concat());
    let plan = decided(&on(Some("main")), &front(None, None), &stash, &free());
    assert_eq!(plan, Ok(adds("hotl/add-auth", How::New)));
}

#[test]
fn preflight_files_of_hotl_do_not_count_as_dirty() {
    for (path, does_block) in [
        ("hotl-workflow-x.md", false),
        ("docs/plans/2026-03-20-x-workflow.md", false),
        ("docs/plans/x-design.md", false),
        ("docs/plans/x-plan.md", false),
        ("docs/designs/x.md", false),
        (".hotl/state/x.json", false),
        ("plans/own.md", false),
        ("docs/plans/notes.md", true),
        ("hotl-workflow-x.txt", true),
        ("src/hotl-workflow-x.md", true),
        (".hotl-worktrees/x", true),
        ("src/main.rs", true),
    ] {
        assert_eq!(blocks(path, "plans/own.md"), does_block, "{path}");
    }
}

#[test]
fn only_the_files_of_a_run_may_be_lost_with_its_worktree() {
    for path in ["docs/designs/x.md", "docs/plans/x-plan.md", "hotl-workflow-x.md", ".hotlx"] {
        assert!(is_lost(path, Some("hotl-workflow-own.md")), "{path}");
    }
    assert!(!is_lost(".hotl/state/x.json", None));
    assert!(!is_lost("hotl-workflow-own.md", Some("hotl-workflow-own.md")));
    assert!(is_lost("hotl-workflow-own.md", None));
}

#[test]
fn a_name_with_a_line_break_stays_in_its_line() {
    let changed = vec!["a\nb".to_owned()];
    let checkout = Checkout { changed, ..on(Some("main")) };
    let plan = decided(&checkout, &front(None, None), &no_choice(), &free());
    refused(plan, Code::UncommittedChanges, "\n  \"a\\nb\"");
}

#[test]
fn of_many_dirty_files_only_some_are_named() {
    let changed = (0..30).map(|number| format!("file-{number:02}")).collect();
    let checkout = Checkout { changed, ..on(Some("main")) };
    let plan = decided(&checkout, &front(None, None), &no_choice(), &free());
    refused(plan, Code::UncommittedChanges, "\n  file-19\n  and 10 more");
}

#[test]
fn a_worktree_is_beside_its_repository_and_named_after_the_branch() {
    assert_eq!(worktree_path("/home", "api", "hotl/add auth@2"), format!("{PATH}-2"));
    assert_eq!(worktree_path("/", "api", "x"), "/.hotl-worktrees/api/x");
    assert!(is_made_for_runs(&worktree_path("/home", "api", "hotl/x")));
    for other in ["/home/api", "/home/.hotl-worktrees/api", "/.hotl-worktrees/api/x/inside", ""] {
        assert!(!is_made_for_runs(other), "{other}");
    }
}

#[test]
fn a_reference_is_one_that_git_takes() {
    let reference = rescue_reference("a.lock/b..c", COMMIT);
    assert_eq!(reference, "refs/windlass/rescue/a-lock-b--c-0123456789ab");
}

/// The state file of a run in that status, at its second step.
fn run_that_is(status: RunStatus) -> StateFile {
    let text = format!(
        r#"{{"run_id":"x","status":"{status}","started_at":"2026-11-16T02:00:00+00:00",
        "last_update":"2026-11-16T02:00:00+00:00","current_step":2,
        "steps":[{{"number":1,"name":"Work","status":"done"}}]}}"#
    );
    serde_json::from_str(&text).unwrap()
}

/// What becomes of a branch that shall begin again, with a run of that status in its worktree.
fn recreated_over(status: RunStatus) -> Result<(), Refusal> {
    let choices = on_existing(OnExisting::Recreate);
    let plan = decided(&on(Some("main")), &front(None, None), &choices, &with_worktree(&[]));
    plan.unwrap().must_spare_the_living(|folder| {
        assert_eq!(folder, PATH);
        vec![run_that_is(RunStatus::Completed), run_that_is(status)]
    })
}

#[test]
fn preflight_a_worktree_in_which_a_run_goes_on_is_spared() {
    for status in [RunStatus::Running, RunStatus::Paused] {
        let refusal = recreated_over(status).unwrap_err();
        assert_eq!(refusal.code, Code::RunUnfinished);
        let hint = refusal.hint.unwrap();
        assert!(hint.contains("windlass run step block 2 --reason TEXT --run-id x"), "{hint}");
    }
    for status in [RunStatus::Blocked, RunStatus::ReadyToFinish] {
        let hint = recreated_over(status).unwrap_err().hint.unwrap();
        assert!(!hint.contains("step block"), "{hint}");
    }
}

#[test]
fn preflight_a_worktree_whose_runs_have_ended_begins_again() {
    for status in [RunStatus::Completed, RunStatus::Abandoned] {
        assert_eq!(recreated_over(status), Ok(()));
    }
}

#[test]
fn preflight_a_worktree_that_stays_is_not_asked_about() {
    let plan = adds("hotl/add-auth", How::New);
    let spared = plan.must_spare_the_living(|folder| panic!("{folder} stays"));
    assert_eq!(spared, Ok(()));
}
