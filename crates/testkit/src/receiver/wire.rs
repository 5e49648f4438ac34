//! The bytes of HTTP/1.1, as far as the receiver needs them.

use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use super::{Answer, Received, Shared};

static FLOOD: [u8; 65_536] = [b'.'; 65_536];

/// Answers the requests of one connection until either side ends it.
pub(super) fn serve(connection: &TcpStream, shared: &Shared) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut input = BufReader::new(connection);
    while let Some(request) = read(&mut input)? {
        match shared.receive(request) {
            Answer::Status(status, headers) => write(connection, &answer(status, &headers))?,
            Answer::Trickle(status) => {
                answer(status, &[]).chunks(1).try_for_each(|byte| write(connection, byte))?;
            }
            Answer::Stall if shared.stall() => write(connection, &answer(204, &[]))?,
            Answer::Stall | Answer::Hangup => return Ok(()),
            Answer::Garbage => return write(connection, b"\x16\x03 this is not HTTP\r\n\r\n"),
            Answer::Endless => return flood(connection),
        }
    }
    Ok(())
}

/// The next request; nothing when the client has no more.
pub(crate) fn read(input: &mut BufReader<&TcpStream>) -> io::Result<Option<Received>> {
    let first = line(input)?;
    if first.is_empty() {
        return Ok(None);
    }
    let mut words = first.split(' ');
    let mut word = || words.next().unwrap_or_default().to_owned();
    let (method, path) = (word(), word());
    let mut headers = Vec::new();
    loop {
        let line = line(input)?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut request = Received { number: 0, method, path, headers, body: String::new() };
    let length = request.header("content-length").and_then(|length| length.parse().ok());
    input.take(length.unwrap_or(0)).read_to_string(&mut request.body)?;
    Ok(Some(request))
}

/// A line without its end; empty at the end of the input.
fn line(input: &mut BufReader<&TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok(line)
}

fn answer(status: u16, headers: &[(String, String)]) -> Vec<u8> {
    // 1xx, 204 and 304 have no body by definition.
    let body = if status < 200 || status == 204 || status == 304 { "" } else { "received" };
    let length =
        if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    let headers: Vec<String> =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status} As Planned\r\n{length}{}\r\n{body}", headers.concat()).into_bytes()
}

fn write(mut connection: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    connection.write_all(bytes)
}

/// Ends only when the client breaks off, or the receiver does.
fn flood(connection: &TcpStream) -> io::Result<()> {
    write(connection, b"HTTP/1.1 200 As Planned\r\n\r\n")?;
    loop {
        write(connection, &FLOOD)?;
    }
}
