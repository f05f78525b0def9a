//! The reports of a run: the progress line, text tables, JSON, and an HTML page.

mod bars;
mod chart;
mod conclusions;
mod document;
mod figures;
mod gains;
mod markers;
mod numbers;
mod page;
mod principles;
mod progress;
mod questions;
mod rates;
mod realtime;
mod remarks;
mod scale;
mod table;
mod terminal;

pub(crate) use chart::escape;
pub(crate) use document::{document, preface, table};
pub(crate) use progress::Progress;
pub(crate) use rates::{Rate, RateLine, rate_chart};
pub(crate) use realtime::latency_chart;

use crate::outcome::Outcome;
use serde_json::json;
use std::io::{self, Write};
use std::os::fd::AsFd;

impl Outcome {
    /// Writes text tables: the machine, all results, absent programs and failures. The tables fit
    /// the width of a terminal.
    ///
    /// # Errors
    /// The error of writing.
    pub fn print(&self, out: &mut (impl Write + AsFd)) -> io::Result<()> {
        let columns = terminal::columns(out.as_fd());
        table::print(self, columns.unwrap_or(usize::MAX), out)
    }

    /// The results as JSON: an object with the machine, all records, absent programs and failures.
    pub fn json(&self) -> String {
        let results = json!({
            "machine": self.machine,
            "conditions": self.conditions,
            "interrupted": self.interrupted,
            "shortfall": self.shortfall,
            "links": self.links,
            "absent": self.absent,
            "failures": self.failures,
            "bars": bars::bars(&self.records),
            "records": self.records,
            "profiles": self.profiles,
        });
        format!("{results:#}\n")
    }

    /// The results as one self-contained HTML document.
    pub fn html(&self) -> String {
        page::page(self)
    }
}
