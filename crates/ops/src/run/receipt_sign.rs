//! Signing the receipt of a run with the key of this installation.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use windlass_domain::Code;
use windlass_domain::run::receipt::Receipt;
use windlass_domain::run::signed::{ALGORITHM, Signature, digests, signed_text};
use windlass_hands::signing::{Key, NoKey};
use windlass_ledger::Fault;

use crate::context::Workplace;
use crate::exchange::unusable;

/// The file with the key, in the folder of the installation.
const KEY_FILE: &str = "receipt-key.pem";

/// Where the key of this installation is: beside the ledger, or where others of its files are.
pub fn key_file(workplace: &Workplace) -> Result<PathBuf, Fault> {
    let folder = workplace.folder.as_ref().ok_or_else(|| {
        Fault::new(Code::FileUnusable, "there is no folder for the key that signs receipts")
            .hint("set HOME or XDG_DATA_HOME")
    })?;
    Ok(folder.join(KEY_FILE))
}

/// The receipt with the signature of the key in that file, which is made if it is not there.
pub fn signed(receipt: Receipt, key: &Path) -> Result<Receipt, Fault> {
    let key = Key::at(key).map_err(|why| without_key(&why))?;
    let public = key.public();
    let plain = Receipt { signature: None, ..receipt };
    let signature = Signature {
        algorithm: ALGORITHM.to_owned(),
        key_id: public.id(),
        public_key: public.to_string(),
        digests: digests(&document(&plain)?),
        value: String::new(),
    };
    let unsigned = Receipt { signature: Some(signature.clone()), ..plain };
    let value = key.sign(signed_text(&document(&unsigned)?).as_bytes());
    Ok(Receipt { signature: Some(Signature { value, ..signature }), ..unsigned })
}

pub(super) fn document(receipt: &Receipt) -> Result<Map<String, Value>, Fault> {
    match serde_json::to_value(receipt) {
        Ok(Value::Object(document)) => Ok(document),
        Ok(_) => Err(Fault::bug("a receipt is no object")),
        Err(source) => Err(Fault::bug("a receipt is not JSON").because(source)),
    }
}

/// Why nothing can be signed here, and the way on.
pub(super) fn without_key(why: &NoKey) -> Fault {
    let fault = |path: &Path, hint: String| {
        Fault::new(Code::FileUnusable, why.to_string())
            .hint(hint)
            .detail("file", path.display().to_string())
    };
    match why {
        NoKey::Unusable { path, source } => unusable(path, source),
        NoKey::Open { path, .. } => fault(
            path,
            format!(
                "make it yours alone: chmod 600 {0}; if others may have read it, move it away",
                path.display()
            ),
        ),
        NoKey::Damaged { path, .. } => fault(
            path,
            "put it back from a backup, or move it away: then a new key is made, and receipts of \
             the old one are right by a key that is not known here"
                .to_owned(),
        ),
        NoKey::NoRandomness => Fault::bug(why.to_string()),
    }
}
