//! The HTML report: one self-contained page with the bars, then for each experiment its conclusion,
//! a chart for each question, and all other charts and numbers folded.

use super::bars::{Bar, bars};
use super::chart::{Chart, escape};
use super::conclusions::conclusion;
use super::figures::figures;
use super::numbers;
use super::remarks::remarks;
use super::{gains, principles};
use crate::line::LinkCheck;
use crate::outcome::{Absent, Outcome};
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
    preface(outcome, &mut out);
    let names = experiments().filter_map(|records| records.first()).map(|r| r.cell.experiment);
    out.push_str("<nav>");
    for name in names {
        // Writing to a string cannot fail.
        let _ = write!(out, "<a href=\"#{name}\">{}</a>", heading(name));
    }
    if outcome.profiles.is_some() {
        out.push_str("<a href=\"#profiles\">Profiles</a>");
    }
    out.push_str("</nav>\n");
    demands(&outcome.records, &mut out);
    for records in experiments() {
        experiment(records, &outcome.links, &mut out);
    }
    if let Some(text) = &outcome.profiles {
        profiles(text, &mut out);
    }
    out + "</main></html>\n"
}

/// The profiles: the head of their text, and a table for each side of each program.
fn profiles(text: &str, out: &mut String) {
    let mut blocks = text.split("\n\n");
    let head = blocks.next().unwrap_or_default();
    let _ = writeln!(
        out,
        "<h2 id=profiles>Where the time goes</h2>\n<p class=facts>Throughput study, tables 1 and 2 \
         (floods); latency study, figures 27 and 28 (structs: the path of one request), tables 1 \
         and 2 (oneway calls to 500 objects)</p>\n<p class=facts>{}</p>",
        escape(head.trim()).replace('\n', "<br>")
    );
    for block in blocks {
        let (title, table) = block.trim().split_once('\n').unwrap_or((block, ""));
        let (title, table) = (escape(title), escape(table));
        let _ = writeln!(
            out,
            "<details><summary>{title}</summary><div class=scroll><pre>{table}</pre></div>\n\
             </details>"
        );
    }
}

/// The heading of an experiment.
fn heading(name: &str) -> &'static str {
    match name {
        "ttcp" => "E1 Bulk transfer",
        "latency" => "E2 Latency",
        "demux" => "E3 Demultiplexing",
        "ladder" => "E4 Optimizations",
        "batch" => "E5 One call for many items",
        "tails" => "E2 One call of a thousand takes longer",
        _ => "Others",
    }
}

/// The conditions, the machine, the method, and the absent programs.
fn preface(outcome: &Outcome, out: &mut String) {
    let machine = &outcome.machine;
    let [server, client] = machine.cores;
    let _ = writeln!(
        out,
        "<p class=facts>{}<br>{}; Armilla {}</p>\n\
         <details><summary>Method</summary><p>All programs of a cell ran in turn, round by round. \
         A ratio compares a program with plain C sockets: it is the median over the rounds of the \
         ratio in the same round. Placement: <i>one-core</i> runs both processes of a program on \
         processor {server}; <i>one-core-each</i> runs servers on {server} and clients on {client}\
         ; <i>unpinned</i> leaves the choice to the kernel. For bulk transfer within the machine \
         every program starts anew in each round, all buffers begin at a page, and a cell has up \
         to four times as many rounds while the same C program, measured as two, disagrees with \
         itself.</p></details>",
        outcome.conditions,
        escape(&machine.to_string()),
        machine.version
    );
    absences(&outcome.absent, out);
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

/// What could run with something installed, and, folded, what no installation makes possible.
fn absences(absent: &[Absent], out: &mut String) {
    let impossible = |absent: &&Absent| absent.remedy.starts_with("it does not support");
    for Absent { program, remedy } in absent.iter().filter(|absent| !impossible(absent)) {
        let _ = writeln!(out, "<p class=absent>Absent: {program} ({})</p>", escape(remedy));
    }
    let rest: Vec<_> = absent.iter().filter(impossible).collect();
    if !rest.is_empty() {
        out.push_str("<details><summary>What does not exist</summary><ul>");
        for Absent { program, remedy } in rest {
            let _ = write!(out, "<li>{program}: {}", escape(remedy));
        }
        out.push_str("</ul></details>\n");
    }
}

/// The table of bars. Each leads to the chart with its worst value, or to its experiment.
fn demands(records: &[Record], out: &mut String) {
    let bars = bars(records);
    if bars.is_empty() {
        return;
    }
    let charts: Vec<Chart> = records
        .chunk_by(|a, b| a.cell.experiment == b.cell.experiment)
        .flat_map(|part| part.first().map(|r| figures(r.cell.experiment, part)))
        .flatten()
        .collect();
    out.push_str("<h2>Required of the ORB</h2>\n<div class=scroll><table class=demands><thead>");
    out.push_str("<tr><th>requirement<th>measured<th>result<tbody>\n");
    for bar in bars {
        let (measured, Bar { demand, met, chart, .. }) = (bar.text(), bar);
        let (class, verdict) = if met { ("met", "✓ met") } else { ("missed", "✗ missed") };
        let shown = [chart.clone(), format!("{chart}-values")];
        let shown = shown.iter().find(|id| charts.iter().any(|chart| chart.id == **id));
        let experiment = chart.split('-').next().unwrap_or_default();
        let (place, demand) = (shown.map_or(experiment, String::as_str), escape(demand));
        let _ = writeln!(
            out,
            "<tr><td><a href=\"#{place}\">{demand}</a><td>{measured}<td class={class}>{verdict}"
        );
    }
    out.push_str("</table></div>\n");
}

/// The part of the page for one experiment.
fn experiment(records: &[Record], links: &[LinkCheck], out: &mut String) {
    let Some(name) = records.first().map(|record| record.cell.experiment) else { return };
    let _ = writeln!(out, "<h2 id={name}>{}</h2>", heading(name));
    if let Some(conclusion) = conclusion(name, records) {
        let _ = writeln!(out, "<p class=conclusion>{}</p>", escape(&conclusion));
    }
    let (asked, folded): (Vec<_>, Vec<_>) =
        figures(name, records).into_iter().partition(|chart| !chart.question.is_empty());
    out.push_str("<div class=lead>\n");
    for chart in asked {
        let question = escape(chart.question);
        let _ = writeln!(out, "<section><h3>{question}</h3>{}</section>", chart.html());
    }
    out.push_str("</div>\n");
    if name == "ladder" {
        let _ = writeln!(out, "<div class=lead>{}</div>", gains::html(records));
        out.push_str(&principles::html(records));
    }
    checks(records, links, out);
    out.push_str("<ul class=remarks>\n");
    for remark in remarks(name, records) {
        let _ = writeln!(out, "<li>published: {}", escape(&remark));
    }
    out.push_str("</ul>\n");
    if !folded.is_empty() {
        let count = folded.len();
        let _ = writeln!(out, "<details><summary>{count} more charts</summary><div class=figures>");
        folded.iter().for_each(|chart| out.push_str(&chart.html()));
        out.push_str("</div></details>\n");
    }
    numbers::ratios(records, out);
    numbers::everything(records, out);
}

/// Whether the lines that the experiment used took as long as they should.
fn checks(records: &[Record], links: &[LinkCheck], out: &mut String) {
    let used = |link: &&LinkCheck| records.iter().any(|r| r.cell.transport == link.transport);
    let mut told: Vec<String> = Vec::new();
    for link in links.iter().filter(used) {
        let class = if link.is_met() { "met" } else { "missed" };
        let line = format!("<li class={class}>{}", escape(&link.to_string()));
        if !told.contains(&line) {
            told.push(line);
        }
    }
    if !told.is_empty() {
        let _ = writeln!(
            out,
            "<p>The lines, checked by datagrams in one direction before they were used:</p>\
             <ul class=remarks>{}</ul>",
            told.concat()
        );
    }
}
