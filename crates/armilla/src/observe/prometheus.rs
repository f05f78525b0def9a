//! The text format of Prometheus, version 0.0.4.

use super::histogram::UPPER_BOUNDS;
use super::snapshot::{Counts, Side, Snapshot};
use std::fmt::Write;

/// The snapshot in that format.
pub(super) fn text(snapshot: &Snapshot) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, snapshot);
    text
}

fn write(out: &mut String, snapshot: &Snapshot) -> std::fmt::Result {
    writeln!(out, "# HELP armilla_requests_in_flight Requests that have started and not ended.")?;
    writeln!(out, "# TYPE armilla_requests_in_flight gauge")?;
    let (made, served) = snapshot.in_flight;
    writeln!(out, "armilla_requests_in_flight{{side=\"client\"}} {made}")?;
    writeln!(out, "armilla_requests_in_flight{{side=\"server\"}} {served}")?;
    writeln!(out, "# HELP armilla_requests_total Requests that have ended, by outcome.")?;
    writeln!(out, "# TYPE armilla_requests_total counter")?;
    for ((side, operation), counts) in &snapshot.operations {
        let labels = labels(*side, operation);
        for (outcome, count) in outcomes(counts) {
            if count > 0 {
                writeln!(out, "armilla_requests_total{{{labels},outcome=\"{outcome}\"}} {count}")?;
            }
        }
    }
    writeln!(out, "# HELP armilla_connections_made_total Connections of clients, by their way.")?;
    writeln!(out, "# TYPE armilla_connections_made_total counter")?;
    for (way, count) in &snapshot.connections {
        let (way, why) = way.words();
        writeln!(out, "armilla_connections_made_total{{way=\"{way}\",why=\"{why}\"}} {count}")?;
    }
    writeln!(
        out,
        "# HELP armilla_request_duration_seconds Time from the beginning of a request to its end."
    )?;
    writeln!(out, "# TYPE armilla_request_duration_seconds histogram")?;
    for ((side, operation), counts) in &snapshot.operations {
        write_latencies(out, &labels(*side, operation), counts)?;
    }
    Ok(())
}

fn write_latencies(out: &mut String, labels: &str, counts: &Counts) -> std::fmt::Result {
    const NAME: &str = "armilla_request_duration_seconds";
    let latencies = &counts.latencies;
    let mut seen = 0;
    for (bound, bucket) in UPPER_BOUNDS.iter().zip(&latencies.buckets) {
        seen += bucket;
        let seconds = *bound as f64 / 1e6;
        writeln!(out, "{NAME}_bucket{{{labels},le=\"{seconds}\"}} {seen}")?;
    }
    writeln!(out, "{NAME}_bucket{{{labels},le=\"+Inf\"}} {}", latencies.count())?;
    writeln!(out, "{NAME}_sum{{{labels}}} {}", latencies.total().as_secs_f64())?;
    writeln!(out, "{NAME}_count{{{labels}}} {}", latencies.count())
}

fn outcomes(counts: &Counts) -> [(&'static str, u64); 6] {
    [
        ("reply", counts.replies),
        ("oneway", counts.oneways),
        ("user_exception", counts.user_exceptions),
        ("system_exception", counts.system_exceptions),
        ("forward", counts.forwards),
        ("retry", counts.retries),
    ]
}

fn labels(side: Side, operation: &str) -> String {
    let side = match side {
        Side::Client => "client",
        Side::Server => "server",
    };
    let operation = operation.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("side=\"{side}\",operation=\"{operation}\"")
}
