//! What a server elsewhere is shown: who calls, and what is set here.

use std::path::PathBuf;

use windlass_domain::{Code, Refusal};
use windlass_hands::remote::{Address, Credential};
use windlass_ops::Context;
use windlass_server::token;

/// A key, or else the token of a server on this machine.
pub(crate) fn credential(
    address: &Address,
    key: Option<&str>,
    tokens: Option<PathBuf>,
) -> Result<Credential, Refusal> {
    match (key, tokens, address.port()) {
        (Some(key), ..) if key.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Ok(Credential::Key(key.into()))
        }
        (Some(_), ..) => Err(Refusal::new(Code::InvalidValue, "WINDLASS_KEY is not a key")
            .hint("set it to the whole key, without spaces or quotes: wl_…")
            .detail("field", "WINDLASS_KEY")),
        (None, Some(folder), Some(port)) if address.is_loopback() => {
            Ok(Credential::TokenFile(token::path_in(&folder, port)))
        }
        (None, ..) => Ok(Credential::Nothing),
    }
}

/// Who calls, and the settings that count where an argument is left out. A key has its owner; with
/// the token of this machine names are taken as they are given.
pub(crate) fn headers(credential: &Credential, cx: &Context) -> Vec<(&'static str, String)> {
    let surroundings = &cx.surroundings;
    let mut headers = Vec::new();
    if let Credential::TokenFile(_) = credential {
        headers.push(("windlass-user", surroundings.user.clone()));
        headers.extend(surroundings.agent.iter().map(|name| ("windlass-agent", name.clone())));
    }
    // What is no id names no task, here as there.
    let fence = surroundings.fence.iter().filter(|(task, _)| is_of_an_id(task));
    headers.extend(fence.map(|(task, fence)| ("windlass-fence", format!("{task}:{fence}"))));
    let wishes = [
        ("project", "windlass-project"),
        ("claims.lease", "windlass-lease"),
        ("workflows.auto_unpause", "windlass-auto-unpause"),
    ];
    for (key, header) in wishes {
        let given = cx.settings.given.get(key);
        headers.extend(given.map(|given| (header, given.value.clone())));
    }
    headers
}

fn is_of_an_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
