//! Where the tools' calls go.

use windlass_ledger::Error;

use crate::desk::{Call, Desk};

/// Somebody who does operations: the desk of this process, or a server elsewhere.
pub trait Calls: Clone + Send + Sync + 'static {
    /// Does an operation, and answers with its JSON document.
    fn call(&self, call: Call) -> impl Future<Output = Result<String, Error>> + Send;
}

impl Calls for Desk {
    async fn call(&self, call: Call) -> Result<String, Error> {
        Ok(self.run(call).await?.json()?)
    }
}
