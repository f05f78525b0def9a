//! How many transactions there are, and were, for Prometheus.

use crate::Transactions;
use std::fmt::{Display, Write as _};

/// How many transactions are in which state, how they have ended, and how often somebody had to be asked
/// again, as Prometheus reads it.
pub(super) fn text(transactions: &Transactions) -> String {
    let list = transactions.list();
    let in_doubt = list.iter().filter(|it| it.status == "in doubt").count();
    let heuristic = list.iter().filter(|it| !it.heuristic.is_empty()).count();
    let engine = transactions.engine();
    let oldest = engine.oldest_in_doubt().unwrap_or_default().as_secs_f64();
    let counts = &engine.counts;
    let mut out = String::new();
    let mut add = |name: &str, kind: &str, help: &str, rows: &[(String, &dyn Display)]| {
        // A string takes everything.
        let _ = writeln!(out, "# HELP armilla_transactions_{name} {help}");
        let _ = writeln!(out, "# TYPE armilla_transactions_{name} {kind}");
        for (labels, value) in rows {
            let _ = writeln!(out, "armilla_transactions_{name}{labels} {value}");
        }
    };
    let one = |value| [(String::new(), value)];
    let gauges: [(&str, &str, &dyn Display); 4] = [
        ("in_progress", "Transactions that are not over.", &list.len()),
        ("in_doubt", "Subordinates that wait for the decision of their superior.", &in_doubt),
        ("oldest_in_doubt_seconds", "How long the first of them has waited here.", &oldest),
        ("heuristic", "Transactions of which a participant has decided on its own.", &heuristic),
    ];
    for (name, help, value) in gauges {
        add(name, "gauge", help, &one(value));
    }
    let counters: [(&str, &str, &dyn Display); 3] = [
        ("committed_total", "Transactions that have committed.", &counts.committed()),
        ("heuristics_total", "Heuristic outcomes that were recorded.", &counts.heuristics()),
        (
            "retries_total",
            "How often a superior was asked, or a participant told again.",
            &counts.retries(),
        ),
    ];
    for (name, help, value) in counters {
        add(name, "counter", help, &one(value));
    }
    let reasons: Vec<_> = counts.rolled_back().collect();
    let mut rows: Vec<(String, &dyn Display)> = Vec::new();
    for (reason, count) in &reasons {
        rows.push((format!("{{reason=\"{reason}\"}}"), count));
    }
    add("rolled_back_total", "counter", "Transactions that have rolled back, by why.", &rows);
    out
}
