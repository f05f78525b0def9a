//! The page of the experiment: what came out in a sentence, the bars, charts and a table.

use super::program::{C, FLOW, ONEWAY, TWOWAY, WAYS, Way};
use super::{Imaging, ImagingCell};
use crate::report::{Rate, RateLine, document, escape, preface, rate_chart, table};
use std::fmt::Write;

/// What the studies say.
const PUBLISHED: &str = "A distributed radiology system of the nineties moved images of 10 to 40 \
    MiB between hospitals. Object calls were its signalling plane: they found an image and agreed \
    on an endpoint. A typed stream carried the octets, because brokers of the time moved bulk data \
    at 39 Mbit/s at most where plain C sockets reached 62, over 155 Mbit/s ATM (E1).";

/// How it was measured.
const METHOD: &str = "All ways move the same files, which are in the page cache of the server, \
    into a buffer of the viewer, and take turns round by round; what came is compared by a \
    checksum after its time was taken. Plain sockets send with sendfile over a connection that \
    stays. Calls carry parts of 1 MiB; two twoway calls are under way at a time. The ratio (× c) \
    is the median over the rounds of the ratio to plain sockets in the same round; s/GiB is \
    processor time, user and system, of both processes; memory is the peak of the server.";

impl Imaging {
    /// The results as one self-contained HTML document.
    pub fn html(&self) -> String {
        let lacks = (&self.absent[..], &self.failures[..], self.interrupted);
        let mut body = preface(&self.machine, &self.conclusion(), lacks);
        // Writing to a string cannot fail.
        let _ = writeln!(body, "<p>{PUBLISHED}</p>");
        self.bar_table(&mut body);
        body.push_str("<div class=figures>\n");
        self.charts(&mut body);
        let _ = write!(body, "</div>\n<p>{METHOD}</p>\n");
        body.push_str(&self.table());
        document("E6 Imaging", &body)
    }

    /// What came out, in a sentence: the large images for one viewer on one host, or where else they
    /// were measured.
    pub(super) fn conclusion(&self) -> String {
        let Some(place) = self.cells.first().map(|cell| cell.place) else {
            return "Nothing was measured.".to_owned();
        };
        let of = |way: Way, value: fn(&ImagingCell) -> Option<f64>| -> String {
            let single = |cell: &&ImagingCell| {
                (cell.place, cell.way, cell.viewers) == (place, way.name, 1)
                    && cell.image_count == 1
            };
            let values = self.cells.iter().filter(single).filter_map(value);
            let (low, high) = values
                .fold((f64::INFINITY, 0.0), |(low, high), value| (value.min(low), value.max(high)));
            match format!("{low:.2}") {
                _ if low > high => "–".to_owned(),
                low if low == format!("{high:.2}") => low,
                low => format!("{low} to {high:.2}"),
            }
        };
        let ratio = |way| of(way, |cell| cell.ratio_to_c);
        let used = |way| of(way, |cell| Some(cell.processor_seconds_per_gib));
        let place = match place.mbits {
            None => "On one host".to_owned(),
            Some(_) => format!("Over {}", place.describe()),
        };
        format!(
            "{place}: one viewer gets single images at {} × plain sockets by a flow that the ORB \
             signals, {} × in twoway calls and {} × in oneway calls; a GiB takes {}, {} and {} \
             seconds of processor time, and {} by plain sockets.",
            ratio(FLOW),
            ratio(TWOWAY),
            ratio(ONEWAY),
            used(FLOW),
            used(TWOWAY),
            used(ONEWAY),
            used(C)
        )
    }

    fn bar_table(&self, out: &mut String) {
        let bars = self.bars();
        if bars.is_empty() {
            return;
        }
        out.push_str("<h2>Required</h2>\n<div class=scroll><table class=demands><thead>");
        out.push_str(
            "<tr><th>requirement, images from 10 MiB on<th>worst<th>of<th>result<tbody>\n",
        );
        for bar in bars {
            let (class, verdict) =
                if bar.met { ("met", "✓ met") } else { ("missed", "✗ missed") };
            let (demand, worst) = (escape(bar.demand), escape(&bar.worst));
            let _ = writeln!(
                out,
                "<tr><td>{demand}<td>{:.3}<td>{worst}<td class={class}>{verdict}",
                bar.measured
            );
        }
        out.push_str("</table></div>\n");
    }

    /// For each place and number of viewers a chart of rates and one of processor time, over the
    /// size of single images.
    fn charts(&self, out: &mut String) {
        let mut places: Vec<_> = self.cells.iter().map(|cell| (cell.place, cell.viewers)).collect();
        let mut seen = Vec::new();
        places.retain(|place| {
            !seen.contains(place) && {
                seen.push(*place);
                true
            }
        });
        for (place, viewers) in places {
            let line = |way: &Way, value: fn(&ImagingCell) -> Rate| {
                let cells = self.cells.iter().filter(|cell| {
                    (cell.place, cell.viewers, cell.way) == (place, viewers, way.name)
                        && cell.image_count == 1
                });
                let points =
                    cells.map(|cell| (cell.image_octets as f64 / f64::from(1 << 20), value(cell)));
                RateLine { name: way.name, points: points.collect() }
            };
            let title = match viewers {
                1 => format!("{}, one viewer", place.describe()),
                many => format!("{}, {many} viewers at once", place.describe()),
            };
            let rates = WAYS
                .map(|way| line(&way, |cell| (cell.rate, Some((cell.rate_min, cell.rate_max)))));
            let note = "all viewers together; bars span the rounds; more is better";
            out.push_str(&rate_chart(&title, note, "MiB/s", &rates));
            let used = WAYS.map(|way| line(&way, |cell| (cell.processor_seconds_per_gib, None)));
            let note = "processor time of both processes; less is better";
            out.push_str(&rate_chart(&title, note, "s/GiB", &used));
        }
    }

    fn table(&self) -> String {
        let head = [
            "where",
            "images",
            "viewers",
            "way",
            "MiB/s",
            "least",
            "most",
            "× c",
            "s/GiB",
            "memory, MiB",
            "rounds",
        ];
        let row = |cell: &ImagingCell| {
            vec![
                cell.place.describe(),
                cell.images.clone(),
                cell.viewers.to_string(),
                cell.way.to_owned(),
                format!("{:.0}", cell.rate),
                format!("{:.0}", cell.rate_min),
                format!("{:.0}", cell.rate_max),
                cell.ratio_to_c.map_or("–".to_owned(), |ratio| format!("{ratio:.3}")),
                format!("{:.3}", cell.processor_seconds_per_gib),
                format!("{:.0}", cell.server_peak as f64 / f64::from(1 << 20)),
                cell.rounds.to_string(),
            ]
        };
        table(&head, self.cells.iter().map(row))
    }
}
