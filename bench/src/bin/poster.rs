//! The yardstick of a drain: posts the lines of its input to a URL, one after the other, and keeps
//! nothing.

use std::io::{self, BufRead as _};
use std::process::ExitCode;

use reqwest::Client;
use reqwest::header::CONTENT_TYPE;
use rustls::crypto::ring;

fn main() -> ExitCode {
    let Some(url) = std::env::args().nth(1) else {
        return ExitCode::from(2);
    };
    // It is never asked for TLS, but will not be made without.
    if ring::default_provider().install_default().is_err() {
        return ExitCode::FAILURE;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime.map(|runtime| runtime.block_on(post_all(&url))) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

async fn post_all(url: &str) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::builder().no_proxy().build()?;
    for line in io::stdin().lock().lines() {
        let request = client.post(url).header(CONTENT_TYPE, "application/json").body(line?);
        request.send().await?.error_for_status()?;
    }
    Ok(())
}
