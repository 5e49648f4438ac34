//! What a server elsewhere is shown: who calls, and what is set here.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use windlass_domain::run::word::Door;
use windlass_domain::{Code, Refusal};
use windlass_hands::remote::{Address, Credential};
use windlass_ops::Context;
use windlass_server::token;

/// Where a server is asked, and what it is shown: a key, or else the token of a server on this
/// machine, which goes to its own address and to no other.
pub(crate) fn credential(
    address: Address,
    key: Option<&str>,
    tokens: Option<PathBuf>,
) -> Result<(Address, Credential), Refusal> {
    match (key, tokens) {
        (Some(key), _) if key.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Ok((address, Credential::Key(key.into())))
        }
        (Some(_), _) => Err(Refusal::new(Code::InvalidValue, "WINDLASS_KEY is not a key")
            .hint("set it to the whole key, without spaces or quotes: wl_…")
            .detail("field", "WINDLASS_KEY")),
        (None, Some(folder)) => Ok(match here(&address, &folder) {
            Some(here) => (address.at(here), Credential::TokenFile(token::path_in(&folder, here))),
            None => (address, Credential::Nothing),
        }),
        (None, None) => Ok((address, Credential::Nothing)),
    }
}

/// Where on this machine a server is: where one has put its token, if it may be in several places.
pub(crate) fn here(address: &Address, folder: &Path) -> Option<SocketAddr> {
    // A server speaks no TLS: something else stands there, which goes by its name.
    let places = if address.is_tls() { Vec::new() } else { address.here() };
    let with_token = places.iter().find(|here| token::path_in(folder, **here).exists());
    with_token.or(places.first()).copied()
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
    // What is no id names no task and no run, here as there.
    let fence = surroundings.fence.iter().filter(|(task, _)| is_of_an_id(task));
    headers.extend(fence.map(|(task, fence)| ("windlass-fence", format!("{task}:{fence}"))));
    let run = surroundings.wishes.run.iter().filter(|run| is_of_an_id(run));
    headers.extend(run.map(|run| ("windlass-run", run.clone())));
    if surroundings.door != Door::default() {
        headers.push(("windlass-door", surroundings.door.to_string()));
    }
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
