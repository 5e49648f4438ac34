//! The doorkeeper: who is let in, and under which names the server may be called.

use std::net::IpAddr;
use std::time::Instant;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName, Uri, header};
use sha2::{Digest as _, Sha256};
use windlass_domain::chain::Hash;
use windlass_domain::duration::Span;
use windlass_domain::run::word::Door;
use windlass_domain::{Code, Refusal, key, text};
use windlass_ops::context::{Presence, Wishes};

use super::journal::{Peer, Shown};
use super::problem::Problem;
use super::stays::{Stay, Stays};
use super::{House, Shared, encoded};
use crate::caller::{Caller, Local};
use crate::limits::Found;
use crate::ticket::Tickets;

const AGENT: HeaderName = HeaderName::from_static("windlass-agent");
const USER: HeaderName = HeaderName::from_static("windlass-user");
const FENCE: HeaderName = HeaderName::from_static("windlass-fence");
const PROJECT: HeaderName = HeaderName::from_static("windlass-project");
const LEASE: HeaderName = HeaderName::from_static("windlass-lease");
const SESSION: HeaderName = HeaderName::from_static("windlass-session");
const SESSION_ENCODED: HeaderName = HeaderName::from_static("windlass-session*");
const RUN: HeaderName = HeaderName::from_static("windlass-run");
const AUTO_UNPAUSE: HeaderName = HeaderName::from_static("windlass-auto-unpause");
const DOOR: HeaderName = HeaderName::from_static("windlass-door");

/// What the server compares with what callers bring.
pub(crate) struct Doorkeeper {
    /// On loopback: the digest of the token.
    pub(crate) token: Option<[u8; 32]>,
    /// On loopback: who was let in without it.
    pub(crate) tickets: Option<Tickets>,
    /// Who came in through the pages.
    pub(crate) stays: Stays,
    /// The user who runs the server.
    pub(crate) user: String,
    /// Names of the server beside `localhost` and its addresses.
    pub(crate) names: Vec<String>,
    pub(crate) port: u16,
}

/// What a caller shows to be let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Badge {
    /// The token of this server.
    Token,
    /// A key, or what is given for one.
    Key {
        digest: Hash,
        /// The part of it that may be shown; nothing of what is no key.
        prefix: String,
    },
}

/// Somebody who was let in.
#[derive(Debug, Clone)]
pub(crate) struct Visitor(pub(crate) Caller);

impl FromRequestParts<Shared> for Visitor {
    type Rejection = Problem;

    /// Whether the key counts is known before anything else of the request is looked at.
    async fn from_request_parts(parts: &mut Parts, house: &Shared) -> Result<Self, Problem> {
        let stay = house.doorkeeper.stay(&parts.headers).ok_or_else(key::required)?;
        check(house, &stay.badge, &parts.extensions).await?;
        Ok(Self(house.doorkeeper.caller(stay, &parts.headers)?))
    }
}

/// Refuses what opens nothing, and whoever comes too often.
pub(crate) async fn check(
    house: &House,
    badge: &Badge,
    extensions: &Extensions,
) -> Result<(), Problem> {
    if let Some(shown) = extensions.get::<Shown>() {
        shown.note(badge);
    }
    match badge {
        Badge::Token => Ok(()),
        Badge::Key { digest, .. } => recognise(house, *digest, Peer::of(extensions)).await,
    }
}

/// Lets in whoever shows a key that counts, and does not come too often.
async fn recognise(house: &House, digest: Hash, from: IpAddr) -> Result<(), Problem> {
    let House { desk, limits, .. } = house;
    let limited = |why| {
        desk.metrics().limited(why);
        limits.refusal(why)
    };
    let found = limits.admit(&digest, Instant::now()).map_err(limited)?;
    if found == Found::Lately {
        return Ok(());
    }
    let looked = {
        let _turn = limits.turn(from, Instant::now()).await;
        let caller = Caller::Key { digest, fence: None, wishes: Wishes::default() };
        desk.look(caller, |_| Ok(())).await
    };
    match looked {
        Ok(()) => Ok(limits.is_valid(digest, found, Instant::now()).map_err(limited)?),
        Err(error) if error.code() == Code::KeyRequired => {
            desk.metrics().wrong_key();
            limits.is_wrong(&digest, from, Instant::now()).map_err(limited)?;
            Err(error.into())
        }
        Err(error) => Err(error.into()),
    }
}

impl Doorkeeper {
    /// What a caller shows, if anything: with this request, or when its stay began.
    fn stay(&self, headers: &HeaderMap) -> Option<Stay> {
        if let Some(secret) = bearer(headers) {
            return Some(Stay { badge: self.badge_of(secret), name: None });
        }
        self.stays.find(self.stay_id(headers)?, Instant::now())
    }

    /// Compared are digests, so how long it takes tells nothing about the token.
    pub(crate) fn badge_of(&self, secret: &str) -> Badge {
        let digest: [u8; 32] = Sha256::digest(secret.as_bytes()).into();
        if self.token == Some(digest) {
            return Badge::Token;
        }
        let prefix = key::prefix_of(secret).filter(|prefix| prefix.len() < secret.len());
        Badge::Key {
            digest: Hash::from_bytes(digest),
            prefix: prefix.unwrap_or("unknown").to_owned(),
        }
    }

    /// Who calls, by what they show and say.
    fn caller(&self, stay: Stay, headers: &HeaderMap) -> Result<Caller, Refusal> {
        match stay.badge {
            Badge::Token => {
                let local = self.local(headers)?;
                Ok(Caller::Local(Local { agent: stay.name.or(local.agent), ..local }))
            }
            Badge::Key { digest, .. } => {
                Ok(Caller::Key { digest, fence: fence(headers)?, wishes: wishes(headers)? })
            }
        }
    }

    /// The server, when it asks for itself.
    pub(crate) fn itself(&self) -> Caller {
        Caller::Local(Local {
            agent: None,
            user: self.user.clone(),
            fence: None,
            wishes: Wishes::default(),
            presence: Presence::Unknown,
        })
    }

    fn local(&self, headers: &HeaderMap) -> Result<Local, Refusal> {
        let agent = header(headers, &AGENT).map(|name| text::name("agent", name)).transpose()?;
        let user = header(headers, &USER).map(|name| text::name("user", name)).transpose()?;
        let user = user.unwrap_or_else(|| self.user.clone());
        let (fence, wishes) = (fence(headers)?, wishes(headers)?);
        Ok(Local { agent, user, fence, wishes, presence: Presence::Unknown })
    }

    /// The name of the cookie that pages bring: of this port, because browsers do not keep the
    /// cookies of two ports apart.
    pub(crate) fn cookie_name(&self) -> String {
        format!("windlass_{}", self.port)
    }

    /// The id of the stay that a browser says it has.
    pub(crate) fn stay_id<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let name = self.cookie_name();
        let cookies = headers.get_all(header::COOKIE).iter();
        cookies
            .filter_map(|cookies| cookies.to_str().ok())
            .flat_map(|cookies| cookies.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='))
            .find_map(|(found, value)| (found == name).then_some(value))
    }

    /// A page elsewhere must not reach the server by a name that leads here.
    pub(crate) fn refuse_foreign(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        // Of two names others may have looked at the first, or at the one in the address.
        if headers.get_all(header::HOST).iter().count() > 1 {
            return Err(Refusal::new(Code::ForeignOrigin, "Host is there twice")
                .hint("name the server once")
                .detail("header", "Host"));
        }
        if let Some(named) = uri.authority().filter(|named| !self.is_ours(named.as_str())) {
            return Err(foreign("the address", named.as_str()));
        }
        let host = header(headers, &header::HOST).unwrap_or_default();
        if !self.is_ours(host) {
            return Err(foreign("Host", host));
        }
        match header(headers, &header::ORIGIN) {
            None => Ok(()),
            Some(origin) => match origin.split_once("://") {
                Some(("http" | "https", from)) if from.eq_ignore_ascii_case(host) => Ok(()),
                _ => Err(foreign("Origin", origin)),
            },
        }
    }

    /// An address in numbers cannot be made to lead elsewhere, a name can.
    fn is_ours(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        let is_address =
            name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
        is_address
            || name.eq_ignore_ascii_case("localhost")
            || self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

fn foreign(header: &str, given: &str) -> Refusal {
    Refusal::new(Code::ForeignOrigin, format!("{header} '{given}' is not of this server"))
        .hint("call it by its address, or start it with: windlass serve --name NAME")
        .detail("header", header)
        .detail("given", given)
}

fn header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| std::str::from_utf8(value.as_bytes()).ok())
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, secret) = header(headers, &header::AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(secret.trim())
}

/// What the caller has set where it is.
fn wishes(headers: &HeaderMap) -> Result<Wishes, Refusal> {
    let project = header(headers, &PROJECT).map(text::project_name).transpose()?;
    let lease = header(headers, &LEASE).map(|lease| Span::parse("lease", lease)).transpose()?;
    let auto_unpause = header(headers, &AUTO_UNPAUSE).map(yes_or_no).transpose()?;
    let session = encoded::text(headers, &SESSION, &SESSION_ENCODED);
    let run = header(headers, &RUN).map(str::to_owned);
    let door = header(headers, &DOOR).map(door).transpose()?;
    Ok(Wishes { project, lease, auto_unpause, session, run, door })
}

fn door(given: &str) -> Result<Door, Refusal> {
    Door::from_text(given).ok_or_else(|| {
        let doors: Vec<&str> = Door::ALL.iter().map(|door| door.as_str()).collect();
        let field = "Windlass-Door";
        Refusal::new(Code::InvalidValue, format!("{field} '{given}' is no door"))
            .hint(format!("give {}, or leave it out", doors.join(" or ")))
            .detail("field", field)
            .detail("given", given)
    })
}

fn yes_or_no(wish: &str) -> Result<bool, Refusal> {
    wish.parse().map_err(|_| {
        let field = "Windlass-Auto-Unpause";
        Refusal::new(Code::InvalidValue, format!("{field} '{wish}' is not true or false"))
            .hint("give true or false, or leave it out")
            .detail("field", field)
            .detail("given", wish)
    })
}

/// `TASK:FENCE`, where the caller works under a claim.
fn fence(headers: &HeaderMap) -> Result<Option<(String, u64)>, Refusal> {
    let Some(given) = header(headers, &FENCE) else { return Ok(None) };
    let parsed = given.split_once(':').and_then(|(task, fence)| Some((task, fence.parse().ok()?)));
    let (task, fence) = parsed.ok_or_else(|| {
        Refusal::new(Code::InvalidValue, format!("Windlass-Fence '{given}' is not TASK:FENCE"))
            .hint("give the id of the task and the fence that the claim answered")
            .detail("field", "Windlass-Fence")
            .detail("given", given)
    })?;
    Ok(Some((task.to_owned(), fence)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix_of(secret: &str) -> String {
        let doorkeeper = Doorkeeper {
            token: None,
            tickets: None,
            stays: Stays::default(),
            user: String::new(),
            names: Vec::new(),
            port: 7077,
        };
        match doorkeeper.badge_of(secret) {
            Badge::Key { prefix, .. } => prefix,
            Badge::Token => panic!("there is no token"),
        }
    }

    #[test]
    fn a_caller_comes_through_a_door_that_there_is() {
        let through = |given: &'static str| {
            wishes(&HeaderMap::from_iter([(DOOR, header::HeaderValue::from_static(given))]))
        };
        assert_eq!(through("hotl").unwrap().door, Some(Door::Hotl));
        assert_eq!(through("garden").unwrap_err().code, Code::InvalidValue);
        assert_eq!(wishes(&HeaderMap::new()).unwrap().door, None);
    }

    #[test]
    fn of_a_key_only_its_prefix_is_shown() {
        let key = "wl_0a1b2c3d_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ";
        assert_eq!(prefix_of(key), "wl_0a1b2c3d");
    }

    #[test]
    fn of_what_is_no_key_nothing_is_shown() {
        for secret in ["", "hunter2", "wl_short", "wlt_abcdefghijklmnopqrstuvwxyz"] {
            assert_eq!(prefix_of(secret), "unknown");
        }
    }
}
