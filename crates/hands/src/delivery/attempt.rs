//! One attempt, ready to be made: everything looked up, checked and signed.

use std::time::Duration;

use secrecy::SecretString;

use super::clients::Clients;
use super::post::Post;
use super::program::Run;
use super::signature::Key;
use super::variables::expand;
use super::{Address, Lookup, Message, Outcome, Target, post};

#[derive(Debug)]
pub(super) struct Attempt {
    way: Way,
    limit: Duration,
}

#[derive(Debug)]
enum Way {
    Post(Box<Post>),
    Run(Run),
}

impl Attempt {
    /// What is to be done, or why it cannot be.
    pub(super) fn new(
        target: &Target,
        message: Message,
        lookup: Lookup<'_>,
        clients: &Clients,
    ) -> Result<Self, String> {
        let signature = signature(target, &message, lookup)?;
        let way = match &target.address {
            Address::Url { url, headers } => {
                let request = post::request(url, headers, lookup)?;
                let client = clients.to(request.url())?;
                Way::Post(Box::new(Post::new(client, request, message, signature)?))
            }
            Address::Command { argv } => Way::Run(Run::new(argv, message, signature, lookup)?),
        };
        Ok(Self { way, limit: target.limit })
    }

    pub(super) async fn make(self) -> Outcome {
        match self.way {
            Way::Post(post) => post.send(self.limit).await,
            Way::Run(run) => run.finish(self.limit).await,
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

fn signature(
    target: &Target,
    message: &Message,
    lookup: Lookup<'_>,
) -> Result<Option<String>, String> {
    let Some(secret) = &target.secret else { return Ok(None) };
    let secret = expanded_secret(secret, lookup)?;
    let key = Key::new(&secret).map_err(|no_key| format!("the secret {no_key}"))?;
    Ok(Some(key.sign(message)))
}

fn expanded_secret(secret: &str, lookup: Lookup<'_>) -> Result<SecretString, String> {
    expand(secret, lookup).map_err(|error| format!("secret: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_does_not_show_what_was_looked_up() {
        let lookup = |name: &str| ["KEY", "SECRET"].contains(&name).then(|| "canary".to_owned());
        let secret = Some("$SECRET".to_owned());
        let headers = vec![("x-key".to_owned(), "$KEY".to_owned())];
        let url = "http://here.example/".to_owned();
        let urls = Target { secret, ..Target::new(Address::Url { url, headers }) };
        let argv = vec!["notify".to_owned()];
        let programs = Target { address: Address::Command { argv }, ..urls.clone() };
        let clients = Clients::new(1).unwrap();
        for target in [urls, programs] {
            let message = Message { id: "id".to_owned(), timestamp: 1, body: "{}".to_owned() };
            let attempt = Attempt::new(&target, message, &lookup, &clients).unwrap();
            let shown = format!("{attempt:?}");
            assert!(!shown.contains("canary"), "{shown}");
        }
    }
}
