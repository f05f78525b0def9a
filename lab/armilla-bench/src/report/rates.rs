//! The charts of the imaging experiment.

use super::chart::{Chart, Form, Line, Point};
use super::scale::Kind;

/// A line of a [`rate_chart`]: a way, and for each size in MiB the value with its spread.
pub(crate) struct RateLine {
    pub(crate) name: &'static str,
    pub(crate) points: Vec<(f64, Rate)>,
}

/// A value, and the least and the most of the rounds.
pub(crate) type Rate = (f64, Option<(f64, f64)>);

/// A chart over the sizes of images, as HTML; nothing without points.
pub(crate) fn rate_chart(title: &str, note: &str, unit: &str, lines: &[RateLine]) -> String {
    let lines = lines.iter().filter(|line| !line.points.is_empty()).map(|line| {
        let points = line.points.iter().map(|&(x, (y, spread))| Point { x, y, spread });
        Line { name: line.name.to_owned(), points: points.collect(), form: Form::Plain }
    });
    let lines: Vec<_> = lines.collect();
    if lines.is_empty() {
        return String::new();
    }
    let chart = Chart {
        id: format!("{title}, {unit}"),
        question: "",
        source: "",
        title: title.to_owned(),
        note: note.to_owned(),
        x: "MiB in an image",
        y: unit.to_owned(),
        log_x: true,
        vertical: Kind::Linear,
        lines,
    };
    chart.html()
}
