//! The page of a flight: what was measured of each operation, when it ran, and the critical
//! instant. One column, so that a narrow screen shows all of it.

use crate::flight::Flight;
use crate::instruments::{Instrument, Reading};
use crate::plan::Plan;
use crate::view::micros;
use armilla_schedule::timeline::critical_instant;
use std::fmt::Write;
use std::time::Duration;

/// How much of the flight the lanes show.
const SHOWN: Duration = Duration::from_millis(500);
/// The width of a lane. It is stretched to the width of the page.
const WIDTH: f64 = 1_000.0;

const STYLE: &str = "\
:root{color-scheme:light dark;--run:#2f6fb3;--late:#d33a2c;--lane:#8883}\
@media (prefers-color-scheme:dark){:root{--run:#6aa9ec;--late:#ff6b5c}}\
body{font:15px/1.4 system-ui,sans-serif;max-width:64rem;margin:1.5rem auto;padding:0 .75rem}\
h2{margin:2rem 0 .5rem}h3{font-size:1rem;margin:1.1rem 0 0;overflow-wrap:anywhere}\
.facts{display:flex;flex-wrap:wrap;gap:0 1.2em;margin:.1rem 0 .3rem;opacity:.85;\
font-variant-numeric:tabular-nums}\
.bad{color:var(--late);font-weight:600}\
.lane{display:block;width:100%;height:16px;background:var(--lane)}\
.run{fill:var(--run)}.late{fill:var(--late)}\
.axis,.key{display:flex;flex-wrap:wrap;justify-content:space-between;font-size:.85rem;opacity:.85}\
.key{justify-content:flex-start;gap:0 1.2em}\
.key i{display:inline-block;width:.8em;height:.8em;margin-right:.3em}\
.counts{height:1.1em;width:6em}\
";

/// One self-contained HTML document.
pub fn page(flight: &Flight, plan: &Plan) -> String {
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>Avionics</title><style>{STYLE}</style></head><body>\
         <h1>Avionics</h1>\
         <h2>What each operation did</h2>\
         <p class=\"key\"><span><i style=\"background:var(--run)\"></i>ended in time</span>\
         <span><i style=\"background:var(--late)\"></i>late</span>\
         <span>columns: latencies from 64 µs, each twice the one before</span></p>{}\
         <h2>The critical instant, as analysed</h2>{}</body></html>\n",
        operations(flight),
        critical_instant(&plan.system, &plan.report)
    )
}

/// A section for each operation, and the axis of their lanes.
fn operations(flight: &Flight) -> String {
    let readings: Vec<_> = flight.instruments.iter().map(|it| it.read()).collect();
    let ends = readings.iter().filter_map(|reading| Some(reading.runs.last()?.1));
    let start = ends.max().unwrap_or_default().saturating_sub(SHOWN);
    let mut html = String::new();
    let parts = flight.instruments.iter().zip(&readings).zip(&flight.connections);
    for ((instrument, reading), connection) in parts {
        let statistics = connection.statistics();
        let lost = statistics.discarded + statistics.expired + statistics.failed;
        // Writing to a string cannot fail.
        _ = write!(
            html,
            "<section><h3>{}</h3>{}{}</section>",
            instrument.operation,
            facts(instrument, reading, lost),
            lane(reading, start)
        );
    }
    let shown = SHOWN.as_millis();
    html + &format!(
        "<div class=\"axis\"><span>−{shown} ms</span><span>−{} ms</span><span>end</span></div>",
        shown / 2
    )
}

fn facts(instrument: &Instrument, reading: &Reading, lost: u64) -> String {
    let count = |number: u64, word: &str| match number {
        0 => format!("<span>0 {word}</span>"),
        number => format!("<span class=\"bad\">{number} {word}</span>"),
    };
    format!(
        "<div class=\"facts\"><span>{} met</span>{}{}<span>longest {} of {}</span>\
         <span>latest {}</span>{}</div>",
        reading.met,
        count(reading.missed, "missed"),
        count(lost, "lost"),
        micros(reading.longest),
        micros(instrument.deadline),
        micros(reading.latest),
        counts(reading)
    )
}

/// The histogram of latencies: a column for each bound. What occurred at all shows.
fn counts(reading: &Reading) -> String {
    let columns = reading.histogram.len();
    let most = reading.histogram.iter().copied().max().unwrap_or(0).max(1) as f64;
    let mut svg = format!(
        "<svg class=\"counts\" viewBox=\"0 0 {columns} 10\" preserveAspectRatio=\"none\" \
         role=\"img\" aria-label=\"how often each latency occurred\">"
    );
    for (column, count) in reading.histogram.iter().enumerate().filter(|(_, count)| **count > 0) {
        let height = (*count as f64 / most * 10.0).max(1.0);
        let top = 10.0 - height;
        _ = write!(
            svg,
            "<rect class=\"run\" x=\"{column}.1\" y=\"{top:.1}\" width=\".8\" \
             height=\"{height:.1}\"/>"
        );
    }
    svg + "</svg>"
}

/// When the operation ran, as SVG.
fn lane(reading: &Reading, start: Duration) -> String {
    let place =
        |time: Duration| time.saturating_sub(start).as_secs_f64() / SHOWN.as_secs_f64() * WIDTH;
    let mut svg = format!(
        "<svg class=\"lane\" viewBox=\"0 0 {WIDTH} 1\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"when it ran\">"
    );
    for (begun, ended, in_time) in reading.runs.iter().filter(|run| run.1 >= start) {
        let (left, right) = (place(*begun), place(*ended));
        let class = if *in_time { "run" } else { "late" };
        // What is too short to be seen is made wide enough.
        let width = (right - left).max(2.0);
        _ = write!(
            svg,
            "<rect class=\"{class}\" x=\"{left:.1}\" y=\"0\" width=\"{width:.1}\" height=\"1\"/>"
        );
    }
    svg + "</svg>"
}
