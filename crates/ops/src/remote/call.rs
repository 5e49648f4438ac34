//! One operation on its way to a server, and what came of it.

use serde_json::Value;
use windlass_domain::op::OpId;
use windlass_domain::{Code, Refusal};
use windlass_hands::remote::{Again, Lost, NO_TLS, Reply, Request, Server, VERSION, fresh_key};
use windlass_ledger::{Error, Fault};

use super::LONGEST_BODY;
use super::answer::{Problem, Told};
use crate::operation::Load;
use crate::table::Entry;

/// An operation to be done by a server.
#[derive(Debug, Clone)]
pub struct Call {
    name: &'static str,
    body: String,
    key: Key,
}

/// Under which op id it is sent.
#[derive(Debug, Clone)]
enum Key {
    /// It changes nothing, or is known by what it asks for; an op id that was given goes along.
    Needless(Option<OpId>),
    /// Its answer is a secret, which is kept under no op id. One that was given is refused there.
    Impossible(Option<OpId>),
    Given(OpId),
    /// Made for the way, and of no interest to the caller.
    Made(OpId),
}

impl Key {
    fn op_id(&self) -> Option<&OpId> {
        match self {
            Self::Needless(op_id) | Self::Impossible(op_id) => op_id.as_ref(),
            Self::Given(op_id) | Self::Made(op_id) => Some(op_id),
        }
    }
}

impl Call {
    pub fn new(entry: &Entry, arguments: &Value, op_id: Option<OpId>) -> Result<Self, Error> {
        let body = arguments.to_string();
        if body.len() > LONGEST_BODY {
            return Err(too_large().into());
        }
        let is_known_by_itself = arguments.get("auto_op_id") == Some(&Value::Bool(true));
        let key = match op_id {
            given if entry.secret_answer => Key::Impossible(given),
            given if entry.load != Load::Write || is_known_by_itself => Key::Needless(given),
            Some(op_id) => Key::Given(op_id),
            None => Key::Made(made()?),
        };
        Ok(Self { name: entry.name, body, key })
    }

    /// What is sent.
    pub fn request(&self) -> Request {
        Request {
            name: self.name,
            body: self.body.clone(),
            op_id: self.key.op_id().map(ToString::to_string),
            session: None,
            again: match self.key {
                Key::Impossible(_) => Again::Unarrived,
                Key::Needless(_) | Key::Given(_) | Key::Made(_) => Again::Always,
            },
        }
    }

    /// What the server answered: the answer, or the same refusal as here.
    pub fn read(&self, server: &Server, reply: Reply) -> Result<Told, Error> {
        match reply.version.as_deref() {
            None => return Err(not_ours(server, &reply).into()),
            Some(VERSION) => {}
            Some(theirs) => return Err(refuse_version(VERSION, theirs).into()),
        }
        if reply.status != 200 {
            let problem = Problem::read(&reply.body).ok_or_else(|| not_ours(server, &reply))?;
            return Err(self.refused(server, problem.into()).into());
        }
        match Told::read(reply.body) {
            Some(told) if matches!(self.key, Key::Made(_)) => Ok(told.without_op_id()),
            Some(told) => Ok(told),
            None => Err(Fault::bug("a server answered with something that is no answer").into()),
        }
    }

    /// A refusal as it would be without the op id that the caller did not ask for; but what may still
    /// be done is repeated under it.
    fn refused(&self, server: &Server, refusal: Refusal) -> Refusal {
        let url = server.address.to_string();
        match (&self.key, refusal.code) {
            (Key::Made(op_id), _) if Fault::may_be_done(&refusal.details) => {
                refusal.hint(self.to_find_out(op_id)).detail("op_id", op_id)
            }
            // The hint is for whoever runs the server, and has its database before them.
            (_, Code::LedgerUnreachable) => refusal
                .hint(format!(
                    "the server at {url} does not reach its ledger: try again in a moment, or tell \
                     whoever runs it"
                ))
                .detail("server", url),
            (_, Code::PathNotFound) => match url.trim_end_matches('/').strip_suffix("/v1") {
                Some(above) => refusal.hint(format!("leave /v1 out of the address: {above}")),
                None => refusal.hint(format!("check the address of the server, {url}")),
            },
            (Key::Made(_), Code::OpRunning) => {
                let mut refusal = Refusal { code: Code::LedgerLocked, ..refusal };
                refusal.details.remove("op_id");
                refusal.hint("wait for it to end, or end it, then try again")
            }
            (Key::Made(op_id), Code::ServerBusy) => {
                refusal.hint(self.to_find_out(op_id)).detail("op_id", op_id)
            }
            _ => refusal,
        }
    }

    fn to_find_out(&self, op_id: &OpId) -> String {
        let words = self.name.replace('.', " ");
        format!(
            "repeat the very same command with its op id, which tells: windlass {words} … --op-id {op_id}"
        )
    }

    /// What to say when no answer came.
    pub fn lost(&self, server: &Server, lost: &Lost) -> Fault {
        let url = server.address.to_string();
        let fault = |message: String| {
            Fault::new(Code::ServerUnreachable, message).detail("server", url.clone())
        };
        let message = format!("no answer from {url}: {lost}");
        if lost.reason.ends_with(NO_TLS) {
            let plain = url.replacen("https://", "http://", 1);
            return fault(format!("{message}; nothing was done")).hint(format!(
                "a server by itself speaks no TLS; without a proxy it is at {plain}"
            ));
        }
        match (&self.key, lost.may_have_arrived) {
            (_, false) => fault(format!("{message}; nothing was done"))
                .hint("check the address, and that the server runs: windlass serve"),
            (Key::Needless(_), true) => {
                fault(message).hint("check that the server runs, then repeat the command")
            }
            (Key::Impossible(_), true) => fault(format!("{message}; it may have been done"))
                .hint("look before you repeat it: windlass key list"),
            (Key::Given(op_id) | Key::Made(op_id), true) => {
                fault(format!("{message}; it was done once at most"))
                    .hint(self.to_find_out(op_id))
                    .detail("op_id", op_id.as_str())
            }
        }
    }
}

fn made() -> Result<OpId, Error> {
    let key = fresh_key().map_err(|lost| Fault::bug(lost.reason))?;
    Ok(OpId::parse(&key)?)
}

/// The refusal of a request that no server reads.
pub fn too_large() -> Refusal {
    Refusal::new(
        Code::TooLarge,
        format!("the body is longer than the {LONGEST_BODY} bytes that the server reads"),
    )
    .hint("send less at once")
    .detail("limit_bytes", LONGEST_BODY)
}

/// Somebody answered, but no server of ours: a wrong address, or something on the way.
fn not_ours(server: &Server, reply: &Reply) -> Fault {
    let (url, status) = (server.address.to_string(), reply.status);
    let message = format!("{url} answered {status}, but not as a Windlass server does");
    Fault::new(Code::ServerUnreachable, message)
        .hint("check the address, and what stands between here and the server")
        .detail("server", url)
        .detail("status", status)
}

/// Two versions do not understand each other.
pub fn refuse_version(client: &str, server: &str) -> Refusal {
    let message = format!("this is windlass {client}, and the server is {server}");
    Refusal::new(Code::VersionMismatch, message)
        .hint(format!("use windlass {server} here, or update the server"))
        .detail("client", client)
        .detail("server", server)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use windlass_hands::remote::{Address, Credential};

    use super::*;

    fn server(url: &str) -> Server {
        let address = Address::parse(url).unwrap();
        Server { address, credential: Credential::Nothing, headers: Vec::new() }
    }

    fn hint(url: &str, code: Code) -> String {
        let entry = Entry::named("task.list").unwrap();
        let call = Call::new(entry, &json!({}), None).unwrap();
        let refusal = Refusal::new(code, "so").hint("start PostgreSQL here");
        call.refused(&server(url), refusal).hint.unwrap()
    }

    #[test]
    fn what_is_wrong_behind_a_server_is_not_told_as_if_it_were_here() {
        let hint = hint("http://ledger.example:7077", Code::LedgerUnreachable);
        assert!(hint.starts_with("the server at http://ledger.example:7077"), "{hint}");
    }

    #[test]
    fn an_address_that_ends_with_the_path_of_the_api_is_told_without_it() {
        let told = |url| hint(url, Code::PathNotFound);
        let shorter = "leave /v1 out of the address: http://a.example";
        assert_eq!(told("http://a.example/v1"), shorter);
        assert_eq!(told("http://a.example/v1/"), shorter);
        assert!(told("http://a.example/x").starts_with("check the address"));
    }

    #[test]
    fn a_server_without_tls_is_told_with_the_address_that_works() {
        let entry = Entry::named("task.list").unwrap();
        let call = Call::new(entry, &json!({}), None).unwrap();
        let reason = format!("cannot connect: {NO_TLS}");
        let lost = Lost { reason, may_have_arrived: false };
        let fault = call.lost(&server("https://127.0.0.1:7077"), &lost);
        assert!(fault.hint.unwrap().ends_with("it is at http://127.0.0.1:7077"));
    }

    #[test]
    fn what_may_have_been_done_is_told_with_the_op_id_that_finds_out() {
        let call = Call::new(Entry::named("task.add").unwrap(), &json!({"title": "x"}), None);
        let call = call.unwrap();
        let unknown = Refusal::new(Code::LedgerUnreachable, "gone").detail("may_be_done", true);
        let told = call.refused(&server("http://a.example"), unknown);
        let op_id = call.key.op_id().unwrap().as_str();
        assert_eq!(told.details["op_id"], op_id);
        assert!(told.hint.is_some_and(|hint| hint.contains(op_id)));
    }

    #[test]
    fn what_was_not_done_is_told_as_it_is() {
        let call = Call::new(Entry::named("task.add").unwrap(), &json!({"title": "x"}), None);
        let told = call
            .unwrap()
            .refused(&server("http://a.example"), Refusal::new(Code::LedgerUnreachable, "gone"));
        assert!(!told.details.contains_key("op_id"));
    }

    #[test]
    fn what_only_looks_needs_no_op_id() {
        for name in ["task.list", "key.list", "key.refusals", "doctor", "audit.verify"] {
            let call = Call::new(Entry::named(name).unwrap(), &json!({}), None).unwrap();
            assert_eq!(call.request().op_id, None, "{name}");
        }
    }
}
