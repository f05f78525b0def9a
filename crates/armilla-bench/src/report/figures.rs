//! The charts of the experiments: one for each figure of the studies, ratios first.

use super::chart::{Chart, Line, Point};
use super::scale::{Kind, amount};
use crate::published;
use crate::record::{Cell, Record};

/// The charts of an experiment.
pub(super) fn figures(experiment: &str, records: &[Record]) -> Vec<Chart> {
    match experiment {
        "ttcp" => bulk(records),
        "latency" => [payloads(records), objects(records)].concat(),
        "demux" => demultiplexing(records),
        "batch" => batches(records),
        _ => Vec::new(),
    }
}

/// A figure: its title, axes and scale.
struct Figure {
    title: String,
    note: String,
    x: &'static str,
    log_x: bool,
    vertical: Kind,
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
        let Self { title, note, x, log_x, vertical } = self;
        let ratios = vertical == Kind::Ratios;
        let mut lines: Vec<Line> = Vec::new();
        let mut first = None;
        for record in records.iter().filter(|record| filter(&record.cell)) {
            let value = if ratios { record.ratio_to_c } else { Some(record.median) };
            // The ratio of plain sockets is always 1.
            let Some(y) = value.filter(|_| !ratios || record.program != "c") else { continue };
            first = first.or(Some(record));
            let spread = (!ratios && record.repetitions > 1).then_some((record.p1, record.p99));
            let point = Point { x: place(&record.cell), y, spread };
            match lines.iter_mut().find(|line| line.name == record.program) {
                Some(line) => line.points.push(point),
                None => {
                    let name = record.program.clone();
                    lines.push(Line { name, points: vec![point], published: None });
                }
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
        Some(Chart { title, note, x, y, log_x, vertical, lines })
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
        "single-strings" => "one call for each string".into(),
        "many-strings" => "one call for all strings".into(),
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
            let title = title("E1", &words(payload), what);
            let note = format!("{transport}, {placement}, {queues}");
            let figure = Figure { title, note, x: "octets per buffer", log_x: true, vertical };
            let chart = figure.chart(records, filter, |cell| f64::from(cell.units));
            charts.extend(chart.map(|chart| match vertical {
                Kind::Ratios if transport == "tcp" => with_published(chart, payload, queue),
                _ => chart,
            }));
        }
    }
    charts
}

/// Adds the published ratios to plain sockets.
fn with_published(mut chart: Chart, payload: &str, queue: usize) -> Chart {
    let mut added = Vec::new();
    for line in &chart.lines {
        let points = line.points.iter().filter_map(|point| {
            let ratio = published::bulk_ratio(&line.name, payload, queue, point.x as u32)?;
            Some(Point { x: point.x, y: ratio, spread: None })
        });
        let points: Vec<_> = points.collect();
        let first = line.points.first().map_or(0.0, |point| point.x) as u32;
        let product = published::bulk(&line.name, payload, queue, first).map(|found| found.product);
        if points.len() > 1 {
            added.push(Line { name: line.name.clone(), points, published: product });
        }
    }
    chart.lines.extend(added);
    chart
}

/// E2: latency over the units of each payload.
fn payloads(records: &[Record]) -> Vec<Chart> {
    let mut charts = Vec::new();
    let kind = |c: &Cell| (c.transport, c.placement, c.payload, c.group, c.units > 0);
    for here in kinds(records, kind).into_iter().filter(|kind| kind.4) {
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

/// E5: the time for all strings over their number.
fn batches(records: &[Record]) -> Vec<Chart> {
    let mut charts = Vec::new();
    for (transport, payload) in kinds(records, |cell| (cell.transport, cell.payload)) {
        let filter = |cell: &Cell| (cell.transport, cell.payload) == (transport, payload);
        for (what, vertical) in BOTH {
            let title = title("E5", &words(payload), what);
            let note = match transport {
                "tcp-100mbit" => "tcp between two network namespaces, 100 Mbit/s".into(),
                transport => format!("{transport}, one core"),
            };
            let figure = Figure { title, note, x: "strings", log_x: false, vertical };
            charts.extend(figure.chart(records, filter, |cell| f64::from(cell.units)));
        }
    }
    charts
}
