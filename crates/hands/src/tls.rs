//! TLS, as every client here is set up for it.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// For a client that is never asked for TLS: given a configuration, it does not go and make one.
pub(crate) fn trusting_nobody() -> Result<ClientConfig, rustls::Error> {
    Ok(config()?.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

/// The machine's own root certificates. Reading them takes a while.
pub(crate) fn trusting_as_this_machine() -> Result<ClientConfig, rustls::Error> {
    Ok(config()?.with_platform_verifier()?.with_no_client_auth())
}

fn config() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()
}
