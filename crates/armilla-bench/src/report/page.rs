//! The HTML report: one self-contained page with the bars, then for each experiment its charts and
//! all numbers.

use super::bars::{Bar, bars};
use super::chart::escape;
use super::figures::figures;
use super::gains;
use super::remarks::remarks;
use super::scale::amount;
use crate::outcome::Outcome;
use crate::published;
use crate::record::Record;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

/// The whole page.
pub(super) fn page(outcome: &Outcome) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=en><meta charset=utf-8>\
         <meta name=viewport content=\"width=device-width,initial-scale=1\">\
         <title>Armilla: experiments</title><style>{STYLE}</style>\n<main><h1>Experiments</h1>\n"
    );
    let experiments = || outcome.records.chunk_by(|a, b| a.cell.experiment == b.cell.experiment);
    let names = experiments().filter_map(|records| records.first()).map(|r| r.cell.experiment);
    out.push_str("<nav>");
    for name in names {
        // Writing to a string cannot fail.
        let _ = write!(out, "<a href=\"#{name}\">{}</a>", heading(name));
    }
    out.push_str("</nav>\n");
    preface(outcome, &mut out);
    demands(&outcome.records, &mut out);
    for records in experiments() {
        experiment(records, &mut out);
    }
    out + "</main></html>\n"
}

/// The heading of an experiment.
fn heading(name: &str) -> &'static str {
    match name {
        "ttcp" => "E1 Bulk transfer",
        "latency" => "E2 Latency",
        "demux" => "E3 Demultiplexing",
        "ladder" => "E4 Optimizations",
        "batch" => "E5 One call for many items",
        _ => "Others",
    }
}

/// The machine, the method, and the absent programs.
fn preface(outcome: &Outcome, out: &mut String) {
    let machine = &outcome.machine;
    let [server, client] = machine.cores;
    let _ = writeln!(
        out,
        "<p>{}; Armilla {}. All programs of a cell ran in turn, round by round. A ratio compares a \
         program with plain C sockets: it is the median over the rounds of the ratio in the same \
         round. Placement: <i>one-core</i> runs both processes of a program on processor {server}; \
         <i>one-core-each</i> runs servers on {server} and clients on {client}; <i>unpinned</i> \
         leaves the choice to the kernel.</p>",
        escape(&machine.to_string()),
        machine.version
    );
    for absent in &outcome.absent {
        let remedy = escape(&absent.remedy);
        let _ = writeln!(out, "<p class=absent>Absent: {} ({remedy})</p>", absent.program);
    }
    for failure in &outcome.failures {
        let _ = writeln!(out, "<p class=absent>Failed: {}</p>", escape(failure));
    }
    if !outcome.shortfall.is_none() {
        let _ = writeln!(out, "<p class=absent>Incomplete: {}</p>", outcome.shortfall);
    }
    if outcome.interrupted {
        out.push_str(
            "<p class=absent>The run was interrupted; the page shows the finished results.</p>\n",
        );
    }
}

/// The table of bars.
fn demands(records: &[Record], out: &mut String) {
    let bars = bars(records);
    if bars.is_empty() {
        return;
    }
    out.push_str("<h2>Required of the ORB</h2>\n<div class=scroll><table class=demands><thead>");
    out.push_str("<tr><th>requirement<th>measured<th>result<tbody>\n");
    for bar in bars {
        let (measured, Bar { demand, met, .. }) = (bar.text(), bar);
        let (class, verdict) = if met { ("met", "✓ met") } else { ("missed", "✗ missed") };
        let demand = escape(demand);
        let _ = writeln!(out, "<tr><td>{demand}<td>{measured}<td class={class}>{verdict}");
    }
    out.push_str("</table></div>\n");
}

/// The part of the page for one experiment.
fn experiment(records: &[Record], out: &mut String) {
    let Some(name) = records.first().map(|record| record.cell.experiment) else { return };
    let _ = writeln!(out, "<h2 id={name}>{}</h2>", heading(name));
    out.push_str("<ul class=remarks>\n");
    for remark in remarks(name, records) {
        let _ = writeln!(out, "<li>published: {}", escape(&remark));
    }
    out.push_str("</ul>\n<div class=figures>\n");
    if name == "ladder" {
        out.push_str(&gains::html(records));
    }
    for chart in figures(name, records) {
        out.push_str(&chart.html());
    }
    out.push_str("</div>\n");
    ratios(records, out);
    everything(records, out);
}

/// The table of ratios: one line for each cell, one column for each program.
fn ratios(records: &[Record], out: &mut String) {
    let compared = || records.iter().filter(|r| r.program != "c" && r.ratio_to_c.is_some());
    // In the ladder every row has its own programs.
    if compared().next().is_none_or(|record| record.cell.experiment == "ladder") {
        return;
    }
    let mut programs: Vec<&str> = Vec::new();
    for record in compared() {
        if !programs.contains(&record.program.as_str()) {
            programs.push(&record.program);
        }
    }
    out.push_str("<details><summary>Ratios to plain C sockets</summary><div class=scroll><table>");
    out.push_str("<thead><tr><th>cell");
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
    out.push_str("</table></div></details>\n");
}

fn label(record: &Record) -> String {
    let cell = &record.cell;
    let mut label = format!("{} · {}", cell.transport, cell.placement);
    if !cell.group.is_empty() {
        let _ = write!(label, " · {}", cell.group);
    }
    if cell.queue > 0 {
        let _ = write!(label, " · queues {}", amount(cell.queue as f64));
    }
    let _ = write!(label, " · {}", cell.label());
    label
}

/// The table of all numbers, with the published ones.
fn everything(records: &[Record], out: &mut String) {
    out.push_str("<details><summary>All results</summary><div class=scroll><table><thead><tr>");
    out.push_str("<th>cell<th>program<th>unit<th>median<th>1 %<th>99 %<th>min<th>max");
    out.push_str("<th>repetitions<th>× c<th>published<tbody>\n");
    for record in records {
        let Record { program, unit, median, p1, p99, min, max, repetitions, cell, .. } = record;
        let _ = write!(out, "<tr><td>{}<td>{}<td>{unit}", escape(&label(record)), escape(program));
        for value in [median, p1, p99, min, max] {
            let _ = write!(out, "<td>{value:.3}");
        }
        let ratio = record.ratio_to_c.map_or("–".into(), |ratio| format!("{ratio:.3}"));
        let published = published::bulk(program, cell.payload, cell.queue, cell.units);
        let published = published.map_or(String::new(), |found| found.to_string());
        let _ = writeln!(out, "<td>{repetitions}<td>{ratio}<td>{published}");
    }
    out.push_str("</table></div></details>\n");
}
