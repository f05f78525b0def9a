//! The questions of the experiments: which chart answers each, and which figure of a study it
//! repeats. All other charts are folded.

use crate::record::Cell;

/// The group of cells that combine payloads and numbers of objects.
pub(super) const COMBINED: &str = "payloads and objects";

/// What a chart answers, and where the studies have it.
pub(super) struct Lead {
    /// Empty for a chart that is folded.
    pub(super) question: &'static str,
    /// Empty for a chart that no study has.
    pub(super) source: &'static str,
}

const BULK: &str = "Throughput study, figures 1 to 3";
const BULK_ETHERNET: &str = "Throughput study, figures 1 to 3, over 10 Mbit/s Ethernet";
const CALLS: &str = "Latency study, figures 6 to 9";
const SOCKETS: &str = "Latency study, figures 6 to 10";
const PAYLOADS: &str = "Latency study, figures 11 to 26, one object";
const BEFORE_AND_AFTER: &str = "Latency study, figures 33 and 34: before (DII and DSI) and after";
const RANDOM: &str = "Latency study, figure 31";
const WORST: &str = "Latency study, figure 32";
const LOCAL: &str = "Telecom study, figure 1 (one machine)";
const REMOTE: &str = "Telecom study, figure 2 (two machines)";

/// The question and the source of the chart with `cell`, in ratios or in values.
pub(super) fn lead(cell: &Cell, ratios: bool) -> Lead {
    let (question, source) = match cell.experiment {
        "ttcp" => bulk(cell, ratios),
        "latency" => latency(cell, ratios),
        "demux" => demultiplexing(cell),
        "batch" => batch(cell, ratios),
        _ => ("", ""),
    };
    Lead { question, source }
}

fn bulk(cell: &Cell, ratios: bool) -> (&'static str, &'static str) {
    let Cell { transport, placement, payload, queue, .. } = *cell;
    let source = match transport {
        "tcp-10mbit" => BULK_ETHERNET,
        "tcp" | "tcp-155mbit" if queue == 8192 || queue == 65_536 => BULK,
        _ => "",
    };
    let question = match (transport, placement, payload, queue, ratios) {
        ("tcp", "one-core", "flood-sequence", 65_536, true) => {
            "How much of the throughput of plain sockets is left?"
        }
        ("tcp", "one-core", "flood-sequence", 65_536, false) => {
            "How many Mbit/s are that, beside the published ones?"
        }
        ("tcp", "one-core-each", "flood-sequence", 0, true) => {
            "And if sender and receiver have a core each?"
        }
        ("tcp", "one-core", "flood-string", 65_536, true) => "What does a string cost more?",
        ("tcp-155mbit", _, "flood-sequence", 65_536, false) => "And over a line of 155 Mbit/s?",
        ("tcp-10mbit", _, "flood-sequence", 65_536, false) => "And over Ethernet of 10 Mbit/s?",
        _ => "",
    };
    (question, source)
}

fn latency(cell: &Cell, ratios: bool) -> (&'static str, &'static str) {
    let Cell { transport, placement, payload, group, order, .. } = *cell;
    let source = match (payload, group) {
        ("octets" | "structs" | "oneway-octets" | "oneway-structs", COMBINED) => combined(payload),
        ("octets" | "structs", "dynamic invocation") => BEFORE_AND_AFTER,
        ("octets" | "structs" | "oneway-octets" | "oneway-structs", "") => PAYLOADS,
        ("void" | "oneway-void", "") => SOCKETS,
        ("void" | "oneway-void", "dynamic invocation") => CALLS,
        _ => "",
    };
    if (transport, placement) != ("tcp", "one-core") {
        return ("", if transport == "tcp" { source } else { "" });
    }
    let question = match (payload, group, order, ratios) {
        ("void", "", "robin", _) => "Does a call take longer with more objects?",
        ("octets", "", _, true) => "What do octets cost, beside plain sockets?",
        ("structs", "", _, true) => "And structs of mixed members?",
        ("structs", "dynamic invocation", _, false) => {
            "What do generated code and bulk marshalling save?"
        }
        ("void", "dynamic invocation", "robin", _) => "What does a dynamic call cost?",
        _ => "",
    };
    (question, source)
}

/// The figures of the study that combine payloads, objects and kinds of invocation.
fn combined(payload: &str) -> &'static str {
    match payload {
        "oneway-octets" => "Latency study, figures 11 to 14",
        "oneway-structs" => "Latency study, figures 15 to 18",
        "octets" => "Latency study, figures 19 to 22",
        _ => "Latency study, figures 23 to 26",
    }
}

fn demultiplexing(cell: &Cell) -> (&'static str, &'static str) {
    match (cell.order, cell.operations) {
        ("random", 100) => ("Which strategy finds an object and its operation fastest?", RANDOM),
        ("worst", 100) => ("And in the worst case?", WORST),
        ("random", _) => ("", RANDOM),
        _ => ("", WORST),
    }
}

fn batch(cell: &Cell, ratios: bool) -> (&'static str, &'static str) {
    match (cell.transport, ratios) {
        ("tcp", false) => ("What does one call for all strings save on one machine?", LOCAL),
        ("tcp-100mbit", false) => ("And between two machines?", REMOTE),
        ("tcp", true) => ("", LOCAL),
        (transport, true) if transport.starts_with("tcp-") => ("", REMOTE),
        _ => ("", ""),
    }
}
