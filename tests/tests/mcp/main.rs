//! The MCP door from outside: raw JSON-RPC, on the standard streams and over HTTP.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "an answer of another shape ends its test"
)]

mod elsewhere;
mod hizal;
mod hizal_tenancy;
mod http;
mod set_up;
mod stdio;
mod talk;
