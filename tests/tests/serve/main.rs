//! `windlass serve` as those meet it who call it, watch it and attack it.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

mod bad_bodies;
mod bad_heads;
mod keys;
mod reading;
mod starting;
mod stopping;
mod watching;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use windlass_testkit::{Home, Served, wait};

/// A home with a server in it.
struct Place {
    home: Home,
    served: Served,
}

impl Place {
    fn new(args: &[&str]) -> Self {
        let home = Home::new();
        let served = Served::start(&home, args);
        Self { home, served }
    }

    /// A connection on which a test says what it likes.
    fn wire(&self) -> Wire {
        let socket = TcpStream::connect(self.served.address()).unwrap();
        socket.set_read_timeout(Some(wait::LIMIT)).unwrap();
        Wire(socket)
    }

    /// The head of a request for an operation, up to its last header.
    fn head(&self, operation: &str) -> String {
        let (address, token) = (self.served.address(), self.served.token());
        format!(
            "POST /v1/ops/{operation} HTTP/1.1\r\nhost: {address}\r\n\
             authorization: Bearer {token}\r\nconnection: close\r\n"
        )
    }
}

/// A connection.
struct Wire(TcpStream);

impl Wire {
    /// Says some bytes. A server that has answered already may not listen any more.
    fn say(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.write_all(bytes.as_ref()).ok();
    }

    /// All that the server says until it hangs up.
    fn hear(&mut self) -> String {
        let mut heard = Vec::new();
        // What came before the connection was cut counts.
        self.0.read_to_end(&mut heard).ok();
        String::from_utf8_lossy(&heard).into_owned()
    }

    /// The status that the server answers.
    fn status(&mut self) -> u16 {
        let heard = self.hear();
        let status = heard.split(' ').nth(1).and_then(|status| status.parse().ok());
        status.unwrap_or_else(|| panic!("no status in {heard:?}"))
    }
}
