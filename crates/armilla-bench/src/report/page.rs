//! One self-contained page: ratios first, then charts, then every number.

use super::bars::{Bar, bars};
use super::chart::{amount, escape};
use super::figures::figures;
use crate::experiments::Outcome;
use crate::published;
use crate::record::Record;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

/// The whole page.
pub(super) fn page(outcome: &Outcome) -> String {
    let machine = &outcome.machine;
    let mut out = format!(
        "<!doctype html>\n<html lang=en><meta charset=utf-8>\
         <meta name=viewport content=\"width=device-width,initial-scale=1\">\
         <title>Armilla: experiments</title><style>{STYLE}</style>\n<main><h1>Experiments</h1>\n"
    );
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<p>{}, {} processors, Linux {}, congestion control {}, Armilla {}. Programs ran side by \
         side, round by round; a ratio is the median over the rounds of a program's value to that \
         of plain C sockets in the same round.</p>",
        escape(&machine.processor),
        machine.processors,
        escape(&machine.kernel),
        escape(&machine.congestion),
        machine.version
    );
    for absent in &outcome.absent {
        let remedy = escape(&absent.remedy);
        let _ = writeln!(out, "<p class=absent>Absent: {} ({remedy})</p>", absent.program);
    }
    for failure in &outcome.failures {
        let _ = writeln!(out, "<p class=absent>Failed: {}</p>", escape(failure));
    }
    if outcome.interrupted {
        out.push_str("<p class=absent>The run was interrupted; this is what was finished.</p>\n");
    }
    demands(&outcome.records, &mut out);
    out.push_str("<h2>Ratios to plain sockets</h2>\n");
    ratios(&outcome.records, &mut out);
    out.push_str("<h2>Figures</h2>\n<div class=figures>\n");
    for chart in figures(&outcome.records) {
        out.push_str(&chart.html());
    }
    out.push_str("</div>\n<h2>All results</h2>\n");
    everything(&outcome.records, &mut out);
    out + "</main></html>\n"
}

/// What the ORB is held to, and what the studies reported beside their figures.
fn demands(records: &[Record], out: &mut String) {
    out.push_str("<h2>What the ORB is held to</h2>\n<div class=scroll><table><tbody>\n");
    for Bar { demand, measured, met } in bars(records) {
        let verdict = if met { "met" } else { "missed" };
        let _ = writeln!(out, "<tr><td>{}<td>{measured:.3}<td>{verdict}", escape(demand));
    }
    out.push_str("</table></div>\n<h2>What the studies reported</h2>\n<ul>\n");
    for experiment in records.chunk_by(|a, b| a.cell.experiment == b.cell.experiment) {
        let name = experiment.first().map_or("", |record| record.cell.experiment);
        for remark in published::remarks(name) {
            let _ = writeln!(out, "<li>{name}: {}", escape(remark));
        }
    }
    out.push_str("</ul>\n");
}

/// A line for each cell that has ratios, a column for each program.
fn ratios(records: &[Record], out: &mut String) {
    let mut programs: Vec<&str> = Vec::new();
    for record in records.iter().filter(|record| record.program != "c") {
        if !programs.contains(&record.program.as_str()) {
            programs.push(&record.program);
        }
    }
    out.push_str("<div class=scroll><table><thead><tr><th>cell");
    for program in &programs {
        let _ = write!(out, "<th>{}", escape(program));
    }
    out.push_str("<tbody>\n");
    for line in records.chunk_by(|a, b| a.cell == b.cell) {
        let Some(first) = line.first() else { continue };
        let _ = write!(out, "<tr><td>{}", escape(&label(first)));
        for program in &programs {
            let ratio = line.iter().find(|r| r.program == *program).and_then(|r| r.ratio_to_c);
            let _ = write!(out, "<td>{}", ratio.map_or("–".into(), |r| format!("{r:.3}")));
        }
        out.push('\n');
    }
    out.push_str("</table></div>\n");
}

fn label(record: &Record) -> String {
    let cell = &record.cell;
    let mut label = format!(
        "{} · {} · {} · {}",
        cell.experiment,
        if cell.group.is_empty() { cell.transport } else { cell.group },
        cell.placement,
        cell.label()
    );
    if cell.queue > 0 {
        let _ = write!(label, " · queues {}", amount(cell.queue as f64));
    }
    label
}

fn everything(records: &[Record], out: &mut String) {
    out.push_str(
        "<div class=scroll><table><thead><tr><th>cell<th>program<th>unit<th>median<th>1 %",
    );
    out.push_str("<th>99 %<th>least<th>most<th>repetitions<th>× c<tbody>\n");
    for record in records {
        let Record { program, unit, median, p1, p99, min, max, repetitions, .. } = record;
        let _ = write!(out, "<tr><td>{}<td>{}<td>{unit}", escape(&label(record)), escape(program));
        for value in [median, p1, p99, min, max] {
            let _ = write!(out, "<td>{value:.2}");
        }
        let ratio = record.ratio_to_c.map_or("–".into(), |ratio| format!("{ratio:.3}"));
        let _ = writeln!(out, "<td>{repetitions}<td>{ratio}");
    }
    out.push_str("</table></div>\n");
}
