//! What the keys ask of an open transaction, with its SQL, the same in both dialects.

use windlass_domain::chain::Hash;
use windlass_domain::key::{Owner, Role};
use windlass_domain::{Code, Key, KeyId, Time};

use super::Refused;
use crate::cell::{Cell, Columns};
use crate::fault::Fault;
use crate::record::{from_json, to_json};
use crate::store::{Statements, all, first};

macro_rules! key_columns {
    () => {
        "id, version, prefix, digest, owner, role, projects, tools, expires_at, created_at, \
         rotated_at, revoked_at"
    };
}

const INSERT_KEY: &str = concat!(
    "INSERT INTO keys (",
    key_columns!(),
    ", created_seq) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
);
/// By the unique index on `id`.
const UPDATE_KEY: &str = concat!(
    "UPDATE keys SET (",
    key_columns!(),
    ") = ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) WHERE id = $1"
);
/// By the unique index on `id`.
const KEY: &str = concat!("SELECT ", key_columns!(), " FROM keys WHERE id = $1");
/// By `keys_digest`: every call with a key comes through here.
pub(crate) const KEY_BY_DIGEST: &str =
    concat!("SELECT ", key_columns!(), " FROM keys WHERE digest = $1");
const KEYS: &str = concat!("SELECT ", key_columns!(), " FROM keys ORDER BY created_seq");

const INSERT_REFUSAL: &str = "INSERT INTO refusals (at, key_id, prefix, operation, code, message) \
     VALUES ($1, $2, $3, $4, $5, $6)";
/// By the primary key: past those that are kept.
const TRIM_REFUSALS: &str = "DELETE FROM refusals WHERE id <= \
     (SELECT id FROM refusals ORDER BY id DESC LIMIT 1 OFFSET $1)";
/// By the primary key.
const REFUSALS: &str = "SELECT at, key_id, prefix, operation, code, message FROM refusals \
     ORDER BY id DESC LIMIT $1";

/// The part of the seam that is about keys.
pub(crate) trait Keys: Statements {
    fn insert_key(&mut self, created_seq: u64, key: &Key) -> Result<(), Fault> {
        key_cells(key, |cells| {
            let cells: Vec<Cell<'_>> =
                cells.iter().copied().chain([Cell::count(created_seq)]).collect();
            self.run(INSERT_KEY, &cells).map(drop)
        })
    }

    fn update_key(&mut self, key: &Key) -> Result<(), Fault> {
        key_cells(key, |cells| self.run(UPDATE_KEY, cells)).map(drop)
    }

    fn key(&mut self, id: KeyId) -> Result<Option<Key>, Fault> {
        first(self, KEY, &[Cell::Bytes(&id.to_bytes())], read_key)
    }

    /// The key whose text has this hash.
    fn key_by_digest(&mut self, digest: &Hash) -> Result<Option<Key>, Fault> {
        first(self, KEY_BY_DIGEST, &[Cell::Bytes(digest.as_bytes())], read_key)
    }

    /// All keys, the oldest first.
    fn keys(&mut self) -> Result<Vec<Key>, Fault> {
        all(self, KEYS, &[], read_key)
    }

    fn insert_refusal(&mut self, refused: &Refused) -> Result<(), Fault> {
        let key = refused.key_id.map(KeyId::to_bytes);
        let cells = [
            Cell::Int(refused.at.as_millis()),
            key.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
            Cell::text_or_null(refused.prefix.as_deref()),
            Cell::Text(&refused.operation),
            Cell::Text(&refused.code),
            Cell::Text(&refused.message),
        ];
        self.run(INSERT_REFUSAL, &cells).map(drop)
    }

    /// Forgets all refusals but the newest.
    fn trim_refusals(&mut self, kept: u64) -> Result<(), Fault> {
        self.run(TRIM_REFUSALS, &[Cell::count(kept)]).map(drop)
    }

    /// The newest refusals, newest first.
    fn refusals(&mut self, limit: u64) -> Result<Vec<Refused>, Fault> {
        all(self, REFUSALS, &[Cell::count(limit)], |row| {
            Ok(Refused {
                at: Time::from_millis(row.int(0)?),
                key_id: row.maybe_id(1)?.map(KeyId::from_bytes),
                prefix: row.maybe_text(2)?,
                operation: row.text(3)?,
                code: row.text(4)?,
                message: row.text(5)?,
            })
        })
    }
}

/// Calls `write` with the cells of a key in the order of `key_columns`.
fn key_cells<T>(key: &Key, write: impl FnOnce(&[Cell<'_>]) -> T) -> T {
    let (owner, projects) = (key.owner.to_string(), to_json(&key.projects));
    let time = |time: Option<Time>| Cell::int_or_null(time.map(Time::as_millis));
    write(&[
        Cell::Bytes(&key.id.to_bytes()),
        Cell::count(key.version),
        Cell::Text(&key.prefix),
        Cell::Bytes(key.digest.as_bytes()),
        Cell::Text(&owner),
        Cell::Text(key.role.as_str()),
        Cell::Text(&projects),
        Cell::text_or_null(key.tools.as_deref()),
        time(key.expires_at),
        Cell::Int(key.created_at.as_millis()),
        time(key.rotated_at),
        time(key.revoked_at),
    ])
}

fn read_key(row: &dyn Columns) -> Result<Key, Fault> {
    let time = |column| Ok::<_, Fault>(row.maybe_int(column)?.map(Time::from_millis));
    let (owner, role) = (row.text(4)?, row.text(5)?);
    Ok(Key {
        id: KeyId::from_bytes(row.id(0)?),
        version: row.count(1)?,
        prefix: row.text(2)?,
        digest: row.hash(3)?,
        owner: Owner::parse(&owner).map_err(|_| wrong("owner", &owner))?,
        role: Role::from_text(&role).ok_or_else(|| wrong("role", &role))?,
        projects: from_json(&row.text(6)?)?,
        tools: row.maybe_text(7)?,
        expires_at: time(8)?,
        created_at: Time::from_millis(row.int(9)?),
        rotated_at: time(10)?,
        revoked_at: time(11)?,
    })
}

fn wrong(what: &str, text: &str) -> Fault {
    Fault::new(Code::LedgerCorrupt, format!("a row of keys has the {what} '{text}'"))
        .hint("rebuild the views from the log: windlass doctor --rebuild")
}
