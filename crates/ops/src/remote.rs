//! Operations that a server elsewhere does for this caller.
//!
//! The answer is the server's text, read back so that it can be shown to a person; a refusal there is
//! the same refusal here. Every write is sent under an op id, so that it can be sent again when the
//! connection is lost; one that the caller did not ask for is taken out of the answer.

mod answer;
mod call;

use std::time::Duration;

use windlass_domain::op::OpId;
use windlass_domain::{Code, Refusal};
use windlass_hands::remote::{Line, Request, Server};
use windlass_ledger::Error;

pub use answer::{Problem, Told};
pub use call::{Call, refuse_version, too_large};

use crate::context::Context;
use crate::operation::{Operation, Remotely};
use crate::table::{Answer, Entry, arguments_of};

/// The longest request that a server reads.
pub const LONGEST_BODY: usize = 1024 * 1024;

/// The server that a caller uses. It is connected to when it is first needed.
#[derive(Debug)]
pub struct Remote {
    server: Server,
    line: Option<Line>,
}

impl Remote {
    pub fn new(server: Server) -> Self {
        Self { server, line: None }
    }

    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Its address.
    pub fn url(&self) -> String {
        self.server.address.to_string()
    }

    /// The same for a part of the program that wants the answer as it is.
    pub(crate) fn perform<O: Operation>(&mut self, operation: &O) -> Result<O::Output, Error> {
        Ok(self.ask(operation, None)?.answer)
    }

    /// Lets the server do an operation.
    pub(crate) fn ask<O: Operation>(
        &mut self,
        operation: &O,
        op_id: Option<OpId>,
    ) -> Result<answer::Relayed<O::Output>, Error> {
        let call = Call::new(&Entry::of::<O>(), &arguments_of(operation)?, op_id)?;
        let session = operation.session().map(str::to_owned);
        let request = Request { session, ..call.request() };
        let sent = self.line().and_then(|line| line.send(&request));
        let reply = sent.map_err(|lost| call.lost(&self.server, &lost))?;
        answer::Relayed::read(call.read(&self.server, reply)?)
    }

    fn wait_beyond(&mut self, seq: u64, patience: Duration) -> bool {
        // Without a line there is nothing to wait for, and whoever asks is told why.
        self.line.as_mut().is_none_or(|line| line.wait_beyond(seq, patience))
    }

    fn line(&mut self) -> Result<&Line, windlass_hands::remote::Lost> {
        let line = match self.line.take() {
            Some(line) => line,
            None => Line::to(self.server.clone())?,
        };
        Ok(self.line.insert(line))
    }
}

/// Lets the server of the caller do an operation, where there is a server and it can.
pub(crate) fn relay<O: Operation>(
    operation: &O,
    cx: &mut Context,
) -> Result<Option<Box<dyn Answer>>, Error> {
    if cx.remote.is_none() || O::REMOTELY == Remotely::Here {
        return Ok(None);
    }
    if O::REMOTELY == Remotely::Refused {
        return Err(workplace_only(O::NAME).into());
    }
    let op_id = cx.op_id.take();
    let brought = operation.for_a_server(cx)?;
    let operation = brought.as_ref().unwrap_or(operation);
    let Some(remote) = &mut cx.remote else { return Ok(None) };
    let relayed = remote.ask(operation, op_id);
    let relayed = told(operation, relayed, cx)?;
    operation.afterwards(&relayed.answer, cx);
    Ok(Some(Box::new(relayed)))
}

/// Lets an operation know where the caller is that it was refused.
pub(crate) fn told<O: Operation, T>(
    operation: &O,
    answer: Result<T, Error>,
    cx: &mut Context,
) -> Result<T, Error> {
    if let Err(Error::Refused(refusal)) = &answer {
        operation.afterwards_refused(refusal, cx);
    }
    answer
}

impl Context {
    /// Does an operation as if a caller had asked for it, with all that is done where the caller is,
    /// for a door that wants the answer as it is.
    pub fn call<O: Operation>(&mut self, operation: &O) -> Result<O::Output, Error> {
        let is_sent = self.remote.is_some() && O::REMOTELY == Remotely::Sent;
        let brought = if is_sent { operation.for_a_server(self)? } else { None };
        let operation = brought.as_ref().unwrap_or(operation);
        let answer = match self.remote.is_some() && O::REMOTELY == Remotely::Here {
            true => operation.run(self),
            false => self.perform(operation),
        };
        let answer = told(operation, answer, self)?;
        operation.afterwards(&answer, self);
        Ok(answer)
    }

    /// Waits for an event after `seq`, but not longer than `patience`; whether it is worth looking.
    pub fn wait_beyond(&mut self, seq: u64, patience: Duration) -> Result<bool, Error> {
        match &mut self.remote {
            Some(remote) => Ok(remote.wait_beyond(seq, patience)),
            None => Ok(self.ledger()?.wait_beyond(seq, patience)?),
        }
    }
}

/// The refusal of an operation that needs files of the place where it runs.
pub fn workplace_only(operation: &str) -> Refusal {
    let words = operation.replace('.', " ");
    Refusal::new(Code::WorkplaceOnly, format!("{words} runs only where its files are"))
        .hint(format!("run it where the ledger can be opened: windlass {words} --db PATH_OR_URL"))
        .detail("operation", operation)
}
