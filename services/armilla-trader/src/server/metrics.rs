//! The state of the trader in the text format of Prometheus. The ORB adds counters and latencies
//! of its own.

use super::checker::Findings;
use crate::servant::Trader;
use std::fmt::Write as _;

pub(super) fn text(trader: &Trader, findings: &Findings) -> String {
    let (alive, dead) = findings.counts();
    let (types, offers, links) = trader.read(|model| {
        (model.service_types().iter().count(), model.offer_count(), model.links().count())
    });
    let activity = trader.activity();
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let mut text = String::new();
    for (name, kind, help, value) in [
        ("armilla_trader_service_types", "gauge", "Service types.", count(types)),
        ("armilla_trader_offers", "gauge", "Offers and proxy offers.", count(offers)),
        (
            "armilla_trader_offers_limit",
            "gauge",
            "The most offers and proxy offers there may be.",
            count(trader.most_offers()),
        ),
        ("armilla_trader_links", "gauge", "Links to other traders.", count(links)),
        (
            "armilla_trader_objects_alive",
            "gauge",
            "Objects that the last check found.",
            count(alive),
        ),
        (
            "armilla_trader_objects_dead",
            "gauge",
            "Objects that the last check found gone or unreachable.",
            count(dead),
        ),
        ("armilla_trader_iterators", "gauge", "Open iterators.", count(activity.iterators)),
        ("armilla_trader_queries_total", "counter", "Queries answered.", activity.queries),
        ("armilla_trader_searched_total", "counter", "Offers looked at.", activity.searched),
        (
            "armilla_trader_silent_total",
            "counter",
            "Links and proxy offers that did not answer a query.",
            activity.silent,
        ),
        (
            "armilla_trader_evaluations_total",
            "counter",
            "Dynamic properties asked for.",
            activity.evaluations,
        ),
        (
            "armilla_trader_evaluation_failures_total",
            "counter",
            "Dynamic properties without an answer.",
            activity.evaluation_failures,
        ),
    ] {
        // Writing to a string does not fail.
        writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}").ok();
    }
    text
}
