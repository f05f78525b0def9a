//! The gains of E4, and their chart: a bar for each optimization, as long as its gain.

use super::chart::escape;
use super::scale::{Kind, Scale, amount};
use crate::record::{Gain, Metric, Record};
use std::fmt::Write;

const WIDTH: f64 = 420.0;
const LEFT: f64 = 10.0;
const RIGHT: f64 = 58.0;

/// How high a bar is with its name.
const STEP: f64 = 32.0;

/// The gain of an optimization: the last program of the row against the first.
pub(super) fn gain(line: &[Record]) -> Option<Gain> {
    let mut programs = line.iter().filter(|r| r.program != "c" && r.cell.experiment == "ladder");
    let without = programs.next()?;
    let with = programs.next_back()?;
    match with.metric {
        Metric::Instructions => Some(Gain::counted(without.median / with.median)),
        _ => with.gain,
    }
}

/// The charts of the ladder: times and instructions.
pub(super) fn html(records: &[Record]) -> String {
    let counted = |record: &Record| record.metric == Metric::Instructions;
    let chart = |wanted, title, note| {
        let lines = records.chunk_by(|a, b| a.cell == b.cell && counted(a) == counted(b));
        let lines = lines.filter(|line| line.first().is_some_and(|first| counted(first) == wanted));
        bars(lines.filter_map(|line| gain(line).map(|gain| (line, gain))).collect(), title, note)
    };
    chart(false, "E4 Gain of each optimization", "medians of interleaved rounds")
        + &chart(true, "E4 Gain in instructions", "client and server, in user space; counted")
}

/// The bars as HTML; empty if there are none.
fn bars(rungs: Vec<(&[Record], Gain)>, title: &str, note: &str) -> String {
    if rungs.is_empty() {
        return String::new();
    }
    let scale = Scale::holding(Kind::Ratios, rungs.iter().map(|(_, gain)| gain.times));
    let x = |gain: f64| LEFT + scale.place(gain) * (WIDTH - LEFT - RIGHT);
    let height = STEP * rungs.len() as f64 + 40.0;
    let mut out = format!(
        "<figure class=tall><figcaption>{title}<small>ratio to the same work without it; more is better; \
         {note}</small></figcaption>\
         <svg viewBox=\"0 0 {WIDTH} {height}\" role=img aria-label=\"{title}\">"
    );
    // Writing to a string cannot fail.
    for tick in &scale.ticks {
        let class = if *tick == 1.0 { "one" } else { "grid" };
        let (x, foot) = (x(*tick), height - 32.0);
        let _ = write!(out, "<path class={class} d=\"M{x:.1} 0V{foot}\"/>");
        let label = amount(*tick);
        let y = height - 18.0;
        let _ = write!(out, "<text x={x:.1} y={y} text-anchor=middle>{label}</text>");
    }
    let (middle, y) = (WIDTH / 2.0, height - 3.0);
    let _ = write!(out, "<text x={middle} y={y} text-anchor=middle>gain</text>");
    for (index, (line, gain)) in rungs.iter().enumerate() {
        let top = STEP * index as f64;
        let (from, to) = (x(1.0).min(x(gain.times)), x(1.0).max(x(gain.times)));
        let (y, width) = (top + 17.0, (to - from).max(1.5));
        let told = escape(&told(line));
        let _ = write!(out, "<text class=name x={LEFT} y={:.1}>{}</text>", top + 13.0, name(line));
        let _ = write!(
            out,
            "<rect class=\"c1 dot\" x={from:.1} y={y:.1} width={width:.1} height=9><title>{told}\
             </title></rect><text x={:.1} y={:.1}>{}</text>",
            to + 5.0,
            top + 26.0,
            times(gain)
        );
    }
    out.push_str("</svg></figure>\n");
    out
}

/// The gain, or its interval if it may be none.
fn times(gain: &Gain) -> String {
    match gain.is_certain() {
        true => format!("{} ×", amount(gain.times)),
        false => format!("{:.2}–{:.2} ×", gain.low, gain.high),
    }
}

/// The optimization and the work.
fn name(line: &[Record]) -> String {
    line.first().map_or(String::new(), |record| {
        let cell = &record.cell;
        match cell.transport {
            "memory" => escape(cell.group),
            _ => format!("{} – {}", escape(cell.group), escape(&cell.label())),
        }
    })
}

/// The values of all programs of the row, from without to with the optimization.
fn told(line: &[Record]) -> String {
    let programs = line.iter().filter(|record| record.program != "c");
    let values = programs.map(|r| format!("{} {} {}", r.program, amount(r.median), r.unit));
    values.collect::<Vec<_>>().join(" → ")
}
