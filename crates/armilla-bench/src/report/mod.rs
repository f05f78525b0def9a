//! What a run shows: a line while it goes on, tables, JSON, and a page with charts.

mod bars;
mod chart;
mod figures;
mod gains;
mod markers;
mod page;
mod progress;
mod remarks;
mod scale;
mod table;
mod terminal;

pub(crate) use progress::Progress;

use crate::outcome::Outcome;
use serde_json::json;
use std::io::{self, Write};
use std::os::fd::AsFd;

impl Outcome {
    /// Writes tables: the machine, every result, who was absent and what failed. On a terminal they
    /// are as wide as that.
    ///
    /// # Errors
    /// When nothing can be written.
    pub fn print(&self, out: &mut (impl Write + AsFd)) -> io::Result<()> {
        let columns = terminal::columns(out.as_fd());
        table::print(self, columns.unwrap_or(usize::MAX), out)
    }

    /// The results for programs: a JSON object with the machine, every record, who was absent and
    /// what failed.
    pub fn json(&self) -> String {
        let results = json!({
            "machine": self.machine,
            "interrupted": self.interrupted,
            "shortfall": self.shortfall,
            "absent": self.absent,
            "failures": self.failures,
            "bars": bars::bars(&self.records),
            "records": self.records,
        });
        format!("{results:#}\n")
    }

    /// The results as one HTML document that needs nothing else, ratios first.
    pub fn html(&self) -> String {
        page::page(self)
    }
}
