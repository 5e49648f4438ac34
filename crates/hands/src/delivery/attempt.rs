//! A target with everything looked up and checked, and one attempt to hand it a message.

use std::time::Duration;

use reqwest::{Client, Request};
use secrecy::SecretString;

use super::clients::Clients;
use super::post::Post;
use super::program::Run;
use super::signature::Key;
use super::variables::value;
use super::{Address, Message, Outcome, Secret, Target, Variables, post};
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
        variables: &Variables,
        clients: &Clients,
    ) -> Result<Self, String> {
        let key = key(target, variables)?;
        let way = match &target.address {
            Address::Url { url, headers } => {
                let request = post::request(url, headers, variables)?;
                Way::Post { client: clients.to(request.url())?, request }
            }
            Address::Command { argv } => {
                let (name, program) = super::program::prepared(argv, variables)?;
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

fn key(target: &Target, variables: &Variables) -> Result<Option<Key>, String> {
    let secret: SecretString = match &target.secret {
        None => return Ok(None),
        Some(Secret::Variable(name)) => {
            value(name, variables).map_err(|error| format!("secret: {error}"))?.into()
        }
        Some(Secret::Itself(secret)) => secret.as_str().into(),
    };
    Key::new(&secret).map(Some).map_err(|no_key| format!("the secret {no_key}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_looked_up_is_not_shown() {
        let names = ["KEY", "SECRET", "OTHER"];
        let variables = names.map(|name| (name.to_owned(), "canary".to_owned())).into();
        let secret = Some(Secret::Variable("SECRET".to_owned()));
        let headers = vec![("x-key".to_owned(), "$KEY".to_owned())];
        let url = "http://here.example/".to_owned();
        let limit = Duration::from_secs(1);
        let urls = Target { address: Address::Url { url, headers }, secret, limit };
        let argv = vec!["notify".to_owned()];
        let programs = Target { address: Address::Command { argv }, ..urls.clone() };
        let clients = Clients::new(1).unwrap();
        for target in [urls, programs] {
            let prepared = Prepared::new(&target, &variables, &clients).unwrap();
            let shown = format!("{prepared:?}");
            assert!(!shown.contains("canary"), "{shown}");
        }
    }
}
