//! How many transactions there are, for Prometheus.

use crate::Transactions;
use std::fmt::Write as _;

/// How many transactions are in which state, as Prometheus reads it.
pub(super) fn text(transactions: &Transactions) -> String {
    let list = transactions.list();
    let in_doubt = list.iter().filter(|it| it.status == "in doubt").count();
    let heuristic = list.iter().filter(|it| !it.heuristic.is_empty()).count();
    let rows = [
        ("in_progress", "Transactions that are not over.", list.len()),
        ("in_doubt", "Subordinates that wait for the decision of their superior.", in_doubt),
        ("heuristic", "Transactions of which a participant has decided on its own.", heuristic),
    ];
    let mut out = String::new();
    for (name, help, value) in rows {
        // A string takes everything.
        let _ = writeln!(
            out,
            "# HELP armilla_transactions_{name} {help}\n# TYPE armilla_transactions_{name} \
             gauge\narmilla_transactions_{name} {value}"
        );
    }
    out
}
