//! Which charts the results make: one for each figure of the studies that was measured.

use super::chart::{Chart, Line};
use crate::published;
use crate::record::{Cell, Record};

/// Every chart, in the order of the experiments.
pub(super) fn figures(records: &[Record]) -> Vec<Chart> {
    let mut charts = Vec::new();
    charts.extend(bulk(records));
    charts.extend(payloads(records));
    charts.extend(objects(records));
    charts.extend(demultiplexing(records));
    charts.extend(batches(records));
    charts
}

/// A figure: which cells it shows, what is on its axes.
struct Figure {
    title: String,
    x: &'static str,
    log_x: bool,
    /// The ratios to plain sockets, not the values.
    ratios: bool,
}

impl Figure {
    /// The chart of the records that `takes` takes, over what `place` gives; `None` for fewer than
    /// two places.
    fn chart(
        self,
        records: &[Record],
        takes: impl Fn(&Cell) -> bool,
        place: fn(&Cell) -> f64,
    ) -> Option<Chart> {
        let mut lines: Vec<Line> = Vec::new();
        let mut unit = "";
        for record in records.iter().filter(|record| takes(&record.cell)) {
            let value = if self.ratios { record.ratio_to_c } else { Some(record.median) };
            let Some(value) = value else { continue };
            unit = record.unit;
            let point = (place(&record.cell), value);
            match lines.iter_mut().find(|line| line.name == record.program) {
                Some(line) => line.points.push(point),
                None => lines.push(Line {
                    name: record.program.clone(),
                    points: vec![point],
                    published: false,
                }),
            }
        }
        for line in &mut lines {
            line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let y = if self.ratios { "times plain sockets".into() } else { unit.to_owned() };
        let enough = lines.iter().any(|line| line.points.len() > 1);
        enough.then_some(Chart { title: self.title, x: self.x, y, log_x: self.log_x, lines })
    }
}

/// What is different among the cells of an experiment, in the order of its first appearance.
fn kinds<K: PartialEq>(records: &[Record], experiment: &str, kind: impl Fn(&Cell) -> K) -> Vec<K> {
    let mut kinds = Vec::new();
    for record in records.iter().filter(|record| record.cell.experiment == experiment) {
        let kind = kind(&record.cell);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// E1: throughput over the size of the buffers, a figure for each queue size and form.
fn bulk(records: &[Record]) -> Vec<Chart> {
    let mut charts = Vec::new();
    for (transport, payload, queue) in
        kinds(records, "ttcp", |cell| (cell.transport, cell.payload, cell.queue))
    {
        let queues =
            if queue == 0 { "default".to_owned() } else { format!("{} KiB", queue / 1024) };
        let title = |what| format!("E1 {what}: {payload} over {transport}, {queues} queues");
        let takes = |cell: &Cell| {
            let here = (cell.transport, cell.payload, cell.queue) == (transport, payload, queue);
            cell.experiment == "ttcp" && here
        };
        for (what, ratios) in [("ratio", true), ("throughput", false)] {
            let figure = Figure { title: title(what), x: "buffer, octets", log_x: true, ratios };
            let chart = figure.chart(records, takes, |cell| f64::from(cell.units));
            charts.extend(
                chart.map(
                    |chart| if ratios { with_published(chart, payload, queue) } else { chart },
                ),
            );
        }
    }
    charts
}

/// Adds the published ratios to plain sockets.
fn with_published(mut chart: Chart, payload: &str, queue: usize) -> Chart {
    let mut added = Vec::new();
    for line in &chart.lines {
        let points = line.points.iter().filter_map(|(size, _)| {
            published::bulk_ratio(&line.name, payload, queue, *size as u32).map(|r| (*size, r))
        });
        let points: Vec<_> = points.collect();
        let first = line.points.first().map_or(0.0, |p| p.0) as u32;
        let who = published::bulk(&line.name, payload, queue, first.max(1)).map(|(who, _)| who);
        if let (Some(who), true) = (who.filter(|who| *who != "C"), points.len() > 1) {
            added.push(Line { name: format!("{who}, published"), points, published: true });
        }
    }
    chart.lines.extend(added);
    chart
}

/// E2: latency over the units of each payload.
fn payloads(records: &[Record]) -> Vec<Chart> {
    let mut charts = Vec::new();
    for (placement, payload, invocation, group) in
        kinds(records, "latency", |c| (c.placement, c.payload, c.invocation, c.group))
    {
        let takes = |cell: &Cell| {
            let here = (cell.placement, cell.payload, cell.invocation, cell.group);
            let alike = here == (placement, payload, invocation, group);
            cell.experiment == "latency" && alike && cell.units > 0 && cell.transport == "tcp"
        };
        for (what, ratios) in [("ratio", true), ("latency", false)] {
            let title = format!("E2 {what}: {invocation} {payload}, {placement}");
            let figure = Figure { title, x: "units", log_x: true, ratios };
            charts.extend(figure.chart(records, takes, |cell| f64::from(cell.units)));
        }
    }
    charts
}

/// E2: latency over the number of objects.
fn objects(records: &[Record]) -> Vec<Chart> {
    let mut charts = Vec::new();
    for (order, group) in kinds(records, "latency", |cell| (cell.order, cell.group)) {
        let takes = |cell: &Cell| {
            cell.experiment == "latency"
                && (cell.order, cell.group) == (order, group)
                && cell.payload == "void"
                && cell.placement == "one-core"
                && cell.transport == "tcp"
        };
        let title = format!("E2 latency: void calls at many objects, {order}");
        let figure = Figure { title, x: "objects", log_x: true, ratios: false };
        charts.extend(figure.chart(records, takes, |cell| f64::from(cell.objects)));
    }
    charts
}

/// E3: the time of a dispatch over the number of objects, a figure for each number of operations.
fn demultiplexing(records: &[Record]) -> Vec<Chart> {
    let mut charts = Vec::new();
    for (operations, order) in kinds(records, "demux", |cell| (cell.operations, cell.order)) {
        let takes = |cell: &Cell| {
            cell.experiment == "demux" && (cell.operations, cell.order) == (operations, order)
        };
        let title = format!("E3 dispatch: {operations} operations an object, {order}");
        let figure = Figure { title, x: "objects", log_x: true, ratios: false };
        charts.extend(figure.chart(records, takes, |cell| f64::from(cell.objects)));
    }
    charts
}

/// E5: the time for all strings over their number.
fn batches(records: &[Record]) -> Vec<Chart> {
    let mut charts = Vec::new();
    for (transport, payload) in kinds(records, "batch", |cell| (cell.transport, cell.payload)) {
        let takes = |cell: &Cell| {
            cell.experiment == "batch" && (cell.transport, cell.payload) == (transport, payload)
        };
        for (what, ratios) in [("ratio", true), ("time", false)] {
            let title = format!("E5 {what}: {payload} over {transport}");
            let figure = Figure { title, x: "strings", log_x: false, ratios };
            charts.extend(figure.chart(records, takes, |cell| f64::from(cell.units)));
        }
    }
    charts
}
