//! Numbers about the server and its ledger, for Prometheus.

mod standing;

use std::fmt::Write as _;
use std::time::Duration;

use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use windlass_domain::Code;

pub(crate) use standing::Standing;

/// From half a millisecond to half a minute.
const SECONDS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];
const COMMANDS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

type Labels<const N: usize> = [(&'static str, &'static str); N];

/// What is counted while the server runs.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    operations: Family<Labels<2>, Counter>,
    seconds: Family<Labels<1>, Histogram, fn() -> Histogram>,
    batches: Histogram,
    requests: Family<[(&'static str, u16); 1], Counter>,
    limited: Family<Labels<1>, Counter>,
    dropped: Counter,
    wrong_keys: Counter,
}

/// Why somebody was told to come back later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limited {
    /// The key was used too often.
    Key,
    /// Too many wrong keys came from one address.
    Address,
    /// There were too many connections.
    Connections,
}

impl Limited {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Address => "address",
            Self::Connections => "connections",
        }
    }
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("windlass");
        let seconds: Family<_, _, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(SECONDS));
        let batches = Histogram::new(COMMANDS);
        let operations = Family::default();
        let (requests, limited) = (Family::default(), Family::default());
        let (dropped, wrong_keys) = (Counter::default(), Counter::default());
        registry.register("operations", "Operations by name and code", operations.clone());
        registry.register("operation_seconds", "How long operations took", seconds.clone());
        registry.register("commit_commands", "Commands that shared a commit", batches.clone());
        registry.register(
            "http_requests",
            "Requests by the status of the answer",
            requests.clone(),
        );
        registry.register("limited", "Callers who were told to come back later", limited.clone());
        registry.register("followers_dropped", "Followers who read too slowly", dropped.clone());
        registry.register("wrong_keys", "Keys that opened nothing", wrong_keys.clone());
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The version that runs", build);
        Self { registry, operations, seconds, batches, requests, limited, dropped, wrong_keys }
    }

    /// An operation ended.
    pub(crate) fn operation(&self, name: &'static str, code: Option<Code>, took: Duration) {
        let code = code.map_or("ok", Code::as_str);
        self.operations.get_or_create(&[("operation", name), ("code", code)]).inc();
        self.seconds.get_or_create(&[("operation", name)]).observe(took.as_secs_f64());
    }

    /// So many commands shared a commit.
    pub(crate) fn batch(&self, commands: usize) {
        self.batches.observe(f64::from(u32::try_from(commands).unwrap_or(u32::MAX)));
    }

    /// A request was answered.
    pub(crate) fn request(&self, status: u16) {
        self.requests.get_or_create(&[("status", status)]).inc();
    }

    pub(crate) fn limited(&self, why: Limited) {
        self.limited.get_or_create(&[("by", why.as_str())]).inc();
    }

    /// Somebody showed a key that counts no more, or never did.
    pub(crate) fn wrong_key(&self) {
        self.wrong_keys.inc();
    }

    /// A follower read too slowly.
    pub(crate) fn follower_dropped(&self) {
        self.dropped.inc();
    }

    /// Everything as text, with how things stand now.
    pub(crate) fn text(&self, standing: &Standing) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        encode_registry(&mut text, &self.registry)?;
        encode_registry(&mut text, &standing.registry())?;
        if let Some(bytes) = resident_bytes() {
            writeln!(text, "# HELP process_resident_memory_bytes Memory of the server.")?;
            writeln!(text, "# TYPE process_resident_memory_bytes gauge")?;
            writeln!(text, "process_resident_memory_bytes {bytes}")?;
        }
        encode_eof(&mut text)?;
        Ok(text)
    }
}

/// How much memory the process has, where the system tells.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, begins: &str) -> String {
        text.lines().find(|line| line.starts_with(begins)).unwrap_or_default().to_owned()
    }

    #[test]
    fn operations_are_counted_by_name_and_code() {
        let metrics = Metrics::new();
        metrics.operation("task.claim", None, Duration::from_millis(2));
        metrics.operation("task.claim", Some(Code::StaleClaim), Duration::from_millis(2));
        let text = metrics.text(&Standing::default()).unwrap();
        let done = "windlass_operations_total{operation=\"task.claim\",code=\"ok\"}";
        assert_eq!(line(&text, done), format!("{done} 1"));
        let refused = "windlass_operations_total{operation=\"task.claim\",code=\"stale_claim\"}";
        assert_eq!(line(&text, refused), format!("{refused} 1"));
    }

    #[test]
    fn latencies_and_batches_are_histograms() {
        let metrics = Metrics::new();
        metrics.operation("task.claim", None, Duration::from_millis(2));
        metrics.batch(3);
        let text = metrics.text(&Standing::default()).unwrap();
        let quick = "windlass_operation_seconds_bucket{le=\"0.0025\",operation=\"task.claim\"}";
        assert_eq!(line(&text, quick), format!("{quick} 1"));
        let shared = "windlass_commit_commands_sum";
        assert_eq!(line(&text, shared), format!("{shared} 3.0"));
    }

    #[test]
    fn the_text_ends_as_the_format_asks() {
        assert!(Metrics::new().text(&Standing::default()).unwrap().ends_with("# EOF\n"));
    }

    #[test]
    fn every_number_is_described_once() {
        let text = Metrics::new().text(&Standing::default()).unwrap();
        let mut types: Vec<&str> = text.lines().filter(|line| line.starts_with("# TYPE")).collect();
        let all = types.len();
        types.sort_unstable();
        types.dedup();
        assert_eq!(types.len(), all);
    }
}
