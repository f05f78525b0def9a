//! Tables for a terminal: one for each kind of cell, a line for each cell, the programs beside each
//! other, the published value at the end.

use super::bars::{Bar, bars};
use super::remarks::remarks;
use crate::experiments::Outcome;
use crate::published;
use crate::record::{Gain, Metric, Record};
use std::io::{self, Write};

/// Writes every table, then who was absent and what failed.
pub(super) fn print(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", outcome.machine)?;
    for experiment in chunks(&outcome.records, |a, b| a.cell.experiment == b.cell.experiment) {
        for records in chunks(experiment, |a, b| heading(a) == heading(b)) {
            table(records, out)?;
        }
        let name = experiment.first().map_or("", |record| record.cell.experiment);
        for remark in remarks(name, experiment) {
            writeln!(out, "published: {remark}")?;
        }
    }
    let bars = bars(&outcome.records);
    if !bars.is_empty() {
        writeln!(out, "\nwhat the ORB is held to")?;
    }
    for Bar { demand, measured, met } in bars {
        let verdict = if met { "met" } else { "MISSED" };
        writeln!(out, "{verdict:<6} {measured:>7.3}  {demand}")?;
    }
    for absent in &outcome.absent {
        writeln!(out, "absent: {} ({})", absent.program, absent.remedy)?;
    }
    for failure in &outcome.failures {
        writeln!(out, "failed: {failure}")?;
    }
    if !outcome.records.is_empty() {
        writeln!(
            out,
            "– stands where a program has no such call, or was not measured with so many objects"
        )?;
    }
    if !outcome.hurry.is_none() {
        writeln!(out, "hurried: {}", outcome.hurry)?;
    }
    if outcome.interrupted {
        writeln!(out, "interrupted: what was finished is above")?;
    }
    Ok(())
}

fn chunks(
    records: &[Record],
    alike: fn(&Record, &Record) -> bool,
) -> impl Iterator<Item = &[Record]> {
    records.chunk_by(alike)
}

/// What the cells of one table have in common.
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

fn table(records: &[Record], out: &mut dyn Write) -> io::Result<()> {
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
    let width = labels.max().unwrap_or(0).max(16);
    let heading = if to_one { "× 1" } else { "× c" };
    write!(out, "{:<width$}", "payload")?;
    for Column { program, width, compared } in &columns {
        write!(out, "  {program:>width$}{:>8}", if *compared { heading } else { "" })?;
    }
    writeln!(out)?;
    for line in chunks(records, |a, b| a.cell == b.cell) {
        row(line, width, &columns, out)?;
    }
    Ok(())
}

/// Where a program's values stand.
struct Column<'a> {
    program: &'a str,
    width: usize,
    compared: bool,
}

fn row(
    line: &[Record],
    label: usize,
    columns: &[Column<'_>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(first) = line.first() else { return Ok(()) };
    let cell = &first.cell;
    write!(out, "{:<label$}", cell.label())?;
    for Column { program, width, compared } in columns {
        let record = line.iter().find(|record| record.program == *program);
        let value = record.map_or("–".into(), number);
        let ratio = record.filter(|_| *compared).and_then(|r| r.ratio_to_one.or(r.ratio_to_c));
        let ratio = ratio.map_or(String::new(), |ratio| format!("{ratio:.3}"));
        write!(out, "  {value:>width$}{ratio:>8}")?;
    }
    match gain(line) {
        Some(gain) if gain.is_certain() => write!(out, "   {:.2} times as good", gain.times)?,
        Some(Gain { low, high, .. }) => {
            write!(out, "   between {low:.2} and {high:.2} times as good")?;
        }
        None => {}
    }
    let published = line.iter().filter_map(|record| {
        let (who, value) = published::bulk(&record.program, cell.payload, cell.queue, cell.units)?;
        Some(format!("{who} {value}"))
    });
    let published: Vec<_> = published.collect();
    match published.is_empty() {
        true => writeln!(out),
        false => writeln!(out, "   published: {}", published.join(", ")),
    }
}

/// What an optimization brings: with all of it against without it.
pub(super) fn gain(line: &[Record]) -> Option<Gain> {
    let mut programs = line.iter().filter(|r| r.program != "c" && r.cell.experiment == "ladder");
    let without = programs.next()?;
    let with = programs.next_back()?;
    match with.metric {
        Metric::Instructions => Some(Gain::counted(without.median / with.median)),
        _ => with.gain,
    }
}

fn number(record: &Record) -> String {
    match record.metric {
        Metric::Latency if record.median < 1.0 => format!("{:.3}", record.median),
        Metric::Latency => format!("{:.2}", record.median),
        _ => format!("{:.0}", record.median),
    }
}
