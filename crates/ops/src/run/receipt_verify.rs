//! `run receipt verify`: whether a receipt is as it was signed, by which key, and what was changed.
//!
//! It needs the file alone. Where the ledger of the caller knows the run, the receipt is also
//! compared with what the log said at that place, whatever happened to the run since.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::chain::Head;
use windlass_domain::run::Run;
use windlass_domain::run::event::Edit;
use windlass_domain::run::receipt::{Position, receipt_at};
use windlass_domain::run::signed::{
    ALGORITHM, Signature, changed, differences, read, signature, signed_text,
};
use windlass_domain::{Code, Event, Exit, Refusal, Time};
use windlass_hands::signing::{Key, PublicKey};
use windlass_ledger::{Error, Fault, Snapshot};

use super::receipt_sign::{document, key_file, without_key};
use crate::context::Context;
use crate::operation::{Access, Operation, Output, Place, Remotely};
use crate::sheet::{Cell, Sheet, Tone};

/// Says whether a receipt is as it was signed.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptVerify {
    /// A receipt, as `run receipt show` wrote it; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// The key that must have signed it, if not your own: its id, or itself, as a receipt has them
    #[arg(long, value_name = "KEY")]
    #[serde(default)]
    pub signed_by: Option<String>,
}

/// What a receipt is worth.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptVerified {
    pub file: String,
    /// The signature is right, by a key that is known, and nothing speaks against the receipt.
    pub right: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    pub signature: SignatureState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<Signer>,
    /// The paths, as jq writes them, whose values are not those that were signed.
    pub changed: Vec<String>,
    pub ledger: LedgerState,
    /// What the ledger says otherwise.
    pub differences: Vec<ReceiptDifference>,
    /// What speaks against the receipt, in words.
    pub problems: Vec<String>,
    /// What could not be looked at, in words.
    pub notes: Vec<String>,
}

/// Whether a receipt is as it was signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignatureState {
    Right,
    Wrong,
    /// Nobody signed it.
    Missing,
}

/// What is known of the key that signed a receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Signer {
    /// It is the key of this installation.
    ThisInstallation,
    /// It is the key that the caller named.
    Named,
    /// It is known from the receipt alone: anybody could have made it.
    Unknown,
}

/// What the ledger says of a receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LedgerState {
    Same,
    Different,
    /// The run is not in this ledger.
    NotHere,
    /// It was not asked.
    NotAsked,
}

/// One value that differs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptDifference {
    /// As jq writes it: `.run.status`.
    pub path: String,
    /// What the receipt says; null where it says nothing.
    pub receipt: Value,
    pub ledger: Value,
}

impl Operation for ReceiptVerify {
    type Output = ReceiptVerified;
    const NAME: &'static str = "run.receipt.verify";
    const ABOUT: &'static str = "Say whether a receipt is as it was signed, and what was changed";
    const EXAMPLE: &'static str = "windlass run receipt verify receipt.json";
    const ACCESS: Access = Access::Read;
    const PLACE: Place = Place::Workplace;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, cx: &mut Context) -> Result<ReceiptVerified, Error> {
        let text = cx.local_text(&self.file)?;
        let receipt = read(&text).map_err(|error| self.unreadable(&error))?;
        let run_id = receipt.get("run").and_then(|run| run.get("id")).and_then(Value::as_str);
        let mut found = ReceiptVerified {
            file: self.file.clone(),
            right: false,
            run_id: run_id.map(str::to_owned),
            signature: SignatureState::Missing,
            key_id: None,
            public_key: None,
            signer: None,
            changed: Vec::new(),
            ledger: LedgerState::NotAsked,
            differences: Vec::new(),
            problems: Vec::new(),
            notes: Vec::new(),
        };
        match signature(&receipt) {
            None => found.problems.push("nobody signed it".to_owned()),
            Some(Err(_)) => found.is_wrong("its signature cannot be read"),
            Some(Ok(signature)) => {
                found.check(&receipt, &signature);
                self.name_signer(cx, &mut found);
            }
        }
        found.ask(cx, &receipt)?;
        found.right = found.signature == SignatureState::Right && found.problems.is_empty();
        Ok(found)
    }
}

impl ReceiptVerify {
    fn unreadable(&self, error: &serde_json::Error) -> Refusal {
        Refusal::new(Code::FileInvalid, format!("{} is no receipt: {error}", self.file))
            .hint("give a file that was written by: windlass run receipt show")
            .detail("file", self.file.as_str())
    }

    /// What is known of the key, apart from the receipt.
    fn name_signer(&self, cx: &Context, found: &mut ReceiptVerified) {
        let (Some(id), Some(text)) = (found.key_id.clone(), found.public_key.clone()) else {
            return;
        };
        let own = key_file(&cx.workplace).ok().map_or(Ok(None), |path| Key::find(&path));
        let own = own.unwrap_or_else(|why| {
            found.notes.push(format!("your own key was not looked at: {}", without_key(&why)));
            None
        });
        let is_own = own.is_some_and(|own| own.public().to_string() == text);
        found.signer = Some(match &self.signed_by {
            Some(wanted) if *wanted == text || wanted.eq_ignore_ascii_case(&id) => Signer::Named,
            Some(wanted) => {
                found.problems.push(format!("it is signed by key {id}, not {wanted}"));
                if is_own { Signer::ThisInstallation } else { Signer::Unknown }
            }
            None if is_own => Signer::ThisInstallation,
            None => {
                if found.signature == SignatureState::Right {
                    found.problems.push(format!(
                        "nobody here knows key {id}; say which one it must be with --signed-by"
                    ));
                }
                Signer::Unknown
            }
        });
    }
}

impl ReceiptVerified {
    fn is_wrong(&mut self, why: &str) {
        self.signature = SignatureState::Wrong;
        self.problems.push(why.to_owned());
    }

    /// Holds the signature against the receipt.
    fn check(&mut self, receipt: &Map<String, Value>, signature: &Signature) {
        if signature.algorithm != ALGORITHM {
            return self.is_wrong(&format!(
                "it is signed by '{}'; only {ALGORITHM} is known",
                signature.algorithm
            ));
        }
        let Some(key) = PublicKey::parse(&signature.public_key) else {
            return self.is_wrong("its signature has no public key");
        };
        self.key_id = Some(key.id());
        self.public_key = Some(key.to_string());
        self.changed = changed(receipt, signature);
        if !key.signed(signed_text(receipt).as_bytes(), &signature.value) {
            return self.is_wrong(match self.changed.is_empty() {
                true => "the signature is wrong, and was itself changed",
                false => "it was changed after it was signed",
            });
        }
        if !self.changed.is_empty() || key.id() != signature.key_id {
            return self.is_wrong("the signature says of itself what is not so");
        }
        self.signature = SignatureState::Right;
    }

    /// Compares the receipt with what the ledger said then.
    fn ask(&mut self, cx: &mut Context, receipt: &Map<String, Value>) -> Result<(), Error> {
        let position = receipt.get("ledger").map(Position::deserialize).and_then(Result::ok);
        let Some(position) = position else {
            self.notes.push("it does not say which place of a ledger it is from".to_owned());
            return Ok(());
        };
        if cx.remote.is_some() {
            self.notes.push("the ledger of your server was not asked".to_owned());
            return Ok(());
        }
        match cx.read(|snapshot| compared(snapshot, receipt, position)) {
            Ok(None) => self.ledger = LedgerState::NotHere,
            Ok(Some(Compared { differences, problems })) => {
                let same = differences.is_empty() && problems.is_empty();
                self.ledger = if same { LedgerState::Same } else { LedgerState::Different };
                if !differences.is_empty() {
                    self.problems.push("the ledger says otherwise".to_owned());
                }
                self.problems.extend(problems);
                self.differences = differences;
            }
            // A receipt can be checked where there is no ledger, or none that answers.
            Err(Error::Failed(fault)) => {
                self.notes.push(format!("the ledger was not asked: {}", fault.message));
            }
            Err(refused @ Error::Refused(_)) => return Err(refused),
        }
        Ok(())
    }
}

struct Compared {
    differences: Vec<ReceiptDifference>,
    problems: Vec<String>,
}

/// What the ledger says otherwise; nothing if it does not know the run.
fn compared(
    snapshot: &mut Snapshot<'_>,
    receipt: &Map<String, Value>,
    position: Position,
) -> Result<Option<Compared>, Error> {
    let Some(kept) = snapshot.run(position.run)? else { return Ok(None) };
    let mut compared = Compared { differences: Vec::new(), problems: Vec::new() };
    let Position { seq, hash, version, .. } = position;
    let at = snapshot.events_after(seq.saturating_sub(1), 1)?;
    if at.first().is_none_or(|event| event.header.seq != seq || event.hash != hash) {
        compared.problems.push(format!("the log has no event {seq} with the hash of the receipt"));
    }
    let Some(run) = at_version(snapshot, &position)? else {
        let events = kept.run.version;
        compared.problems.push(format!("the run has {events} events here, the receipt {version}"));
        return Ok(Some(compared));
    };
    let mut written = receipt.clone();
    written.remove("signature");
    let recorded = document(&receipt_at(&run, Head { seq, hash }))?;
    let edits = differences(&Value::Object(recorded), &Value::Object(written));
    compared.differences = edits.into_iter().map(ReceiptDifference::from).collect();
    Ok(Some(compared))
}

/// The run as it was after so many events; nothing if it never had so many.
fn at_version(snapshot: &mut Snapshot<'_>, position: &Position) -> Result<Option<Run>, Fault> {
    let mut run: Option<Run> = None;
    let history = snapshot.whole_history(position.run.into())?.into_iter();
    for recorded in history.take_while(|event| event.header.stream_seq <= position.version) {
        let Some(Event::Run(event)) = recorded.event()? else { return Ok(None) };
        match &mut run {
            None => run = Some(Run::begun(position.run, &event, recorded.header.at)?),
            Some(run) => run.fold(&event, recorded.header.at)?,
        }
    }
    Ok(run.filter(|run| run.version == position.version))
}

impl From<Edit> for ReceiptDifference {
    fn from(edit: Edit) -> Self {
        let Edit { path, before, after } = edit;
        Self { path, receipt: after.unwrap_or_default(), ledger: before.unwrap_or_default() }
    }
}

impl Output for ReceiptVerified {
    fn sheet(&self, _now: Time) -> Sheet {
        let verdict = match self.right {
            true => Cell::toned(format!("{}: right", self.file), Tone::Good),
            false => Cell::toned(format!("{}: not right", self.file), Tone::Bad),
        };
        let mut sheet = Sheet::line(verdict);
        for problem in &self.problems {
            sheet = sheet.and_line(Cell::toned(problem.as_str(), Tone::Bad));
        }
        let facts = [
            ("run", self.run_id.clone()),
            ("signed by", self.signed_by()),
            ("ledger", self.ledger.in_words().map(str::to_owned)),
        ];
        let known = facts.into_iter().filter_map(|(name, fact)| Some((name, fact?.into())));
        sheet = sheet.and_facts(known);
        for path in &self.changed {
            sheet = sheet.and_line(format!("changed: {path}"));
        }
        if !self.differences.is_empty() {
            let row = |differs: &ReceiptDifference| {
                let ReceiptDifference { path, receipt, ledger } = differs;
                vec![path.clone().into(), receipt.to_string().into(), ledger.to_string().into()]
            };
            let rows = self.differences.iter().map(row).collect();
            sheet = sheet.and_table(&["path", "receipt", "ledger…"], rows);
        }
        self.notes.iter().fold(sheet, |sheet, note| sheet.and_line(Cell::dim(note.as_str())))
    }

    fn exit(&self) -> Exit {
        if self.right { Exit::Done } else { Exit::Findings }
    }
}

impl ReceiptVerified {
    fn signed_by(&self) -> Option<String> {
        let id = self.key_id.as_ref()?;
        Some(match self.signer? {
            Signer::ThisInstallation => format!("key {id}, of this installation"),
            Signer::Named => format!("key {id}, as you named it"),
            Signer::Unknown => format!("key {id}, which is known from the receipt alone"),
        })
    }
}

impl LedgerState {
    const fn in_words(self) -> Option<&'static str> {
        match self {
            Self::Same => Some("says the same"),
            Self::Different => Some("says otherwise"),
            Self::NotHere => Some("does not know the run"),
            Self::NotAsked => None,
        }
    }
}
