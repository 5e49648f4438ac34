//! Signed receipts: what is right is found right, whatever was forged is found and named.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use windlass_domain::chain::{Hash, Provenance};
use windlass_domain::run::check::{CheckResult, Outcome};
use windlass_domain::run::event::{Place, RunStarted};
use windlass_domain::run::file::parse;
use windlass_domain::run::name::RunId;
use windlass_domain::run::receipt::{Receipt, receipt_at};
use windlass_domain::run::signed::{canonical, read};
use windlass_domain::run::word::{Authority, Door, Gates};
use windlass_domain::run::{Caller, step};
use windlass_domain::{Code, Exit, RunKey};
use windlass_ledger::{Error, Location};
use windlass_ops::context::Surroundings;
use windlass_ops::run::{
    LedgerState, ReceiptVerified, ReceiptVerify, SignatureState, Signer, key_file, signed,
};
use windlass_ops::settings::Resolved;
use windlass_ops::{Context, Output as _, Workplace};

const FILE: &str = "---\nintent: try it\nsuccess_criteria: it works\nrisk_level: low\n---\n\n\
- [ ] **Step 1: Build**\naction: build it\nloop: until it builds\nverify: make\n\n\
- [ ] **Step 2: Test**\naction: test it\nloop: until green\nverify: make test\n";

/// A ledger with a run whose first step is done.
struct Stage {
    cx: Context,
    run: RunKey,
    folder: tempfile::TempDir,
}

fn context(folder: &Path) -> Context {
    let workplace = Workplace::new(Location::Sqlite(folder.join("ledger.db")));
    let surroundings = Surroundings { user: "user".into(), ..Surroundings::default() };
    Context::new(workplace, surroundings, Resolved::default())
}

fn agent() -> Caller {
    Caller {
        name: "worker-1".into(),
        is_named: true,
        authority: Authority::Attested,
        door: Door::Own,
        token_sha256: None,
    }
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut cx = context(folder.path());
        let run = cx.ledger().unwrap().write(&Provenance::default(), |tx| {
            let kept = tx.begin_run(started())?;
            let events = step::start(&kept.run, 1, &agent(), tx.now()).unwrap();
            let kept = tx.record_run(&kept, events)?;
            let mut result = CheckResult::new(0, Outcome::Passed);
            result.exit_code = Some(0);
            result.exit_code = Some(0);
            result.stdout.sha256 = Some(Hash::of(b"built"));
            let events = step::verified(&kept.run, 1, 1, vec![result], &agent(), tx.now());
            Ok(tx.record_run(&kept, events.unwrap())?.run.key)
        });
        Self { cx, run: run.unwrap(), folder }
    }

    fn plain(&mut self) -> Receipt {
        let run = self.run;
        self.cx
            .read(|snapshot| {
                let head = snapshot.head()?;
                Ok(receipt_at(&snapshot.run(run)?.unwrap().run, head))
            })
            .unwrap()
    }

    fn key(&self) -> PathBuf {
        key_file(&self.cx.workplace).unwrap()
    }

    /// The receipt as it is shown, signed by this installation.
    fn receipt(&mut self) -> Value {
        let plain = self.plain();
        serde_json::to_value(signed(plain, &self.key()).unwrap()).unwrap()
    }

    fn go_on(&mut self) {
        let run = self.run;
        let done = self.cx.ledger().unwrap().write(&Provenance::default(), |tx| {
            let kept = tx.run(run)?.unwrap();
            let events = step::start(&kept.run, 2, &agent(), tx.now()).unwrap();
            tx.record_run(&kept, events)
        });
        done.unwrap();
    }

    fn verify(&mut self, receipt: &Value) -> ReceiptVerified {
        verify(&mut self.cx, receipt, None).unwrap()
    }
}

fn started() -> RunStarted {
    RunStarted {
        name: RunId::try_from("boat-1".to_owned()).unwrap(),
        file: parse(FILE).unwrap().file,
        file_sha256: Hash::of(FILE.as_bytes()),
        place: Place {
            workflow_path: "/repo/boat-workflow.md".into(),
            source_workflow_path: "/repo/boat-workflow.md".into(),
            source_branch: None,
            source_head: None,
            stash: None,
            rescue: None,
            workflow_slug: "boat".into(),
            branch: "hotl/boat".into(),
            repo_root: "/repo".into(),
            execution_root: "/repo".into(),
            worktree_path: None,
            executor_mode: "loop".into(),
            driver: "generic".into(),
            host: "fallback".into(),
            folder: "/repo".into(),
            machine: "harbour".into(),
        },
        gates: Gates::Attested,
        require_owner: false,
        tie: None,
        gate_timeout: None,
        head: Some("0123abc".into()),
    }
}

fn verify(
    cx: &mut Context,
    receipt: &Value,
    signed_by: Option<&str>,
) -> Result<ReceiptVerified, Error> {
    verify_text(cx, &receipt.to_string(), signed_by)
}

fn verify_text(
    cx: &mut Context,
    text: &str,
    signed_by: Option<&str>,
) -> Result<ReceiptVerified, Error> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text).unwrap();
    let file = file.path().display().to_string();
    cx.perform(&ReceiptVerify { file, signed_by: signed_by.map(str::to_owned) })
}

/// Somebody who has neither the ledger nor the key.
fn elsewhere() -> (tempfile::TempDir, Context) {
    let folder = tempfile::tempdir().unwrap();
    let cx = context(&folder.path().join("none"));
    (folder, cx)
}

/// A receipt that somebody else signed.
fn signed_anew(plain: Receipt) -> Value {
    let folder = tempfile::tempdir().unwrap();
    serde_json::to_value(signed(plain, &folder.path().join("key.pem")).unwrap()).unwrap()
}

#[test]
fn a_receipt_of_this_installation_is_right() {
    let mut stage = Stage::new();
    let receipt = stage.receipt();
    let found = stage.verify(&receipt);
    assert_eq!((found.right, found.signature), (true, SignatureState::Right));
    assert_eq!((found.signer, found.ledger), (Some(Signer::ThisInstallation), LedgerState::Same));
    assert_eq!(found.run_id.as_deref(), Some("boat-1"));
    assert_eq!((found.changed.len(), found.problems.len(), found.notes.len()), (0, 0, 0));
}

#[test]
fn a_receipt_stays_right_when_the_run_goes_on() {
    let mut stage = Stage::new();
    let receipt = stage.receipt();
    stage.go_on();
    let found = stage.verify(&receipt);
    assert_eq!((found.right, found.ledger), (true, LedgerState::Same));
}

#[test]
fn a_receipt_says_what_was_executed_checked_and_where_in_the_log() {
    let receipt = Stage::new().receipt();
    assert_eq!(receipt["run"]["workflow_sha256"], json!(Hash::of(FILE.as_bytes())));
    assert_eq!(receipt["run"]["commit_before"], "0123abc");
    let check = &receipt["evidence"][0]["checks"][0];
    assert_eq!((&check["reference"], &check["exit_code"]), (&json!("make"), &json!(0)));
    assert_eq!(check["stdout_sha256"], json!(Hash::of(b"built")));
    assert_eq!((&receipt["ledger"]["seq"], &receipt["ledger"]["version"]), (&json!(3), &json!(3)));
    assert_eq!(receipt["signature"]["algorithm"], "ed25519");
}

#[test]
fn a_receipt_by_a_key_that_only_it_names_is_not_right() {
    let receipt = Stage::new().receipt();
    let (folder, mut cx) = elsewhere();
    let found = verify(&mut cx, &receipt, None).unwrap();
    assert_eq!((found.signature, found.signer), (SignatureState::Right, Some(Signer::Unknown)));
    assert_eq!((found.right, found.exit()), (false, Exit::Findings));
    assert!(found.problems[0].contains("--signed-by"), "{:?}", found.problems);
    assert_ne!(found.ledger, LedgerState::Same);
    assert!(!folder.path().join("none").exists(), "to verify makes nothing");
}

#[test]
fn whatever_is_forged_is_found_and_named_without_the_ledger() {
    let original = Stage::new().receipt();
    let (_folder, mut cx) = elsewhere();
    for (pointer, path) in [
        ("/schema", ".schema"),
        ("/generated_at", ".generated_at"),
        ("/run/status", ".run.status"),
        ("/run/workflow_sha256", ".run.workflow_sha256"),
        ("/run/commit_after", ".run.commit_after"),
        ("/controller/owner_id", ".controller.owner_id"),
        ("/evidence/0/verification/passed", ".evidence[0].verification.passed"),
        ("/evidence/0/checks/0/exit_code", ".evidence[0].checks[0].exit_code"),
        ("/evidence/1/gate/result", ".evidence[1].gate.result"),
        ("/sufficiency/sufficient", ".sufficiency.sufficient"),
        ("/ledger/seq", ".ledger.seq"),
        ("/ledger/hash", ".ledger.hash"),
    ] {
        let mut forged = original.clone();
        *forged.pointer_mut(pointer).unwrap() = json!("forged");
        let found = verify(&mut cx, &forged, None).unwrap();
        assert_eq!((found.right, found.signature), (false, SignatureState::Wrong), "{path}");
        assert_eq!(found.changed, [path]);
        assert_eq!(found.problems, ["it was changed after it was signed"]);
    }
}

#[test]
fn a_forged_signature_is_found() {
    let mut stage = Stage::new();
    let original = stage.receipt();
    for field in ["algorithm", "key_id", "public_key", "digests", "value"] {
        for value in [json!("forged"), Value::Null, json!({})] {
            let mut forged = original.clone();
            forged["signature"][field] = value.clone();
            let found = stage.verify(&forged);
            assert_eq!(found.signature, SignatureState::Wrong, "{field}: {value}");
            assert!(!found.right && !found.problems.is_empty(), "{field}: {value}");
        }
    }
}

#[test]
fn with_the_ledger_a_forged_value_is_shown_beside_the_recorded_one() {
    let mut stage = Stage::new();
    let mut forged = stage.receipt();
    forged["run"]["status"] = json!("completed");
    let found = stage.verify(&forged);
    assert_eq!((found.right, found.ledger), (false, LedgerState::Different));
    let differs = &found.differences[0];
    assert_eq!((found.differences.len(), differs.path.as_str()), (1, ".run.status"));
    assert_eq!((&differs.receipt, &differs.ledger), (&json!("completed"), &json!("running")));
}

#[test]
fn who_forges_and_signs_anew_is_found_by_the_ledger() {
    let mut stage = Stage::new();
    let mut plain = stage.plain();
    plain.sufficiency.sufficient = true;
    let found = stage.verify(&signed_anew(plain));
    assert_eq!((found.signature, found.signer), (SignatureState::Right, Some(Signer::Unknown)));
    assert!(!found.right);
    assert_eq!(found.differences[0].path, ".sufficiency.sufficient");
}

#[test]
fn who_signs_anew_is_found_by_the_name_of_the_key() {
    let mut stage = Stage::new();
    let own = stage.receipt();
    let id = own["signature"]["key_id"].as_str().unwrap();
    let key = own["signature"]["public_key"].as_str().unwrap();
    let other = signed_anew(stage.plain());
    let (_folder, mut cx) = elsewhere();
    for name in [id, key] {
        let found = verify(&mut cx, &own, Some(name)).unwrap();
        assert_eq!((found.right, found.signer), (true, Some(Signer::Named)));
        let found = verify(&mut cx, &other, Some(name)).unwrap();
        assert_eq!((found.right, found.signer), (false, Some(Signer::Unknown)));
    }
}

#[test]
fn a_key_that_goes_by_the_name_of_another_is_found() {
    let mut stage = Stage::new();
    let own = stage.receipt();
    let mut forged = signed_anew(stage.plain());
    forged["signature"]["key_id"] = own["signature"]["key_id"].clone();
    let found = stage.verify(&forged);
    assert_eq!((found.right, found.signer), (false, Some(Signer::Unknown)));
    assert_ne!(found.key_id.as_deref(), own["signature"]["key_id"].as_str());
}

#[test]
fn a_receipt_that_nobody_signed_is_not_right() {
    let mut stage = Stage::new();
    let plain = serde_json::to_value(stage.plain()).unwrap();
    let found = stage.verify(&plain);
    assert_eq!((found.right, found.signature), (false, SignatureState::Missing));
    assert_eq!(found.ledger, LedgerState::Same);
}

#[test]
fn a_log_that_is_not_the_one_it_was_signed_with_is_found() {
    let mut stage = Stage::new();
    let mut plain = stage.plain();
    plain.ledger.as_mut().unwrap().hash = Hash::of(b"another log");
    let receipt = serde_json::to_value(signed(plain, &stage.key()).unwrap()).unwrap();
    let found = stage.verify(&receipt);
    assert_eq!((found.right, found.signature), (false, SignatureState::Right));
    assert_eq!(found.problems, ["the log has no event 3 with the hash of the receipt"]);
}

#[test]
fn a_state_that_the_run_never_reached_is_found() {
    let mut stage = Stage::new();
    let mut plain = stage.plain();
    plain.ledger.as_mut().unwrap().version = 9;
    let receipt = serde_json::to_value(signed(plain, &stage.key()).unwrap()).unwrap();
    let found = stage.verify(&receipt);
    assert_eq!(found.problems, ["the run has 3 events here, the receipt 9"]);
}

#[test]
fn what_is_no_receipt_is_refused() {
    let mut stage = Stage::new();
    let receipt = stage.receipt().to_string();
    let twice = receipt.replacen('{', "{\"run\":{\"status\":\"completed\"},", 1);
    for text in ["", "[]", "no JSON", &receipt[..receipt.len() - 1], &twice] {
        let refused = verify_text(&mut stage.cx, text, None).unwrap_err();
        assert_eq!(refused.code(), Code::FileInvalid, "{text}");
    }
    let file = "/nowhere/receipt.json".to_owned();
    let missing = stage.cx.perform(&ReceiptVerify { file, signed_by: None }).unwrap_err();
    assert_eq!(missing.code(), Code::FileUnusable);
}

#[test]
fn with_a_damaged_key_nothing_is_signed_and_a_receipt_is_still_verified() {
    let mut stage = Stage::new();
    let receipt = stage.receipt();
    let key = stage.key();
    fs::write(&key, "damaged").unwrap();
    let fault = signed(stage.plain(), &key).unwrap_err();
    assert_eq!(fault.code, Code::FileUnusable);
    assert!(fault.hint.is_some() && fault.details.contains_key("file"), "{fault:?}");
    assert_eq!(fs::read_to_string(&key).unwrap(), "damaged");
    let found = stage.verify(&receipt);
    assert_eq!((found.signature, found.signer), (SignatureState::Right, Some(Signer::Unknown)));
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
}

#[test]
fn a_key_that_others_can_read_signs_nothing() {
    let mut stage = Stage::new();
    stage.receipt();
    let key = stage.key();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    let fault = signed(stage.plain(), &key).unwrap_err();
    assert_eq!(fault.code, Code::FileUnusable);
    assert!(fault.hint.unwrap().contains("chmod 600"));
}

#[test]
fn without_a_folder_there_is_no_key() {
    let mut workplace = Workplace::new(Location::parse("postgres://somewhere/ledger"));
    assert_eq!(key_file(&workplace).unwrap_err().code, Code::FileUnusable);
    workplace.folder = Some("/data".into());
    assert_eq!(key_file(&workplace).unwrap(), Path::new("/data/receipt-key.pem"));
}

#[test]
fn the_key_is_beside_the_ledger() {
    let mut stage = Stage::new();
    stage.receipt();
    assert_eq!(stage.key(), stage.folder.path().join("receipt-key.pem"));
    assert_eq!(fs::metadata(stage.key()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn any_changed_byte_is_found_unless_it_means_the_same() {
    let original = Stage::new().receipt();
    let text = canonical(&original);
    let (_folder, cx) = elsewhere();
    let cx = std::cell::RefCell::new(cx);
    let config = ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() };
    TestRunner::new(config)
        .run(&(0..text.len(), 1..=255_u8), |(at, flip)| {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= flip;
            let Ok(forged) = String::from_utf8(bytes) else { return Ok(()) };
            let Ok(document) = read(&forged) else { return Ok(()) };
            prop_assume!(Value::Object(document) != original);
            let found = verify_text(&mut cx.borrow_mut(), &forged, None).unwrap();
            prop_assert!(!found.right, "byte {} of {}", at, forged);
            Ok(())
        })
        .unwrap();
}
