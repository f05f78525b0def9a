//! Text tables: one table for each kind of cell, one line for each cell, one column for each
//! program, and the published values at the end of the line.

use super::bars::{Bar, bars};
use super::conclusions::conclusion;
use super::gains::gain;
use super::remarks::remarks;
use crate::outcome::Outcome;
use crate::published;
use crate::record::{Metric, Record};
use std::io::{self, Write};

/// Writes all tables, at most `room` columns wide, then the bars, absent programs and failures.
pub(super) fn print(outcome: &Outcome, room: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", outcome.machine)?;
    writeln!(out, "{}", outcome.conditions)?;
    let [server, client] = outcome.machine.cores;
    writeln!(
        out,
        "one-core: processor {server}; one-core-each: servers on {server}, clients on {client}"
    )?;
    for experiment in chunks(&outcome.records, |a, b| a.cell.experiment == b.cell.experiment) {
        for records in chunks(experiment, |a, b| heading(a) == heading(b)) {
            table(records, room, out)?;
        }
        let name = experiment.first().map_or("", |record| record.cell.experiment);
        if let Some(conclusion) = conclusion(name, experiment) {
            writeln!(out, "\n{conclusion}")?;
        }
        for remark in remarks(name, experiment) {
            writeln!(out, "published: {remark}")?;
        }
    }
    let bars = bars(&outcome.records);
    if !bars.is_empty() {
        writeln!(out, "\nrequired of the ORB")?;
    }
    for bar in bars {
        let (measured, Bar { demand, met, .. }) = (bar.text(), bar);
        let verdict = if met { "met" } else { "MISSED" };
        writeln!(out, "{verdict:<6} {measured:>7}  {demand}")?;
    }
    for link in &outcome.links {
        writeln!(out, "link: {link}")?;
    }
    for absent in &outcome.absent {
        writeln!(out, "absent: {} ({})", absent.program, absent.remedy)?;
    }
    for failure in &outcome.failures {
        writeln!(out, "failed: {failure}")?;
    }
    if !outcome.records.is_empty() {
        writeln!(out, "–: the program has no such call, or does not run with so many objects")?;
    }
    if !outcome.shortfall.is_none() {
        writeln!(out, "incomplete: {}", outcome.shortfall)?;
    }
    if outcome.interrupted {
        writeln!(out, "interrupted: only the finished results are above")?;
    }
    Ok(())
}

fn chunks(
    records: &[Record],
    alike: fn(&Record, &Record) -> bool,
) -> impl Iterator<Item = &[Record]> {
    records.chunk_by(alike)
}

/// The heading of a table: the common properties of its cells.
fn heading(record: &Record) -> String {
    let cell = &record.cell;
    let mut heading = cell.experiment.to_owned();
    let queue = if cell.queue == 0 { "default".into() } else { format!("{} octets", cell.queue) };
    for part in [cell.group, cell.transport, cell.placement, cell.invocation] {
        if !part.is_empty() {
            heading = format!("{heading} · {part}");
        }
    }
    match cell.transport {
        "memory" => format!("{heading} · {}", record.unit),
        _ => format!("{heading} · queues {queue} · {}", record.unit),
    }
}

/// Writes a table at most `room` columns wide, if at least one column fits. Columns that do not fit
/// go into further blocks below.
fn table(records: &[Record], room: usize, out: &mut dyn Write) -> io::Result<()> {
    let Some(first) = records.first() else { return Ok(()) };
    writeln!(out, "\n{}", heading(first))?;
    let mut programs: Vec<&str> = Vec::new();
    for record in records {
        if !programs.contains(&record.program.as_str()) {
            programs.push(&record.program);
        }
    }
    let to_one = records.iter().any(|record| record.ratio_to_one.is_some());
    let compared = to_one || records.iter().any(|record| record.ratio_to_c.is_some());
    let columns: Vec<Column<'_>> = programs
        .iter()
        .map(|program| Column {
            program,
            width: program.chars().count().max(10),
            compared: compared && *program != "c",
        })
        .collect();
    let labels = records.iter().map(|record| record.cell.label().chars().count());
    let label = labels.max().unwrap_or(0).max(16);
    let blocks = blocks(&columns, room.saturating_sub(label));
    for (number, block) in blocks.iter().enumerate() {
        write!(out, "{:<label$}", "payload")?;
        let ratio = if to_one { "× 1" } else { "× c" };
        block.iter().try_for_each(|column| column.write(column.program, ratio, out))?;
        writeln!(out)?;
        for line in chunks(records, |a, b| a.cell == b.cell) {
            row(line, label, block, out)?;
            let taken = label + block.iter().map(Column::whole).sum::<usize>();
            let tail = tail(line).filter(|_| number + 1 == blocks.len());
            match tail {
                None => writeln!(out)?,
                Some(tail) if taken + 3 + tail.chars().count() <= room => {
                    writeln!(out, "   {tail}")?;
                }
                Some(tail) => writeln!(out, "\n    {tail}")?,
            }
        }
    }
    Ok(())
}

/// The column of a program.
struct Column<'a> {
    program: &'a str,
    width: usize,
    compared: bool,
}

/// The width of a ratio.
const RATIO: usize = 8;

impl Column<'_> {
    /// The width with ratio and separator.
    const fn whole(&self) -> usize {
        2 + self.width + if self.compared { RATIO } else { 0 }
    }

    fn write(&self, value: &str, ratio: &str, out: &mut dyn Write) -> io::Result<()> {
        let Self { width, compared, .. } = *self;
        match compared {
            true => write!(out, "  {value:>width$}{ratio:>RATIO$}"),
            false => write!(out, "  {value:>width$}"),
        }
    }
}

/// Groups the columns that fit next to each other; each group has at least one.
fn blocks<'c, 'p>(columns: &'c [Column<'p>], room: usize) -> Vec<&'c [Column<'p>]> {
    let mut taken = columns.first().map_or(0, Column::whole);
    let fits = |_: &Column<'_>, next: &Column<'_>| {
        let fits = taken + next.whole() <= room;
        taken = next.whole() + if fits { taken } else { 0 };
        fits
    };
    columns.chunk_by(fits).collect()
}

fn row(
    line: &[Record],
    label: usize,
    columns: &[Column<'_>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(first) = line.first() else { return Ok(()) };
    write!(out, "{:<label$}", first.cell.label())?;
    for column in columns {
        let record = line.iter().find(|record| record.program == column.program);
        let value = record.map_or("–".into(), number);
        let ratio = record.and_then(|record| record.ratio_to_one.or(record.ratio_to_c));
        let ratio = ratio.map_or(String::new(), fitting);
        column.write(&value, &ratio, out)?;
    }
    Ok(())
}

/// A ratio with at most as many digits as its width allows.
fn fitting(ratio: f64) -> String {
    let decimals = match ratio {
        ..100.0 => 3,
        ..1000.0 => 1,
        _ => 0,
    };
    format!("{ratio:.decimals$}")
}

/// What stands behind the columns of a line, if anything: what an optimization brings, what was
/// published.
fn tail(line: &[Record]) -> Option<String> {
    let gain = gain(line).map(|gain| match gain.is_certain() {
        true => format!("{:.2} times as good", gain.times),
        false => format!("between {:.2} and {:.2} times as good", gain.low, gain.high),
    });
    let published = line.iter().filter_map(|record| {
        let cell = &record.cell;
        let found = published::bulk(&record.program, cell.payload, cell.queue, cell.units)?;
        Some(found.to_string())
    });
    let published: Vec<_> = published.collect();
    gain.or_else(|| (!published.is_empty()).then(|| format!("published: {}", published.join(", "))))
}

fn number(record: &Record) -> String {
    match record.metric {
        Metric::Latency if record.median < 1.0 => format!("{:.3}", record.median),
        Metric::Latency => format!("{:.2}", record.median),
        _ => format!("{:.0}", record.median),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Cell;

    fn record(program: &str, median: f64) -> Record {
        Record {
            program: program.into(),
            median,
            ratio_to_c: Some(median / 10.0),
            ..Record::of_void()
        }
    }

    fn text(records: &[Record], room: usize) -> String {
        let mut out = Vec::new();
        table(records, room, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_and_ratios_stand_apart() {
        assert_eq!(
            [1.0, 34.5, 345.67, 34_567.8].map(fitting),
            ["1.000", "34.500", "345.7", "34568"]
        );
        let rows = text(&[record("c", 1.0), record("armilla", 999_999.0)], usize::MAX);
        assert!(rows.contains("  999999.00  100000"), "{rows}");
    }

    #[test]
    fn a_table_is_as_wide_as_it_may_be() {
        let flood = |program, median| {
            let cell =
                Cell { payload: "flood-sequence", units: 1024, queue: 65_536, ..Cell::of_void() };
            Record { cell, metric: Metric::Throughput, ..record(program, median) }
        };
        let records = [flood("c", 10.0), flood("armilla", 11.0), flood("omniorb", 12.0)];
        let wide = text(&records, usize::MAX);
        let lines: Vec<&str> = wide.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "payload                       c     armilla     × c     omniorb     × c",
                "flood-sequence 1024          10          11   1.100          12   1.200   \
                 published: C 23.52 (8.30), Orbix 7.85 (6.68), ORBeline 6.06 (8.14)",
            ]
        );
        let narrow = text(&records, 60);
        let lines: Vec<&str> = narrow.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "payload                       c     armilla     × c",
                "flood-sequence 1024          10          11   1.100",
                "payload                 omniorb     × c",
                "flood-sequence 1024          12   1.200",
                "    published: C 23.52 (8.30), Orbix 7.85 (6.68), ORBeline 6.06 (8.14)",
            ]
        );
        assert_eq!(text(&records, 0).lines().count(), 9, "a column each");
    }
}
