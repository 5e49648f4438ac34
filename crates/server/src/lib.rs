//! The doors over the network: the HTTP API, live events, MCP, the web pages.
//!
//! Every door turns what it receives into a call of an operation and hands it in at the
//! [`Desk`](desk::Desk). No door holds a rule.

pub mod caller;
mod connections;
pub mod desk;
mod http;
#[cfg(test)]
mod indoors;
mod limits;
mod live;
pub mod logs;
pub mod mcp;
mod metrics;
mod office;
mod pages;
mod places;
mod readers;
#[cfg(test)]
mod sample;
pub mod serve;
mod shares;
mod sweep;
pub mod ticket;
pub mod token;
mod writer;
