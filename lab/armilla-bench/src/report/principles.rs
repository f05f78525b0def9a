//! Table 3 of the latency study: problems of a protocol engine, what solved them, by which
//! principle; with the gains that this run measured for the same steps.

use super::chart::escape;
use super::gains::gain;
use crate::record::{Metric, Record};
use std::fmt::Write;

/// The rows: problem, solution, principle, and the optimizations of E4 that correspond; without
/// any, what stands in their place here.
const ROWS: [(&str, &str, &str, &[&str], &str); 8] = [
    (
        "small methods called often",
        "inlining",
        "optimize the common case",
        &["bulk, longs: writing", "bulk, longs: reading"],
        "",
    ),
    (
        "the compiler does not inline enough",
        "macros",
        "optimize the common case",
        &[],
        "generic functions, compiled for each type; nothing to switch off",
    ),
    (
        "too many calls",
        "a TypeCode interpreter for special cases",
        "from general to special",
        &["compiled marshalling: writing", "compiled marshalling: reading"],
        "",
    ),
    (
        "freeing scalars, which does nothing",
        "check once, free at the top",
        "eliminate waste",
        &["borrowing octets", "borrowing numbers"],
        "",
    ),
    (
        "sizes and alignments computed again and again",
        "kept in the TypeCode",
        "precompute, keep additional state",
        &["bulk, structs: writing", "bulk, structs: reading", "header templates"],
        "",
    ),
    (
        "work done twice by several functions",
        "pass the result on",
        "pass information across layers",
        &["borrowing in servants", "gathering instead of copying"],
        "",
    ),
    (
        "cache misses of one large interpreter",
        "split into special functions",
        "mind the caches",
        &["generated code"],
        "",
    ),
    (
        "slow look-ups",
        "active demultiplexing without layers, perfect hashing",
        "optimize demultiplexing",
        &["active demultiplexing"],
        "",
    ),
];

/// The table as HTML.
pub(super) fn html(records: &[Record]) -> String {
    let mut out = String::from(
        "<h3>Which problem, which solution, which principle?</h3>\n\
         <p class=facts>Latency study, table 3, with the gains of this run</p>\n\
         <div class=scroll><table class=principles><thead><tr><th>problem<th>solution<th>principle\
         <th>here, times as fast<tbody>\n",
    );
    for (problem, solution, principle, groups, otherwise) in ROWS {
        let found: Vec<String> = groups.iter().flat_map(|group| gains(records, group)).collect();
        let here = if groups.is_empty() { otherwise.to_owned() } else { found.join("; ") };
        // Writing to a string cannot fail.
        let _ =
            writeln!(out, "<tr><td>{problem}<td>{solution}<td>{principle}<td>{}", escape(&here));
    }
    out + "</table></div>\n"
}

/// The gains in time of an optimization, for each work that it was measured with.
fn gains(records: &[Record], group: &str) -> Vec<String> {
    let timed = |record: &&Record| record.metric != Metric::Instructions;
    let lines = records.chunk_by(|a, b| a.cell == b.cell && a.metric == b.metric);
    let lines =
        lines.filter(|line| line.first().filter(timed).is_some_and(|r| r.cell.group == group));
    let told = |line: &[Record]| {
        let (first, gain) = (line.first()?, gain(line)?);
        Some(format!("{group} {:.2} ({})", gain.times, first.cell.label()))
    };
    lines.filter_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Cell, Gain};

    #[test]
    fn every_row_shows_its_gains() {
        let of = |group: &'static str, program: &str| {
            let cell = Cell { experiment: "ladder", group, ..Cell::of_void() };
            let gain = Some(Gain::counted(4.5));
            Record { cell, program: program.into(), gain, ..Record::of_void() }
        };
        for (problem, _, _, groups, otherwise) in ROWS {
            assert!(groups.is_empty() != otherwise.is_empty(), "{problem}");
            for group in groups {
                let page = html(&[of(group, "without"), of(group, "with")]);
                assert!(page.contains(&format!("{group} 4.50 (void)")), "{page}");
            }
        }
    }
}
