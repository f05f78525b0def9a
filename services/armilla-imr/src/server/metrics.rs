//! The state of the servers in the text format of Prometheus. The ORB adds counters and latencies
//! of its own.

use crate::model::{ServerStage, Status};
use std::fmt::Write as _;

/// A column: its name, its kind, what it means, and how it follows from the state of a server.
type Column = (&'static str, &'static str, &'static str, fn(&Status) -> u64);

const COLUMNS: [Column; 6] = [
    ("running", "gauge", "Whether the server serves.", |status| {
        u64::from(matches!(status.stage, ServerStage::Running | ServerStage::Replacing))
    }),
    ("failed", "gauge", "Whether the server is in a crash loop and is not started.", |status| {
        u64::from(status.stage == ServerStage::Failed)
    }),
    ("waiting", "gauge", "Clients that wait for the server.", |status| status.waiting as u64),
    ("starts_total", "counter", "Processes that were started.", |status| status.starts),
    ("failures_total", "counter", "Starts and processes that failed.", |status| status.failures),
    ("forwards_total", "counter", "Requests that were forwarded.", |status| status.forwards),
];

pub(super) fn text(servers: &[(String, Status)]) -> String {
    let mut text = String::new();
    for (column, kind, help, value) in COLUMNS {
        let name = format!("armilla_imr_server_{column}");
        // Writing to a string does not fail.
        writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}").ok();
        for (server, status) in servers {
            // The name of a server has no character that must be escaped.
            writeln!(text, "{name}{{server=\"{server}\"}} {}", value(status)).ok();
        }
    }
    text
}
