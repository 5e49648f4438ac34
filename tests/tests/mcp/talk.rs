//! A client that says exactly what it is told to.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use serde_json::{Value, json};
use windlass_testkit::{Run, wait};

/// The greeting of a client of the version that most speak.
pub(crate) fn greeting() -> Value {
    json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    })
}

/// A request.
pub(crate) fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// The parameters of a call of a tool.
pub(crate) fn tool(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

/// A conversation with `windlass mcp`; dropping it kills the process.
pub(crate) struct Talk {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// Notifications that came while something else was waited for.
    notified: Vec<Value>,
    last_id: u64,
}

impl Talk {
    /// Starts the process and says nothing.
    #[track_caller]
    pub(crate) fn start(run: &Run) -> Self {
        let mut child = run.command().stdin(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (tell, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // A line that is not JSON is heard as such, and fails whoever waits.
                let told = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if tell.send(told).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, notified: Vec::new(), last_id: 0 }
    }

    /// Starts the process and greets it.
    #[track_caller]
    pub(crate) fn greet(run: &Run) -> Self {
        let mut talk = Self::start(run);
        let greeted = talk.ask("initialize", greeting());
        assert_eq!(greeted["result"]["serverInfo"]["name"], "windlass", "{greeted}");
        talk.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        talk
    }

    /// Writes one line.
    pub(crate) fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    /// Writes a line that does not end, and nothing more.
    pub(crate) fn say_the_last(&mut self, line: &str) {
        self.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
    }

    /// The next line, whatever it is.
    #[track_caller]
    pub(crate) fn heard(&self) -> Value {
        self.lines.recv_timeout(wait::LIMIT).unwrap()
    }

    /// Asks, and gives the answer to that very request.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.say(&request(id, method, params).to_string());
        loop {
            let heard = self.heard();
            if heard["id"] == id {
                return heard;
            }
            self.notified.push(heard);
        }
    }

    /// The result of a request.
    #[track_caller]
    pub(crate) fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// What a tool answered.
    #[track_caller]
    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> Value {
        let result = self.result("tools/call", tool(name, arguments));
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].clone()
    }

    /// Why a tool did nothing.
    #[track_caller]
    pub(crate) fn refused(&mut self, name: &str, arguments: Value) -> Value {
        let result = self.result("tools/call", tool(name, arguments));
        assert_eq!(result["isError"], true, "{result}");
        result["structuredContent"].clone()
    }

    /// The next notification.
    #[track_caller]
    pub(crate) fn notification(&mut self) -> Value {
        match self.notified.is_empty() {
            true => self.heard(),
            false => self.notified.remove(0),
        }
    }

    /// Closes the way in, and waits for the end.
    #[track_caller]
    pub(crate) fn close(mut self) -> ExitStatus {
        drop(self.stdin.take());
        self.child.wait().unwrap()
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // It may have ended long ago.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
