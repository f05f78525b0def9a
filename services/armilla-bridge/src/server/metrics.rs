//! What has crossed, in the text format of Prometheus.

use crate::counts::Counts;
use armilla_dcom::server::Usage;
use std::fmt::Write as _;

/// A row: its name, its kind, what it means, and how it follows from the counts.
type Row = (&'static str, &'static str, &'static str, fn(&Counts) -> u64);

/// What the page and Prometheus show.
pub(super) const ROWS: [Row; 8] = [
    ("to_corba_total", "counter", "Calls of programs of COM to objects of CORBA.", |it| {
        it.to_corba
    }),
    ("to_corba_failed_total", "counter", "Those that failed.", |it| it.to_corba_failed),
    ("to_com_total", "counter", "Calls of programs of CORBA to objects of COM.", |it| it.to_com),
    ("to_com_failed_total", "counter", "Those that failed.", |it| it.to_com_failed),
    ("refused_total", "counter", "Calls that the rules refused.", |it| it.refused),
    ("unwrapped_total", "counter", "References that came back to their own side.", |it| {
        it.unwrapped
    }),
    ("views", "gauge", "Objects and values of CORBA that programs of COM refer to.", |it| it.views),
    ("references", "gauge", "References of CORBA to objects of COM.", |it| it.references),
];

/// A row of what users of COM take: its name, its kind, what it means, and how it follows.
type UsageRow = (&'static str, &'static str, &'static str, fn(&Usage) -> u64);

const USAGE: [UsageRow; 3] = [
    (
        "com_over_quota_total",
        "counter",
        "What users of COM were refused, who had too much.",
        |it| it.refused(),
    ),
    ("com_calls", "gauge", "Calls of users of COM that are executed.", |it| {
        it.users().iter().map(|user| user.calls as u64).sum()
    }),
    ("com_objects", "gauge", "Objects that users of COM hold.", |it| {
        it.users().iter().map(|user| user.objects as u64).sum()
    }),
];

pub(super) fn text(counts: &Counts, usage: &Usage) -> String {
    let mut text = String::new();
    let rows = ROWS.iter().map(|(row, kind, help, value)| (row, kind, help, value(counts)));
    let usage = USAGE.iter().map(|(row, kind, help, value)| (row, kind, help, value(usage)));
    for (row, kind, help, value) in rows.chain(usage) {
        let name = format!("armilla_bridge_{row}");
        // Writing to a string does not fail.
        writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}").ok();
    }
    text
}
