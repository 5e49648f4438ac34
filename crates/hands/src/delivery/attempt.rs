//! One attempt, ready to be made: everything looked up, checked and signed.

use std::time::Duration;

use secrecy::SecretString;

use super::clients::Clients;
use super::post::Post;
use super::program::Run;
use super::signature::Key;
use super::variables::value;
use super::{Address, Message, Outcome, Secret, Target, Variables, post};

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
        variables: &Variables,
        clients: &Clients,
    ) -> Result<Self, String> {
        let signature = signature(target, &message, variables)?;
        let way = match &target.address {
            Address::Url { url, headers } => {
                let request = post::request(url, headers, variables)?;
                let client = clients.to(request.url())?;
                Way::Post(Box::new(Post::new(client, request, message, signature)?))
            }
            Address::Command { argv } => Way::Run(Run::new(argv, message, signature, variables)?),
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

fn signature(
    target: &Target,
    message: &Message,
    variables: &Variables,
) -> Result<Option<String>, String> {
    let secret: SecretString = match &target.secret {
        None => return Ok(None),
        Some(Secret::Variable(name)) => {
            value(name, variables).map_err(|error| format!("secret: {error}"))?.into()
        }
        Some(Secret::Itself(secret)) => secret.as_str().into(),
    };
    let key = Key::new(&secret).map_err(|no_key| format!("the secret {no_key}"))?;
    Ok(Some(key.sign(message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_does_not_show_what_was_looked_up() {
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
            let message = Message { id: "id".to_owned(), timestamp: 1, body: "{}".to_owned() };
            let attempt = Attempt::new(&target, message, &variables, &clients).unwrap();
            let shown = format!("{attempt:?}");
            assert!(!shown.contains("canary"), "{shown}");
        }
    }
}
