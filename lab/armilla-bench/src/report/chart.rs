//! A line chart as SVG. Its colours come from the page, which has a light and a dark mode.

use super::markers::Marker;
use super::scale::{Kind, Scale, amount};
use std::fmt::Write;

/// One chart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chart {
    /// Its anchor on the page.
    pub(super) id: String,
    /// The question that it answers, if the reader sees it at once.
    pub(super) question: &'static str,
    /// The study and the number of its figure, if it has one.
    pub(super) source: &'static str,
    pub(super) title: String,
    /// The subtitle: the conditions, and whether more or less is better.
    pub(super) note: String,
    pub(super) x: &'static str,
    pub(super) y: String,
    /// Whether the horizontal axis is logarithmic.
    pub(super) log_x: bool,
    pub(super) vertical: Kind,
    pub(super) lines: Vec<Line>,
}

/// The values of a program.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// The program.
    pub(super) name: String,
    /// In ascending order of `x`.
    pub(super) points: Vec<Point>,
    pub(super) form: Form,
}

/// What distinguishes a line from others of its program.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    /// Nothing.
    Plain,
    /// A published figure of this product, which corresponds to the program.
    Published(&'static str),
    /// Another way of doing the same: its name. Dotted.
    Dotted(&'static str),
    /// One of several curves of one program: its name and number.
    Numbered(String, usize),
}

/// A value with its spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    /// The 1 % and 99 % quantiles, if known.
    pub(super) spread: Option<(f64, f64)>,
}

// Small, so that its text is legible on the screen of a phone.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 42.0;

/// The approximate width of a character.
const CHARACTER: f64 = 6.6;

impl Line {
    fn label(&self) -> String {
        match &self.form {
            Form::Plain => self.name.clone(),
            Form::Published(product) => format!("{product} (published)"),
            Form::Dotted(what) => format!("{}, {what}", self.name),
            Form::Numbered(what, _) => what.clone(),
        }
    }

    fn class(&self) -> String {
        let colour = Marker::of(&self.name).colour();
        match &self.form {
            Form::Plain => format!("c{colour}"),
            // All that is published is grey.
            Form::Published(_) => "published".to_owned(),
            Form::Dotted(_) => format!("c{colour} dotted"),
            Form::Numbered(_, number) => format!("c{colour} n{}", number.min(&5)),
        }
    }

    fn marker(&self) -> Marker {
        match self.form {
            Form::Numbered(_, number) => Marker::numbered(number),
            _ => Marker::of(&self.name),
        }
    }
}

impl Chart {
    /// The chart with its legend, as HTML.
    pub(super) fn html(&self) -> String {
        let mut out = String::new();
        let (title, note) = (escape(&self.title), escape(&self.note));
        let (id, source) = (escape(&self.id), escape(self.source));
        let source = if source.is_empty() { source } else { format!("<small>{source}</small>") };
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "<figure id=\"{id}\"><figcaption>{title}<small>{note}</small>{source}</figcaption>"
        );
        out.push_str(&self.svg());
        out.push_str("<ul class=legend>");
        // In the order of the ends of the lines, to make them easy to find.
        let mut lines: Vec<&Line> = self.lines.iter().collect();
        let last = |line: &Line| line.points.last().map_or(0.0, |point| point.y);
        lines.sort_by(|a, b| last(b).total_cmp(&last(a)));
        for line in lines {
            let (class, shape) = (line.class(), line.marker().shape(13.0, 6.0));
            let _ = write!(
                out,
                "<li><svg viewBox=\"0 0 26 12\" class=\"key {class}\" aria-hidden=true><path \
                 class=line d=\"M0 6H26\"/><path class=dot d=\"{shape}\"/></svg>{}</li>",
                escape(&line.label())
            );
        }
        out.push_str("</ul></figure>\n");
        out
    }

    fn svg(&self) -> String {
        let places = || self.lines.iter().flat_map(|line| &line.points).map(|point| point.x);
        let least = places().fold(f64::INFINITY, f64::min);
        let most = places().fold(f64::NEG_INFINITY, f64::max);
        let kind = if self.log_x { Kind::Logarithmic } else { Kind::Linear };
        let across = Scale::between(kind, least, most);
        let values = self.lines.iter().flat_map(|line| line.points.iter().map(|point| point.y));
        let up = Scale::holding(self.vertical, values);
        let frame = Frame { across, up };
        let title = escape(&self.title);
        let mut out =
            format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=img aria-label=\"{title}\">");
        self.axes(&frame, &mut out);
        for line in &self.lines {
            self.draw(line, &frame, &mut out);
        }
        out + "</svg>"
    }

    fn axes(&self, frame: &Frame, out: &mut String) {
        for &value in &frame.up.ticks {
            let (y, right, label) = (frame.y(value), WIDTH - RIGHT, amount(value));
            let class = if self.vertical == Kind::Ratios && value == 1.0 { "one" } else { "grid" };
            let _ = write!(out, "<path class={class} d=\"M{LEFT} {y:.1}H{right}\"/>");
            let (x, y) = (LEFT - 6.0, y + 4.0);
            let _ = write!(out, "<text x={x} y={y:.1} text-anchor=end>{label}</text>");
        }
        for (x, label) in self.places(frame) {
            let (foot, y) = (HEIGHT - BOTTOM, HEIGHT - BOTTOM + 16.0);
            let _ = write!(out, "<path class=tick d=\"M{x:.1} {foot}v4\"/>");
            let _ = write!(out, "<text x={x:.1} y={y} text-anchor=middle>{label}</text>");
        }
        let (middle, below) = ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 7.0);
        let _ = write!(out, "<text x={middle} y={below} text-anchor=middle>{}</text>", self.x);
        let (height, y) = ((TOP + HEIGHT - BOTTOM) / 2.0, escape(&self.y));
        let turned = format!("translate(13 {height}) rotate(-90)");
        let _ = write!(out, "<text transform=\"{turned}\" text-anchor=middle>{y}</text>");
    }

    /// The labels of the horizontal axis: as many of the values as fit, from the last on.
    fn places(&self, frame: &Frame) -> Vec<(f64, String)> {
        let mut all: Vec<f64> =
            self.lines.iter().flat_map(|line| line.points.iter().map(|point| point.x)).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        let mut free = f64::INFINITY;
        let mut places = Vec::new();
        for value in all.into_iter().rev() {
            let (x, label) = (frame.x(value), amount(value));
            let half = (label.len() as f64 + 1.0) * CHARACTER / 2.0;
            if x + half <= free {
                free = x - half;
                places.push((x, label));
            }
        }
        places
    }

    fn draw(&self, line: &Line, frame: &Frame, out: &mut String) {
        let place = |point: &Point| format!("{:.1} {:.1}", frame.x(point.x), frame.y(point.y));
        let path: Vec<_> = line.points.iter().map(place).collect();
        let _ = write!(
            out,
            "<g class=\"{}\"><path class=line d=\"M{}\"/>",
            line.class(),
            path.join("L")
        );
        for point in &line.points {
            let (x, y) = (frame.x(point.x), frame.y(point.y));
            let mut told =
                format!("{}, {} {}: {}", line.label(), amount(point.x), self.x, amount(point.y));
            let _ = write!(told, " {}", self.y);
            if let Some((low, high)) = point.spread {
                let (from, to) = (frame.y(low), frame.y(high));
                let _ = write!(out, "<path class=spread d=\"M{x:.1} {from:.1}V{to:.1}\"/>");
                let _ = write!(told, ", 1 % {}, 99 % {}", amount(low), amount(high));
            }
            let (shape, told) = (line.marker().shape(x, y), escape(&told));
            let _ = write!(out, "<path class=dot d=\"{shape}\"><title>{told}</title></path>");
        }
        out.push_str("</g>");
    }
}

/// The mapping of values to coordinates.
struct Frame {
    across: Scale,
    up: Scale,
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        LEFT + 8.0 + self.across.place(value) * (WIDTH - LEFT - RIGHT - 16.0)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.up.place(value) * (HEIGHT - TOP - BOTTOM)
    }
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: &[(f64, f64)]) -> Chart {
        let point = |&(x, y): &(f64, f64)| Point { x, y, spread: Some((y / 2.0, y * 20.0)) };
        let points = points.iter().map(point).collect();
        let line = Line { name: "a <b>".into(), points, form: Form::Plain };
        let (x, y, note) = ("octets", "Mbit/s".to_owned(), String::new());
        let (log_x, vertical) = (true, Kind::Linear);
        let (id, question, source) = ("i".to_owned(), "", "");
        let (title, lines) = ("t".into(), vec![line]);
        Chart { id, question, source, title, note, x, y, log_x, vertical, lines }
    }

    #[test]
    fn every_point_is_drawn_and_told() {
        let html = chart(&[(1.0, 0.1), (1024.0, 950.0), (131_072.0, 999.0)]).html();
        assert_eq!(html.matches("<title>a &lt;b&gt;").count(), 3);
        assert!(html.contains("1Ki octets: 950 Mbit/s, 1 % 475, 99 % 19k"), "{html}");
        assert!(!html.contains("NaN"), "{html}");
    }

    #[test]
    fn labels_do_not_cover_each_other() {
        let sizes: Vec<_> = (0..18).map(|power| (f64::from(1 << power), 1.0)).collect();
        let chart = chart(&sizes);
        let across = Scale::between(Kind::Logarithmic, 1.0, 131_072.0);
        let places =
            chart.places(&Frame { across, up: Scale::holding(Kind::Linear, [1.0].into_iter()) });
        assert_eq!(places[0].1, "128Ki");
        let half = |place: &(f64, String)| place.1.len() as f64 * CHARACTER / 2.0;
        let apart =
            |pair: &[(f64, String)]| pair[0].0 - pair[1].0 > half(&pair[0]) + half(&pair[1]);
        assert!(places.len() > 5 && places.windows(2).all(apart), "{places:?}");
    }

    #[test]
    fn one_point_or_none_is_a_chart_too() {
        assert!(!chart(&[(5.0, 5.0)]).html().contains("NaN"));
        assert!(!chart(&[]).html().contains("NaN"));
    }
}
