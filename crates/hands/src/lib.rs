//! What touches the outside world. It knows nothing of the ledger: it is told what to do and says
//! what came of it.

pub mod browser;
pub mod check;
pub mod copy;
pub mod delivery;
pub mod editor;
pub mod evidence;
pub mod files;
pub mod git;
pub mod guard;
pub mod link;
pub mod process;
mod reason;
pub mod regular;
pub mod remote;
pub mod signals;
pub mod signing;
mod tls;
