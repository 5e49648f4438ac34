//! A target with everything looked up and checked, and one attempt to hand it a message.

use std::time::Duration;

use reqwest::{Client, Request};
use secrecy::SecretString;

use super::clients::Clients;
use super::post::Post;
use super::program::Run;
use super::signature::Key;
use super::variables::expand;
use super::{Address, Lookup, Message, Outcome, Target, post};
use crate::process::Program;

/// What does not differ from message to message.
#[derive(Debug)]
pub(super) struct Prepared {
    way: Way,
    key: Option<Key>,
    limit: Duration,
}

#[derive(Debug)]
enum Way {
    Post { client: Client, request: Request },
    Run { name: String, program: Program },
}

impl Prepared {
    /// What is to be done, or why it cannot be.
    pub(super) fn new(
        target: &Target,
        lookup: Lookup<'_>,
        clients: &Clients,
    ) -> Result<Self, String> {
        let key = key(target, lookup)?;
        let way = match &target.address {
            Address::Url { url, headers } => {
                let request = post::request(url, headers, lookup)?;
                Way::Post { client: clients.to(request.url())?, request }
            }
            Address::Command { argv } => {
                let (name, program) = super::program::prepared(argv, lookup)?;
                Way::Run { name, program }
            }
        };
        Ok(Self { way, key, limit: target.limit })
    }

    pub(super) async fn attempt(&self, message: Message) -> Outcome {
        let signature = self.key.as_ref().map(|key| key.sign(&message));
        match &self.way {
            Way::Post { client, request } => {
                match Post::new(client.clone(), request, message, signature) {
                    Ok(post) => post.send(self.limit).await,
                    Err(reason) => Outcome::failed(reason),
                }
            }
            Way::Run { name, program } => {
                Run::new(name.clone(), program.clone(), message, signature).finish(self.limit).await
            }
        }
    }
}

/// Why no attempt could ever succeed.
pub(super) fn check(target: &Target) -> Result<(), String> {
    // Fits wherever a variable may stand.
    let anything = |_: &str| Some("AAAA".to_owned());
    if let Some(secret) = &target.secret {
        expanded_secret(secret, &anything)?;
    }
    match &target.address {
        Address::Url { url, headers } => post::request(url, headers, &anything).map(drop),
        Address::Command { argv } => super::program::check(argv).map(drop),
    }
}

fn key(target: &Target, lookup: Lookup<'_>) -> Result<Option<Key>, String> {
    let Some(secret) = &target.secret else { return Ok(None) };
    let secret = expanded_secret(secret, lookup)?;
    Key::new(&secret).map(Some).map_err(|no_key| format!("the secret {no_key}"))
}

fn expanded_secret(secret: &str, lookup: Lookup<'_>) -> Result<SecretString, String> {
    expand(secret, lookup).map_err(|error| format!("secret: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_looked_up_is_not_shown() {
        let lookup = |name: &str| ["KEY", "SECRET"].contains(&name).then(|| "canary".to_owned());
        let secret = Some("$SECRET".to_owned());
        let headers = vec![("x-key".to_owned(), "$KEY".to_owned())];
        let url = "http://here.example/".to_owned();
        let urls = Target { secret, ..Target::new(Address::Url { url, headers }) };
        let argv = vec!["notify".to_owned()];
        let programs = Target { address: Address::Command { argv }, ..urls.clone() };
        let clients = Clients::new(1).unwrap();
        for target in [urls, programs] {
            let prepared = Prepared::new(&target, &lookup, &clients).unwrap();
            let shown = format!("{prepared:?}");
            assert!(!shown.contains("canary"), "{shown}");
        }
    }
}
