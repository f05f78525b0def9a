//! The bars: the performance required of the ORB, and whether a run reaches it.

use super::figures::anchor;
use crate::program::{ALIKE, C_AGAIN};
use crate::record::{Cell, Metric, Record};

/// One requirement, and the result of a run.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub(super) struct Bar {
    /// The requirement.
    pub(super) demand: &'static str,
    /// The worst value of the cells that the requirement covers.
    pub(super) measured: f64,
    /// Whether the run meets it.
    pub(super) met: bool,
    /// The anchor of the chart with the worst value.
    pub(super) chart: String,
}

impl Bar {
    /// The measured value as text: ratios with three decimals, counts without.
    pub(super) fn text(&self) -> String {
        let decimals = if self.measured < 1000.0 { 3 } else { 0 };
        format!("{:.decimals$}", self.measured)
    }
}

/// All bars that the records cover.
pub(super) fn bars(records: &[Record]) -> Vec<Bar> {
    let all = [
        floods(records),
        latencies(records),
        instructions(records),
        flatness(records),
        batches(records),
    ];
    all.into_iter().flatten().flatten().collect()
}

type Found = Vec<Option<Bar>>;

/// The records of a program in the cells that `filter` accepts.
pub(super) fn of<'r>(
    records: &'r [Record],
    program: &'r str,
    filter: impl Fn(&Cell) -> bool + 'r,
) -> impl Iterator<Item = &'r Record> {
    records.iter().filter(move |record| record.program == program && filter(&record.cell))
}

/// A bar: the smallest of `values` is at least `least`.
fn at_least<'r>(
    demand: &'static str,
    least: f64,
    values: impl Iterator<Item = (f64, &'r Cell)>,
) -> Option<Bar> {
    let (measured, cell) = values.min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Bar { demand, measured, met: measured >= least, chart: anchor(cell) })
}

/// A bar: the largest of `values` is at most `most`.
fn at_most<'r>(
    demand: &'static str,
    most: f64,
    values: impl Iterator<Item = (f64, &'r Cell)>,
) -> Option<Bar> {
    let (measured, cell) = values.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Bar { demand, measured, met: measured <= most, chart: anchor(cell) })
}

fn ratios<'r>(records: impl Iterator<Item = &'r Record>) -> impl Iterator<Item = (f64, &'r Cell)> {
    records.filter_map(|record| Some((record.ratio_to_c?, &record.cell)))
}

fn floods(records: &[Record]) -> Found {
    let flood = |cell: &Cell, payload| {
        (cell.experiment, cell.transport, cell.payload) == ("ttcp", "tcp", payload)
    };
    let sequences = of(records, "armilla", move |c| flood(c, "flood-sequence") && c.units >= 4096);
    let small = move |c: &Cell| flood(c, "flood-sequence") && c.units == 1024;
    let buffered = of(records, "armilla, sync none", small).filter_map(|ours| {
        let theirs = of(records, "omniorb", |cell| *cell == ours.cell).next()?;
        Some((ours.median / theirs.median, &ours.cell))
    });
    let strings = of(records, "armilla", move |c| flood(c, "flood-string") && c.units >= 1024);
    let beside = strings.filter_map(|string| Some((string.ratio_to_sequence?, &string.cell)));
    let twice = of(records, C_AGAIN.name, |cell| cell.experiment == "ttcp");
    let twice = twice.filter_map(|record| Some(((record.ratio_to_c? - 1.0).abs(), &record.cell)));
    vec![
        at_most("the same C program as two, E1: apart by 0.05 or less", ALIKE, twice),
        at_least("oneway octet floods from 4 KiB on: 0.9 × C or more", 0.9, ratios(sequences)),
        at_least("1 KiB floods with SYNC_NONE: 2 × omniORB or more", 2.0, buffered),
        at_least("string floods: 0.9 × sequence floods or more", 0.9, beside),
    ]
}

fn latencies(records: &[Record]) -> Found {
    let call = |payload, units| {
        let filter = move |c: &Cell| {
            let here = (c.experiment, c.transport, c.placement, c.group);
            here == ("latency", "tcp", "one-core", "") && (c.payload, c.units) == (payload, units)
        };
        ratios(of(records, "armilla", filter))
    };
    vec![
        at_most("64 KiB twoway: 1.1 × C or less", 1.1, call("octets", 65_536)),
        at_most("1,024 BinStruct twoway: 1.2 × C or less", 1.2, call("structs", 1024)),
    ]
}

/// Instructions of calls by generated code, as the ladder counts them.
fn instructions(records: &[Record]) -> Found {
    let call = |payload, units| {
        let filter = move |c: &Cell| {
            (c.group, c.transport, c.payload, c.units) == ("generated code", "tcp", payload, units)
        };
        let counted = of(records, "static", filter).filter(|r| r.metric == Metric::Instructions);
        counted.map(|record| (record.median, &record.cell))
    };
    vec![
        at_most("twoway void: 2,000 instructions or less", 2000.0, call("void", 0)),
        at_most(
            "1,024 BinStruct twoway: 25,000 instructions or less",
            25_000.0,
            call("structs", 1024),
        ),
    ]
}

/// The largest deviation of the dispatch time from that with one object and one operation.
fn flatness(records: &[Record]) -> Found {
    let farthest = |program| {
        let all = of(records, program, |cell| cell.experiment == "demux");
        all.filter_map(|record| Some(((record.ratio_to_one? - 1.0).abs(), &record.cell)))
    };
    vec![
        at_most("active demultiplexing: flat within 0.05", 0.05, farthest("active")),
        at_most("perfect hashing: flat within 0.05", 0.05, farthest("perfect hashing")),
    ]
}

fn batches(records: &[Record]) -> Found {
    let call = |payload, units| {
        let filter = move |c: &Cell| {
            (c.experiment, c.transport, c.payload, c.units) == ("batch", "tcp", payload, units)
        };
        ratios(of(records, "armilla", filter))
    };
    vec![
        at_most("one string of 80 characters: 1.05 × C or less", 1.05, call("single-strings", 1)),
        at_most("100 strings in one call: 1.3 × C or less", 1.3, call("many-strings", 100)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_judged_as_the_ladder_counts_them() {
        let void = Record::of_void();
        let cell = Cell { experiment: "ladder", group: "generated code", ..void.cell.clone() };
        let timed = Record { program: "static".into(), cell, median: 4.0, ..void };
        let counted = Record { metric: Metric::Instructions, median: 1999.5, ..timed.clone() };
        let bars = bars(&[timed, counted]);
        assert_eq!(
            bars.iter().map(|bar| (bar.text(), bar.met)).collect::<Vec<_>>(),
            [("2000".into(), true)]
        );
    }
}
