//! The chart of the real-time experiment.

use super::chart::{Chart, Form, Line, Point};
use super::scale::Kind;

/// A line of a [`latency_chart`]: its name, and for each number of clients the quantile 0.999 and
/// the median.
pub(crate) type LatencyLine = (String, Vec<(f64, f64, f64)>);

/// A chart of latencies over the number of low-priority clients, as HTML.
pub(crate) fn latency_chart(title: &str, lines: &[LatencyLine]) -> String {
    let lines = lines.iter().filter(|(_, points)| !points.is_empty()).map(|(name, points)| {
        let points = points.iter().map(|(x, y, median)| Point {
            x: *x,
            y: *y,
            spread: Some((median.min(*y), *y)),
        });
        Line { name: name.clone(), points: points.collect(), form: Form::Plain }
    });
    let chart = Chart {
        id: title.to_owned(),
        question: "",
        source: "",
        title: title.to_owned(),
        note: "99.9 % of calls are faster; bars begin at the median; less is better".to_owned(),
        x: "low-priority clients",
        y: "µs".to_owned(),
        log_x: false,
        vertical: Kind::Logarithmic,
        lines: lines.collect(),
    };
    chart.html()
}
