//! Tables for a terminal: one for each kind of cell, a line for each cell, the programs beside each
//! other, the published value at the end.

use crate::experiments::Outcome;
use crate::published;
use crate::record::{Metric, Record};
use std::io::{self, Write};

/// Writes every table, then who was absent and what failed.
pub(super) fn print(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let machine = &outcome.machine;
    writeln!(
        out,
        "{}, {} processors, Linux {}, congestion control {}",
        machine.processor, machine.processors, machine.kernel, machine.congestion
    )?;
    for records in chunks(&outcome.records, |a, b| heading(a) == heading(b)) {
        table(records, out)?;
    }
    for absent in &outcome.absent {
        writeln!(out, "absent: {} ({})", absent.program, absent.remedy)?;
    }
    for failure in &outcome.failures {
        writeln!(out, "failed: {failure}")?;
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
    let queue = if cell.queue == 0 { "default".into() } else { format!("{} octets", cell.queue) };
    format!(
        "{} · {} · {} · {} · queues {queue} · {}",
        cell.experiment, cell.transport, cell.placement, cell.invocation, record.unit
    )
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
    write!(out, "{:<28}", "payload")?;
    for program in &programs {
        write!(out, " {:>12} {:>7}", program, if *program == "c" { "" } else { "× c" })?;
    }
    writeln!(out)?;
    for line in chunks(records, |a, b| a.cell == b.cell) {
        row(line, &programs, out)?;
    }
    Ok(())
}

fn row(line: &[Record], programs: &[&str], out: &mut dyn Write) -> io::Result<()> {
    let Some(first) = line.first() else { return Ok(()) };
    let cell = &first.cell;
    let mut label = format!("{} {}", cell.payload, cell.units);
    if cell.objects > 1 {
        label = format!("{label}, {} objects, {}", cell.objects, cell.order);
    }
    write!(out, "{label:<28}")?;
    for program in programs {
        match line.iter().find(|record| record.program == *program) {
            Some(record) => {
                let ratio = match record.ratio_to_c {
                    Some(ratio) if *program != "c" => format!("{ratio:.3}"),
                    _ => String::new(),
                };
                write!(out, " {:>12} {ratio:>7}", number(record))?;
            }
            None => write!(out, " {:>12} {:>7}", "–", "")?,
        }
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

fn number(record: &Record) -> String {
    match record.metric {
        Metric::Latency => format!("{:.2}", record.median),
        Metric::Throughput | Metric::Rate => format!("{:.0}", record.median),
    }
}
