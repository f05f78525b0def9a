//! A line chart as SVG: its colours come from the page, so that it is light or dark with it.

use std::fmt::Write;

/// One chart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) x: &'static str,
    pub(crate) y: String,
    /// Whether the horizontal axis is logarithmic.
    pub(crate) log_x: bool,
    pub(crate) lines: Vec<Line>,
}

/// One program's values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// In ascending order of the first.
    pub(crate) points: Vec<(f64, f64)>,
    /// Whether it is a figure of a published study.
    pub(crate) published: bool,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 44.0;

/// How many colours the page has.
const COLOURS: usize = 8;

impl Chart {
    /// The chart with its legend, as a piece of HTML.
    pub(crate) fn html(&self) -> String {
        let mut out = String::new();
        let title = escape(&self.title);
        // Writing to a string cannot fail.
        let _ = write!(out, "<figure><figcaption>{title}</figcaption>{}", self.svg());
        out.push_str("<ul class=legend>");
        for (index, line) in self.lines.iter().enumerate() {
            let name = escape(&line.name);
            let kind = if line.published { " published" } else { "" };
            let _ = write!(out, "<li class=\"c{}{kind}\">{name}</li>", index % COLOURS);
        }
        out.push_str("</ul></figure>\n");
        out
    }

    fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let scaled = |x: f64| if self.log_x { x.max(1.0).log2() } else { x };
        let low = points().map(|p| scaled(p.0)).fold(f64::INFINITY, f64::min);
        let high = points().map(|p| scaled(p.0)).fold(f64::NEG_INFINITY, f64::max);
        let top = nice(points().map(|p| p.1).fold(0.0, f64::max));
        let span = (high - low).max(f64::MIN_POSITIVE);
        let across = |x: f64| LEFT + (scaled(x) - low) / span * (WIDTH - LEFT - RIGHT);
        let up = |y: f64| HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM);
        let title = escape(&self.title);
        let mut out =
            format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=img aria-label=\"{title}\">");
        for step in 0..=4 {
            let value = top * f64::from(step) / 4.0;
            let y = up(value);
            let (right, label) = (WIDTH - RIGHT, amount(value));
            let _ = write!(out, "<path class=grid d=\"M{LEFT} {y:.1}H{right}\"/>");
            let _ = write!(
                out,
                "<text x={} y={:.1} text-anchor=end>{label}</text>",
                LEFT - 6.0,
                y + 4.0
            );
        }
        for x in self.ticks() {
            let (at, label) = (across(x), amount(x));
            let y = HEIGHT - BOTTOM + 16.0;
            let _ = write!(out, "<text x={at:.1} y={y} text-anchor=middle>{label}</text>");
        }
        let (middle, below) = ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8.0);
        let _ = write!(out, "<text x={middle} y={below} text-anchor=middle>{}</text>", self.x);
        let _ = write!(
            out,
            "<text transform=\"translate(14 {}) rotate(-90)\" text-anchor=middle>{}</text>",
            HEIGHT / 2.0,
            escape(&self.y)
        );
        for (index, line) in self.lines.iter().enumerate() {
            draw(&mut out, index % COLOURS, line, across, up);
        }
        out + "</svg>"
    }

    /// Where the horizontal axis is labelled: at the values that there are, as far as they fit.
    fn ticks(&self) -> Vec<f64> {
        let mut all: Vec<f64> =
            self.lines.iter().flat_map(|line| line.points.iter().map(|p| p.0)).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        let every = all.len().div_ceil(10).max(1);
        all.into_iter().step_by(every).collect()
    }
}

fn draw(
    out: &mut String,
    colour: usize,
    line: &Line,
    across: impl Fn(f64) -> f64,
    up: impl Fn(f64) -> f64,
) {
    let kind = if line.published { " published" } else { "" };
    let place = |(x, y): &(f64, f64)| format!("{:.1} {:.1}", across(*x), up(*y));
    let path: Vec<_> = line.points.iter().map(place).collect();
    let _ = write!(out, "<path class=\"line c{colour}{kind}\" d=\"M{}\"/>", path.join("L"));
    for (x, y) in &line.points {
        let (name, value) = (escape(&line.name), amount(*y));
        let _ = write!(
            out,
            "<circle class=\"dot c{colour}{kind}\" cx={:.1} cy={:.1} r=3><title>{name}: {value}</title></circle>",
            across(*x),
            up(*y)
        );
    }
}

/// A round number at or above `value`.
fn nice(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 1.2, 1.6, 2.0, 2.4, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.map(|step| step * power).into_iter().find(|step| *step >= value).unwrap_or(value)
}

/// A number as short as it can be read: sizes in Ki, large ones in k and M.
pub(crate) fn amount(value: f64) -> String {
    let whole = value.fract() == 0.0;
    match value {
        v if whole && v >= 1_048_576.0 && v % 1_048_576.0 == 0.0 => {
            format!("{}Mi", v / 1_048_576.0)
        }
        v if whole && v >= 1024.0 && v % 1024.0 == 0.0 => format!("{}Ki", v / 1024.0),
        v if v >= 1e6 => format!("{}M", short(v / 1e6)),
        v if v >= 1e4 => format!("{}k", short(v / 1e3)),
        v => short(v),
    }
}

fn short(value: f64) -> String {
    let text = if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: &[(f64, f64)]) -> Chart {
        let line = Line { name: "a <b>".into(), points: points.to_vec(), published: false };
        let (x, y) = ("octets", "Mbit/s".to_owned());
        Chart { title: "t".into(), x, y, log_x: true, lines: vec![line] }
    }

    #[test]
    fn amounts_are_short() {
        let amounts = [0.5, 1.0, 24.25, 130.6, 65_536.0, 12_500.0, 3e6].map(amount);
        assert_eq!(amounts, ["0.5", "1", "24.25", "131", "64Ki", "12.5k", "3M"]);
    }

    #[test]
    fn every_point_is_drawn_within_the_frame() {
        let html = chart(&[(1.0, 0.1), (1024.0, 950.0), (131_072.0, 999.0)]).html();
        assert_eq!(html.matches("<circle").count(), 3);
        assert!(html.contains("a &lt;b&gt;") && !html.contains("NaN"), "{html}");
    }

    #[test]
    fn one_point_or_none_is_a_chart_too() {
        assert!(!chart(&[(5.0, 5.0)]).html().contains("NaN"));
        assert!(!chart(&[]).html().contains("NaN"));
    }
}
