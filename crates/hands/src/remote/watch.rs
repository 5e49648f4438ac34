//! The stream of a server's events, listened to for one thing only: that there is a new one.
//!
//! What happened is then asked for like anything else, so that a stream that breaks off loses
//! nothing, whatever the caller wants of the events.

use std::time::Duration;

use reqwest::Response;

/// How far the log has come, as a server tells it while it grows.
#[derive(Debug)]
pub(super) struct Watch {
    stream: Response,
    /// The beginning of a line whose end has not come yet.
    begun: Vec<u8>,
    newest: u64,
}

/// What was heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// There is something new.
    Event,
    /// Nothing for now.
    Nothing,
    /// The stream is over.
    End,
}

impl Watch {
    pub(super) fn on(stream: Response) -> Self {
        Self { stream, begun: Vec::new(), newest: 0 }
    }

    /// Listens for an event after `seq`, for so long.
    pub(super) async fn beyond(&mut self, seq: u64, patience: Duration) -> Heard {
        tokio::time::timeout(patience, self.hear(seq)).await.unwrap_or(Heard::Nothing)
    }

    async fn hear(&mut self, seq: u64) -> Heard {
        while self.newest <= seq {
            match self.stream.chunk().await {
                Ok(Some(bytes)) => self.take(&bytes),
                Ok(None) | Err(_) => return Heard::End,
            }
        }
        Heard::Event
    }

    fn take(&mut self, bytes: &[u8]) {
        self.begun.extend_from_slice(bytes);
        let Some(end) = self.begun.iter().rposition(|byte| *byte == b'\n') else { return };
        let rest = self.begun.split_off(end + 1);
        let lines = std::mem::replace(&mut self.begun, rest);
        self.newest = newest(&lines).unwrap_or(self.newest);
    }
}

/// The highest `id:` of some lines.
fn newest(lines: &[u8]) -> Option<u64> {
    let lines = lines.split(|byte| *byte == b'\n');
    let ids = lines.filter_map(|line| line.strip_prefix(b"id:"));
    ids.filter_map(|id| std::str::from_utf8(id).ok()?.trim().parse().ok()).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_id_is_found_among_other_lines() {
        let lines = b": beat\n\nid: 7\nevent: task_created\ndata: {\"id: 9\":1}\n\nid: 8\r\n";
        assert_eq!(newest(lines), Some(8));
        assert_eq!(newest(b"retry: 1000\n: beat\n"), None);
    }
}
