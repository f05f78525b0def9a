//! The page of the experiment: what came out in a sentence, a chart for each rate, and a table for
//! each part.

use super::{Cell, MutexWait, OverloadRun, RealTime, Variant};
use crate::report::{document, escape, latency_chart, preface, table};
use std::fmt::Write;

/// What the studies say.
const PUBLISHED: &str = "The studies of real-time brokers measured a client of high priority beside \
    more and more clients of low priority. Brokers of the time had one queue for all: the urgent \
    client waited for the others, and its latency and jitter grew with their number.";

/// How it was measured.
const METHOD: &str = "Each cell has a server of its own; all variants of a cell follow one another. \
    A latency lasts from the release of a period to the end of its call, which works 100 µs; each \
    call of a low-priority client works 1 ms. Missed: the call ended after the next release; late: \
    those missed because the timer woke the client too late; inverted: it took longer after the \
    wake-up than its work and a whole call of low priority; wake: how late the timer woke the \
    client. The ratio (× sockets) compares the quantile 0.999 with plain sockets at both \
    priorities in the same conditions.";

impl RealTime {
    /// The results as one self-contained HTML document.
    pub fn html(&self) -> String {
        let lacks = (&self.absent[..], &self.failures[..], self.interrupted);
        let mut body = preface(&self.machine, &self.conclusion(), lacks);
        // Writing to a string cannot fail.
        let _ = write!(
            body,
            "<p>{PUBLISHED}</p>\n<details><summary>What this machine grants of real time</summary>\
             <div class=scroll><pre>{}</pre></div></details>\n",
            escape(&self.platform)
        );
        if !self.cells.is_empty() {
            let _ = write!(
                body,
                "<h2>Calls beside load</h2>\n<div class=lead>{}</div>\n<p>{METHOD} Placement: \
                 {}.</p>\n{}",
                self.charts(),
                self.placement.name(),
                self.calls_table()
            );
        }
        if !self.overload.is_empty() {
            body.push_str("<h2>A server at 120 % load</h2>\n");
            self.overload.iter().for_each(|run| body.push_str(&run.section()));
        }
        if !self.mutexes.is_empty() {
            let _ = write!(
                body,
                "<h2>The wait for a mutex</h2>\n<p>An urgent thread waits for a mutex that a \
                 thread of low priority holds, while one of middle priority computes; µs.</p>\n{}",
                self.mutex_table()
            );
        }
        document("E7 Real time", &body)
    }

    /// What came out, in a sentence for each rate: the periods that each variant missed beside most
    /// clients.
    fn conclusion(&self) -> String {
        let mut rates: Vec<u32> = self.cells.iter().map(|cell| cell.rate).collect();
        rates.dedup();
        let sentences = rates.into_iter().filter_map(|rate| {
            let calls = |cell: &&Cell| cell.rate == rate && cell.load.kind == "calls";
            let most = self.cells.iter().filter(calls).map(|cell| cell.load.clients).max()?;
            let loaded =
                |cell: &&Cell| calls(cell) && (cell.load.clients, cell.load.percent) == (most, 100);
            let told = self.cells.iter().filter(loaded).map(|cell| {
                let (name, times) = (cell.variant.name(), cell.latencies);
                format!("{name} {} of {} ({:.0} µs)", times.missed, times.periods, times.p999)
            });
            let told = told.collect::<Vec<_>>().join(", ");
            Some(format!("At {rate} Hz beside {most} clients missed (99.9 % within): {told}."))
        });
        let sentences: Vec<_> = sentences.collect();
        match sentences.is_empty() {
            true => "No calls beside clients were measured.".to_owned(),
            false => sentences.join(" "),
        }
    }

    /// A chart for each rate, under the question that it answers.
    fn charts(&self) -> String {
        let mut out = String::new();
        let mut rates: Vec<u32> = self.cells.iter().map(|cell| cell.rate).collect();
        rates.dedup();
        for rate in rates {
            let lines = Variant::ALL.map(|variant| {
                let cells = self.cells.iter().filter(|cell| {
                    let calls = cell.load.kind == "idle" || cell.load.kind == "calls";
                    let whole = cell.load.percent == 0 || cell.load.percent == 100;
                    cell.rate == rate && cell.variant == variant && calls && whole
                });
                let points = cells.map(|cell| {
                    (f64::from(cell.load.clients), cell.latencies.p999, cell.latencies.p50)
                });
                (variant.name().to_owned(), points.collect())
            });
            let _ = writeln!(
                out,
                "<section><h3>How long does an urgent call take at {rate} Hz?</h3>{}</section>",
                latency_chart(&format!("{rate} Hz"), &lines)
            );
        }
        out
    }

    fn calls_table(&self) -> String {
        let head = [
            "load",
            "rate",
            "variant",
            "p50",
            "p99",
            "p99.9",
            "p99.99",
            "max",
            "wake",
            "missed",
            "late",
            "inverted",
            "× sockets",
        ];
        let row = |cell: &Cell| {
            let times = cell.latencies;
            let ratio = self.floor(cell).map(|floor| times.p999 / floor.latencies.p999);
            let micros =
                [times.p50, times.p99, times.p999, times.p9999, times.max, times.wake_p999];
            let mut row =
                vec![cell.load.describe(), format!("{} Hz", cell.rate), cell.variant.name().into()];
            row.extend(micros.map(|value| format!("{value:.0}")));
            row.extend([
                format!("{}/{}", times.missed, times.periods),
                times.woken_late.to_string(),
                times.inversions.to_string(),
                ratio.map_or(String::new(), |ratio| format!("{ratio:.2}")),
            ]);
            row
        };
        table(&head, self.cells.iter().map(row))
    }

    fn mutex_table(&self) -> String {
        let head = ["mutex", "section", "middle", "rounds", "p50", "p99", "max"];
        let row = |wait: &MutexWait| {
            let mut row = vec![wait.kind.name().to_owned()];
            row.extend([wait.section, wait.middle].map(|value| format!("{value:.0}")));
            row.push(wait.rounds.to_string());
            row.extend([wait.p50, wait.p99, wait.max].map(|value| format!("{value:.0}")));
            row
        };
        table(&head, self.mutexes.iter().map(row))
    }
}

impl OverloadRun {
    fn section(&self) -> String {
        let (strategy, seconds, misses) = (self.strategy, self.seconds, self.critical_misses());
        let head =
            ["operation", "critical", "released", "in time", "late", "cancelled", "unserved"];
        let rows = self.operations.iter().map(|operation| {
            let counts = [
                operation.arrived,
                operation.in_time,
                operation.late,
                operation.cancelled,
                operation.unserved,
            ];
            let critical = if operation.is_critical { "yes" } else { "" };
            let mut row = vec![operation.name.clone(), critical.to_owned()];
            row.extend(counts.map(|count| count.to_string()));
            row
        });
        format!(
            "<h3>{} for {seconds} s: {misses} critical deadlines missed</h3>\n{}",
            strategy.to_uppercase(),
            table(&head, rows)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Load, OverloadOperation};
    use super::*;
    use crate::latencies::Latencies;
    use crate::machine::{Machine, Placement, congestion};

    #[test]
    fn the_page_has_a_sentence_charts_in_several_colours_and_tables() {
        let cell = |variant, clients, missed| Cell {
            rate: 100,
            load: match clients {
                0 => Load::IDLE,
                clients => Load::calls(clients, 100),
            },
            variant,
            latencies: Latencies { missed, periods: 300, p999: 388.0, ..Latencies::default() },
        };
        let cells = Variant::ALL.into_iter().flat_map(|v| [cell(v, 0, 0), cell(v, 64, 7)]);
        let operation = OverloadOperation {
            name: "Nav::update".into(),
            is_critical: true,
            arrived: 9,
            in_time: 7,
            late: 1,
            cancelled: 1,
            unserved: 0,
        };
        let results = RealTime {
            machine: Machine::this(&congestion()),
            platform: "granted <b>".into(),
            cells: cells.collect(),
            overload: vec![OverloadRun {
                strategy: "muf",
                seconds: 4,
                operations: vec![operation],
            }],
            mutexes: Vec::new(),
            placement: Placement::Unpinned,
            absent: Vec::new(),
            failures: Vec::new(),
            interrupted: false,
        };
        let page = results.html();
        assert!(
            page.contains("At 100 Hz beside 64 clients missed (99.9 % within): timer 7 of 300")
        );
        for colour in ["\"c0\"", "\"c1\"", "\"c2\"", "\"c8\"", "\"c9\""] {
            assert!(page.contains(&format!("<g class={colour}>")), "{colour}");
        }
        assert!(page.contains("MUF for 4 s: 2 critical deadlines missed"));
        assert!(page.contains("<td>Nav::update<td>yes<td>9<td>7"));
        assert!(page.contains("granted &lt;b&gt;"), "the text of the platform is escaped");
        assert_eq!(page.matches("<pre>").count(), 1, "only the platform is preformatted");
    }
}
