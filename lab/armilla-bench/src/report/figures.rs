//! The charts of the experiments: one for each figure of the studies, ratios first.

use super::chart::{Chart, Form, Line, Point};
use super::questions::{COMBINED, Lead, lead};
use super::scale::{Kind, amount};
use crate::published;
use crate::record::{Cell, Record};

/// The charts of an experiment.
pub(super) fn figures(experiment: &str, records: &[Record]) -> Vec<Chart> {
    match experiment {
        "ttcp" => bulk(records),
        "latency" => [payloads(records), objects(records), units_of_objects(records)].concat(),
        "demux" => demultiplexing(records),
        "batch" => batches(records),
        _ => Vec::new(),
    }
}

/// The anchor of the chart that shows a cell in ratios, or where there are none in its unit.
pub(super) fn anchor(cell: &Cell) -> String {
    let over = match (cell.experiment, cell.objects, cell.units) {
        ("demux", ..) => format!("{}-{}", cell.operations, cell.order),
        ("batch", ..) => String::new(),
        ("latency", _, 0) => format!("{}-{}", cell.payload, cell.order),
        _ => cell.payload.to_owned(),
    };
    let Cell { experiment, transport, placement, queue, group, .. } = cell;
    let words = format!("{experiment}-{transport}-{placement}-{over}-{queue}-{group}");
    words.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
}

/// A figure: its title, axes and scale.
struct Figure {
    title: String,
    note: String,
    x: &'static str,
    log_x: bool,
    vertical: Kind,
}

/// A curve: the program that gives it its colour, and its form.
type Curve = (String, Form);

/// The curve of a program.
fn by_program(record: &Record) -> Curve {
    (record.program.clone(), Form::Plain)
}

impl Figure {
    /// The chart of the records that `filter` accepts, over `place`; `None` with fewer than two
    /// points.
    fn chart(
        self,
        records: &[Record],
        filter: impl Fn(&Cell) -> bool,
        place: fn(&Cell) -> f64,
    ) -> Option<Chart> {
        self.curves(records, |record| filter(&record.cell), place, by_program)
    }

    /// The same with curves of other things than programs.
    fn curves(
        self,
        records: &[Record],
        filter: impl Fn(&Record) -> bool,
        place: fn(&Cell) -> f64,
        curve: impl Fn(&Record) -> Curve,
    ) -> Option<Chart> {
        let Self { title, note, x, log_x, vertical } = self;
        let ratios = vertical == Kind::Ratios;
        let mut lines: Vec<Line> = Vec::new();
        let mut first = None;
        for record in records.iter().filter(|record| filter(record)) {
            let value = if ratios { record.ratio_to_c } else { Some(record.median) };
            // The ratio of plain sockets is always 1.
            let Some(y) = value.filter(|_| !ratios || record.program != "c") else { continue };
            first = first.or(Some(record));
            let spread = (!ratios && record.repetitions > 1).then_some((record.p1, record.p99));
            let point = Point { x: place(&record.cell), y, spread };
            let (name, form) = curve(record);
            match lines.iter_mut().find(|line| line.name == name && line.form == form) {
                Some(line) => line.points.push(point),
                None => lines.push(Line { name, points: vec![point], form }),
            }
        }
        for line in &mut lines {
            line.points.sort_by(|a, b| a.x.total_cmp(&b.x));
        }
        let first = first.filter(|_| lines.iter().any(|line| line.points.len() > 1))?;
        let better = if first.metric.is_less_better() { "less" } else { "more" };
        let y = if ratios { "times plain C sockets".into() } else { first.unit.to_owned() };
        let spread = if ratios { "" } else { "; bars: 1 % to 99 %" };
        let note = format!("{note}; {better} is better{spread}");
        let Lead { question, source } = lead(&first.cell, ratios);
        let id = anchor(&first.cell) + if ratios { "" } else { "-values" };
        Some(Chart { id, question, source, title, note, x, y, log_x, vertical, lines })
    }
}

/// The distinct keys of the cells, in the order of first appearance.
fn kinds<K: PartialEq>(records: &[Record], kind: impl Fn(&Cell) -> K) -> Vec<K> {
    let mut kinds = Vec::new();
    for record in records {
        let kind = kind(&record.cell);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// A figure of ratios and one of values.
const BOTH: [(&str, Kind); 2] = [("ratio to C", Kind::Ratios), ("", Kind::Linear)];

/// The title of a payload.
fn words(payload: &str) -> String {
    match payload {
        "flood-sequence" => "oneway sequence<octet>".into(),
        "flood-string" => "oneway string".into(),
        "twoway-sequence" => "twoway sequence<octet>".into(),
        "twoway-string" => "twoway string".into(),
        "structs" => "sequence<BinStruct>".into(),
        "oneway-structs" => "oneway sequence<BinStruct>".into(),
        "oneway-octets" => "oneway sequence<octet>".into(),
        plural => format!("sequence<{}>", plural.trim_end_matches('s')),
    }
}

fn title(experiment: &str, what: &str, more: &str) -> String {
    let what = what.to_owned();
    match more {
        "" => format!("{experiment} {what}"),
        more => format!("{experiment} {what}: {more}"),
    }
}

/// What a transport is between.
fn between(transport: &str) -> String {
    match published::line(transport) {
        Some(line) => format!("tcp between two network namespaces, {line}"),
        None => transport.to_owned(),
    }
}

/// E1: throughput over the size of the buffers, a figure for each form, queue size and placement.
fn bulk(records: &[Record]) -> Vec<Chart> {
    let mut charts = Vec::new();
    let kind = |c: &Cell| (c.transport, c.placement, c.payload, c.queue);
    for here in kinds(records, kind) {
        let (transport, placement, payload, queue) = here;
        let queues = match queue {
            0 => "the system's queues".to_owned(),
            queue => format!("queues of {}", amount(queue as f64)),
        };
        let filter = |cell: &Cell| kind(cell) == here;
        for (what, vertical) in BOTH {
            // The published curves lie far below those of today.
            let vertical = if vertical == Kind::Linear { Kind::Logarithmic } else { vertical };
            let title = title("E1", &words(payload), what);
            let note = format!("{}, {placement}, {queues}", between(transport));
            let figure = Figure { title, note, x: "octets per buffer", log_x: true, vertical };
            let chart = figure.chart(records, filter, |cell| f64::from(cell.units));
            let is_tcp = transport.starts_with("tcp");
            charts.extend(chart.map(|chart| match is_tcp {
                true => with_published(chart, transport, payload, queue),
                false => chart,
            }));
        }
    }
    charts
}

/// Adds the published curves: ratios to plain sockets or Mbit/s, as the chart has.
fn with_published(mut chart: Chart, transport: &str, payload: &str, queue: usize) -> Chart {
    let ratios = chart.vertical == Kind::Ratios;
    let mut added = Vec::new();
    for line in &chart.lines {
        let points = line.points.iter().filter_map(|point| {
            let size = point.x as u32;
            let found = published::bulk(&line.name, payload, queue, size)?;
            let plain = published::bulk("c", "flood-sequence", queue, size)?;
            let value = found.over(transport);
            let y = if ratios { value / plain.over(transport) } else { value };
            Some((Point { x: point.x, y, spread: None }, found.product))
        });
        let (points, products): (Vec<_>, Vec<_>) = points.unzip();
        if let (true, Some(product)) = (points.len() > 1, products.first()) {
            added.push(Line { name: line.name.clone(), points, form: Form::Published(product) });
        }
    }
    chart.lines.extend(added);
    chart
}

/// E2: latency over the units of each payload.
fn payloads(records: &[Record]) -> Vec<Chart> {
    let mut charts = Vec::new();
    let kind = |c: &Cell| (c.transport, c.placement, c.payload, c.group, c.units > 0);
    let whole = kinds(records, kind).into_iter().filter(|kind| kind.4 && kind.3 != COMBINED);
    for here in whole {
        let (transport, placement, payload, group, _) = here;
        let filter = |cell: &Cell| kind(cell) == here;
        for (what, vertical) in BOTH {
            let title = title("E2", &words(payload), what);
            let comma = if group.is_empty() { "" } else { ", " };
            let note = format!("{transport}, {placement}{comma}{group}");
            let figure = Figure { title, note, x: "units", log_x: true, vertical };
            charts.extend(figure.chart(records, filter, |cell| f64::from(cell.units)));
        }
    }
    charts
}

/// E2: latency over the units of each payload, a curve for each number of objects and a chart for
/// each program.
fn units_of_objects(records: &[Record]) -> Vec<Chart> {
    let numbers = kinds(records, |cell| (cell.group == COMBINED).then_some(cell.objects));
    let numbers: Vec<u32> = numbers.into_iter().flatten().collect();
    let mut programs: Vec<&str> = Vec::new();
    for record in records.iter().filter(|r| r.cell.group == COMBINED && r.program != "c") {
        if !programs.contains(&record.program.as_str()) {
            programs.push(&record.program);
        }
    }
    let payloads = kinds(records, |cell| (cell.group == COMBINED).then_some(cell.payload));
    let mut charts = Vec::new();
    for payload in payloads.into_iter().flatten() {
        for program in &programs {
            let title = title("E2", &format!("{}, {program}", words(payload)), "");
            let note = "tcp, one core, a curve for each number of objects".to_owned();
            let vertical = Kind::Linear;
            let figure = Figure { title, note, x: "units", log_x: true, vertical };
            let filter = |record: &Record| {
                let cell = &record.cell;
                (cell.group, cell.payload, record.program.as_str()) == (COMBINED, payload, program)
            };
            let curve = |record: &Record| {
                let objects = record.cell.objects;
                let number = numbers.iter().position(|n| *n == objects).unwrap_or(0);
                let what = format!("{objects} object{}", if objects == 1 { "" } else { "s" });
                (record.program.clone(), Form::Numbered(what, number))
            };
            let chart = figure.curves(records, filter, |cell| f64::from(cell.units), curve);
            charts.extend(
                chart.map(|chart| Chart { id: format!("{}-{program}", chart.id), ..chart }),
            );
        }
    }
    charts
}

/// E2: latency over the number of objects.
fn objects(records: &[Record]) -> Vec<Chart> {
    let mut charts = Vec::new();
    let kind = |c: &Cell| (c.transport, c.placement, c.order, c.group, c.payload);
    let without = |payload: &str| matches!(payload, "void" | "oneway-void");
    for here in kinds(records, kind).into_iter().filter(|kind| without(kind.4)) {
        let (transport, placement, order, group, payload) = here;
        let filter = |cell: &Cell| kind(cell) == here;
        let order = if order == "train" { "request train" } else { "round robin" };
        let calls = if payload == "void" { "void calls" } else { "oneway void calls" };
        let title = title("E2", &format!("{calls} to many objects"), order);
        let comma = if group.is_empty() { "" } else { ", " };
        let note = format!("{transport}, {placement}{comma}{group}");
        let figure = Figure { title, note, x: "objects", log_x: true, vertical: Kind::Linear };
        charts.extend(figure.chart(records, filter, |cell| f64::from(cell.objects)));
    }
    charts
}

/// E3: the time of a dispatch over the number of objects, a figure for each number of operations.
fn demultiplexing(records: &[Record]) -> Vec<Chart> {
    let mut charts = Vec::new();
    for (operations, order) in kinds(records, |cell| (cell.operations, cell.order)) {
        let filter = |cell: &Cell| (cell.operations, cell.order) == (operations, order);
        let plural = if operations == 1 { "operation" } else { "operations" };
        let what = format!("dispatch, {operations} {plural} per object");
        let more = if order == "worst" { "worst case" } else { order };
        let (title, note) = (title("E3", &what, more), "within one process".into());
        let vertical = Kind::Logarithmic;
        let figure = Figure { title, note, x: "objects", log_x: true, vertical };
        charts.extend(figure.chart(records, filter, |cell| f64::from(cell.objects)));
    }
    charts
}

/// E5: the time for all strings over their number: a call for each, and one for all.
fn batches(records: &[Record]) -> Vec<Chart> {
    let mut charts = Vec::new();
    for transport in kinds(records, |cell| cell.transport) {
        let filter = |record: &Record| record.cell.transport == transport;
        let curve = |record: &Record| {
            let form = match record.cell.payload {
                "many-strings" => Form::Dotted("one call for all"),
                _ => Form::Plain,
            };
            (record.program.clone(), form)
        };
        for (what, vertical) in [("ratio to C", Kind::Ratios), ("", Kind::Logarithmic)] {
            let title = title("E5", "strings, one by one and all at once", what);
            let note = format!("{}, one core; dotted: one call for all", between(transport));
            let figure = Figure { title, note, x: "strings", log_x: false, vertical };
            charts.extend(figure.curves(records, filter, |cell| f64::from(cell.units), curve));
        }
    }
    charts
}
