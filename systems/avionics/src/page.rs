//! The page of a flight: the table, when each operation ran, and the critical instant.

use crate::flight::Flight;
use crate::plan::Plan;
use crate::view::table;
use armilla_schedule::timeline::critical_instant;
use std::fmt::Write;
use std::time::Duration;

/// How much of the flight the timeline shows.
const SHOWN: Duration = Duration::from_millis(500);
const WIDTH: f64 = 1_000.0;
const ROW: f64 = 34.0;

/// One self-contained HTML document.
pub fn page(flight: &Flight, plan: &Plan) -> String {
    format!(
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Avionics</title>\
         <style>:root{{color-scheme:light dark}}body{{font:15px system-ui;max-width:64rem;\
         margin:2rem auto;padding:0 1rem}}pre{{overflow-x:auto}}.flight{{width:100%;height:auto}}\
         .flight text{{fill:currentColor;font:12px system-ui}}.flight .run{{fill:#2f6fb3}}\
         .flight .late{{fill:#d33a2c}}.flight .lane{{fill:#8883}}.instant{{max-width:44rem}}\
         </style>\
         <h1>Avionics</h1><pre>{}</pre>\
         <h2>When each operation ran</h2><p>The last {} ms. Blue: in time; red: late.</p>{}\
         <h2>The critical instant, as analysed</h2><div class=\"instant\">{}</div></html>\n",
        table(flight),
        SHOWN.as_millis(),
        timeline(flight),
        critical_instant(&plan.system, &plan.report)
    )
}

/// When each operation ran, as SVG.
fn timeline(flight: &Flight) -> String {
    let readings: Vec<_> = flight.instruments.iter().map(|it| it.read()).collect();
    let ends = readings.iter().filter_map(|reading| Some(reading.runs.last()?.1));
    let end = ends.max().unwrap_or_default();
    let start = end.saturating_sub(SHOWN);
    let place =
        |time: Duration| time.saturating_sub(start).as_secs_f64() / SHOWN.as_secs_f64() * WIDTH;
    let height = ROW * flight.instruments.len() as f64;
    let mut svg = format!("<svg class=\"flight\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">");
    for (row, (instrument, reading)) in flight.instruments.iter().zip(&readings).enumerate() {
        let top = ROW * row as f64;
        // Writing to a string cannot fail.
        _ = write!(
            svg,
            "<text x=\"0\" y=\"{:.0}\">{}</text>\
             <rect class=\"lane\" x=\"0\" y=\"{:.0}\" width=\"{WIDTH}\" height=\"14\"/>",
            top + 12.0,
            instrument.operation,
            top + 16.0
        );
        for (begun, ended, in_time) in reading.runs.iter().filter(|run| run.1 >= start) {
            let (left, right) = (place(*begun), place(*ended));
            let class = if *in_time { "run" } else { "late" };
            // What is shorter than a pixel is shown as one.
            let width = (right - left).max(1.0);
            _ = write!(
                svg,
                "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{:.0}\" width=\"{width:.1}\" \
                 height=\"14\"/>",
                top + 16.0
            );
        }
    }
    svg + "</svg>"
}
